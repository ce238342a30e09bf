//! Rows of a CSV results file, to the byte as `org.apache.jmeter.save.CSVSaveService` writes them.

use memchr::{memchr_iter, memchr3};
use swell_api::{SampleResult, Timing};
use swell_expr::Context;

use crate::format::{RowFormat, data_type, push_int};
use crate::{Save, SaveConfig};

/// Sub-samples deeper than this are left out (`CSVSaveService.saveSubResults`).
const DEEPEST: u32 = 10;

/// The first switches, with the names of their columns.
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

#[inline]
fn columns(config: &SaveConfig) -> impl Iterator<Item = (Save, &'static [&'static str])> {
    config.saved_of_first(COLUMNS.len()).map(|number| COLUMNS[number])
}

/// The line with the names of the columns; names of variables stand in quotes.
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

/// A row is written as it comes, and looked at as a whole: hardly any text needs quotes. Where one does, the row is written once more.
fn row(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut Vec<u8>) {
    let start = out.len();
    let columns = write_row::<false>(format, sample, cx, out);
    if !has_only(&out[start..], format.config.delimiter, columns) {
        out.truncate(start);
        write_row::<true>(format, sample, cx, out);
    }
    if out.len() > start {
        out.pop();
    }
    out.push(b'\n');
}

/// Appends all columns, each with a delimiter after it; gives how many they are. `CHECKED`: texts stand in quotes if they need them.
fn write_row<const CHECKED: bool>(
    format: &RowFormat,
    sample: &SampleResult,
    cx: &Context,
    out: &mut Vec<u8>,
) -> usize {
    let mut count = format.variables.len();
    for (switch, names) in columns(&format.config) {
        column::<CHECKED>(format, switch, sample, out);
        count += names.len();
    }
    for variable in &format.variables {
        let value = cx.vars.get_slot(variable.slot).map_or("null", |value| value);
        text::<CHECKED>(out, value, format.config.delimiter);
    }
    count
}

/// Appends a column with a delimiter after it.
fn column<const CHECKED: bool>(format: &RowFormat, switch: Save, sample: &SampleResult, out: &mut Vec<u8>) {
    let delimiter = format.config.delimiter;
    let mut text = |value: &str| text::<CHECKED>(out, value, delimiter);
    let timing = &sample.timing;
    match switch {
        Save::Label => text(&sample.label),
        Save::Code => text(&sample.code),
        Save::Message => text(&sample.message),
        Save::ThreadName => text(&sample.thread_name),
        Save::DataType => text(data_type(sample.data_type)),
        Save::Success => text(if sample.success { "true" } else { "false" }),
        Save::FailureMessage => text(sample.failure_message().map_or("", |message| message)),
        Save::Url => text(sample.url.as_deref().unwrap_or("null")),
        Save::FileName => text(&sample.file),
        Save::Hostname => text(&format.host_name),
        Save::Encoding if sample.encoding.is_empty() => text(&format.default_encoding),
        Save::Encoding => text(&sample.encoding),
        Save::Timestamp => timestamp(format, timing.timestamp_ms(), out),
        Save::Time => int(out, timing.elapsed_ms(), delimiter),
        Save::Latency => int(out, timing.latency_ms(), delimiter),
        Save::IdleTime => int(out, timing.idle_ms(), delimiter),
        Save::ConnectTime => int(out, timing.connect_ms(), delimiter),
        Save::Bytes => int(out, sample.bytes, delimiter),
        Save::SentBytes => int(out, sample.sent_bytes, delimiter),
        Save::ThreadCounts => {
            int(out, sample.group_threads, delimiter);
            int(out, sample.all_threads, delimiter);
        }
        Save::SampleCount => {
            int(out, sample.sample_count(), delimiter);
            int(out, sample.error_count(), delimiter);
        }
        Save::TimeLine => {
            let Timing {
                intended_ns,
                ready_ns,
                start_ns,
                connected_ns,
                sent_ns,
                first_byte_ns,
                end_ns,
                read_ns,
                ..
            } = *timing;
            for at_ns in
                [intended_ns, ready_ns, start_ns, connected_ns, sent_ns, first_byte_ns, end_ns, read_ns]
            {
                int(out, at_ns, delimiter);
            }
        }
        // The rest are no columns.
        _ => {}
    }
}

fn timestamp(format: &RowFormat, timestamp_ms: i64, out: &mut Vec<u8>) {
    match &format.stamp {
        None => int(out, timestamp_ms, format.config.delimiter),
        Some(pattern) => text::<true>(out, &pattern.format(timestamp_ms), format.config.delimiter),
    }
}

/// Appends a number with a delimiter after it. Most are of few digits: times of a fast server, pauses and connections that were not
/// there, sizes.
#[inline]
fn int(out: &mut Vec<u8>, number: impl itoa::Integer + TryInto<u16> + Copy, delimiter: u8) {
    let Ok(few @ 0..=9999) = number.try_into() else { return long_int(out, number, delimiter) };
    let digit = |of: u16| b'0' + (few / of % 10) as u8;
    match few {
        0..=9 => out.extend_from_slice(&[digit(1), delimiter]),
        10..=99 => out.extend_from_slice(&[digit(10), digit(1), delimiter]),
        100..=999 => out.extend_from_slice(&[digit(100), digit(10), digit(1), delimiter]),
        _ => out.extend_from_slice(&[digit(1000), digit(100), digit(10), digit(1), delimiter]),
    }
}

#[inline(never)]
fn long_int(out: &mut Vec<u8>, number: impl itoa::Integer, delimiter: u8) {
    push_int(out, number);
    out.push(delimiter);
}

/// Appends a text with a delimiter after it; if it is to be checked, in quotes if it holds a delimiter, quote or line end.
fn text<const CHECKED: bool>(out: &mut Vec<u8>, value: &str, delimiter: u8) {
    let needs_quotes = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n');
    if CHECKED && value.bytes().any(needs_quotes) {
        quoted(out, value);
    } else {
        out.extend_from_slice(value.as_bytes());
    }
    out.push(delimiter);
}

/// Whether a row has so many delimiters, and no quote and no line end: then no text in it has any of them.
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
