//! Detects plans that cannot be compared, or only in part.

use swell_plan::{Node, Plan, write};

/// Classes of elements that can be made harmless, one per line.
const COMPARED: &str = include_str!("compared.txt");

/// Elements that make runs differ.
const UNSTEADY: [&str; 14] = [
    "__Random",
    "__UUID",
    "randomUUID",
    "__time(",
    "__time}",
    "__timeShift",
    "__machine",
    "__counter",
    "START.MS",
    "RandomController",
    "RandomOrderController",
    "RandomVariableConfig",
    "__chooseRandom",
    "RandomCSVDataSetConfig",
];

/// Removes elements that take no part in the run, because JMeter refuses even disabled elements of
/// missing plug-ins. A Module Controller may use disabled elements, so a plan with one stays
/// unchanged.
pub(super) fn prune(plan: &mut Plan) {
    if !holds(plan, "ModuleController") {
        plan.root = plan.enabled_tree();
        without_plugin_listeners(&mut plan.root);
    }
}

/// Removes listeners of plug-ins, which only draw.
fn without_plugin_listeners(node: &mut Node) {
    const PARTS: [&str; 5] = ["vizualizers", "visualizer", "perfmon", "istener", "reporters"];
    let only_draws = |class: &str| class.contains('.') && PARTS.iter().any(|part| class.contains(part));
    node.children.retain(|child| !only_draws(&child.element.class));
    for child in &mut node.children {
        without_plugin_listeners(child);
    }
}

/// Whether an element of this class takes part in the run.
pub(super) fn holds(plan: &Plan, class: &str) -> bool {
    let mut found = false;
    visit_enabled(&plan.root, &mut |node| found |= node.element.class == class);
    found
}

/// Whether a request may be sent as multipart/form-data.
pub(super) fn sends_parts(plan: &Plan) -> bool {
    let text = write(plan);
    text.contains("\"File.paramname\"") || text.contains("DO_MULTIPART_POST\">true")
}

/// Returns why a plan is skipped.
pub(super) fn reason(plan: &Plan) -> Option<String> {
    let mut found = None;
    visit_enabled(&plan.root, &mut |node| {
        let class = node.element.class.as_str();
        let known = COMPARED.lines().any(|known| known == class)
            || super::groups::is_timed(class)
            || is_script(class);
        if found.is_none() && !known {
            found = Some(format!("holds {class}, which nobody has made harmless yet"));
        }
    });
    found
}

/// Whether an element runs a script. Scripts that Swell understands are harmless; others may do
/// anything.
pub(super) fn is_script(class: &str) -> bool {
    ["JSR223", "BeanShell", "BSF"].iter().any(|kind| class.starts_with(kind))
}

/// Whether two runs of a plan can differ.
pub(super) fn is_unsteady(plan: &Plan) -> bool {
    let text = write(plan);
    UNSTEADY.iter().any(|name| text.contains(name))
}

pub(super) fn visit_enabled(node: &Node, visit: &mut dyn FnMut(&Node)) {
    if node.element.enabled() {
        visit(node);
        node.children.iter().for_each(|child| visit_enabled(child, visit));
    }
}
