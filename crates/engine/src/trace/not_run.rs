//! Elements that cannot run here, in a plan that runs nevertheless.

use swell_api::{Registry, SampleResult, Sampler, SamplerFuture, Step, StepProgress, User};
use swell_expr::Properties;
use swell_plan::Node;
use swell_trace::{ElementRef, Role};

use super::action;
use crate::prepare::support;

/// Why an element cannot run here; none if it can.
pub(crate) fn reason(registry: &Registry, node: &Node, props: &Properties) -> Option<String> {
    registry.role(&node.element)?;
    support(node, registry, props).why_not()
}

/// A sampler that only says why it does not run.
pub(crate) struct NotRunSampler {
    pub(crate) reason: String,
}

impl Sampler for NotRunSampler {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move {
            if let Some(trace) = &mut user.cx.trace {
                trace.not_run(&self.reason);
            }
            None
        })
    }
}

/// Another element that only says why it does not run.
pub(crate) struct NotRunStep {
    pub(crate) element: ElementRef,
    pub(crate) role: Role,
    pub(crate) reason: String,
}

impl Step for NotRunStep {
    fn reads_previous(&self) -> bool {
        false
    }

    fn run<'a>(&'a self, user: &'a mut User, _sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        let before = action::begin(&mut user.cx, &self.element, self.role);
        action::end(&mut user.cx, &before);
        if let Some(trace) = &mut user.cx.trace {
            trace.last_action_not_run(&self.reason);
        }
        StepProgress::Done(())
    }
}
