//! A script's access to the sample of its element.

use swell_api::{AssertionResult, SampleResult, Text};
use swell_expr::{Change, FieldValue, SampleBindings, SampleField};

/// The sample of one run of a script, and the result of its assertion.
#[derive(Default)]
pub(super) struct Samples<'s> {
    pub(super) own: Option<&'s mut SampleResult>,
    pub(super) result: Option<AssertionResult>,
}

impl SampleBindings for Samples<'_> {
    fn part(&self, part: SampleField) -> FieldValue {
        // Scripts of elements without a sample have no name for it.
        self.own.as_deref().map_or(FieldValue::Flag(false), |sample| part_of(sample, part))
    }

    fn change(&mut self, change: Change) {
        if let Some(result) = &mut self.result {
            match change {
                Change::Failure(failure) => return result.failure = failure,
                Change::FailureMessage(message) => return result.message = Some(Text::Shared(message)),
                _ => {}
            }
        }
        let Some(sample) = &mut self.own else { return };
        match change {
            Change::Success(success) => sample.success = success,
            Change::Code(text) => sample.code = Text::Shared(text),
            Change::Message(text) => sample.message = Text::Shared(text),
            Change::Label(text) => sample.label = Text::Shared(text),
            Change::Ignore => sample.ignore = true,
            Change::Failure(_) | Change::FailureMessage(_) => {}
        }
    }
}

fn part_of(sample: &SampleResult, part: SampleField) -> FieldValue {
    let text = |text: &str| FieldValue::Text(text.into());
    match part {
        SampleField::Label => text(&sample.label),
        SampleField::Code => text(&sample.code),
        SampleField::Message => text(&sample.message),
        SampleField::Body => text(&sample.body_text()),
        SampleField::ResponseHeaders => text(&sample.response_headers),
        SampleField::Url => text(sample.url.as_deref().unwrap_or_default()),
        SampleField::ThreadName => text(&sample.thread_name),
        SampleField::Success => FieldValue::Flag(sample.success),
        SampleField::Time => FieldValue::Number(sample.timing.elapsed_ms()),
        SampleField::Latency => FieldValue::Number(sample.timing.latency_ms()),
    }
}
