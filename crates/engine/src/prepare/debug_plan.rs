//! A plan for `swell debug`: few users and iterations, and no listeners.

use swell_api::{Make, Phase, Registry, Role};
use swell_plan::{Element, Node, Plan};

use crate::kinds::{LOOP_CONTROLLER, Native, THREAD_GROUP, native};

const CONTROLLER: &str = "ThreadGroup.main_controller";

/// The load of a plan that is debugged.
#[derive(Clone, Debug)]
pub struct DebugLoad {
    /// Virtual users of each main thread group.
    pub users: u32,
    /// Iterations of each main thread group.
    pub iterations: u32,
    /// The only main thread group that runs; none: all do.
    pub group: Option<String>,
}

/// The plan with that load. Thread groups of other kinds become plain ones; those of set-up and
/// tear-down have one virtual user and one iteration. Listeners are disabled: nothing is written.
///
/// # Errors
/// No thread group has the wanted name.
pub fn debug_plan(plan: &Plan, load: &DebugLoad, registry: &Registry) -> Result<Plan, String> {
    let mut plan = plan.clone();
    let mut names = Vec::new();
    let mut found = false;
    for node in plan.root.children.iter_mut().filter(|node| node.element.enabled()) {
        let Some(phase) = phase_of(registry, &node.element) else { continue };
        if phase != Phase::Main {
            run_few(&mut node.element, phase, 1, 1);
            continue;
        }
        let name = node.element.name().to_owned();
        let is_wanted = load.group.as_ref().is_none_or(|wanted| *wanted == name);
        if is_wanted {
            run_few(&mut node.element, phase, load.users, load.iterations);
            found = true;
        } else {
            node.element.disable();
        }
        names.push(name);
    }
    if let Some(wanted) = load.group.as_ref().filter(|_| !found) {
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        return Err(format!("no thread group `{wanted}`; this plan has {names}"));
    }
    silence(&mut plan.root, registry);
    Ok(plan)
}

fn phase_of(registry: &Registry, element: &Element) -> Option<Phase> {
    if let Some(Native::ThreadGroup(phase, _)) = native(registry, element) {
        return Some(*phase);
    }
    let is_group = registry.role(element) == Some(Role::ThreadGroup)
        || registry
            .kind(element)
            .is_some_and(|kind| matches!(kind.make, Make::ThreadGroup(_) | Make::ExternalGroup(_)));
    is_group.then_some(Phase::Main)
}

/// A thread group with that load.
fn run_few(group: &mut Element, phase: Phase, users: u32, iterations: u32) {
    let mut controller = group
        .element(CONTROLLER)
        .cloned()
        .unwrap_or_else(|| Element::new(LOOP_CONTROLLER, "LoopControlPanel", "Loop Controller"));
    controller.set_text("LoopController.loops", &iterations.to_string());
    let controller = controller.with_flag("LoopController.continue_forever", false);
    if phase == Phase::Main {
        // Groups of other kinds have other schedules.
        THREAD_GROUP.clone_into(&mut group.class);
    }
    *group = group.clone().with_element(CONTROLLER, controller);
    group.set_text("ThreadGroup.num_threads", &users.to_string());
    group.set_text("ThreadGroup.ramp_time", "0");
    group.set_text("ThreadGroup.scheduler", "false");
    group.set_text("ThreadGroup.delayedStart", "false");
}

/// Disables what only listens.
fn silence(node: &mut Node, registry: &Registry) {
    for child in &mut node.children {
        let is_listener = registry.role(&child.element) == Some(Role::Listener)
            && native(registry, &child.element).is_none();
        if is_listener {
            child.element.disable();
        }
        silence(child, registry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(class: &str, name: &str) -> Node {
        Node::new(Element::new(class, "G", name).with_text("ThreadGroup.num_threads", "50"))
    }

    #[test]
    fn groups_of_all_kinds_run_once_and_others_not_at_all() {
        let registry = Registry::of(crate::kinds());
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "plan"))
            .with(group("SetupThreadGroup", "before"))
            .with(group("ThreadGroup", "a"))
            .with(group("kg.apc.jmeter.threads.UltimateThreadGroup", "b"))
            .with(Node::new(
                Element::new("ResultCollector", "G", "results").with_text("TestElement.enabled", "true"),
            ));
        let plan = Plan::new(root);
        let load = DebugLoad { users: 1, iterations: 2, group: Some("b".to_owned()) };
        let changed = debug_plan(&plan, &load, &registry).expect("it has the group");
        let shown: Vec<_> = changed
            .root
            .children
            .iter()
            .map(|node| {
                let element = &node.element;
                let loops = element.element(CONTROLLER).and_then(|main| main.text("LoopController.loops"));
                (element.class.as_str(), element.enabled(), element.text("ThreadGroup.num_threads"), loops)
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("SetupThreadGroup", true, Some("1"), Some("1")),
                ("ThreadGroup", false, Some("50"), None),
                ("ThreadGroup", true, Some("1"), Some("2")),
                ("ResultCollector", false, None, None),
            ]
        );
        let load = DebugLoad { group: Some("c".to_owned()), ..load };
        assert_eq!(
            debug_plan(&plan, &load, &registry).unwrap_err(),
            "no thread group `c`; this plan has `a`, `b`"
        );
    }
}
