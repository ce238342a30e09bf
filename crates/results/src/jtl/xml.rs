//! Reads XML results files: the rows are the outermost samples, and those inside a transaction or a
//! Parallel Controller.

use std::io::{self, BufRead, BufReader, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use swell_budget::input::XML_PIECE;

use super::sample::{JtlCounts, JtlError, JtlSample, Place, is_transaction};
use super::time::{number, time_ms};

/// Transactions inside of each other whose samples are rows; what is deeper is part of the
/// innermost. The memory of a file stays bounded.
const MOST_NESTED: usize = 16;

/// A sample that is being read.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a sample that do not exclude each other")]
struct Open {
    start: Vec<u8>,
    elapsed: Vec<u8>,
    label: String,
    code: String,
    message: String,
    failure: String,
    success: bool,
    thread: String,
    numbers: [Option<u64>; 6],
    line: u64,
    /// An HTTP sample: what is inside are its redirects and embedded resources.
    is_http: bool,
    /// Inside a transaction, or a branch of a Parallel Controller.
    is_inside: bool,
    /// It is the whole of a Parallel Controller.
    is_parallel: bool,
}

impl Open {
    /// Whether a sample inside this one is separate, and not a part of it as redirects are: parts
    /// have the label with a number.
    fn has_samples(&mut self, inner: &str) -> bool {
        if is_transaction(&self.message) {
            return true;
        }
        let number = inner.strip_prefix(&self.label).and_then(|rest| rest.strip_prefix('-'));
        self.is_parallel |= number.is_none_or(|number| number.parse::<u32>().is_err());
        self.is_parallel
    }

    fn place(&self) -> Place {
        match (self.is_parallel, self.is_inside) {
            (false, false) => Place::Own,
            (false, true) => Place::InTransaction,
            (true, false) => Place::Parallel,
            (true, true) => Place::ParallelInTransaction,
        }
    }
}

/// The sample that begins inside of these, if it is a row.
fn row(around: &mut [Open], tag: &BytesStart<'_>, line: u64) -> Option<Open> {
    let is_inside = !around.is_empty();
    if around.len() > MOST_NESTED || around.last().is_some_and(|open| open.is_http) {
        return None;
    }
    let sample = Open { is_inside, ..opened(tag, line) };
    around.last_mut().is_none_or(|open| open.has_samples(&sample.label)).then_some(sample)
}

/// Reads all samples.
pub(super) fn read(source: impl Read, mut take: impl FnMut(&JtlSample<'_>)) -> Result<JtlCounts, JtlError> {
    let mut reader =
        Reader::from_reader(Pieces { source: BufReader::with_capacity(1 << 16, source), lines: 1, left: 0 });
    // A file of a run that was killed ends without its last tags.
    reader.config_mut().check_end_names = false;
    let mut counts = JtlCounts::default();
    let mut buffer = Vec::new();
    // Samples around this place; what is inside a sample that is no transaction is part of it, and
    // not read.
    let (mut open, mut depth, mut in_failure): (Vec<Open>, usize, bool) = (Vec::new(), 0, false);
    let mut has_root = false;
    loop {
        buffer.clear();
        let line = reader.get_ref().lines;
        reader.get_mut().left = XML_PIECE.bytes;
        let event = reader.read_event_into(&mut buffer);
        if let Ok(Event::Start(tag) | Event::Empty(tag)) = &event
            && !std::mem::replace(&mut has_root, true)
        {
            check_root(tag)?;
        }
        match event {
            Ok(Event::Start(tag)) if is_sample(&tag) => {
                let sample = if depth == open.len() { row(&mut open, &tag, line) } else { None };
                open.extend(sample);
                depth += 1;
            }
            Ok(Event::Empty(tag)) if is_sample(&tag) && depth == open.len() => {
                if let Some(sample) = row(&mut open, &tag, line) {
                    finish(&sample, &mut counts, &mut take);
                }
            }
            Ok(Event::End(tag)) if matches!(tag.name().as_ref(), b"sample" | b"httpSample") => {
                depth = depth.saturating_sub(1);
                if open.len() > depth
                    && let Some(done) = open.pop()
                {
                    finish(&done, &mut counts, &mut take);
                }
            }
            Ok(Event::Start(tag)) => {
                // The first failure is the cause.
                let has_none = open.last().is_some_and(|open| open.failure.is_empty());
                in_failure = depth == open.len() && has_none && tag.name().as_ref() == b"failureMessage";
            }
            Ok(Event::End(_)) => in_failure = false,
            Ok(Event::Text(text)) if in_failure => {
                if let Some(open) = open.last_mut() {
                    open.failure += &text.decode().unwrap_or_default();
                }
            }
            Ok(Event::GeneralRef(name)) if in_failure => {
                if let Some(open) = open.last_mut() {
                    open.failure += &unescaped(&format!("&{};", name.decode().unwrap_or_default()));
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(quick_xml::Error::Io(error)) if error.kind() == io::ErrorKind::FileTooLarge => {
                counts.bad(line, format!("{error}; what follows is not read"));
                return Ok(counts);
            }
            Err(quick_xml::Error::Io(error)) => {
                return Err(io::Error::new(error.kind(), error.to_string()).into());
            }
            Err(error) => {
                counts.bad(line, format!("the XML is damaged here, and what follows is not read: {error}"));
                return Ok(counts);
            }
        }
    }
    if let Some(cut) = open.first() {
        counts.bad(cut.line, "the file ends within this sample");
    }
    Ok(counts)
}

/// Another document, such as a plan, would be a file without samples.
fn check_root(tag: &BytesStart<'_>) -> Result<(), JtlError> {
    let name = tag.name();
    if name.as_ref() == b"testResults" || is_sample(tag) {
        return Ok(());
    }
    let is_plan = name.as_ref() == b"jmeterTestPlan";
    let what = if is_plan { "it is a plan, which `swell run` runs" } else { "testResults is wanted" };
    let name = String::from_utf8_lossy(name.as_ref()).into_owned();
    Err(JtlError::NotJtl(format!("it begins with <{name}>: {what}")))
}

fn is_sample(tag: &BytesStart<'_>) -> bool {
    matches!(tag.name().as_ref(), b"sample" | b"httpSample")
}

fn unescaped(text: &str) -> String {
    let well_formed = quick_xml::escape::unescape(text).map(std::borrow::Cow::into_owned);
    well_formed.unwrap_or_else(|_| with_any_number(text))
}

/// The same of a text that also names characters which XML does not allow, as JMeter writes them.
fn with_any_number(text: &str) -> String {
    let named = |entity: &str| match entity.strip_prefix("&#x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).map(String::from),
        None => quick_xml::escape::unescape(&format!("{entity};")).ok().map(std::borrow::Cow::into_owned),
    };
    let mut plain = String::new();
    for piece in text.split_inclusive(';') {
        let entity = piece.strip_suffix(';').and_then(|piece| piece.rfind('&').map(|at| piece.split_at(at)));
        match entity.and_then(|(before, entity)| Some((before, named(entity)?))) {
            Some((before, character)) => plain.extend([before, &character]),
            None => plain.push_str(piece),
        }
    }
    plain
}

/// The attributes that JMeter writes (`SampleResultConverter`).
fn opened(tag: &BytesStart<'_>, line: u64) -> Open {
    let mut open =
        Open { success: true, line, is_http: tag.name().as_ref() == b"httpSample", ..Open::default() };
    for attribute in tag.attributes().with_checks(false).flatten() {
        let text = || unescaped(&String::from_utf8_lossy(&attribute.value));
        match attribute.key.as_ref() {
            b"ts" => open.start = attribute.value.to_vec(),
            b"t" => open.elapsed = attribute.value.to_vec(),
            b"lb" => open.label = text(),
            b"rc" => open.code = text(),
            b"rm" => open.message = text(),
            b"s" => open.success = attribute.value.eq_ignore_ascii_case(b"true"),
            b"by" => open.numbers[0] = number(&attribute.value),
            b"sby" => open.numbers[1] = number(&attribute.value),
            b"na" => open.numbers[2] = number(&attribute.value),
            b"lt" => open.numbers[3] = number(&attribute.value),
            b"ct" => open.numbers[4] = number(&attribute.value),
            b"it" => open.numbers[5] = number(&attribute.value),
            b"tn" => open.thread = text(),
            _ => {}
        }
    }
    open
}

fn finish(open: &Open, counts: &mut JtlCounts, take: &mut impl FnMut(&JtlSample<'_>)) {
    let Some(start_ms) = time_ms(&open.start) else {
        return counts.bad(
            open.line,
            format!("invalid ts `{}`: expected a time", String::from_utf8_lossy(&open.start)),
        );
    };
    let Some(elapsed_ms) = number(&open.elapsed) else {
        return counts.bad(
            open.line,
            format!(
                "invalid t `{}`: expected a number of milliseconds",
                String::from_utf8_lossy(&open.elapsed)
            ),
        );
    };
    let [bytes, sent_bytes, users, latency_ms, connect_ms, idle_ms] = open.numbers;
    counts.samples += 1;
    counts.has_users |= users.is_some();
    take(&JtlSample {
        start_ms,
        elapsed_ms,
        label: &open.label,
        code: &open.code,
        message: &open.message,
        failure: &open.failure,
        success: open.success,
        bytes: bytes.unwrap_or(0),
        sent_bytes: sent_bytes.unwrap_or(0),
        users,
        latency_ms: latency_ms.unwrap_or(0),
        connect_ms: connect_ms.unwrap_or(0),
        idle_ms,
        thread: &open.thread,
        place: open.place(),
    });
}

/// Counts the line ends that were used, and ends a piece that is too large to be held.
struct Pieces<R> {
    source: BufReader<R>,
    lines: u64,
    /// Bytes that the piece may still have.
    left: u64,
}

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Pieces<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(XML_PIECE.exceeded());
        }
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count as u64);
        self.lines += memchr::memchr_iter(b'\n', &self.source.buffer()[..count]).count() as u64;
        self.source.consume(count);
    }
}
