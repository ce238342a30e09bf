//! Rows of a CSV results file, to the byte as `org.apache.jmeter.save.CSVSaveService` writes them.

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

fn row(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut Vec<u8>) {
    let (start, delimiter) = (out.len(), format.config.delimiter);
    for (switch, _) in columns(&format.config) {
        column(format, switch, sample, out);
    }
    for variable in &format.variables {
        text(out, cx.vars.get_slot(variable.slot).map_or("null", |value| value), delimiter);
    }
    if out.len() > start {
        out.pop();
    }
    out.push(b'\n');
}

/// Appends a column with a delimiter after it.
fn column(format: &RowFormat, switch: Save, sample: &SampleResult, out: &mut Vec<u8>) {
    let delimiter = format.config.delimiter;
    let mut text = |value: &str| text(out, value, delimiter);
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
        Some(pattern) => text(out, &pattern.format(timestamp_ms), format.config.delimiter),
    }
}

/// Appends a number with a delimiter after it. Most are one digit: times of a fast server, pauses and connections that were not there.
#[inline]
fn int(out: &mut Vec<u8>, number: impl itoa::Integer + TryInto<u8> + Copy, delimiter: u8) {
    if let Ok(digit @ 0..=9) = number.try_into() {
        out.extend_from_slice(&[b'0' + digit, delimiter]);
    } else {
        push_int(out, number);
        out.push(delimiter);
    }
}

/// Appends a text with a delimiter after it: in quotes if it holds a delimiter, quote or line end, inner quotes doubled.
fn text(out: &mut Vec<u8>, value: &str, delimiter: u8) {
    if needs_quotes(value.as_bytes(), delimiter) {
        quoted(out, value);
    } else {
        out.extend_from_slice(value.as_bytes());
    }
    out.push(delimiter);
}

/// Whether there is a delimiter, a quote or a line end in a text. The last bytes of a text are looked at eight at a time, some of them
/// twice, so that none is looked at by itself.
#[inline]
fn needs_quotes(value: &[u8], delimiter: u8) -> bool {
    let special = |byte: &u8| *byte == delimiter || *byte == b'"' || *byte == b'\r' || *byte == b'\n';
    let Some(last) = value.last_chunk() else { return value.iter().any(special) };
    if is_in_eight(*last, delimiter) {
        return true;
    }
    if value.len() <= 16 {
        return value.first_chunk().is_some_and(|first| is_in_eight(*first, delimiter));
    }
    // A fold without early exit is done sixteen bytes at a time; up to eight bytes before the last eight are left by that.
    let whole = &value[..value.len() / 16 * 16];
    let between = value[value.len() - 16..].first_chunk();
    between.is_some_and(|eight| is_in_eight(*eight, delimiter))
        || whole.iter().fold(false, |found, byte| found | special(byte))
}

#[inline]
fn is_in_eight(eight: [u8; 8], delimiter: u8) -> bool {
    const fn eight_of(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    let word = u64::from_ne_bytes(eight);
    // A subtraction borrows from the highest bit of a byte that is zero: <https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord>.
    let has = |byte: u8| {
        let same = word ^ eight_of(byte);
        same.wrapping_sub(eight_of(1)) & !same
    };
    (has(delimiter) | has(b'"') | has(b'\r') | has(b'\n')) & eight_of(0x80) != 0
}

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
