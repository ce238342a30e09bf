//! Masks the attributes of XML results that differ from run to run, and cuts Java stack traces to
//! their first line.

use super::{NO_RESPONSE, OTHERS, TIMES, TRANSACTION};
use crate::case::{Order, Rules};

/// Returns the masked text.
pub(super) fn render(text: &str, rules: &Rules) -> String {
    let sums = rules.traces_in_sums && text.contains(NO_RESPONSE);
    let text = without_traces(text);
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        out.push_str(&if is_sample(line.trim_start()) { masked(line, rules, sums) } else { line.to_owned() });
    }
    if rules.bodies_masked {
        out = without_bodies(&out);
    }
    ordered(&out, rules.order)
}

/// Returns success flags, codes and threads only.
pub(super) fn shape(text: &str) -> String {
    let samples = text.lines().filter(|line| is_sample(line.trim_start()));
    let kept = samples.map(|line| ["s", "rc", "tn"].map(|name| attribute(line, name)).join(",") + "\n");
    let mut kept: Vec<String> = kept.collect();
    kept.sort();
    kept.concat()
}

fn is_sample(line: &str) -> bool {
    line.starts_with("<sample ") || line.starts_with("<httpSample ")
}

fn masked(line: &str, rules: &Rules, sums: bool) -> String {
    let failed = line.contains(NO_RESPONSE) || sums && line.contains(TRANSACTION);
    let mut line = line.to_owned();
    for (column, attribute) in TIMES.iter().chain(&OTHERS) {
        let is_time = TIMES.iter().any(|(_, name)| name == attribute);
        let named = rules.masked.iter().any(|name| name == column);
        if is_time || named || (failed && *attribute == "by") {
            line = with_star(&line, attribute);
        }
    }
    line
}

/// Returns the line with the value of an attribute replaced by a star.
fn with_star(line: &str, attribute: &str) -> String {
    let start = format!(" {attribute}=\"");
    let Some(at) = line.find(&start) else { return line.to_owned() };
    let (head, tail) = line.split_at(at + start.len());
    let end = tail.find('"').unwrap_or(0);
    format!("{head}*{}", &tail[end..])
}

/// Cuts stack traces: the body of a sample that failed without a response is one, and its lines
/// after the first depend on the program.
fn without_traces(text: &str) -> String {
    const END: &str = "</responseData>";
    let mut out = String::with_capacity(text.len());
    // Whether each enclosing sample failed without a response, outermost first.
    let mut failed = Vec::new();
    let mut in_trace = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if in_trace {
            if let Some(at) = line.find(END) {
                in_trace = false;
                out.push_str(&line[at..]);
            }
            continue;
        }
        if is_sample(trimmed) && !line.trim_end().ends_with("/>") {
            failed.push(line.contains(NO_RESPONSE));
        } else if trimmed.starts_with("</httpSample>") || trimmed.starts_with("</sample>") {
            failed.pop();
        }
        let is_body = trimmed.starts_with("<responseData ") && failed.last() == Some(&true);
        in_trace = is_body && !line.contains(END);
        out.push_str(if in_trace { line.trim_end_matches('\n') } else { line });
    }
    out
}

fn without_bodies(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("<responseData ") {
        let after_tag = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        out.push_str(&rest[..after_tag]);
        rest = &rest[after_tag..];
        if let Some(end) = rest.find("</responseData>") {
            out.push('*');
            rest = &rest[end..];
        }
    }
    out + rest
}

/// Returns the outermost samples of threads whose names start with `group`, and the text around all
/// samples.
pub(super) fn of_threads(text: &str, group: &str) -> String {
    let (head, mut samples, tail) = outermost(text);
    samples.retain(|sample| attribute(sample, "tn").starts_with(group));
    format!("{head}{}{tail}", samples.concat())
}

/// Returns the outermost samples in the order of the rule. Without an order, all lines are a set,
/// because nested samples can also be in any order.
fn ordered(text: &str, order: Order) -> String {
    if order == Order::None {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines.sort_unstable();
        return lines.concat();
    }
    let (head, mut samples, tail) = outermost(text);
    samples.sort_by_key(|sample| attribute(sample, "tn"));
    format!("{head}{}{tail}", samples.concat())
}

/// Returns the text before the outermost samples, these samples, and the text after them.
fn outermost(text: &str) -> (String, Vec<String>, String) {
    let mut head = String::new();
    let mut samples = Vec::<String>::new();
    let mut tail = String::new();
    for line in text.split_inclusive('\n') {
        if is_sample(line) {
            samples.push(line.to_owned());
        } else if line.starts_with("</testResults>") {
            line.clone_into(&mut tail);
        } else {
            // An empty line between samples belongs to the sample before it.
            samples.last_mut().unwrap_or(&mut head).push_str(line);
        }
    }
    // The empty line before the end belongs to no sample.
    if let Some(last) = samples.last_mut().filter(|last| last.ends_with("\n\n")) {
        last.pop();
        tail.insert(0, '\n');
    }
    (head, samples, tail)
}

fn attribute(sample: &str, name: &str) -> String {
    let start = format!(" {name}=\"");
    let value = sample.split_once(&start).and_then(|(_, rest)| rest.split_once('"'));
    value.map(|(value, _)| value.to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n\
        <httpSample t=\"12\" it=\"0\" lt=\"3\" ct=\"1\" ts=\"99\" lb=\"b\" tn=\"U 1-2\" by=\"7\">\n  \
        <responseData class=\"java.lang.String\">t=\"12\"\n more</responseData>\n</httpSample>\n\
        <httpSample t=\"4\" lb=\"a\" rc=\"Non HTTP response code: X\" tn=\"U 1-1\" by=\"999\">\n  \
        <responseData class=\"java.lang.String\">X: why\n\tat a.b\nCaused by: Y\n\t... 3 more\n</responseData>\n\
        </httpSample>\n</testResults>\n";

    #[test]
    fn times_and_traces_are_masked() {
        let text = render(FILE, &Rules::default());
        assert!(text.contains(
            "<httpSample t=\"*\" it=\"*\" lt=\"*\" ct=\"*\" ts=\"*\" lb=\"b\" tn=\"U 1-2\" by=\"7\">"
        ));
        assert!(
            text.contains(">t=\"12\"\n more</responseData>"),
            "text that looks like an attribute stays: {text}"
        );
        assert!(
            text.contains(" by=\"*\">\n  <responseData class=\"java.lang.String\">X: why</responseData>"),
            "{text}"
        );
    }

    #[test]
    fn the_shape_leaves_out_what_is_drawn_by_lot() {
        assert_eq!(shape(FILE), ",,U 1-2\n,Non HTTP response code: X,U 1-1\n");
    }

    #[test]
    fn rules_mask_and_order() {
        let rules = Rules {
            masked: vec!["bytes".to_owned()],
            order: Order::Thread,
            bodies_masked: true,
            ..Rules::default()
        };
        let text = render(FILE, &rules);
        assert!(text.find("U 1-1") < text.find("U 1-2"), "{text}");
        assert_eq!(text.matches("by=\"*\"").count(), 2, "{text}");
        assert_eq!(text.matches(">*</responseData>").count(), 2, "{text}");
        assert!(text.ends_with("</httpSample>\n</testResults>\n"), "{text}");
    }
}
