//! What must hold in every world of results.

use std::collections::{BTreeMap, BTreeSet};

use swell_api::{DataType, SampleResult, Timing};
use swell_results::WriteFailure;
use swell_stats::{Histogram, LabelStats, Precision, QUANTILES, Snapshot};

use super::options::ResultsOptions;

/// How far a percentile may be off: a bucket is 1/1024 of its value.
const BUCKET: f64 = 1.0 / 1_000.0;
const MS: i64 = 1_000_000;

/// What is known at the end.
pub(super) struct Seen<'w> {
    pub(super) options: &'w ResultsOptions,
    /// All samples, whose bytes are their numbers.
    pub(super) samples: &'w [SampleResult],
    pub(super) content: &'w [u8],
    pub(super) failure: Option<WriteFailure>,
    /// What was told of the file during the run.
    pub(super) told: Vec<WriteFailure>,
    pub(super) counted: &'w Snapshot,
}

/// What did not hold, and rows in the file.
pub(super) fn check(seen: &Seen<'_>) -> (Vec<String>, u64) {
    let mut wrong = Vec::new();
    let text = String::from_utf8_lossy(seen.content);
    let rows = if seen.options.xml { xml_rows(&text) } else { csv_rows(&text) };
    let count = match rows {
        Ok(rows) => {
            wrong.extend(rows_of_samples(seen, &rows));
            rows.len() as u64
        }
        Err(why) => {
            wrong.push(format!("P8 rows: {why}"));
            0
        }
    };
    wrong.extend(account(seen, count));
    wrong.extend(statistics(seen));
    (wrong, count)
}

/// A row: its fields by their columns.
type Row = BTreeMap<String, String>;

/// What is expected of the columns that both forms have, by the names of CSV.
fn expected(sample: &SampleResult) -> [(&'static str, String); 14] {
    let timing = &sample.timing;
    let ms = |ns: i64| ns.div_euclid(MS);
    let since = |ns: i64| if ns == 0 { 0 } else { ms(ns) - ms(timing.start_ns) };
    let idle_ms = timing.idle_ns / MS;
    [
        ("timeStamp", ms(timing.start_ns).to_string()),
        ("elapsed", (since(timing.end_ns) - idle_ms).max(0).to_string()),
        ("Latency", since(timing.first_byte_ns).to_string()),
        ("Connect", since(timing.connected_ns).to_string()),
        ("IdleTime", idle_ms.to_string()),
        ("label", sample.label.to_string()),
        ("responseCode", sample.code.to_string()),
        ("responseMessage", sample.message.to_string()),
        ("threadName", sample.thread_name.to_string()),
        ("success", sample.success.to_string()),
        ("dataType", if sample.data_type == DataType::Text { "text" } else { "" }.to_owned()),
        ("sentBytes", sample.sent_bytes.to_string()),
        ("grpThreads", sample.group_threads.to_string()),
        ("allThreads", sample.all_threads.to_string()),
    ]
}

/// The columns of CSV that JMeter saves by default, in their order.
const HEADER: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
    failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";

/// Columns that only CSV has by default.
fn expected_of_csv(sample: &SampleResult) -> [(&'static str, String); 2] {
    let failed = sample.assertions.first().and_then(|assertion| assertion.message.as_deref());
    [
        ("URL", sample.url.as_deref().unwrap_or("null").to_owned()),
        ("failureMessage", failed.unwrap_or_default().to_owned()),
    ]
}

/// Rows equal the samples, each at most once, those of a worker in their order.
fn rows_of_samples(seen: &Seen<'_>, rows: &[Row]) -> Option<String> {
    let mut last: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for row in rows {
        let number = row.get("bytes").and_then(|bytes| bytes.parse::<usize>().ok());
        let Some((number, sample)) = number.and_then(|number| Some((number, seen.samples.get(number)?)))
        else {
            return Some(format!("P8 rows: no sample has the row {row:?}"));
        };
        if !found.insert(number) {
            return Some(format!("P8 rows: sample {number} has two rows"));
        }
        if last.insert(&sample.thread_name, number).is_some_and(|last| last > number) {
            return Some(format!("P8 rows: the row of sample {number} is not in its order"));
        }
        let of_csv = (!seen.options.xml).then(|| expected_of_csv(sample));
        for (column, value) in expected(sample).into_iter().chain(of_csv.into_iter().flatten()) {
            let is = row.get(column);
            if is.is_none_or(|is| *is != value) {
                return Some(format!("P8 rows: sample {number} has the {column} {is:?}, not {value:?}"));
            }
        }
    }
    None
}

/// Rows that are lost are reported, and no others.
fn account(seen: &Seen<'_>, rows: u64) -> Option<String> {
    let all = seen.samples.len() as u64;
    let Some(failure) = &seen.failure else {
        let is_whole = rows == all && seen.told.is_empty();
        return (!is_whole).then(|| format!("P8 account: {rows} rows of {all} samples, and no failure"));
    };
    // The header or the footer may be what does not fit.
    let is_right = failure.rows_written == rows && failure.rows_lost == all - rows && seen.told.len() == 1;
    (!is_right || seen.options.full_at.is_none()).then(|| {
        format!("P8 account: {rows} rows of {all} samples, told {failure}; told {} times", seen.told.len())
    })
}

/// Fields of CSV, quoted where they have to be (RFC 4180). Each line ends.
fn csv_rows(text: &str) -> Result<Vec<Row>, String> {
    let mut lines: Vec<Vec<String>> = vec![vec![String::new()]];
    let mut chars = text.chars().peekable();
    let mut is_quoted = false;
    while let Some(char) = chars.next() {
        let line = lines.last_mut().expect("there is a line");
        let field = line.last_mut().expect("a line has a field");
        match char {
            '"' if is_quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => line.push(String::new()),
            '\n' if !is_quoted => lines.push(vec![String::new()]),
            other => field.push(other),
        }
    }
    if lines.pop() != Some(vec![String::new()]) {
        // Where it is the only line, not even the header fits.
        let torn = "the file does not end with a whole row".to_owned();
        return if lines.is_empty() { Ok(Vec::new()) } else { Err(torn) };
    }
    let mut lines = lines.into_iter();
    let Some(header) = lines.next() else { return Ok(Vec::new()) };
    if header.join(",") != HEADER {
        return Err(format!("the header is {header:?}"));
    }
    let row = |line: Vec<String>| {
        if line.len() == header.len() {
            Ok(header.iter().cloned().zip(line).collect())
        } else {
            Err(format!("a row has {} columns of {}", line.len(), header.len()))
        }
    };
    lines.map(row).collect()
}

/// Attributes of XML by the names of CSV.
const ATTRIBUTES: [(&str, &str); 15] = [
    ("it", "IdleTime"),
    ("dt", "dataType"),
    ("sby", "sentBytes"),
    ("ng", "grpThreads"),
    ("na", "allThreads"),
    ("ts", "timeStamp"),
    ("t", "elapsed"),
    ("lt", "Latency"),
    ("ct", "Connect"),
    ("lb", "label"),
    ("rc", "responseCode"),
    ("rm", "responseMessage"),
    ("tn", "threadName"),
    ("s", "success"),
    ("by", "bytes"),
];

/// Elements of samples, each whole.
fn xml_rows(text: &str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let mut rest = text;
    while let Some((_, element)) = rest.split_once("<sample ") {
        let (inside, after) = element.split_once("/>").ok_or("an element has no end")?;
        let mut row = Row::new();
        let mut attributes = inside;
        while let Some((name, value)) = attributes.split_once("=\"") {
            let (value, left) = value.split_once('"').ok_or("an attribute has no end")?;
            if let Some((_, column)) = ATTRIBUTES.iter().find(|(known, _)| *known == name.trim()) {
                row.insert((*column).to_owned(), unescaped(value));
            }
            attributes = left;
        }
        rows.push(row);
        rest = after;
    }
    let rest = rest.trim();
    let is_end =
        rest.is_empty() || rest == "</testResults>" || (rows.is_empty() && rest.starts_with("<?xml"));
    if is_end || (rows.is_empty() && "<?xml".starts_with(rest)) {
        Ok(rows)
    } else {
        Err(format!("the file ends with {rest:?}"))
    }
}

fn unescaped(text: &str) -> String {
    let named =
        [("&#xa;", "\n"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    named.iter().fold(text.to_owned(), |text, (name, char)| text.replace(name, char))
}

/// Counts are those of the samples, on all workers together; percentiles are right within a bucket.
fn statistics(seen: &Seen<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    let labels: BTreeSet<&str> = seen.samples.iter().map(|sample| &*sample.label).collect();
    for label in labels {
        let samples: Vec<_> = seen.samples.iter().filter(|sample| *sample.label == *label).collect();
        let name: String = label.chars().take(20).collect();
        match seen.counted.get(label, false) {
            Some(row) => wrong.extend(
                label_statistics(&row.stats, &samples)
                    .map(|what| format!("P1 statistics: label {name:?}: {what}")),
            ),
            None => wrong.push(format!("P1 statistics: label {name:?} is not counted")),
        }
    }
    let all: Vec<_> = seen.samples.iter().collect();
    wrong.extend(
        label_statistics(&seen.counted.total(), &all).map(|what| format!("P1 statistics: total: {what}")),
    );
    wrong
}

fn elapsed_ns(sample: &SampleResult) -> u64 {
    (sample.timing.end_ns - sample.timing.start_ns - sample.timing.idle_ns).max(0) as u64
}

/// Times that a sample has for statistics; none: it did not happen.
type Stage = fn(&SampleResult) -> Option<i64>;

/// The name of a stage, what counts it, and its time.
type CountedStage = (&'static str, fn(&LabelStats) -> &Histogram, Stage);

/// The stages of a sample, as `docs/measurement.md` defines them.
const STAGES: [CountedStage; 7] = [
    (
        "connect",
        |stats| &stats.connect,
        |sample| {
            let connected_ns = sample.timing.connected_ns;
            (connected_ns != 0).then_some(connected_ns - sample.timing.start_ns)
        },
    ),
    (
        "first byte",
        |stats| &stats.first_byte,
        |sample| Some(sample.timing.first_byte_ns - sample.timing.start_ns),
    ),
    ("handshake", |stats| &stats.handshake, |sample| Some(sample.timing.handshake_ns).filter(|ns| *ns > 0)),
    (
        "read delay",
        |stats| &stats.read_delay,
        |sample| {
            let arrived_ns = Some(sample.timing.arrived_ns).filter(|ns| *ns != 0);
            Some(sample.timing.read_ns - arrived_ns.unwrap_or(sample.timing.end_ns))
        },
    ),
    (
        "start delay",
        |stats| &stats.start_delay,
        |sample| {
            Some(sample.timing.start_ns - sample.timing.ready_ns).filter(|_| sample.timing.ready_ns != 0)
        },
    ),
    (
        "send delay",
        |stats| &stats.send_delay,
        |sample| {
            let Timing { sent_ns, start_ns, connected_ns, .. } = sample.timing;
            (sent_ns != 0).then_some(sent_ns - start_ns.max(connected_ns))
        },
    ),
    (
        "response time",
        |stats| &stats.response,
        |sample| {
            let Timing { scheduled, end_ns, intended_ns, idle_ns, .. } = sample.timing;
            scheduled.then_some(end_ns - intended_ns - idle_ns)
        },
    ),
];

/// Each stage is counted as often as it happened, with its times.
fn stages(stats: &LabelStats, samples: &[&SampleResult]) -> Option<String> {
    STAGES.into_iter().find_map(|(what, histogram, of)| {
        let mut times: Vec<u64> =
            samples.iter().filter_map(|sample| of(sample)).map(|ns| ns.max(0) as u64).collect();
        times.sort_unstable();
        let histogram = histogram(stats);
        if histogram.count() != times.len() as u64 {
            return Some(format!("{what}: {} times, not {}", histogram.count(), times.len()));
        }
        let parts = if histogram.precision() == Precision::Two { 128 } else { 1024 };
        times.iter().zip(1..).find_map(|(truth, rank)| {
            let is = histogram.value_at_rank(rank);
            (is < *truth || is > truth + truth / parts).then(|| format!("{what}: {is} ns, not {truth}"))
        })
    })
}

fn label_statistics(stats: &LabelStats, samples: &[&SampleResult]) -> Option<String> {
    let mut times: Vec<u64> = samples.iter().map(|sample| elapsed_ns(sample)).collect();
    times.sort_unstable();
    let sum = |of: fn(&SampleResult) -> u64| samples.iter().map(|sample| of(sample)).sum::<u64>();
    let figures = [
        ("samples", stats.samples, samples.len() as u64),
        ("errors", stats.errors, sum(|sample| u64::from(!sample.success))),
        ("bytes", stats.bytes, sum(|sample| sample.bytes)),
        ("sent bytes", stats.sent_bytes, sum(|sample| sample.sent_bytes)),
        ("sum", stats.sum_ns as u64, times.iter().sum()),
        ("least", stats.min_ns, times[0]),
        ("most", stats.max_ns, times[times.len() - 1]),
    ];
    if let Some((what, is, truth)) = figures.into_iter().find(|(_, is, truth)| is != truth) {
        return Some(format!("{what}: {is}, not {truth}"));
    }
    let off = |quantile: &f64| {
        let rank = ((quantile * times.len() as f64).ceil() as usize).clamp(1, times.len());
        let (is, truth) = (stats.quantile_ns(*quantile) as f64, times[rank - 1] as f64);
        ((is - truth).abs() > BUCKET * truth + 1.0)
            .then(|| format!("quantile {quantile}: {is} ns, not {truth}"))
    };
    let codes: u64 = stats.outcomes.codes().into_iter().map(|(_, count)| count).sum();
    if codes != samples.len() as u64 {
        return Some(format!("codes: {codes} of {}", samples.len()));
    }
    QUANTILES.iter().find_map(off).or_else(|| stages(stats, samples))
}
