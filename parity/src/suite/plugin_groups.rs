//! Thread groups of plug-ins: who starts, in which order, how often, and who takes the place of whom.

use swell_plan::{Element, Node};

use super::draft::Draft;
use super::parts::{Edit, element, get, loops, pause, rows, set};

const WHO: &str = "/a?user=${__threadNum}";

/// A thread group of `kg.apc` with these loops.
fn kg_apc(class: &str, count: &str, texts: &[(&str, &str)]) -> Node {
    let class = format!("kg.apc.jmeter.threads.{class}");
    let node =
        element(&class, &format!("{class}Gui"), "Users", &[("ThreadGroup.on_sample_error", "continue")]);
    loops(texts.iter().fold(node, |node, (name, value)| node.text(name, value)), count)
}

/// A thread group of `com.blazemeter`.
fn blazemeter(class: &str, texts: &[(&str, &str)]) -> Node {
    let class = format!("com.blazemeter.jmeter.threads.{class}");
    let main = Element::new("com.blazemeter.jmeter.control.VirtualUserController", "", "");
    let node =
        element(&class, &format!("{class}Gui"), "Users", &[("ThreadGroup.on_sample_error", "continue")]);
    let node = Node { element: node.element.with_element("ThreadGroup.main_controller", main), ..node };
    let usual = [("RampUp", ""), ("Steps", ""), ("LogFilename", ""), ("Iterations", ""), ("Unit", "S")];
    // The version that is compared with has another user in each iteration, whatever the plan says.
    let node = node.flag("same_user_on_next_iteration", false);
    let left = usual.iter().filter(|(name, _)| texts.iter().all(|(given, _)| given != name));
    texts.iter().chain(left).fold(node, |node, (name, value)| node.text(name, value))
}

/// Users that overlap: how many there are when a sample ends is a matter of milliseconds.
fn counted(name: &'static str, about: &'static str, group: Node) -> Draft {
    Draft::new(name, about, [group]).rule("order thread").rule("mask grpThreads allThreads")
}

pub(super) fn drafts() -> Vec<Draft> {
    [of_kg_apc(), of_blazemeter()].concat()
}

fn of_kg_apc() -> Vec<Draft> {
    let ultimate = |count: &str, data: &[&[&str]]| {
        set(kg_apc("UltimateThreadGroup", count, &[]), "ultimatethreadgroupdata", rows(data))
    };
    let stepping = |count: &str, more: &[(&str, &str)]| {
        let usual = [
            ("ThreadGroup.num_threads", "3"),
            ("Threads initial delay", "0"),
            ("Start users count", "1"),
            ("Start users count burst", "0"),
            ("Start users period", "1"),
            ("Stop users count", "1"),
            ("Stop users period", "1"),
            ("flighttime", "1"),
            ("rampUp", "0"),
        ];
        more.iter()
            .fold(kg_apc("SteppingThreadGroup", count, &usual), |node, (name, value)| node.text(name, value))
    };
    vec![
        Draft::new(
            "plugin_ultimate_order",
            "Of a row the last number starts first; rows overlap in time.",
            [ultimate("1", &[&["2", "1", "2", "5", "0"], &["1", "0", "0", "5", "0"]]).of([get("a", WHO)])],
        ),
        counted(
            "plugin_ultimate_hold",
            "Users end after hold and shutdown; a timer that goes beyond the end takes no sample.",
            ultimate("-1", &[&["1", "0", "0", "2", "0"], &["1", "0", "0", "1", "2"]])
                .of([get("a", WHO).of([pause("wait", "700")])]),
        ),
        counted(
            "plugin_ultimate_nobody",
            "A row without users takes one from the last.",
            ultimate("1", &[&["0", "0", "0", "1", "0"], &["${__P(many,1)}", "1", "0", "1", "0"]])
                .of([get("a", WHO)]),
        )
        .rule("property many=2"),
        counted(
            "plugin_ultimate_property",
            "A property of the run replaces the rows.",
            ultimate("1", &[&["1", "0", "0", "1", "0"]]).of([get("a", WHO)]),
        )
        .rule("property threads_schedule=spawn(2,0s,0s,1s,0s) spawn(1,1s,0s,1s,0s)"),
        Draft::new(
            "plugin_stepping_order",
            "A user every second.",
            [stepping("1", &[("Threads initial delay", "1")]).of([get("a", WHO)])],
        ),
        counted(
            "plugin_stepping_steps",
            "A burst, a step with a ramp, a hold, and all ends one by one.",
            stepping("-1", &[("Start users count burst", "2"), ("rampUp", "1"), ("Stop users period", "2")])
                .of([get("a", WHO).of([pause("wait", "700")])]),
        ),
    ]
}

fn of_blazemeter() -> Vec<Draft> {
    let slow = |name: &str, ms: &str| get(name, WHO).of([pause("wait", ms)]);
    vec![
        Draft::new(
            "plugin_concurrency_iterations",
            "A user ends after its iterations, and another takes its place.",
            [blazemeter(
                "concurrency.ConcurrencyThreadGroup",
                &[("TargetLevel", "1"), ("Hold", "2"), ("Iterations", "2")],
            )
            .of([slow("a", "600")])],
        ),
        Draft::new(
            "plugin_concurrency_errors",
            "A user that ends with an error is replaced.",
            [blazemeter(
                "concurrency.ConcurrencyThreadGroup",
                &[("TargetLevel", "1"), ("Hold", "2"), ("ThreadGroup.on_sample_error", "stopthread")],
            )
            .of([get("fails", "/status/500").of([pause("wait", "700")]), get("never", "/never")])],
        ),
        counted(
            "plugin_concurrency_ends",
            "At the end of the time users stop before their next sample.",
            blazemeter("concurrency.ConcurrencyThreadGroup", &[("TargetLevel", "2"), ("Hold", "1")]).of([
                slow("a", "400"),
                slow("b", "3500"),
                get("never", "/never"),
            ]),
        ),
        counted(
            "plugin_arrivals_reuse",
            "A user at rest takes the next arrival.",
            blazemeter(
                "arrivals.ArrivalsThreadGroup",
                &[("TargetLevel", "5"), ("Hold", "1"), ("ConcurrencyLimit", "")],
            )
            .of([get("a", WHO)]),
        ),
        counted(
            "plugin_arrivals_users",
            "Arrivals do not wait for those before.",
            blazemeter(
                "arrivals.ArrivalsThreadGroup",
                &[("TargetLevel", "5"), ("Hold", "1"), ("ConcurrencyLimit", "")],
            )
            .of([slow("a", "1500")]),
        ),
        counted(
            "plugin_arrivals_limits",
            "Arrivals beyond the limit of users are dropped.",
            blazemeter(
                "arrivals.ArrivalsThreadGroup",
                &[("TargetLevel", "5"), ("Hold", "2"), ("ConcurrencyLimit", "1")],
            )
            .of([slow("a", "500")]),
        ),
        counted(
            "plugin_arrivals_last",
            "The last arrival that is allowed has one sample.",
            blazemeter(
                "arrivals.ArrivalsThreadGroup",
                &[("TargetLevel", "2"), ("Hold", "60"), ("ConcurrencyLimit", ""), ("ArrivalsLimit", "3")],
            )
            .of([slow("a", "100"), get("b", "/b")]),
        ),
        counted(
            "plugin_arrivals_next_loop",
            "A sample that fails ends the iteration.",
            blazemeter(
                "arrivals.ArrivalsThreadGroup",
                &[
                    ("TargetLevel", "4"),
                    ("Hold", "1"),
                    ("ConcurrencyLimit", ""),
                    ("ThreadGroup.on_sample_error", "startnextloop"),
                ],
            )
            .of([get("fails", "/status/500"), get("never", "/never")]),
        ),
        counted(
            "plugin_free_form",
            "Rows of rates.",
            set(
                blazemeter("arrivals.FreeFormArrivalsThreadGroup", &[("ConcurrencyLimit", "")]),
                "Schedule",
                rows(&[&["2", "2", "1"], &["5", "5", "1"]]),
            )
            .of([get("a", WHO)]),
        ),
    ]
}
