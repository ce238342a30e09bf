//! Transaction Controllers: both kinds, with timers, failures, and within each other.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, action, assertion, get, if_of, loop_of, loops, pause, simple, transaction, users};

pub(super) fn drafts() -> Vec<Draft> {
    [kinds(), cut_short()].concat()
}

fn steps() -> Vec<Node> {
    vec![get("one", "/1"), get("two", "/2").of([pause("wait", "10")])]
}

fn failing() -> Vec<Node> {
    vec![
        get("fine", "/1"),
        get("missing", "/status/404"),
        get("broken", "/status/500"),
        get("fine again", "/2"),
    ]
}

fn kinds() -> Vec<Draft> {
    vec![
        Draft::new(
            "transaction",
            "An extra sample after the last child.",
            [loops(
                users([
                    transaction("no timers", false, false, steps()),
                    transaction("timers", false, true, steps()),
                    transaction("failing", false, false, failing()),
                    transaction("empty", false, false, []),
                    transaction("nothing ran", false, true, [if_of("no", "false", [get("never", "/never")])]),
                    get("last", "/last"),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "transaction_parent",
            "One sample with the children inside.",
            [loops(
                users([
                    transaction("no timers", true, false, steps()),
                    transaction("timers", true, true, steps()),
                    transaction("failing", true, false, failing()),
                    transaction("empty", true, false, []),
                    transaction("nothing ran", true, true, [if_of("no", "false", [get("never", "/never")])]),
                    get("last", "/last"),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "transaction_nested",
            "Within each other, of both kinds.",
            [users([
                transaction(
                    "outer",
                    false,
                    false,
                    [get("a", "/a"), transaction("inner", false, false, [get("b", "/b")]), get("c", "/c")],
                ),
                transaction(
                    "plain in parent",
                    true,
                    false,
                    [get("d", "/d"), transaction("plain", false, false, [get("e", "/e")]), get("f", "/f")],
                ),
                transaction(
                    "parent in plain",
                    false,
                    false,
                    [get("g", "/g"), transaction("parent", true, false, [get("h", "/h")]), get("i", "/i")],
                ),
                transaction(
                    "parent in parent",
                    true,
                    false,
                    [
                        get("j", "/j"),
                        transaction("parent 2", true, false, [get("k", "/k"), get("k2", "/k")]),
                        get("l", "/l"),
                    ],
                ),
            ])],
        ),
        Draft::new(
            "transaction_controllers_inside",
            "Loops, blocks and redirects within a transaction.",
            [users([
                transaction(
                    "parent",
                    true,
                    false,
                    [
                        loop_of("loop", "2", [get("in ${__jm__loop__idx}", "/in")]),
                        simple("block", [get("redirected", "/redirect/1")]),
                    ],
                ),
                transaction(
                    "plain",
                    false,
                    false,
                    [
                        loop_of("loop", "2", [get("in ${__jm__loop__idx}", "/in")]),
                        simple("block", [get("redirected", "/redirect/1")]),
                    ],
                ),
            ])],
        ),
        Draft::new(
            "transaction_assertions",
            "Assertions of the scope judge the transaction, too.",
            [users([
                transaction(
                    "parent",
                    true,
                    false,
                    [
                        get("a", "/a"),
                        get("b", "/b"),
                        assertion("for all", "response_data", 16, &["ok"]),
                        assertion("code", "response_code", 8, &["200"]),
                    ],
                ),
                transaction(
                    "plain",
                    false,
                    false,
                    [get("a", "/a"), get("b", "/b"), assertion("for all", "response_data", 16, &["ok"])],
                ),
            ])],
        ),
    ]
}

fn cut_short() -> Vec<Draft> {
    let body = |parent: bool| {
        vec![
            transaction("T", parent, false, [get("a", "/a"), get("fails", "/status/500"), get("b", "/b")]),
            get("last", "/last"),
        ]
    };
    let with = |parent: bool, action: &str| {
        loops(users(body(parent)), "2").text("ThreadGroup.on_sample_error", action)
    };
    let breaking = |parent: bool| {
        loop_of(
            "loop",
            "3",
            [
                transaction("T", parent, false, [get("a", "/a"), action("next", 4, 0), get("b", "/b")]),
                get("never", "/never"),
            ],
        )
    };
    vec![
        Draft::new(
            "transaction_next_loop",
            "A failure that starts the next loop ends the transaction.",
            [with(false, "startnextloop")],
        ),
        Draft::new("transaction_parent_next_loop", "The same with a parent.", [with(true, "startnextloop")]),
        Draft::new(
            "transaction_parents_next_loop",
            "The same within three of them.",
            [loops(
                users([transaction(
                    "outer",
                    true,
                    false,
                    [transaction("middle", true, false, [transaction("inner", true, false, failing())])],
                )]),
                "2",
            )
            .text("ThreadGroup.on_sample_error", "startnextloop")],
        ),
        Draft::new("transaction_stop_thread", "A failure that stops the user.", [with(false, "stopthread")]),
        Draft::new("transaction_parent_stop_thread", "The same with a parent.", [with(true, "stopthread")]),
        Draft::new(
            "transaction_break",
            "An action that goes to the next loop.",
            [users([breaking(false), breaking(true)])],
        ),
    ]
}
