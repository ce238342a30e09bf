//! Responses of a trace, for expressions that are tried on them after the run.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_trace::{ElementRef, Event, Line, Sample};

use crate::collector::Output;

/// The responses of a trace. Clones share them.
#[derive(Clone, Default)]
pub struct Responses(Arc<Mutex<BTreeMap<u32, Response>>>);

struct Response {
    sampler: ElementRef,
    sample: Sample,
}

impl Responses {
    /// The sample of a step without what other events hold; `below`: places of sub-samples, from 0.
    ///
    /// # Errors
    /// The step or sub-sample does not exist, or has no sample.
    pub fn sample(&self, step: u32, below: &[usize]) -> Result<Sample, String> {
        let samples = self.0.lock();
        let response = samples.get(&step).ok_or_else(|| match samples.keys().next_back() {
            Some(last) => format!("step {step} has no sample: the last step with one is {last}"),
            None => "no step has a sample".to_owned(),
        })?;
        let mut sample = &response.sample;
        for place in below {
            let count = sample.children.len();
            sample = sample
                .children
                .get(*place)
                .ok_or_else(|| format!("step {step} has no sub-sample {}: there are {count}", place + 1))?;
        }
        Ok(Sample { children: Vec::new(), exchanges: Vec::new(), ..sample.clone() })
    }

    /// The sampler of a step with a sample.
    pub fn sampler(&self, step: u32) -> Option<ElementRef> {
        self.0.lock().get(&step).map(|response| response.sampler.clone())
    }
}

impl Output for Responses {
    fn line(&mut self, line: &Line<'_>) {
        if let Event::Step(step) = line.event
            && let Some(sample) = &step.sample
        {
            let response = Response { sampler: step.element.clone(), sample: sample.clone() };
            self.0.lock().insert(step.number, response);
        }
    }
}

#[cfg(test)]
mod tests {
    use swell_trace::{Content, Step};

    use super::*;

    #[test]
    fn a_sample_is_found_by_its_step_and_place() {
        let body = |text: &str| Content::new(text.as_bytes(), 99);
        let child = Sample { body: body("child"), ..Sample::default() };
        let sample = Sample { body: body("whole"), children: vec![child], ..Sample::default() };
        let element = ElementRef { line: 7, ..ElementRef::default() };
        let step = Step { number: 4, element, sample: Some(sample), ..Step::default() };
        let step = Event::Step(Box::new(step));
        let mut responses = Responses::default();
        assert_eq!(responses.sample(4, &[]).unwrap_err(), "no step has a sample");
        responses.line(&Line { seq: 1, at_ms: 0, event: &step });
        let text = |step, below: &[usize]| responses.sample(step, below).map(|sample| sample.body);
        assert_eq!(text(4, &[]), Ok(body("whole")));
        let line_of = |step| responses.sampler(step).map(|element| element.line);
        assert_eq!((line_of(4), line_of(5)), (Some(7), None));
        assert_eq!(text(4, &[0]), Ok(body("child")));
        assert_eq!(text(4, &[1]).unwrap_err(), "step 4 has no sub-sample 2: there are 1");
        assert_eq!(text(5, &[]).unwrap_err(), "step 5 has no sample: the last step with one is 4");
    }
}
