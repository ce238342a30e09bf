//! Samplers that never ran, and why.

use swell_trace::{ElementRef, EndReason, NeverRan, Verdict};

use crate::history::{History, key};

/// A sampler of the plan.
#[derive(Clone, Debug)]
pub struct PlannedStep {
    /// The sampler.
    pub element: ElementRef,
    /// Its thread group.
    pub group: ElementRef,
    /// Controllers above it, outermost first.
    pub controllers: Vec<ElementRef>,
}

/// The samplers that never ran.
pub(crate) fn never_ran(planned: &[PlannedStep], history: &History, end: EndReason) -> Vec<NeverRan> {
    let missing = planned.iter().filter(|planned| !history.ran.contains(&key(&planned.element)));
    missing.map(|planned| one(planned, history, end)).collect()
}

fn one(planned: &PlannedStep, history: &History, end: EndReason) -> NeverRan {
    let element = planned.element.clone();
    // The outermost controller that was never entered kept all below it from running.
    for controller in &planned.controllers {
        let Some(last) = history.decisions.get(&key(controller)) else { continue };
        let decision = &last.decision;
        let skipped = matches!(decision.verdict, Verdict::Skipped) && !last.entered;
        // One that chooses a child may have chosen others each time.
        let chooses = matches!(decision.kind, "switch" | "random" | "interleave" | "weighted");
        if skipped || chooses {
            let name = named(controller);
            let reason = match decision.kind {
                "if" => format!("the If Controller {name} was not true"),
                "while" => format!("the While Controller {name} was never entered"),
                "switch" if skipped => {
                    format!("the Switch Controller {name} chose nothing: {}", decision.text)
                }
                "switch" | "random" | "interleave" | "weighted" => format!("controller {name} chose others"),
                "for_each" => format!("the ForEach Controller {name} had no item: {}", decision.text),
                "loop" => format!("the Loop Controller {name} has {}", decision.text),
                "throughput" => format!("the Throughput Controller {name} left it out: {}", decision.text),
                "runtime" => format!("the Runtime Controller {name} did not run: {}", decision.text),
                "once_only" => format!("the Once Only Controller {name} did not run: {}", decision.text),
                kind => format!("controller {name} ({kind}) was not entered"),
            };
            return NeverRan { element, controller: Some(controller.clone()), reason };
        }
    }
    let controller = planned.controllers.last().cloned();
    let reason = match end {
        EndReason::Until => "the run ended before it, as wanted".to_owned(),
        EndReason::Interrupted => "the run was interrupted before it".to_owned(),
        EndReason::Stopped => "the test was stopped before it".to_owned(),
        EndReason::Finished => match &controller {
            Some(above) => format!("it was not reached below {}", named(above)),
            None => "its virtual user ended before it".to_owned(),
        },
    };
    NeverRan { element, controller, reason }
}

fn named(element: &ElementRef) -> String {
    if element.line == 0 {
        format!("`{}`", element.name)
    } else {
        format!("`{}` (line {})", element.name, element.line)
    }
}
