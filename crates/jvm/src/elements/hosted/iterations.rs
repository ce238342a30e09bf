//! Iterations of controllers that a hosted element must be notified of.

use std::sync::Arc;

use swell_api::{CompileContext, IterationElement, Role, Step, StepProgress, User};
use swell_expr::Context;
use swell_plan::Node;

use super::super::script::ElementAccess;
use super::super::session::Session;
use super::HostedElement;

/// It only hears.
const NOTHING: ElementAccess = ElementAccess { previous: false, request: false, sampler_before: false };

/// Records that an iteration of the innermost controller above a hosted element begins, and
/// notifies the element before that controller continues.
pub(in super::super) struct Unheard {
    number: u32,
    element: HostedElement,
}

impl Unheard {
    /// That of an element.
    pub(in super::super) fn of(
        node: &Node,
        session: &Arc<Session>,
        compile: &CompileContext,
    ) -> Box<dyn IterationElement> {
        let element = HostedElement::compile(node, Role::IterationElement, NOTHING, session, compile);
        Box::new(Self { number: node.id.0, element })
    }
}

impl IterationElement for Unheard {
    fn iteration_start(&self, cx: &mut Context) {
        if let Some((_, times)) = cx.unheard.iter_mut().find(|(number, _)| *number == self.number) {
            *times = times.saturating_add(1);
        } else {
            let mut all = std::mem::take(&mut cx.unheard).into_vec();
            all.push((self.number, 1));
            cx.unheard = all.into();
        }
    }

    fn hear<'a>(&'a self, user: &'a mut User) -> StepProgress<'a> {
        Step::run(&self.element, user, None)
    }
}
