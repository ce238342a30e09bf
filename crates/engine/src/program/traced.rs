//! Wraps the elements of a program that is traced.

use std::rc::Rc;

use swell_api::{IterationElement, Make, Role, Sampler, Step};
use swell_plan::Node;
use swell_trace::Role as TraceRole;

use super::group::{GroupCompiler, Level};
use super::steps::{After, Before, Check, WaitingListener};
use crate::timer::Timer;
use crate::trace::{
    self, BeginStep, EndStep, NotRunSampler, NotRunStep, Traced, TracedForeignTimer, TracedIteration,
    TracedSampler, TracedStep, TracedTimer, element_ref, variables_in,
};

impl<'p> GroupCompiler<'_, '_> {
    fn is_traced(&self) -> bool {
        self.context.compile.traced
    }

    /// A step of a package as it is traced; where none could be made, one that says why the element
    /// cannot run here.
    fn traced_step(&self, node: &Node, made: Option<Traced>, role: TraceRole) -> Option<Rc<dyn Step>> {
        let element = element_ref(&node.element);
        if let Some(step) = made {
            return Some(Rc::new(TracedStep { step, role, element }));
        }
        let reason = trace::reason(self.context.registry, node, &self.context.compile.props)?;
        Some(Rc::new(NotRunStep { element, role, reason }))
    }

    pub(super) fn trace_before(&self, node: &Node, made: Option<Before>) -> Option<Before> {
        if !self.is_traced() {
            return made;
        }
        self.traced_step(node, made.map(Traced::Before), TraceRole::PreProcessor).map(Before::Foreign)
    }

    pub(super) fn trace_after(&self, node: &Node, made: Option<After>) -> Option<After> {
        if !self.is_traced() {
            return made;
        }
        self.traced_step(node, made.map(Traced::After), TraceRole::PostProcessor).map(After::Foreign)
    }

    pub(super) fn trace_check(&self, node: &Node, made: Option<Check>) -> Option<Check> {
        if !self.is_traced() {
            return made;
        }
        self.traced_step(node, made.map(Traced::Check), TraceRole::Assertion).map(Check::Foreign)
    }

    pub(super) fn trace_timer(&self, node: &Node, timer: Timer) -> Timer {
        if !self.is_traced() {
            return timer;
        }
        let element = element_ref(&node.element);
        match timer {
            Timer::Foreign(timer) => Timer::Foreign(Rc::new(TracedForeignTimer { timer, element })),
            timer => Timer::Traced(Box::new(TracedTimer { timer, element })),
        }
    }

    pub(super) fn trace_iteration(
        &self,
        node: &Node,
        element: Box<dyn IterationElement>,
    ) -> Box<dyn IterationElement> {
        if !self.is_traced() {
            return element;
        }
        Box::new(TracedIteration { element, place: element_ref(&node.element) })
    }

    /// The sampler at the end of `stack`.
    pub(super) fn trace_sampler(&self, stack: &[Level<'p>], sampler: Rc<dyn Sampler>) -> Rc<dyn Sampler> {
        if !self.is_traced() {
            return sampler;
        }
        let node = stack.last().expect("holds the sampler").node;
        if let Some(reason) = trace::reason(self.context.registry, node, &self.context.compile.props) {
            return Rc::new(NotRunSampler { reason });
        }
        let is_config = |child: &&Node| matches!(self.context.make(&child.element), Make::Config);
        let configs = stack.iter().rev().flat_map(|level| level.scope.iter().copied().filter(is_config));
        let elements = std::iter::once(&node.element).chain(configs.map(|config| &config.element));
        let mut reads: Vec<String> = Vec::new();
        for name in elements.flat_map(trace::written).flat_map(|written| variables_in(&written.text)) {
            if !reads.contains(&name) {
                reads.push(name);
            }
        }
        Rc::new(TracedSampler { sampler, element: element_ref(&node.element), reads })
    }

    /// Puts the begin of the step before all others.
    pub(super) fn trace_begin(&self, stack: &[Level<'p>], before: &mut Vec<Rc<Before>>) {
        if !self.is_traced() {
            return;
        }
        let node = stack.last().expect("holds the sampler").node;
        let is_control = |node: &&Node| self.context.role(&node.element) == Some(Role::Controller);
        let nodes = stack.iter().map(|level| level.node);
        let controllers = nodes.filter(is_control).map(|node| node.element.name().to_owned());
        let begin = BeginStep {
            element: element_ref(&node.element),
            controllers: controllers.collect(),
            written: trace::written(&node.element),
        };
        before.insert(0, Rc::new(Before::Foreign(Rc::new(begin))));
    }

    /// What ends the step, after all other listeners that may wait.
    pub(super) fn trace_end(&self) -> Option<WaitingListener> {
        self.is_traced().then(|| Rc::new(EndStep) as WaitingListener)
    }
}
