//! What happens at the start of iterations.

use swell_api::{IterationElement, StepProgress, User};
use swell_expr::Context;
use swell_trace::{ElementRef, Role};

use super::action;

/// An element that acts at the start of iterations, and reports.
pub(crate) struct TracedIteration {
    pub(crate) element: Box<dyn IterationElement>,
    pub(crate) place: ElementRef,
}

impl IterationElement for TracedIteration {
    fn iteration_start(&self, cx: &mut Context) {
        let before = action::begin(cx, &self.place, Role::IterationElement);
        self.element.iteration_start(cx);
        action::end(cx, &before);
    }

    fn hear<'a>(&'a self, user: &'a mut User) -> StepProgress<'a> {
        StepProgress::Pending(Box::pin(async move {
            let before = action::begin(&mut user.cx, &self.place, Role::IterationElement);
            self.element.hear(user).wait().await;
            action::end(&mut user.cx, &before);
        }))
    }
}

/// The first element of a thread group: an iteration of the trace begins.
pub(crate) struct BeginIteration;

impl IterationElement for BeginIteration {
    fn iteration_start(&self, cx: &mut Context) {
        let iteration = cx.iteration;
        if let Some(trace) = &mut cx.trace {
            trace.begin_iteration(iteration);
        }
    }
}
