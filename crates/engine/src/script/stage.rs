//! Samples as scripts reach them.

use swell_api::{AssertionResult, SampleResult, Text};
use swell_expr::{Change, Part, PartValue, Stage, Which};

/// The samples of one run of a script.
#[derive(Default)]
pub(super) struct Samples<'s> {
    /// `prev`; where it is the sample that is made or judged, that is in `own`.
    pub(super) previous: Option<&'s mut SampleResult>,
    pub(super) own: Option<&'s mut SampleResult>,
    /// `prev` is `own`.
    pub(super) own_is_previous: bool,
    pub(super) result: Option<AssertionResult>,
}

impl Samples<'_> {
    fn sample(&self, which: Which) -> Option<&SampleResult> {
        match which {
            Which::Previous if !self.own_is_previous => self.previous.as_deref(),
            Which::Previous | Which::Own => self.own.as_deref(),
            Which::Assertion => None,
        }
    }

    fn sample_mut(&mut self, which: Which) -> Option<&mut SampleResult> {
        match which {
            Which::Previous if !self.own_is_previous => self.previous.as_deref_mut(),
            Which::Previous | Which::Own => self.own.as_deref_mut(),
            Which::Assertion => None,
        }
    }
}

impl Stage for Samples<'_> {
    fn has(&self, which: Which) -> bool {
        match which {
            Which::Assertion => self.result.is_some(),
            which => self.sample(which).is_some(),
        }
    }

    fn part(&self, which: Which, part: Part) -> PartValue {
        if let (Which::Assertion, Some(result)) = (which, &self.result) {
            return match part {
                Part::Failure => PartValue::Flag(result.failure),
                _ => result.message.as_deref().map_or(PartValue::Null, |text| PartValue::Text(text.into())),
            };
        }
        self.sample(which).map_or(PartValue::Null, |sample| part_of(sample, part))
    }

    fn change(&mut self, which: Which, change: Change) {
        if let (Which::Assertion, Some(result)) = (which, &mut self.result) {
            match change {
                Change::Failure(failure) => result.failure = failure,
                Change::FailureMessage(message) => result.message = Some(Text::Shared(message)),
                _ => {}
            }
            return;
        }
        let Some(sample) = self.sample_mut(which) else { return };
        match change {
            Change::Success(success) => sample.success = success,
            Change::Code(text) => sample.code = Text::Shared(text),
            Change::Message(text) => sample.message = Text::Shared(text),
            Change::Label(text) => sample.label = Text::Shared(text),
            Change::Body(text) => sample.body = text.as_bytes().into(),
            Change::Encoding(text) => sample.encoding = Text::Shared(text),
            Change::SamplerData(text) => sample.sampler_data = Some(text.to_string()),
            Change::ResponseHeaders(text) => sample.response_headers = text.to_string(),
            Change::Ignore => sample.ignore = true,
            Change::Failure(_) | Change::FailureMessage(_) => {}
        }
    }
}

fn part_of(sample: &SampleResult, part: Part) -> PartValue {
    let text = |text: &str| PartValue::Text(text.into());
    let bytes = |count: u64| PartValue::Number(i64::try_from(count).unwrap_or(i64::MAX));
    let body_size = if sample.body_size == 0 { sample.body.len() as u64 } else { sample.body_size };
    match part {
        Part::Label => text(&sample.label),
        Part::Code => text(&sample.code),
        Part::Message => text(&sample.message),
        Part::Body => text(&sample.body_text()),
        Part::ResponseHeaders => text(&sample.response_headers),
        Part::RequestHeaders => text(&sample.request_headers),
        Part::SamplerData => sample.sampler_data.as_deref().map_or(PartValue::Null, text),
        Part::Url => text(sample.url.as_deref().unwrap_or_default()),
        Part::ThreadName => text(&sample.thread_name),
        Part::ContentType => text(&sample.content_type),
        Part::Success => PartValue::Flag(sample.success),
        Part::Time => PartValue::Number(sample.timing.elapsed_ms()),
        Part::Latency => PartValue::Number(sample.timing.latency_ms()),
        Part::Connect => PartValue::Number(sample.timing.connect_ms()),
        Part::Start => PartValue::Number(sample.timing.timestamp_ms()),
        Part::End => PartValue::Number(sample.timing.end_ns.div_euclid(1_000_000)),
        Part::Bytes => bytes(if sample.bytes == 0 { body_size } else { sample.bytes }),
        Part::SentBytes => bytes(sample.sent_bytes),
        Part::BodySize => bytes(body_size),
        Part::HeadersSize => bytes(sample.header_size),
        Part::Failure | Part::FailureMessage => PartValue::Null,
    }
}
