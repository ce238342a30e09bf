//! The Parallel Controller and the Weighted Switch Controller.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, element, get, if_of, loop_of, loops, pause, simple, transaction, users};

fn parallel(name: &str, parent: bool, children: impl IntoIterator<Item = Node>) -> Node {
    let class = "com.blazemeter.jmeter.controller.ParallelSampler";
    let node = element(class, "com.blazemeter.jmeter.controller.ParallelControllerGui", name, &[]);
    let node = node.int("MAX_THREAD_NUMBER", 6).flag("PARENT_SAMPLE", parent);
    node.flag("LIMIT_MAX_THREAD_NUMBER", false).of(children)
}

/// Requests of different users of connections come in no order that a plan decides.
fn case(name: &'static str, about: &'static str, children: impl IntoIterator<Item = Node>) -> Draft {
    Draft::new(name, about, [users(children)]).rule("order thread").rule("mask grpThreads allThreads")
}

/// A Weighted Switch Controller. Rows: name, weight, enabled.
fn weighted(rows: &[&[&str]], children: impl IntoIterator<Item = Node>) -> Node {
    let class = "com.blazemeter.jmeter.control.WeightedSwitchController";
    let node = element(class, "com.blazemeter.jmeter.control.WeightedSwitchControllerGui", "By weight", &[]);
    super::parts::set(node, "Weights", super::parts::rows(rows)).flag("IsRandomChoice", false).of(children)
}

pub(super) fn drafts() -> Vec<Draft> {
    [of_weights(), of_parallels()].concat()
}

fn of_weights() -> Vec<Draft> {
    let twelve = |node: Node| loops(users([node, get("every time", "/each")]), "12");
    vec![
        Draft::new(
            "plugin_weighted",
            "Children take turns by their weights; controllers are gone through.",
            [twelve(weighted(
                &[&["a", "3", "true"], &["b", "${__P(weight,1)}", "true"], &["Loop", "2", "true"]],
                [
                    get("a", "/a"),
                    get("b", "/b"),
                    loop_of("Loop", "2", [get("c", "/c"), simple("In it", [get("d", "/d")])]),
                ],
            ))],
        ),
        Draft::new(
            "plugin_weighted_transactions",
            "Transactions that were not chosen leave no sample; a row that is off has no child.",
            [twelve(weighted(
                &[&["T", "1", "true"], &["off", "9", "false"], &["P", "1", "true"], &["old", "1"]],
                [
                    transaction("T", false, true, [get("a", "/a"), get("b", "/b")]),
                    get("off", "/off").off(),
                    transaction("P", true, true, [get("c", "/c"), get("d", "/d")]),
                    weighted(&[&["x", "1", "true"], &["y", "1", "true"]], [get("x", "/x"), get("y", "/y")]),
                ],
            ))],
        ),
        Draft::new(
            "plugin_weighted_once",
            "What a child remembers from its last visit.",
            [twelve(weighted(
                &[&["Once", "1", "true"], &["Inter", "1", "true"], &["If", "1", "true"]],
                [
                    element("OnceOnlyController", "OnceOnlyControllerGui", "Once", &[])
                        .of([get("once", "/once")]),
                    element(
                        "InterleaveControl",
                        "InterleaveControlGui",
                        "Inter",
                        &[("InterleaveControl.style", "0")],
                    )
                    .of([get("one", "/1"), get("two", "/2")]),
                    if_of("If", "${__P(yes,true)}", [get("yes", "/yes"), get("also", "/also")]),
                ],
            ))],
        ),
    ]
}

fn of_parallels() -> Vec<Draft> {
    let late = |name: &str, path: &str, ms: &str| get(name, path).of([pause("wait", ms)]);
    vec![
        case(
            "plugin_parallel",
            "One sample with those of the branches, in the order in which they end.",
            [
                get("before", "/before"),
                parallel(
                    "Together",
                    true,
                    [
                        late("slow", "/slow", "900"),
                        simple("Group", [get("first", "/first"), late("second", "/second", "300")]),
                        loop_of("Loop", "2", [late("looped", "/looped", "600")]),
                    ],
                ),
                get("after", "/after"),
            ],
        )
        .rule("order none"),
        case(
            "plugin_parallel_each",
            "Each sample of the branches by itself.",
            [
                parallel("Together", false, [late("slow", "/slow", "400"), get("quick", "/quick")]),
                get("after", "/after"),
            ],
        )
        .rule("order none"),
        case(
            "plugin_parallel_fails",
            "A branch that fails fails the whole, and goes on.",
            [parallel(
                "Together",
                true,
                [simple("Group", [get("fails", "/status/500"), get("goes on", "/on")])],
            )],
        ),
        case(
            "plugin_parallel_cookies",
            "A cookie of a branch is the user's.",
            [
                cookies(),
                parallel("Together", true, [get("sets", "/cookie?set=c%3D1")]),
                get("sends", "/after"),
            ],
        ),
        case(
            "plugin_parallel_transactions",
            "Transactions within branches.",
            [parallel(
                "Together",
                true,
                [
                    transaction("With", true, true, [get("in it", "/in")]),
                    transaction("Without", false, true, [late("beside it", "/beside", "400")]),
                ],
            )],
        )
        .rule("order none"),
    ]
}

fn cookies() -> Node {
    let node = element("CookieManager", "CookiePanel", "Cookies", &[]);
    super::parts::set(node, "CookieManager.cookies", super::parts::texts(&[]))
        .flag("CookieManager.clearEachIteration", false)
        .flag("CookieManager.controlledByThreadGroup", false)
}
