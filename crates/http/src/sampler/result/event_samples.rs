//! Sub-samples of the events of a response.

use swell_api::{DataType, Needs, SampleResult, Text};

use super::maker::SampleMaker;
use crate::compile::Spec;
use crate::events::EventsKept;

/// The type of an event without one (WHATWG HTML §9.2.6).
const MESSAGE: &str = "message";

impl SampleMaker {
    /// Which events are kept: none where no one reads samples.
    pub(crate) fn events_kept(&self, spec: &Spec) -> EventsKept {
        let is_read = self.needs != Needs::default();
        EventsKept { most: if is_read { spec.event_samples } else { 0 }, has_data: self.needs.body }
    }

    /// Gives a sample the events of its response, which may be the last of several, and a sub-sample
    /// for each that was kept.
    pub(crate) fn add_events(&self, sample: &mut SampleResult, spec: &Spec) {
        let mut start_ns = sample.timing.start_ns;
        if sample.events.is_none() {
            let last = sample.sub_results.iter_mut().rev().find(|sub| sub.events.is_some());
            let Some(last) = last else { return };
            start_ns = last.timing.start_ns;
            sample.events = last.events.take();
        }
        let Some(events) = &mut sample.events else { return };
        let kept = std::mem::take(&mut events.kept);
        if self.events_kept(spec).most > 0 {
            self.response_needs().bodies.count_left_out_events(events.count - kept.len() as u64);
        }
        let label: Text = format!("{} event", sample.label).into();
        for event in kept {
            let mut sub = SampleResult {
                label: label.clone(),
                code: sample.code.clone(),
                message: if event.name.is_empty() { MESSAGE.into() } else { event.name.into() },
                success: true,
                is_response_part: true,
                data_type: DataType::Text,
                encoding: "UTF-8".into(),
                bytes: event.bytes,
                body_size: event.bytes,
                body: event.data.into(),
                ..SampleResult::default()
            };
            sub.timing.start_ns = start_ns;
            sub.timing.first_byte_ns = event.begun_ns.max(start_ns);
            sub.timing.end_ns = event.at_ns.max(start_ns);
            start_ns = sub.timing.end_ns;
            sample.sub_results.push(sub);
        }
    }
}
