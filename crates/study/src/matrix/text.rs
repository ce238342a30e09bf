//! A matrix as tables: one a response delay and number of users.

use std::fmt::Write;

use swell_report::number::{count, ms, rate};

use super::{Matrix, Row};
use crate::table::Table;

/// All tables, and notes on missing tools.
pub fn text(matrix: &Matrix) -> String {
    let mut out = String::new();
    for (words, rows) in blocks(matrix) {
        writeln!(out, "{words}").expect("a String takes it");
        out += &table(&rows).text();
        for note in failures(&rows) {
            writeln!(out, "{note}").expect("a String takes it");
        }
        out.push('\n');
    }
    for line in absent(matrix) {
        writeln!(out, "{line}").expect("a String takes it");
    }
    out
}

/// The measured delays and numbers of users, as text, with their rows.
pub(super) fn blocks(matrix: &Matrix) -> Vec<(String, Vec<Row>)> {
    let pairs = matrix.rtts_ms.iter().flat_map(|rtt| matrix.users.iter().map(move |users| (*rtt, *users)));
    let block = |(rtt, users)| (format!("response delay {rtt} ms, {users} users"), matrix.rows(rtt, users));
    pairs.map(block).filter(|(_, rows)| !rows.is_empty()).collect()
}

/// Columns without a figure are left out.
pub(super) fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "tool",
        "requests/s",
        "mean ms",
        "p50 ms",
        "p90 ms",
        "p99 ms",
        "error of mean",
        "error of p99",
        "failed",
        "connections",
        "memory MB",
        "peak MB",
        "CPU",
    ]);
    let time = |value: Option<f64>| value.map(ms).unwrap_or_default();
    let part = |value: Option<f64>| value.map(|part| format!("{:+.1} %", 100.0 * part)).unwrap_or_default();
    let megabytes = |bytes: Option<f64>| bytes.map(|bytes| format!("{:.1}", bytes / 1e6)).unwrap_or_default();
    for row in rows {
        table.rows.push(vec![
            row.tool.clone(),
            row.per_s.map(rate).unwrap_or_default(),
            time(row.mean_ms),
            time(row.p50_ms),
            time(row.p90_ms),
            time(row.p99_ms),
            part(row.mean_error),
            part(row.p99_error),
            row.error_percent
                .map(|percent| if percent == 0.0 { "0".to_owned() } else { format!("{percent:.2} %") })
                .unwrap_or_default(),
            row.connections.map(|most| count(most as u64)).unwrap_or_default(),
            megabytes(row.rss_mean_bytes),
            megabytes(row.rss_peak_bytes),
            row.processors.map(|busy| format!("{busy:.2}")).unwrap_or_default(),
        ]);
    }
    table.without_empty_columns()
}

/// A line a tool of which a run could not be read.
pub(super) fn failures(rows: &[Row]) -> Vec<String> {
    let line =
        |row: &Row| Some(format!("{}: {}", row.tool, swell_report::plain_lines(row.failure.as_ref()?)));
    rows.iter().filter_map(line).collect()
}

/// A line a tool that is not there.
pub(super) fn absent(matrix: &Matrix) -> Vec<String> {
    let missing = matrix.tools.iter().filter(|tool| tool.program.is_none());
    missing.map(|tool| format!("{} not found: {}", tool.name, tool.install)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::result::tests::matrix;

    #[test]
    fn tools_stand_beside_their_errors_and_absent_ones_with_their_install_line() {
        let text = text(&matrix());
        let lines: Vec<_> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines[0], "response delay 10 ms, 20 users");
        assert_eq!(
            lines[1],
            "tool requests/s mean ms p99 ms error of mean error of p99 failed connections memory MB peak MB CPU"
        );
        assert_eq!(lines[2], "siege 2,500 20 5.0 6.0 0.50");
        assert_eq!(lines[3], "wrk 2,000 11.00 24.00 +10.0 % +20.0 % 1.00 % 20 5.0 6.0 0.50");
        assert!(lines.contains(&"siege: <core> dumped".to_owned()), "{text}");
        assert!(lines.contains(&"oha not found: apt-get install oha".to_owned()), "{text}");
    }
}
