//! Controllers that report their decisions.

use swell_plan::Node;
use swell_trace::{Decision, ElementRef, ReadVariable, Verdict};

use super::{element_ref, variables_in};
use crate::control::{ControlId, Kind, Walk};
use crate::program::ROOT;

/// What a controller needs to report.
pub(crate) struct TracedControl {
    element: ElementRef,
    kind: &'static str,
    /// Its condition, count or value as it is in the plan.
    written: Option<String>,
    /// Variables in it.
    names: Vec<String>,
    /// Names of its children.
    children: Vec<String>,
}

impl TracedControl {
    /// The report of a controller of the plan.
    pub(crate) fn new(node: &Node, kind: &Kind, children: Vec<String>) -> Self {
        let element = &node.element;
        let text = |property: &str| element.text(property).map(str::to_owned);
        let (kind, written) = match kind {
            Kind::If { .. } => ("if", text("IfController.condition")),
            Kind::While { .. } => ("while", text("WhileController.condition")),
            Kind::Loop { .. } => {
                let main = element.element("ThreadGroup.main_controller").unwrap_or(element);
                ("loop", main.text("LoopController.loops").map(str::to_owned))
            }
            Kind::ForEach(_) => ("for_each", text("ForeachController.inputVal")),
            Kind::Switch { .. } => ("switch", text("SwitchController.value")),
            Kind::Random { .. } => ("random", None),
            Kind::RandomOrder => ("random_order", None),
            Kind::Interleave { .. } => ("interleave", None),
            Kind::Weighted { .. } => ("weighted", None),
            Kind::Throughput(throughput) if throughput.percent => {
                ("throughput", text("ThroughputController.percentThroughput"))
            }
            Kind::Throughput(_) => ("throughput", text("ThroughputController.maxThroughput")),
            Kind::OnceOnly => ("once_only", None),
            Kind::RunTime { .. } => ("runtime", text("RunTime.seconds")),
            Kind::Critical { .. } => ("critical_section", text("CriticalSectionController.lockName")),
            Kind::OneShot | Kind::VirtualUser { .. } => ("thread_group", None),
            Kind::Simple | Kind::Foreign(_) | Kind::Transaction { .. } => ("simple", None),
        };
        let names = written.as_deref().map(variables_in).unwrap_or_default();
        Self { element: element_ref(element), kind, written, names, children }
    }
}

impl Walk<'_> {
    /// Whether the controller reports its decisions.
    #[inline]
    pub(crate) fn is_traced(&self, id: ControlId) -> bool {
        self.controls[id.0 as usize].traced.is_some()
    }

    /// Reports a decision. `text`: what was decided, in a few words.
    #[cold]
    pub(crate) fn note(&mut self, id: ControlId, verdict: Verdict, evaluated: Option<&str>, text: String) {
        // What is suspended is decided once more, and a thread group's turns are iterations.
        if self.cx.is_suspended() || id == ROOT {
            return;
        }
        let Some(traced) = &self.controls[id.0 as usize].traced else { return };
        let vars = &self.cx.vars;
        let Some(trace) = &mut self.cx.trace else { return };
        let read = |name: &String| trace.read(name, vars.get(name).map(|value| &**value));
        let reads: Vec<ReadVariable> = traced.names.iter().map(read).collect();
        let decision = Decision {
            element: traced.element.clone(),
            kind: traced.kind,
            verdict,
            written: traced.written.clone(),
            evaluated: evaluated.map(str::to_owned),
            reads,
            text,
            ..Decision::default()
        };
        trace.decision(decision);
    }

    /// The name of a child, for a report.
    pub(crate) fn child_name(&self, id: ControlId, place: u32) -> String {
        let traced = self.controls[id.0 as usize].traced.as_ref();
        let name = traced.and_then(|traced| traced.children.get(place as usize));
        name.cloned().unwrap_or_else(|| format!("child {place}"))
    }

    /// The names of all children, for a report.
    pub(crate) fn child_names(&self, id: ControlId) -> String {
        let traced = self.controls[id.0 as usize].traced.as_ref();
        traced.map(|traced| traced.children.join("`, `")).unwrap_or_default()
    }
}
