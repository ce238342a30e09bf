//! Renders metrics and summary lines as text that does not differ from run to run.

/// Returns the lines of all messages, sorted, with times masked.
pub(crate) fn render(messages: &[Vec<u8>]) -> String {
    let mut lines: Vec<String> = messages.iter().flat_map(|message| lines(message)).collect();
    lines.sort();
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

fn lines(message: &[u8]) -> Vec<String> {
    if message.first().is_some_and(|byte| *byte == 0) {
        return pickled(message);
    }
    String::from_utf8_lossy(message).lines().map(masked).collect()
}

/// Converts length-prefixed lists of Python's pickle to lines of Graphite.
fn pickled(mut rest: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((list, tail)) = tail.split_at_checked(length) else {
            out.push(format!("a list of {length} bytes is cut"));
            return out;
        };
        rest = tail;
        let list = String::from_utf8_lossy(list);
        let Some(items) = list.strip_prefix("(l").and_then(|list| list.strip_suffix('.')) else {
            out.push(format!("no list: {list}"));
            continue;
        };
        out.extend(items.split_inclusive("tta").map(|item| {
            let parts = item.strip_prefix("(S'").and_then(|item| item.strip_suffix("'\ntta"));
            let parts = parts.and_then(|parts| parts.split_once("'\n(L"));
            let line = parts.and_then(|(name, rest)| Some((name, rest.split_once("L\nS'")?)));
            line.map_or(format!("no item: {item}"), |(name, (at, value))| {
                format!("pickled {}", masked(&format!("{name} {value} {at}")))
            })
        }));
    }
    out
}

/// Masks a line of InfluxDB or Graphite. In both, the timestamp is the last word.
fn masked(line: &str) -> String {
    let Some((rest, stamp)) = line.rsplit_once(' ').filter(|(_, stamp)| is_number(stamp)) else {
        return line.to_owned();
    };
    let digits = "9".repeat(stamp.len());
    let (tags, fields) = rest.rsplit_once(' ').unwrap_or(("", rest));
    let fields = if fields.contains('=') {
        let fields = fields.split(',').map(|field| match field.split_once('=') {
            Some((name, value)) if is_timed(name) && is_number(value) => format!("{name}=*"),
            _ => field.to_owned(),
        });
        fields.collect::<Vec<_>>().join(",")
    } else if is_timed(tags.rsplit('.').next().unwrap_or_default()) && is_number(fields) {
        "*".to_owned()
    } else {
        fields.to_owned()
    };
    format!("{tags} {fields} {digits}")
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

fn is_timed(name: &str) -> bool {
    let timed = ["min", "max", "avg", "minAT", "maxAT", "meanAT", "duration", "ttfb", "connectTime"];
    timed.contains(&name) || name.starts_with("pct")
}

/// Returns the summary lines of all samples from a program's output, with times masked. Lines of an
/// interval are left out: intervals end at fixed seconds of each minute, so whether one appears
/// depends on the wall clock.
pub(crate) fn summaries(said: &str) -> String {
    let masked = said.lines().filter_map(|line| {
        let (head, rest) = line.split_once(" in ")?;
        let (_, errors) = rest.split_once(" Err: ")?;
        head.contains(" = ").then(|| format!("{head} in * Err: {errors}\n"))
    });
    masked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_timed_is_masked() {
        let table = [
            ("m,t=a\\ b count=2,avg=1.5,pct90.0=3.0 17000000", "m,t=a\\ b count=2,avg=*,pct90.0=* 99999999"),
            ("events,a=b text=\"T started\" 17", "events,a=b text=\"T started\" 99"),
            ("p.all.ok.min 3.0 17", "p.all.ok.min * 99"),
            ("p.all.ok.count 3 17", "p.all.ok.count 3 99"),
        ];
        for (line, wanted) in table {
            assert_eq!(masked(line), wanted);
        }
        let list = b"\0\0\0\x1f(l(S'p.a.count'\n(L17L\nS'2'\ntta.";
        assert_eq!(lines(list), ["pickled p.a.count 2 99"]);
    }

    #[test]
    fn summary_lines_are_found() {
        let said = "Starting\nx +      1 in 00:00:01 =    1.5/s Avg:     1 Min:     0 Max:     3 Err:     1 (50.00%)\nx =      2 in 00:00:01 =    1.5/s Avg:     1 Min:     0 Max:     3 Err:     1 (50.00%)\nend";
        assert_eq!(summaries(said), "x =      2 in * Err:     1 (50.00%)\n");
    }
}
