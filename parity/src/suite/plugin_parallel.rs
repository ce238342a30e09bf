//! The Parallel Controller.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, element, get, loop_of, pause, simple, transaction, users};

fn parallel(name: &str, parent: bool, children: impl IntoIterator<Item = Node>) -> Node {
    let class = "com.blazemeter.jmeter.controller.ParallelSampler";
    let node = element(class, "com.blazemeter.jmeter.controller.ParallelControllerGui", name, &[]);
    let node = node.int("MAX_THREAD_NUMBER", 6).flag("PARENT_SAMPLE", parent);
    node.flag("LIMIT_MAX_THREAD_NUMBER", false).of(children)
}

/// Requests of different users of connections come in no order that a plan decides, and JMeter's names of branches hold
/// numbers that are new each time.
fn case(name: &'static str, about: &'static str, children: impl IntoIterator<Item = Node>) -> Draft {
    Draft::new(name, about, [users(children)])
        .rule("order thread")
        .rule("mask threadName grpThreads allThreads")
}

pub(super) fn drafts() -> Vec<Draft> {
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
