//! Runs an extractor on a sample outside of a run.

use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{Make, Registry, SampleResult};
use swell_plan::{Element, Node};
use swell_trace::{ElementRef, Event, Extraction, Role, TraceSink, UserTrace};

use super::action;
use crate::prepare::{MainContext, Prepared};

/// Keeps the step of one extractor.
#[derive(Default)]
struct Kept(Mutex<Vec<Extraction>>);

impl TraceSink for Kept {
    fn event(&self, event: Event) {
        if let Event::Step(step) = event {
            self.0.lock().extend(step.actions.into_iter().flat_map(|action| action.extractions));
        }
    }

    fn next_step(&self) -> u32 {
        1
    }

    fn body_bytes(&self) -> usize {
        0
    }

    fn keeps_timers(&self) -> bool {
        false
    }
}

/// What an extractor finds in a sample. Its texts are evaluated with the properties of a plan and
/// without variables.
pub fn extract(
    prepared: &Prepared,
    registry: &Registry,
    element: &Element,
    sample: &mut SampleResult,
) -> Vec<Extraction> {
    let main = MainContext::new(&prepared.settings, None);
    let mut node = Node::new(element.clone());
    registry.fill_missing(&mut node.element);
    let Some(Make::PostProcessor(make)) = registry.kind(&node.element).map(|kind| kind.make.clone()) else {
        return Vec::new();
    };
    let step = make(&node, &main.compile);
    let kept = Arc::new(Kept::default());
    let mut cx = main.into_context();
    let mut trace = UserTrace::new(kept.clone(), "", "");
    let place = ElementRef::default();
    trace.begin_step(&place, &[], &[]);
    cx.trace = Some(Box::new(trace));
    let before = action::begin(&mut cx, &place, Role::PostProcessor);
    step.process(&mut cx, sample).finish();
    action::end(&mut cx, &before);
    // The step is handed over with the trace of its user.
    drop(cx);

    kept.0.lock().clone()
}
