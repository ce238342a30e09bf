//! Samples as scripts reach them.

use swell_api::{AssertionResult, SampleResult, Text};
use swell_expr::{Binding, Change, FieldValue, SampleBindings, SampleField};

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
    fn sample(&self, binding: Binding) -> Option<&SampleResult> {
        match binding {
            Binding::Previous if !self.own_is_previous => self.previous.as_deref(),
            Binding::Previous | Binding::Own => self.own.as_deref(),
            Binding::Assertion => None,
        }
    }

    fn sample_mut(&mut self, binding: Binding) -> Option<&mut SampleResult> {
        match binding {
            Binding::Previous if !self.own_is_previous => self.previous.as_deref_mut(),
            Binding::Previous | Binding::Own => self.own.as_deref_mut(),
            Binding::Assertion => None,
        }
    }
}

impl SampleBindings for Samples<'_> {
    fn has(&self, binding: Binding) -> bool {
        match binding {
            Binding::Assertion => self.result.is_some(),
            _ => self.sample(binding).is_some(),
        }
    }

    fn part(&self, binding: Binding, part: SampleField) -> FieldValue {
        if let (Binding::Assertion, Some(result)) = (binding, &self.result) {
            return match part {
                SampleField::Failure => FieldValue::Flag(result.failure),
                _ => result.message.as_deref().map_or(FieldValue::Null, |text| FieldValue::Text(text.into())),
            };
        }
        self.sample(binding).map_or(FieldValue::Null, |sample| part_of(sample, part))
    }

    fn change(&mut self, binding: Binding, change: Change) {
        if let (Binding::Assertion, Some(result)) = (binding, &mut self.result) {
            match change {
                Change::Failure(failure) => result.failure = failure,
                Change::FailureMessage(message) => result.message = Some(Text::Shared(message)),
                _ => {}
            }
            return;
        }
        let Some(sample) = self.sample_mut(binding) else { return };
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

fn part_of(sample: &SampleResult, part: SampleField) -> FieldValue {
    let text = |text: &str| FieldValue::Text(text.into());
    let bytes = |count: u64| FieldValue::Number(i64::try_from(count).unwrap_or(i64::MAX));
    let body_size = if sample.body_size == 0 { sample.body.len() as u64 } else { sample.body_size };
    match part {
        SampleField::Label => text(&sample.label),
        SampleField::Code => text(&sample.code),
        SampleField::Message => text(&sample.message),
        SampleField::Body => text(&sample.body_text()),
        SampleField::ResponseHeaders => text(&sample.response_headers),
        SampleField::RequestHeaders => text(&sample.request_headers),
        SampleField::SamplerData => sample.sampler_data.as_deref().map_or(FieldValue::Null, text),
        SampleField::Url => text(sample.url.as_deref().unwrap_or_default()),
        SampleField::ThreadName => text(&sample.thread_name),
        SampleField::ContentType => text(&sample.content_type),
        SampleField::Success => FieldValue::Flag(sample.success),
        SampleField::Time => FieldValue::Number(sample.timing.elapsed_ms()),
        SampleField::Latency => FieldValue::Number(sample.timing.latency_ms()),
        SampleField::Connect => FieldValue::Number(sample.timing.connect_ms()),
        SampleField::Start => FieldValue::Number(sample.timing.timestamp_ms()),
        SampleField::End => FieldValue::Number(sample.timing.end_ns.div_euclid(1_000_000)),
        SampleField::Bytes => bytes(if sample.bytes == 0 { body_size } else { sample.bytes }),
        SampleField::SentBytes => bytes(sample.sent_bytes),
        SampleField::BodySize => bytes(body_size),
        SampleField::HeadersSize => bytes(sample.header_size),
        SampleField::Failure | SampleField::FailureMessage => FieldValue::Null,
    }
}
