//! Samples in messages (`swell.jvm.Samples` on the Java side): each part may be absent.

use crate::JvmFault;
use crate::message::{Reader, Write};

/// Where a script sends its user after the sample (`JMeterContext.TestLogicalAction`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogicalAction {
    /// On with the next element.
    #[default]
    Continue,
    /// To the next iteration of the thread group.
    NextThreadLoop,
    /// To the next iteration of the innermost loop.
    NextLoop,
    /// Out of the innermost loop.
    BreakLoop,
}

impl LogicalAction {
    pub(crate) fn of(number: u8) -> Result<Self, JvmFault> {
        [Self::Continue, Self::NextThreadLoop, Self::NextLoop, Self::BreakLoop]
            .get(usize::from(number))
            .copied()
            .ok_or_else(|| JvmFault::BadAnswer(format!("unknown logical action {number}")))
    }
}

/// Times in milliseconds: start and end since the epoch, the others since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Start.
    pub start_ms: i64,
    /// End.
    pub end_ms: i64,
    /// Pauses.
    pub idle_ms: i64,
    /// Until the first byte.
    pub latency_ms: i64,
    /// Until the connection was established.
    pub connect_ms: i64,
}

/// Sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Received in all.
    pub bytes: i64,
    /// Sent.
    pub sent: i64,
    /// Head of the response.
    pub headers: u32,
    /// Body on the wire.
    pub body: i64,
}

/// The thread of a sample, and the numbers of active users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadPart<'a> {
    /// Name of the thread.
    pub name: &'a str,
    /// Active users of the group.
    pub group_threads: u32,
    /// Active users of all groups.
    pub all_threads: u32,
}

/// Flags of a sample: ignore it, or stop its user or the test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags of JMeter's sample")]
pub struct SampleFlags {
    /// Nothing after it looks at it (`setIgnore`).
    pub ignore: bool,
    /// Its user stops.
    pub stop_thread: bool,
    /// The test stops.
    pub stop_test: bool,
    /// The test stops at once.
    pub stop_test_now: bool,
}

/// Fields that only HTTP samples have; if they are present, the sample is an `HTTPSampleResult`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpPart<'a> {
    /// Method.
    pub method: &'a str,
    /// Body or query as JMeter shows it.
    pub query: &'a str,
    /// The `Cookie` header that was sent.
    pub cookies: &'a str,
    /// Where the server redirects to.
    pub redirect_location: Option<&'a str>,
}

/// The result of an assertion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assertion<'a> {
    /// Name of the assertion.
    pub name: &'a str,
    /// The sample does not meet it.
    pub failure: bool,
    /// It could not run.
    pub error: bool,
    /// Why.
    pub message: Option<&'a str>,
}

/// A sample. In a request, an absent field has JMeter's value for a new sample; in a response, it
/// did not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample<'a> {
    /// Label.
    pub label: Option<&'a str>,
    /// Response code.
    pub code: Option<&'a str>,
    /// Response message.
    pub message: Option<&'a str>,
    /// Good or not.
    pub success: Option<bool>,
    /// `text`, `bin` or empty.
    pub data_type: Option<&'a str>,
    /// Body of the response, decoded.
    pub body: Option<&'a [u8]>,
    /// Head of the response.
    pub response_headers: Option<&'a str>,
    /// Head of the request.
    pub request_headers: Option<&'a str>,
    /// What was sent.
    pub sampler_data: Option<Option<&'a str>>,
    /// Content type of the response.
    pub content_type: Option<&'a str>,
    /// Charset of the response; none where nothing said it.
    pub encoding: Option<Option<&'a str>>,
    /// URL.
    pub url: Option<Option<&'a str>>,
    /// Times.
    pub times: Option<Times>,
    /// Sizes.
    pub sizes: Option<Sizes>,
    /// Whose it is.
    pub thread: Option<ThreadPart<'a>>,
    /// Requests that hang on it.
    pub flags: Option<SampleFlags>,
    /// Where its user goes.
    pub action: Option<LogicalAction>,
    /// What only HTTP samples have.
    pub http: Option<HttpPart<'a>>,
    /// What assertions said.
    pub assertions: Option<Vec<Assertion<'a>>>,
    /// Its parts.
    pub sub_results: Option<Vec<Sample<'a>>>,
    /// File that the response was saved to.
    pub file: Option<&'a str>,
    /// How many samples and errors it counts for.
    pub counts: Option<(u32, u32)>,
}

/// Sub-results in sub-results that are read; JMeter's own are two deep.
const DEEPEST: u32 = 100;

impl<'a> Sample<'a> {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mask_at = out.len();
        out.u32(0);
        let mut mask = 0;
        let mut part = |bit: u32, is_there: bool| {
            mask |= u32::from(is_there) << bit;
            is_there
        };
        let texts = [(0, self.label), (1, self.code), (2, self.message)];
        for (bit, text) in texts {
            if part(bit, text.is_some()) {
                out.optional(text);
            }
        }
        if part(3, self.success.is_some()) {
            out.u8(u8::from(self.success == Some(true)));
        }
        if part(4, self.data_type.is_some()) {
            out.optional(self.data_type);
        }
        if part(5, self.body.is_some()) {
            out.bytes(self.body);
        }
        let texts = [
            (6, self.response_headers.map(Some)),
            (7, self.request_headers.map(Some)),
            (8, self.sampler_data),
            (9, self.content_type.map(Some)),
            (10, self.encoding),
            (11, self.url),
        ];
        for (bit, text) in texts {
            if part(bit, text.is_some()) {
                out.optional(text.flatten());
            }
        }
        mask |= self.write_numbers(out) | self.write_lists(out);
        out[mask_at..mask_at + 4].copy_from_slice(&mask.to_le_bytes());
    }

    fn write_numbers(&self, out: &mut Vec<u8>) -> u32 {
        let mut mask = 0;
        if let Some(times) = self.times {
            mask |= 1 << 12;
            for ms in [times.start_ms, times.end_ms, times.idle_ms, times.latency_ms, times.connect_ms] {
                out.i64(ms);
            }
        }
        if let Some(sizes) = self.sizes {
            mask |= 1 << 13;
            out.i64(sizes.bytes);
            out.i64(sizes.sent);
            out.u32(sizes.headers);
            out.i64(sizes.body);
        }
        if let Some(thread) = self.thread {
            mask |= 1 << 14;
            out.string(thread.name);
            out.u32(thread.group_threads);
            out.u32(thread.all_threads);
        }
        if let Some(flags) = self.flags {
            mask |= 1 << 15;
            let bits = [flags.ignore, flags.stop_thread, flags.stop_test, flags.stop_test_now];
            out.u8(bits.iter().rev().fold(0, |all, bit| all << 1 | u8::from(*bit)));
        }
        if let Some(action) = self.action {
            mask |= 1 << 16;
            out.u8(action as u8);
        }
        mask
    }

    fn write_lists(&self, out: &mut Vec<u8>) -> u32 {
        let mut mask = 0;
        if let Some(http) = self.http {
            mask |= 1 << 17;
            out.string(http.method);
            out.string(http.query);
            out.string(http.cookies);
            out.optional(http.redirect_location);
        }
        if let Some(assertions) = &self.assertions {
            mask |= 1 << 18;
            out.count(assertions.len());
            for assertion in assertions {
                out.string(assertion.name);
                out.u8(u8::from(assertion.failure) | u8::from(assertion.error) << 1);
                out.optional(assertion.message);
            }
        }
        if let Some(subs) = &self.sub_results {
            mask |= 1 << 19;
            out.count(subs.len());
            for sub in subs {
                sub.write(out);
            }
        }
        if let Some(file) = self.file {
            mask |= 1 << 20;
            out.string(file);
        }
        if let Some((samples, errors)) = self.counts {
            mask |= 1 << 21;
            out.u32(samples);
            out.u32(errors);
        }
        mask
    }

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, JvmFault> {
        Self::read_below(reader, 0)
    }

    fn read_below(reader: &mut Reader<'a>, depth: u32) -> Result<Self, JvmFault> {
        if depth > DEEPEST {
            return Err(JvmFault::BadAnswer(format!("sub-results are nested more than {DEEPEST} deep")));
        }
        let mask = reader.u32()?;
        let has = |bit: u32| mask & 1 << bit != 0;
        // What an element has set to null, such as the message of an exception that has none, is
        // the text `null` in JMeter's results.
        let shown = |reader: &mut Reader<'a>| Ok::<_, JvmFault>(reader.optional()?.unwrap_or("null"));
        let mut sample = Self {
            label: has(0).then(|| shown(reader)).transpose()?,
            code: has(1).then(|| shown(reader)).transpose()?,
            message: has(2).then(|| shown(reader)).transpose()?,
            success: has(3).then(|| reader.flag()).transpose()?,
            data_type: has(4).then(|| reader.string()).transpose()?,
            body: has(5).then(|| reader.bytes()).transpose()?.map(Option::unwrap_or_default),
            response_headers: has(6).then(|| reader.string()).transpose()?,
            request_headers: has(7).then(|| reader.string()).transpose()?,
            sampler_data: has(8).then(|| reader.optional()).transpose()?,
            content_type: has(9).then(|| reader.string()).transpose()?,
            encoding: has(10).then(|| reader.optional()).transpose()?,
            url: has(11).then(|| reader.optional()).transpose()?,
            ..Self::default()
        };
        sample.times = has(12).then(|| read_times(reader)).transpose()?;
        sample.sizes = has(13).then(|| read_sizes(reader)).transpose()?;
        sample.thread = has(14).then(|| read_thread(reader)).transpose()?;
        sample.flags = has(15).then(|| reader.u8().map(flags_of)).transpose()?;
        sample.action = has(16).then(|| reader.u8().and_then(LogicalAction::of)).transpose()?;
        sample.http = has(17).then(|| read_http(reader)).transpose()?;
        sample.assertions = has(18).then(|| reader.list(Assertion::read)).transpose()?;
        let read_sub = |reader: &mut Reader<'a>| Self::read_below(reader, depth + 1);
        sample.sub_results = has(19).then(|| reader.list(read_sub)).transpose()?;
        sample.file = has(20).then(|| reader.string()).transpose()?;
        sample.counts = has(21).then(|| Ok((reader.u32()?, reader.u32()?))).transpose()?;
        Ok(sample)
    }
}

impl<'a> Assertion<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, JvmFault> {
        let name = reader.string()?;
        let flags = reader.u8()?;
        Ok(Self { name, failure: flags & 1 != 0, error: flags & 2 != 0, message: reader.optional()? })
    }
}

fn read_times(reader: &mut Reader<'_>) -> Result<Times, JvmFault> {
    Ok(Times {
        start_ms: reader.i64()?,
        end_ms: reader.i64()?,
        idle_ms: reader.i64()?,
        latency_ms: reader.i64()?,
        connect_ms: reader.i64()?,
    })
}

fn read_sizes(reader: &mut Reader<'_>) -> Result<Sizes, JvmFault> {
    Ok(Sizes { bytes: reader.i64()?, sent: reader.i64()?, headers: reader.u32()?, body: reader.i64()? })
}

fn read_thread<'a>(reader: &mut Reader<'a>) -> Result<ThreadPart<'a>, JvmFault> {
    Ok(ThreadPart { name: reader.string()?, group_threads: reader.u32()?, all_threads: reader.u32()? })
}

fn read_http<'a>(reader: &mut Reader<'a>) -> Result<HttpPart<'a>, JvmFault> {
    Ok(HttpPart {
        method: reader.string()?,
        query: reader.string()?,
        cookies: reader.string()?,
        redirect_location: reader.optional()?,
    })
}

fn flags_of(bits: u8) -> SampleFlags {
    SampleFlags {
        ignore: bits & 1 != 0,
        stop_thread: bits & 2 != 0,
        stop_test: bits & 4 != 0,
        stop_test_now: bits & 8 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_with_all_its_parts_is_read_as_it_was_written() {
        let part = Sample { label: Some("part"), success: Some(false), ..Sample::default() };
        let sample = Sample {
            label: Some("home"),
            code: Some("200"),
            message: Some("OK"),
            success: Some(true),
            data_type: Some("text"),
            body: Some(b"\xffbody"),
            response_headers: Some("HTTP/1.1 200 OK\n"),
            request_headers: Some("A: b\n"),
            sampler_data: Some(None),
            content_type: Some("text/html"),
            encoding: Some(Some("UTF-8")),
            url: Some(Some("http://localhost/")),
            times: Some(Times { start_ms: 1, end_ms: 2, idle_ms: 3, latency_ms: 4, connect_ms: 5 }),
            sizes: Some(Sizes { bytes: 6, sent: 7, headers: 8, body: 9 }),
            thread: Some(ThreadPart { name: "TG 1-1", group_threads: 10, all_threads: 11 }),
            flags: Some(SampleFlags { stop_thread: true, stop_test_now: true, ..SampleFlags::default() }),
            action: Some(LogicalAction::BreakLoop),
            http: Some(HttpPart { method: "GET", query: "q", cookies: "c=d", redirect_location: Some("") }),
            assertions: Some(vec![Assertion { name: "a", failure: true, error: false, message: Some("no") }]),
            sub_results: Some(vec![part.clone(), part]),
            file: Some("f"),
            counts: Some((1, 0)),
        };
        let mut message = Vec::new();
        sample.write(&mut message);
        let mut reader = Reader::new(&message);
        assert_eq!(Sample::read(&mut reader), Ok(sample));
        assert!(reader.is_at_end());
    }
}
