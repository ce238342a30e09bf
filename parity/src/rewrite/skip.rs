//! Plans that cannot be compared, or not in everything.

use swell_plan::{Node, Plan, write};

/// Classes of elements that can be made harmless, one a line.
const COMPARED: &str = include_str!("compared.txt");

/// What makes runs differ from each other.
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

/// Takes out what takes no part in the run: JMeter refuses even disabled elements of plug-ins that it does not have. A
/// Module Controller may use what is disabled, so a plan with one is left as it is.
pub(super) fn prune(plan: &mut Plan) {
    if !holds(plan, "ModuleController") {
        plan.root = plan.enabled_tree();
        without_plugin_listeners(&mut plan.root);
    }
}

/// Listeners of plug-ins only draw.
fn without_plugin_listeners(node: &mut Node) {
    const PARTS: [&str; 5] = ["vizualizers", "visualizer", "perfmon", "istener", "reporters"];
    let only_draws = |class: &str| class.contains('.') && PARTS.iter().any(|part| class.contains(part));
    node.children.retain(|child| !only_draws(&child.element.class));
    for child in &mut node.children {
        without_plugin_listeners(child);
    }
}

/// Whether an element of a class takes part in the run.
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

/// Why a plan is not run.
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

/// Whether an element runs a script. Those that Swell understands do no harm; others may do anything.
pub(super) fn is_script(class: &str) -> bool {
    ["JSR223", "BeanShell", "BSF"].iter().any(|kind| class.starts_with(kind))
}

/// Whether two runs of a plan differ.
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
