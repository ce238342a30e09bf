//! The result of a sampler: one sample, with its sub-samples
//! (`org.apache.jmeter.samplers.SampleResult`).

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use swell_budget::Room;
use swell_expr::Charset;

use crate::body_text::is_latin_1;
use crate::{Body, BodyText, Coding, EventTimes, Text, Timing};

/// JMeter's data type of a response (`dataType` column).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataType {
    /// Not known: an empty column.
    #[default]
    Unknown,
    /// `text`.
    Text,
    /// `bin`.
    Binary,
}

/// The result of an assertion on a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssertionResult {
    /// Name of the assertion element.
    pub name: Text,
    /// The sample does not meet it.
    pub failure: bool,
    /// The assertion itself could not run.
    pub error: bool,
    /// Why; none where it passed.
    pub message: Option<Text>,
    /// What a Compare Assertion compared (`CompareAssertionResult`); none of others.
    pub compared: Option<Box<Compared>>,
}

impl AssertionResult {
    /// The sample meets it.
    pub fn passed(name: Text) -> Self {
        Self { name, ..Self::default() }
    }

    /// The sample does not meet it (`AssertionResult.setResultForFailure`).
    pub fn failed(name: Text, message: Text) -> Self {
        Self { name, failure: true, message: Some(message), ..Self::default() }
    }

    /// There was nothing to judge (`AssertionResult.setResultForNull`).
    pub fn failed_for_null(name: Text) -> Self {
        Self::failed(name, "Response was null".into())
    }

    /// The assertion ended with an exception: JMeter gives the result a different name and the
    /// exception's text.
    pub fn thrown(exception: Text) -> Self {
        Self {
            name: "Assertion failed! See log file.".into(),
            error: true,
            message: Some(exception),
            ..Self::default()
        }
    }
}

/// The two samples that a Compare Assertion found to differ, as text; `None` if there is no
/// difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The first of the two.
    pub base: Option<String>,
    /// The second.
    pub secondary: Option<String>,
}

/// Fields that only HTTP samples have (`HTTPSampleResult`), for XML results and checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpDetails {
    /// Method as sent.
    pub method: Text,
    /// Body or query as JMeter shows it.
    pub query: String,
    /// The `Cookie` header that was sent.
    pub cookies: String,
    /// Target of a redirect as the server sent it, which may be empty.
    pub redirect_location: Option<String>,
}

/// One sample. Fields that the plan does not need (see [`crate::Needs`]) stay empty.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags of JMeter's sample")]
pub struct SampleResult {
    /// Label.
    pub label: Text,
    /// Response code (`200`, or `Non HTTP response code: <class>`).
    pub code: Text,
    /// Response message.
    pub message: Text,
    /// Good or not, assertions included once they ran.
    pub success: bool,
    /// `text`, `bin` or unknown.
    pub data_type: DataType,
    /// When things happened.
    pub timing: Timing,
    /// Bytes received on the wire, head and body, sub-samples included.
    pub bytes: u64,
    /// What was received in fact, where `bytes` counts the text of an error as JMeter does.
    pub received: Option<u64>,
    /// Bytes sent, head and body.
    pub sent_bytes: u64,
    /// Size of the response head in bytes.
    pub header_size: u64,
    /// Size of the response body on the wire in bytes.
    pub body_size: u64,
    /// Thread name.
    pub thread_name: Text,
    /// Active users of the group when the sample ended.
    pub group_threads: u32,
    /// Active users of all groups when the sample ended.
    pub all_threads: u32,
    /// URL of the request, none where there is none (shown as `null`).
    pub url: Option<Text>,
    /// Response body after content decoding. Kept only if needed.
    pub body: Body,
    /// What else it takes of the memory that all users have for bodies: a large head, results of
    /// the last check of it.
    pub room: Option<Arc<Room>>,
    /// The last check of it could not be made: all users together take too much memory.
    pub unread: bool,
    /// Response head as text, lines ended by `\n`, status line first. Kept only if needed.
    pub response_headers: String,
    /// Request head as text. Kept only if needed.
    pub request_headers: String,
    /// What was sent, as JMeter's `samplerData`; none where the sampler says nothing. Kept only if
    /// needed.
    pub sampler_data: Option<String>,
    /// `Content-Type` of the response.
    pub content_type: Text,
    /// Charset of the response, empty if not said.
    pub encoding: Text,
    /// Charset of a body for which none was said (`sampleresult.default.encoding`); none: UTF-8.
    /// The engine sets the run's.
    pub fallback_charset: Option<Charset>,
    /// File the response was saved to, empty if none.
    pub file: String,
    /// HTTP only.
    pub http: Option<Box<HttpDetails>>,
    /// When the events of the response arrived, where they are measured.
    pub events: Option<Box<EventTimes>>,
    /// How long the frame that ended it had waited when it started, in nanoseconds; 0: it came
    /// later, or there was none.
    pub waited_ns: i64,
    /// Sub-samples: redirects, embedded resources, samples of a transaction.
    pub sub_results: Vec<SampleResult>,
    /// Assertion results in order.
    pub assertions: Vec<AssertionResult>,
    /// Made by a Transaction Controller; counted apart in summaries.
    pub is_transaction: bool,
    /// Made by a Parallel Controller: a transaction in Swell's figures, whose parts were counted
    /// one by one, and a sample in JMeter's files.
    pub is_parallel: bool,
    /// How many samples it represents in results files, if not one (`SampleResult.setSampleCount`).
    pub count: Option<u32>,
    /// It is a part of the response of the sample above it, such as an event: no request belongs to
    /// it.
    pub is_response_part: bool,
    /// Post-processors, assertions and listeners leave it alone (`SampleResult.setIgnore`).
    pub ignore: bool,
}

thread_local! {
    static SPARE: Cell<Option<Box<SampleResult>>> = const { Cell::new(None) };
}

impl SampleResult {
    /// An empty sample, in the memory of the one that this thread gave back last. A sample is half
    /// a kilobyte, and mostly there is one a worker at a time.
    pub fn boxed() -> Box<Self> {
        SPARE.take().unwrap_or_default()
    }

    /// Ends a sample that will not be read any more.
    pub fn give_back(mut self: Box<Self>) {
        *self = Self::default();
        SPARE.set(Some(self));
    }

    /// Counts what was received for a sample below this one.
    pub fn add_received(&mut self, sub: &Self) {
        if self.received.is_some() || sub.received.is_some() {
            self.received = Some(self.received.unwrap_or(self.bytes) + sub.received.unwrap_or(sub.bytes));
        }
        self.bytes += sub.bytes;
    }

    /// `SampleResult.getSampleCount`: mostly 1.
    pub fn sample_count(&self) -> u32 {
        self.count.unwrap_or(1)
    }

    /// `SampleResult.getErrorCount`: 0 or 1.
    pub fn error_count(&self) -> u32 {
        u32::from(!self.success)
    }

    /// The body as text, decoded by its charset; where none was said, or one that is not known, by
    /// [`SampleResult::fallback_charset`].
    pub fn body_text(&self) -> Cow<'_, str> {
        self.coding().decode(&self.body)
    }

    /// The same, to be decoded on another thread; `fallback`: the charset of a body that names
    /// none.
    pub fn body_text_elsewhere(&self, fallback: Charset) -> BodyText {
        BodyText { body: self.body.clone(), coding: self.coding_or(fallback) }
    }

    /// How the body is decoded.
    pub fn coding(&self) -> Coding {
        self.coding_or(self.fallback_charset.unwrap_or_default())
    }

    /// The same with another charset for a body that names none.
    pub fn coding_or(&self, fallback: Charset) -> Coding {
        if self.encoding.is_empty() {
            return Coding::Of(fallback);
        }
        if is_latin_1(&self.encoding) {
            return Coding::Latin1;
        }
        Coding::Of(Charset::of(self.encoding.trim()).unwrap_or(fallback))
    }

    /// Sets the charset of a body that names none, here and in all sub-samples.
    pub fn set_fallback_charset(&mut self, charset: Charset) {
        self.fallback_charset = Some(charset);
        self.sub_results.iter_mut().for_each(|sub| sub.set_fallback_charset(charset));
    }

    /// Whether the body can be searched as UTF-8 bytes: its charset is UTF-8 or the subset ASCII.
    pub fn is_utf8_compatible(&self) -> bool {
        if self.encoding.is_empty() {
            return self.fallback_charset.unwrap_or_default() == Charset::default();
        }
        ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|name| self.encoding.eq_ignore_ascii_case(name))
    }

    /// Whether Java has the charset of the body; one that was not said is known.
    pub fn is_charset_known(&self) -> bool {
        self.encoding.is_empty() || is_latin_1(&self.encoding) || Charset::of(self.encoding.trim()).is_some()
    }

    /// Message of the first assertion that has one, for the `failureMessage` column.
    pub fn failure_message(&self) -> Option<&Text> {
        self.assertions.iter().find_map(|a| a.message.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use swell_expr::Properties;

    use super::*;
    use crate::body_text::{FALLBACK_CHARSET, fallback_charset};

    #[test]
    fn what_was_given_back_is_empty() {
        let mut sample = SampleResult::boxed();
        let place = std::ptr::from_ref(&*sample);
        sample.label = "a".into();
        sample.sub_results.push(SampleResult::default());
        sample.give_back();
        let again = SampleResult::boxed();
        assert_eq!((std::ptr::from_ref(&*again), &*again.label, again.sub_results.len()), (place, "", 0));
        assert!(!std::ptr::eq(&raw const *SampleResult::boxed(), place));
    }

    #[test]
    fn bodies_are_decoded_by_their_charset() {
        for (charset, body, wanted) in [
            ("", &b"a\xC3\xA4"[..], "a\u{e4}"),
            ("UTF-8", b"a\xC3\xA4", "a\u{e4}"),
            ("utf-8", b"a\xC3", "a\u{fffd}"),
            ("iso-8859-1", b"a\xE4\x80", "a\u{e4}\u{80}"),
            ("windows-1252", b"a\xE4\x80", "a\u{e4}\u{20ac}"),
            ("UTF-16LE", b"a\0\xE4\0", "a\u{e4}"),
            ("UTF-16", b"\0a\0\xE4", "a\u{e4}"),
            ("utf-16", b"\xFF\xFEa\0\xE4\0", "a\u{e4}"),
            ("no-such-charset", b"a\xC3\xA4", "a\u{e4}"),
        ] {
            let sample = SampleResult {
                body: body.into(),
                encoding: charset.to_owned().into(),
                ..SampleResult::default()
            };
            assert_eq!(sample.body_text(), wanted, "{charset}");
        }
    }

    #[test]
    fn a_charset_that_one_run_sets_for_bodies_that_name_none_is_not_that_of_the_next() {
        let props = Properties::default();
        assert_eq!(fallback_charset(&props), Ok(Charset::default()));
        props.set(FALLBACK_CHARSET, " windows-1252 ");
        let of_run = fallback_charset(&props).expect("Java knows it");
        let sample = |encoding: &str| SampleResult {
            body: b"a\x80".into(),
            encoding: encoding.to_owned().into(),
            ..SampleResult::default()
        };
        let mut whole = SampleResult { sub_results: vec![sample("")], ..sample("UTF-8") };
        whole.set_fallback_charset(of_run);
        let inner = &whole.sub_results[0];
        assert_eq!((&*inner.body_text(), inner.is_utf8_compatible()), ("a\u{20ac}", false));
        assert_eq!((&*whole.body_text(), whole.is_utf8_compatible()), ("a\u{fffd}", true));
        assert_eq!((&*sample("").body_text(), sample("").is_utf8_compatible()), ("a\u{fffd}", true));
        props.set(FALLBACK_CHARSET, "klingon");
        assert!(fallback_charset(&props).is_err_and(|why| why.contains("unknown charset `klingon`")));
    }
}
