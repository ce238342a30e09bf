//! The intervals of a run as an HdrHistogram log (format 1.3, V2 compressed), which the
//! HdrHistogram tools of all languages read.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use swell_stats::{Interval, LabelRow};

/// Writes a log: for each interval a line for each label, tagged with its name, service times in
/// nanoseconds. The largest value of a line is in milliseconds, as the format has it.
///
/// # Errors
/// What the writer says; a count beyond 63 bits.
pub fn write(
    out: &mut impl Write,
    made_by: &str,
    intervals: impl Iterator<Item = Interval>,
) -> io::Result<()> {
    let mut intervals = intervals.peekable();
    let start_ms = intervals.peek().map_or(0, |first| first.start_ms);
    writeln!(out, "#[Logged with {made_by}]\n#[Histogram log format version 1.3]")?;
    writeln!(out, "#[StartTime: {} (seconds since epoch)]", seconds(start_ms))?;
    writeln!(
        out,
        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""
    )?;
    for interval in intervals {
        for row in interval.labels.rows.iter().filter(|row| row.stats.samples > 0) {
            write_line(out, &interval, row, start_ms)?;
        }
    }
    Ok(())
}

fn write_line(out: &mut impl Write, interval: &Interval, row: &LabelRow, start_ms: i64) -> io::Result<()> {
    let histogram = row.stats.elapsed.to_hdr_v2_deflate().map_err(io::Error::other)?;
    let [start, length] = [interval.start_ms - start_ms, interval.length_ms.cast_signed()].map(seconds);
    let max_ms = row.stats.max_ns as f64 / 1e6;
    writeln!(out, "Tag={},{start},{length},{max_ms:.3},{}", tag(&row.label), STANDARD.encode(histogram))
}

fn seconds(ms: i64) -> String {
    format!("{}.{:03}", ms.div_euclid(1000), ms.rem_euclid(1000))
}

/// A tag holds no comma, no white space and no line end.
fn tag(label: &str) -> String {
    let harmless = |c: char| if c == ',' || c.is_whitespace() || c.is_control() { '_' } else { c };
    if label.is_empty() { "_".to_owned() } else { label.chars().map(harmless).collect() }
}

#[cfg(test)]
mod tests {
    use super::super::intervals::tests::second;
    use super::*;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    #[test]
    fn other_readers_of_the_format_read_the_same() {
        let mut out = Vec::new();
        let mut labelled = second(5000, 20);
        labelled.labels.add("log, in\n", false, &labelled.labels.rows[0].stats.clone());
        write(&mut out, "Swell", [second(4500, 10), labelled].into_iter()).expect("written");
        let mut found = Vec::new();
        for entry in IntervalLogIterator::new(&out) {
            match entry.expect("the format is right") {
                LogEntry::StartTime(start) => assert_eq!(start.as_millis(), 4500),
                LogEntry::Interval(line) => {
                    let bytes = STANDARD.decode(line.encoded_histogram()).expect("base64");
                    let read: hdrhistogram::Histogram<u64> =
                        Deserializer::new().deserialize(&mut &bytes[..]).expect("V2");
                    let start = line.start_timestamp().as_millis();
                    found.push((
                        line.tag().map(|tag| tag.as_str().to_owned()),
                        start,
                        read.len(),
                        read.max(),
                    ));
                }
                LogEntry::BaseTime(_) => panic!("there is none"),
            }
        }
        let named = |tag: &str| Some(tag.to_owned());
        let wanted: Vec<_> =
            found.iter().map(|(tag, start, count, _)| (tag.clone(), *start, *count)).collect();
        assert_eq!(wanted, [(named("a"), 0, 10), (named("a"), 500, 20), (named("log__in_"), 500, 20)]);
        assert!(found[1].3.abs_diff(20_000_000) < 20_000, "nanoseconds: {}", found[1].3);
    }
}
