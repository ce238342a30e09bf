//! Reduces thread groups of plug-ins and the Open Model Thread Group to a small load of the same
//! kind, in which users behave the same however fast the program is.

use swell_plan::{Element, Node};

use super::shrink::{set_rows, shrink_main};

/// Whether users of a group overlap in time.
pub(super) fn is_timed(class: &str) -> bool {
    kind(class).is_some()
}

#[derive(Clone, Copy)]
enum Kind {
    Ultimate,
    Stepping,
    Concurrency,
    Arrivals,
    FreeForm,
    OpenModel,
}

fn kind(class: &str) -> Option<Kind> {
    Some(match class.rsplit('.').next().unwrap_or_default() {
        "UltimateThreadGroup" => Kind::Ultimate,
        "SteppingThreadGroup" => Kind::Stepping,
        "ConcurrencyThreadGroup" => Kind::Concurrency,
        "ArrivalsThreadGroup" => Kind::Arrivals,
        "FreeFormArrivalsThreadGroup" => Kind::FreeForm,
        "OpenModelThreadGroup" => Kind::OpenModel,
        _ => return None,
    })
}

/// Reduces a group or a Runtime Controller: there is time for one iteration, and a pause until its
/// end.
pub(super) fn shrink(node: &mut Node) {
    if node.element.class == "RunTime" && !node.children.is_empty() {
        node.element.set_text("RunTime.seconds", "2");
        node.children.push(pause_of("2500"));
    }
    let Some(kind) = kind(&node.element.class) else { return };
    let element = &mut node.element;
    match kind {
        Kind::Ultimate => {
            let count = element.collection("ultimatethreadgroupdata").len().clamp(1, 2);
            // One user after the other, so that they use data in one order: users, delay, ramp-up,
            // hold, shutdown.
            let users = [["1", "0", "0", "30", "0"], ["1", "3", "0", "30", "0"]];
            set_rows(element, "ultimatethreadgroupdata", &users[..count]);
            shrink_main(element);
        }
        Kind::Stepping => {
            set_all(element, &[("ThreadGroup.num_threads", "2"), ("Threads initial delay", "0")]);
            set_all(element, &[("Start users count", "1"), ("Start users count burst", "0")]);
            set_all(element, &[("Start users period", "3"), ("rampUp", "0"), ("flighttime", "30")]);
            set_all(element, &[("Stop users count", "1"), ("Stop users period", "1")]);
            shrink_main(element);
        }
        Kind::Concurrency => {
            set_all(element, &[("TargetLevel", "1"), ("RampUp", ""), ("Steps", ""), ("Unit", "S")]);
            set_all(element, &[("Hold", "10"), ("Iterations", "1"), ("LogFilename", "")]);
            // The successor of the first user waits until the end has passed, and does nothing.
            node.children.insert(0, pause_of("6000"));
        }
        Kind::Arrivals => {
            set_all(element, &[("TargetLevel", "6"), ("RampUp", ""), ("Steps", ""), ("Hold", "0.25")]);
            set_arrivals(element);
        }
        Kind::FreeForm => {
            set_rows(element, "Schedule", &[["6", "6", "0.25"]]);
            set_arrivals(element);
        }
        Kind::OpenModel => {
            set_all(element, &[(SCHEDULE, "rate(0.5/s) even_arrivals(4 s) pause(5 s)")]);
        }
    }
}

const SCHEDULE: &str = "OpenModelThreadGroup.schedule";

fn set_all(element: &mut Element, texts: &[(&str, &str)]) {
    for (name, value) in texts {
        element.set_text(name, value);
    }
}

/// One arrival in 15 seconds, in the units of a minute.
fn set_arrivals(element: &mut Element) {
    set_all(element, &[("Unit", "M"), ("ConcurrencyLimit", ""), ("ArrivalsLimit", ""), ("Iterations", "")]);
    set_all(element, &[("LogFilename", "")]);
}

fn pause_of(duration_ms: &str) -> Node {
    let element = Element::new("TestAction", "TestActionGui", "wait").with_int("ActionProcessor.action", 1);
    Node::new(
        element.with_int("ActionProcessor.target", 0).with_text("ActionProcessor.duration", duration_ms),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_keeps_its_class_and_is_small() {
        let cases = [
            ("kg.apc.jmeter.threads.SteppingThreadGroup", "ThreadGroup.num_threads", "2"),
            ("com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup", "TargetLevel", "1"),
            ("com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup", "Hold", "0.25"),
            ("OpenModelThreadGroup", SCHEDULE, "rate(0.5/s) even_arrivals(4 s) pause(5 s)"),
        ];
        for (class, name, expected) in cases {
            let mut node = Node::new(Element::new(class, "", "G").with_text(name, "500"));
            shrink(&mut node);
            assert_eq!((node.element.class.as_str(), node.element.text(name)), (class, Some(expected)));
            assert!(is_timed(class));
        }
        assert!(!is_timed("ThreadGroup"));
    }

    #[test]
    fn a_runtime_has_one_round() {
        let mut node = Node::new(Element::new("RunTime", "RunTimeGui", "R"));
        shrink(&mut node);
        assert_eq!(node.children.len(), 0, "an empty one stays empty");
        node.children.push(Node::new(Element::new("DebugSampler", "TestBeanGUI", "D")));
        shrink(&mut node);
        assert_eq!(node.children[1].element.class, "TestAction");
        assert_eq!(node.element.text("RunTime.seconds"), Some("2"));
    }

    #[test]
    fn of_rows_two_are_left_and_loops_end() {
        let main = Element::new("LoopController", "", "").with_text("LoopController.loops", "-1");
        let mut element = Element::new("kg.apc.jmeter.threads.UltimateThreadGroup", "", "G")
            .with_element("ThreadGroup.main_controller", main);
        set_rows(&mut element, "ultimatethreadgroupdata", &[["9", "9"], ["8", "8"], ["7", "7"]]);
        let mut node = Node::new(element);
        shrink(&mut node);
        assert_eq!(node.element.collection("ultimatethreadgroupdata").len(), 2);
        let main = node.element.element("ThreadGroup.main_controller").unwrap();
        assert_eq!(main.text("LoopController.loops"), Some("2"));
    }
}
