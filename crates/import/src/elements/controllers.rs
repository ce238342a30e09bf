//! The plan, thread groups and controllers.

use swell_plan::Element;

/// Load of a Thread Group, as texts of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupLoad {
    /// Virtual users.
    pub users: String,
    /// Iterations; `-1` without an end.
    pub loops: String,
    /// Seconds in which all users start.
    pub ramp: String,
    /// Seconds of the test.
    pub duration: Option<String>,
    /// What a failed sample means: `continue`, `startnextloop`, `stopthread`.
    pub on_error: &'static str,
}

/// Test Plan.
pub fn test_plan(name: &str, comment: &str) -> Element {
    let plan = Element::new("TestPlan", "TestPlanGui", name);
    with_comment(plan, comment)
        .with_flag("TestPlan.functional_mode", false)
        .with_flag("TestPlan.serialize_threadgroups", false)
        .with_element(
            "TestPlan.user_defined_variables",
            Element::new("Arguments", "ArgumentsPanel", "User Defined Variables")
                .with_elements("Arguments.arguments", []),
        )
}

pub(crate) fn with_comment(element: Element, comment: &str) -> Element {
    if comment.is_empty() { element } else { element.with_text("TestPlan.comments", comment) }
}

/// Thread Group.
pub fn thread_group(name: &str, load: &GroupLoad) -> Element {
    let main = Element::new("LoopController", "LoopControlPanel", "Loop Controller")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", &load.loops);
    let group = Element::new("ThreadGroup", "ThreadGroupGui", name)
        .with_element("ThreadGroup.main_controller", main)
        .with_text("ThreadGroup.num_threads", &load.users)
        .with_text("ThreadGroup.ramp_time", &load.ramp)
        .with_text("ThreadGroup.on_sample_error", load.on_error)
        .with_flag("ThreadGroup.same_user_on_next_iteration", true);
    match &load.duration {
        None => group.with_flag("ThreadGroup.scheduler", false),
        Some(duration) => group
            .with_flag("ThreadGroup.scheduler", true)
            // Users that are not there in time do not make the test longer.
            .with_flag("ThreadGroup.delayedStart", true)
            .with_text("ThreadGroup.duration", duration)
            .with_text("ThreadGroup.delay", "0"),
    }
}

/// Open Model Thread Group with its schedule of arrivals.
pub fn open_model_group(name: &str, schedule: &str, on_error: &str) -> Element {
    // JMeter has one with a fixed class, and no settings.
    let main = Element::new("OpenModelThreadGroupController", "", "");
    Element::new("OpenModelThreadGroup", "OpenModelThreadGroupGui", name)
        .with_element("ThreadGroup.main_controller", main)
        .with_text("ThreadGroup.on_sample_error", on_error)
        .with_text("OpenModelThreadGroup.schedule", schedule)
        .with_text("OpenModelThreadGroup.random_seed", "")
}

/// Simple Controller.
pub fn group_controller(name: &str) -> Element {
    Element::new("GenericController", "LogicControllerGui", name)
}

/// Transaction Controller: its samples are reported, too, and its time has no timers in it.
pub fn transaction(name: &str) -> Element {
    Element::new("TransactionController", "TransactionControllerGui", name)
        .with_flag("TransactionController.parent", false)
        .with_flag("TransactionController.includeTimers", false)
}

/// Loop Controller.
pub fn loop_controller(name: &str, loops: &str) -> Element {
    Element::new("LoopController", "LoopControlPanel", name)
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", loops)
}

/// If Controller whose condition gives `true` or something else.
pub fn if_controller(name: &str, condition: &str) -> Element {
    Element::new("IfController", "IfControllerPanel", name)
        .with_text("IfController.condition", condition)
        .with_flag("IfController.evaluateAll", false)
        .with_flag("IfController.useExpression", true)
}

/// While Controller.
pub fn while_controller(name: &str, condition: &str) -> Element {
    Element::new("WhileController", "WhileControllerGui", name)
        .with_text("WhileController.condition", condition)
}

/// Once Only Controller.
pub fn once_controller(name: &str) -> Element {
    Element::new("OnceOnlyController", "OnceOnlyControllerGui", name)
}

/// Switch Controller; the value is the number of a child, from 0.
pub fn switch_controller(name: &str, value: &str) -> Element {
    Element::new("SwitchController", "SwitchControllerGui", name).with_text("SwitchController.value", value)
}
