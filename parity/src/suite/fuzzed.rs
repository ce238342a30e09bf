//! Combinations in which random plans found Swell and JMeter apart.

use swell_plan::{Node, PropertyValue};

use super::draft::Draft;
use super::parts::{Edit, assertion, element, get, group, loops, set, transaction, users};

/// An assertion that only samples of transactions fail.
fn unhappy() -> Node {
    assertion("no summary", "response_message", 20, &["Number of samples"])
}

/// A Result Status Action Handler.
fn handler(action: &str) -> Node {
    let node = element("ResultAction", "ResultActionGui", "handler", &[]);
    set(node, "OnError.action", PropertyValue::Int(action.to_owned()))
}

pub(super) fn drafts() -> Vec<Draft> {
    vec![
        Draft::new(
            "functional_names",
            "Sub-samples keep their names in functional mode.",
            [users([
                get("redirected", "/redirect/1"),
                get("automatic", "/redirect/1")
                    .flag("HTTPSampler.follow_redirects", false)
                    .flag("HTTPSampler.auto_redirects", true),
                get("page", "/frame").flag("HTTPSampler.image_parser", true),
                transaction("T", true, false, [get("a", "/a"), get("b", "/redirect/1")]),
            ])],
        )
        .flag("TestPlan.functional_mode", true),
        Draft::new(
            "transaction_fails_alone",
            "A transaction fails by its own assertion, and a loop is to be left: the exception ends the user.",
            ["continue", "startnextloop", "stopthread"].map(|error| {
                let fails = transaction("T", true, false, [get("a", "/a")]).of([unhappy()]);
                let group = group("ThreadGroup", "ThreadGroupGui", error, [fails, get("b", "/b")]);
                loops(group, "3").text("ThreadGroup.on_sample_error", error)
            })
            .into_iter()
            .chain([loops(
                group(
                    "ThreadGroup",
                    "ThreadGroupGui",
                    "handler",
                    [transaction("outer", true, false, [
                        transaction("inner", true, false, [get("c", "/c")]).of([unhappy(), handler("5")]),
                        get("d", "/d"),
                    ])],
                ),
                "2",
            )]),
        )
        .flag("TestPlan.serialize_threadgroups", true),
    ]
}
