//! Flow Control Action and Result Status Action Handler.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{
    Edit, action, element, get, group, if_of, loop_of, loops, simple, users, variables, while_of,
};

pub(super) fn drafts() -> Vec<Draft> {
    [actions(), handlers()].concat()
}

fn around(step: Node) -> Node {
    let inner =
        loop_of("inner", "2", [get("a", "/a"), simple("block", [step, get("b", "/b")]), get("c", "/c")]);
    loops(users([inner, get("d", "/d")]), "2")
}

fn actions() -> Vec<Draft> {
    let other = || group("ThreadGroup", "ThreadGroupGui", "Others", [get("other", "/other")]);
    let serial = |name, about, step: Node| {
        Draft::new(name, about, [around(step), other()]).flag("TestPlan.serialize_threadgroups", true)
    };
    vec![
        serial("action_stop_thread", "Stops the user.", action("stop", 0, 0)),
        serial("action_stop_thread_now", "Stops the user now.", action("stop now", 2, 0)),
        serial("action_stop_test", "Stops the test.", action("stop", 0, 2)),
        serial("action_stop_test_now", "Stops the test now.", action("stop now", 2, 2)),
        serial("action_next_thread_loop", "Goes to the next loop of the group.", action("next", 3, 0)),
        serial("action_next_loop", "Goes to the next loop of the inner loop.", action("next", 4, 0)),
        serial("action_break", "Leaves the inner loop.", action("break", 5, 0)),
        serial(
            "action_pause",
            "Waits; gives no sample.",
            action("pause", 1, 0).text("ActionProcessor.duration", "20"),
        ),
        Draft::new(
            "action_in_while_and_foreach",
            "Next and break in other loops.",
            [users([
                variables(&[("v_1", "one"), ("v_2", "two"), ("v_3", "three"), ("two", "true")]),
                element(
                    "ForeachController",
                    "ForeachControlPanel",
                    "each",
                    &[("ForeachController.inputVal", "v"), ("ForeachController.returnVal", "item")],
                )
                .flag("ForeachController.useSeparator", true)
                .of([if_of("at two", "${__V(${item})}", [action("next", 4, 0)]), get("${item}", "/f")]),
                element(
                    "ForeachController",
                    "ForeachControlPanel",
                    "each again",
                    &[("ForeachController.inputVal", "v"), ("ForeachController.returnVal", "item")],
                )
                .flag("ForeachController.useSeparator", true)
                .of([
                    if_of("at two", "${__V(${item})}", [action("break", 5, 0)]),
                    get("again ${item}", "/g"),
                ]),
                while_of(
                    "endless",
                    "true",
                    [get("in while", "/w"), action("break", 5, 0), get("never", "/never")],
                ),
                get("last", "/last"),
            ])],
        ),
        Draft::new(
            "action_outside_of_loops",
            "Next and break with no loop but the group's.",
            [
                loops(users([get("a", "/a"), action("next", 4, 0), get("never", "/never")]), "2"),
                loops(
                    group(
                        "ThreadGroup",
                        "ThreadGroupGui",
                        "Breaking",
                        [get("b", "/b"), action("break", 5, 0), get("n", "/n")],
                    ),
                    "2",
                ),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "action_in_once_and_switch",
            "Next in controllers that keep a state.",
            [loops(
                users([loop_of(
                    "loop",
                    "3",
                    [
                        element("OnceOnlyController", "OnceOnlyControllerGui", "once", &[]).of([
                            get("once", "/once"),
                            action("next", 4, 0),
                            get("never", "/never"),
                        ]),
                        element("InterleaveControl", "InterleaveControlGui", "turns", &[])
                            .int("InterleaveControl.style", 0)
                            .of([get("x", "/x"), simple("n", [action("next", 4, 0)]), get("y", "/y")]),
                        get("end", "/end"),
                    ],
                )]),
                "2",
            )],
        ),
    ]
}

/// A handler for failed samples with each of its actions.
fn handlers() -> Vec<Draft> {
    let cases = [
        ("handler_continue", "0"),
        ("handler_stop_thread", "1"),
        ("handler_stop_test", "2"),
        ("handler_stop_test_now", "3"),
        ("handler_next_thread_loop", "4"),
        ("handler_next_loop", "5"),
        ("handler_break", "6"),
    ];
    let draft = |(name, code): (&'static str, &str)| {
        let handler = element("ResultAction", "ResultActionGui", "handler", &[]);
        let handler =
            super::parts::set(handler, "OnError.action", swell_plan::PropertyValue::Int(code.to_owned()));
        let inner = loop_of(
            "inner",
            "2",
            [get("a", "/a"), get("fails", "/status/500").of([handler]), get("b", "/b")],
        );
        Draft::new(
            name,
            "What a Result Status Action Handler does.",
            [loops(users([inner, get("c", "/c")]), "2")],
        )
    };
    cases.map(draft).to_vec()
}
