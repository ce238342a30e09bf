//! The plan that JMeter's engine receives for such groups.

use swell_api::GroupStart;
use swell_plan::{Element, Node};

use crate::JvmFault;
use crate::hosted::{ElementPart, PlanForJvm};

/// The substitute for a listener that Swell calls with samples.
const SINK: &str = "swell.jvm.SampleSink";
/// Marks the one below the Test Plan, after all others.
const LAST: &str = "SampleSink.last";

/// The plan with all groups that run there, as JMX. Elements that are lacking (listeners, else
/// nothing runs) are left out: JMeter would refuse the plan.
pub(super) fn jmx(start: &GroupStart<'_>, lacks: &dyn Fn(&Element) -> bool) -> String {
    let mut root = start.plan.clone();
    root.children.push(Node::new(Element::new(SINK, "SampleSink", "samples").with_flag(LAST, true)));
    let kept = |node: &Node| {
        if start.listeners.contains(&node.id) && node.element.class != SINK {
            ElementPart::AsSink
        } else if lacks(&node.element) && node.element.class != SINK {
            ElementPart::Not
        } else {
            ElementPart::Whole
        }
    };
    // Evaluated twice, functions with effects would have them twice.
    let variables = (!start.is_all).then_some(start.variables);
    PlanForJvm { root: &root, variables, kept: &kept }.write()
}

/// Why JMeter does not take it, without the stacks of its exceptions.
pub(super) fn why(fault: &JvmFault) -> String {
    let JvmFault::Refused { class, message } = fault else { return fault.to_string() };
    let mut causes = message.lines().rev().filter_map(|line| line.strip_prefix("Caused by: "));
    let first = || message.lines().find(|line| !line.trim().is_empty()).unwrap_or(class);
    causes.next().unwrap_or_else(first).to_owned()
}

/// Where it came from: names of files count from its folder.
pub(super) fn file(start: &GroupStart<'_>) -> String {
    start.file.map_or_else(|| "plan.jmx".to_owned(), |file| file.to_string_lossy().into_owned())
}
