//! What must hold in every world of results.

use std::collections::{BTreeMap, BTreeSet};

use swell_api::SampleResult;
use swell_results::WriteFailure;
use swell_stats::{LabelStats, QUANTILES, Snapshot};

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
fn expected(sample: &SampleResult) -> [(&'static str, String); 9] {
    let timing = &sample.timing;
    let ms = |ns: i64| ns.div_euclid(MS);
    let since = |ns: i64| if ns == 0 { 0 } else { ms(ns) - ms(timing.start_ns) };
    [
        ("timeStamp", ms(timing.start_ns).to_string()),
        ("elapsed", since(timing.end_ns).to_string()),
        ("Latency", since(timing.first_byte_ns).to_string()),
        ("Connect", since(timing.connected_ns).to_string()),
        ("label", sample.label.to_string()),
        ("responseCode", sample.code.to_string()),
        ("responseMessage", sample.message.to_string()),
        ("threadName", sample.thread_name.to_string()),
        ("success", sample.success.to_string()),
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
        for (column, value) in expected(sample) {
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
const ATTRIBUTES: [(&str, &str); 10] = [
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

fn label_statistics(stats: &LabelStats, samples: &[&SampleResult]) -> Option<String> {
    let mut times: Vec<u64> =
        samples.iter().map(|sample| (sample.timing.end_ns - sample.timing.start_ns) as u64).collect();
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
    QUANTILES.iter().find_map(off)
}
