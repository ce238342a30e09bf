//! Rows of a CSV results file, byte for byte as `org.apache.jmeter.save.CSVSaveService` writes
//! them.

use memchr::{memchr_iter, memchr3};
use swell_api::{SampleResult, Timing};
use swell_expr::Context;

use crate::format::{RowFormat, data_type, push_int};
use crate::{Save, SaveConfig};

/// Sub-samples deeper than this are left out (`CSVSaveService.saveSubResults`).
const DEEPEST: u32 = 10;

/// Switches in the order of their columns, with the names of the columns.
static COLUMNS: [(Save, &[&str]); 21] = [
    (Save::Timestamp, &["timeStamp"]),
    (Save::Time, &["elapsed"]),
    (Save::Label, &["label"]),
    (Save::Code, &["responseCode"]),
    (Save::Message, &["responseMessage"]),
    (Save::ThreadName, &["threadName"]),
    (Save::DataType, &["dataType"]),
    (Save::Success, &["success"]),
    (Save::FailureMessage, &["failureMessage"]),
    (Save::Bytes, &["bytes"]),
    (Save::SentBytes, &["sentBytes"]),
    (Save::ThreadCounts, &["grpThreads", "allThreads"]),
    (Save::Url, &["URL"]),
    (Save::FileName, &["Filename"]),
    (Save::Latency, &["Latency"]),
    (Save::Encoding, &["Encoding"]),
    (Save::SampleCount, &["SampleCount", "ErrorCount"]),
    (Save::Hostname, &["Hostname"]),
    (Save::IdleTime, &["IdleTime"]),
    (Save::ConnectTime, &["Connect"]),
    (
        Save::TimeLine,
        &["intendedNs", "readyNs", "startNs", "connectedNs", "sentNs", "firstByteNs", "endNs", "readNs"],
    ),
];

fn columns(config: &SaveConfig) -> impl Iterator<Item = (Save, &'static [&'static str])> {
    COLUMNS.iter().copied().filter(|&(switch, _)| config.saves(switch))
}

/// The line with the names of the columns; names of variables are quoted.
pub(crate) fn header(format: &RowFormat, out: &mut Vec<u8>) {
    let plain = columns(&format.config).flat_map(|(_, names)| names).map(|name| (*name).to_owned());
    let variables = format.variables.iter().map(|variable| format!("\"{}\"", variable.name));
    let names: Vec<_> = plain.chain(variables).collect();
    out.extend_from_slice(names.join(&char::from(format.config.delimiter).to_string()).as_bytes());
    out.push(b'\n');
}

/// The row of a sample and, if they are saved, the rows of its sub-samples.
pub(crate) fn sample(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut Vec<u8>) {
    row(format, sample, cx, out);
    if format.config.saves(Save::Subresults) {
        sub_samples(format, sample, cx, out, 0);
    }
}

fn sub_samples(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut Vec<u8>, depth: u32) {
    if depth <= DEEPEST {
        for sub in &sample.sub_results {
            row(format, sub, cx, out);
            sub_samples(format, sub, cx, out, depth + 1);
        }
    }
}

/// A row is written as it comes, and looked at as a whole: hardly any text needs quotes. Where one
/// does, the row is written once more.
fn row(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut Vec<u8>) {
    let start = out.len();
    // The message of a transaction has a comma. With a delimiter a column and none of the others,
    // no text in a row has any of them.
    let is_plain = !sample.is_transaction && {
        let columns = write_row::<false>(format, sample, cx, out);
        has_only(&out[start..], format.config.delimiter, columns)
    };
    if !is_plain {
        out.truncate(start);
        write_row::<true>(format, sample, cx, out);
    }
    if out.len() > start {
        out.pop();
    }
    out.push(b'\n');
}

/// Appends all columns, each with a delimiter after it, and returns their number. `CHECKED`: texts
/// are quoted if they need it.
fn write_row<const CHECKED: bool>(
    format: &RowFormat,
    sample: &SampleResult,
    cx: &Context,
    out: &mut Vec<u8>,
) -> usize {
    let mut row = Row::<CHECKED> { out, delimiter: format.config.delimiter, columns: 0 };
    row.outcome(format, sample);
    row.figures(format, sample);
    for variable in &format.variables {
        row.text(cx.vars.get_slot(variable.slot).map_or("null", |value| value));
    }
    row.columns
}

fn time_line(timing: &Timing) -> [i64; 8] {
    let Timing {
        intended_ns, ready_ns, start_ns, connected_ns, sent_ns, first_byte_ns, end_ns, read_ns, ..
    } = *timing;
    [intended_ns, ready_ns, start_ns, connected_ns, sent_ns, first_byte_ns, end_ns, read_ns]
}

/// A row that is being written.
struct Row<'o, const CHECKED: bool> {
    out: &'o mut Vec<u8>,
    delimiter: u8,
    /// How many it has.
    columns: usize,
}

impl<const CHECKED: bool> Row<'_, CHECKED> {
    // Both in line, one column after the other: a loop over the columns takes half as long again.

    /// Appends the columns up to `failureMessage`.
    #[inline]
    fn outcome(&mut self, format: &RowFormat, sample: &SampleResult) {
        let timing = &sample.timing;
        let saves = |switch| format.config.saves(switch);
        if saves(Save::Timestamp) {
            match &format.stamp {
                None => self.int(timing.timestamp_ms()),
                Some(pattern) => self.text(&pattern.format(timing.timestamp_ms())),
            }
        }
        if saves(Save::Time) {
            self.int(timing.elapsed_ms());
        }
        if saves(Save::Label) {
            self.text(&sample.label);
        }
        if saves(Save::Code) {
            self.text(&sample.code);
        }
        if saves(Save::Message) {
            self.text(&sample.message);
        }
        if saves(Save::ThreadName) {
            self.text(&sample.thread_name);
        }
        if saves(Save::DataType) {
            self.text(data_type(sample.data_type));
        }
        if saves(Save::Success) {
            self.text(if sample.success { "true" } else { "false" });
        }
        if saves(Save::FailureMessage) {
            self.text(sample.failure_message().map_or("", |message| message));
        }
    }

    /// Appends the columns behind `failureMessage`.
    #[inline]
    fn figures(&mut self, format: &RowFormat, sample: &SampleResult) {
        let timing = &sample.timing;
        let saves = |switch| format.config.saves(switch);
        if saves(Save::Bytes) {
            self.int(sample.bytes);
        }
        if saves(Save::SentBytes) {
            self.int(sample.sent_bytes);
        }
        if saves(Save::ThreadCounts) {
            self.int(sample.group_threads);
            self.int(sample.all_threads);
        }
        if saves(Save::Url) {
            self.text(sample.url.as_deref().unwrap_or("null"));
        }
        if saves(Save::FileName) {
            self.text(&sample.file);
        }
        if saves(Save::Latency) {
            self.int(timing.latency_ms());
        }
        if saves(Save::Encoding) {
            self.text(if sample.encoding.is_empty() { &format.default_encoding } else { &sample.encoding });
        }
        if saves(Save::SampleCount) {
            self.int(sample.sample_count());
            self.int(sample.error_count());
        }
        if saves(Save::Hostname) {
            self.text(&format.host_name);
        }
        if saves(Save::IdleTime) {
            self.int(timing.idle_ms());
        }
        if saves(Save::ConnectTime) {
            self.int(timing.connect_ms());
        }
        if saves(Save::TimeLine) {
            for at_ns in time_line(timing) {
                self.int(at_ns);
            }
        }
    }

    /// Appends a number with a delimiter after it. Most are of few digits: times of a fast server,
    /// pauses and connections that were not there, sizes.
    #[inline]
    fn int(&mut self, number: impl itoa::Integer + TryInto<u16> + Copy) {
        self.columns += 1;
        let Ok(few @ 0..=9999) = number.try_into() else { return self.long_int(number) };
        let digit = |of: u16| b'0' + (few / of % 10) as u8;
        match few {
            0..=9 => self.out.extend_from_slice(&[digit(1), self.delimiter]),
            10..=99 => self.out.extend_from_slice(&[digit(10), digit(1), self.delimiter]),
            100..=999 => self.out.extend_from_slice(&[digit(100), digit(10), digit(1), self.delimiter]),
            _ => {
                let digits = [digit(1000), digit(100), digit(10), digit(1), self.delimiter];
                self.out.extend_from_slice(&digits);
            }
        }
    }

    #[inline(never)]
    fn long_int(&mut self, number: impl itoa::Integer) {
        push_int(self.out, number);
        self.out.push(self.delimiter);
    }

    /// Appends a text with a delimiter after it; if it is to be checked, in quotes if it holds a
    /// delimiter, quote or line end.
    #[inline]
    fn text(&mut self, value: &str) {
        self.columns += 1;
        if CHECKED && needs_quotes(value.as_bytes(), self.delimiter) {
            quoted(self.out, value);
        } else {
            self.out.extend_from_slice(value.as_bytes());
        }
        self.out.push(self.delimiter);
    }
}

/// Whether a text holds a delimiter, quote or line end. Short ones are looked at faster than a
/// search begins.
fn needs_quotes(text: &[u8], delimiter: u8) -> bool {
    if text.len() < 16 {
        text.iter().any(|byte| *byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n'))
    } else {
        !has_only(text, delimiter, 0)
    }
}

/// Whether a row or a text has that many delimiters, and no quote and no line end.
fn has_only(row: &[u8], delimiter: u8, delimiters: usize) -> bool {
    memchr3(b'"', b'\r', b'\n', row).is_none() && memchr_iter(delimiter, row).count() == delimiters
}

/// Appends a text in quotes, its own quotes doubled.
fn quoted(out: &mut Vec<u8>, value: &str) {
    out.push(b'"');
    for byte in value.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests;
