//! Logic controllers.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{
    Edit, counter, element, get, group, loop_of, loops, set, simple, texts, users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    [repeating(), interleaving(), sharing(), elsewhere()].concat()
}

fn controller(class: &str, gui: &str, name: &str, children: impl IntoIterator<Item = Node>) -> Node {
    element(class, gui, name, &[]).of(children)
}

fn repeating() -> Vec<Draft> {
    vec![
        Draft::new(
            "loop",
            "Loops in loops, with their index variables.",
            [loops(
                users([loop_of(
                    "outer",
                    "2",
                    [
                        get("o${__jm__outer__idx}", "/o"),
                        loop_of("inner", "${n}", [get("i${__jm__outer__idx}.${__jm__inner__idx}", "/i")]),
                    ],
                )]),
                "2",
            )],
        )
        .variables(&[("n", "2")]),
        Draft::new(
            "loop_none",
            "A loop of 0 or of no number runs nothing.",
            [users([
                loop_of("zero", "0", [get("never", "/never")]),
                loop_of("empty", "", [get("never empty", "/never")]),
                get("last", "/last"),
            ])],
        ),
        Draft::new(
            "loop_empty",
            "A loop without samplers does not stop the others.",
            [loops(
                users([loop_of("empty", "3", []), loop_of("forever", "-1", []), get("last", "/last")]),
                "2",
            )],
        ),
        Draft::new(
            "simple",
            "Groups of samplers, nested and empty.",
            [loops(
                users([
                    simple("a", [get("1", "/1"), simple("b", [get("2", "/2")]), simple("none", [])]),
                    get("3", "/3"),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "once_only",
            "In the first loop of its group, and of an inner loop.",
            [loops(
                users([
                    once(vec![get("once a thread", "/a"), get("once more", "/b")]),
                    get("always", "/c"),
                    loop_of("inner", "2", [once(vec![get("once a loop", "/d")]), get("inner", "/e")]),
                    simple("s", [once(vec![get("in a simple one", "/f")])]),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "foreach",
            "Variables with a number, from the first that is there to the first that is not.",
            [users([
                variables(&[("v_1", "one"), ("v_2", "two"), ("v_4", "four"), ("w1", "x"), ("w2", "y")]),
                foreach_of("all", "v", &[], [get("${item}", "/all?i=${__jm__all__idx}")]),
                foreach_of(
                    "range",
                    "v",
                    &[("startIndex", "1"), ("endIndex", "2")],
                    [get("range ${item}", "/range")],
                ),
                foreach_of(
                    "beyond",
                    "v",
                    &[("startIndex", "3"), ("endIndex", "9")],
                    [get("beyond ${item}", "/beyond")],
                ),
                foreach_of("plain", "w", &[], [get("plain ${item}", "/plain")])
                    .flag("ForeachController.useSeparator", false),
                foreach_of("none", "z", &[], [get("never", "/never")]),
                get("after ${item}", "/after"),
            ])],
        ),
        Draft::new(
            "foreach_nested",
            "A loop over variables within a loop over variables.",
            [loops(
                users([
                    variables(&[("a_1", "x"), ("a_2", "y"), ("x_1", "p"), ("x_2", "q"), ("y_1", "r")]),
                    element(
                        "ForeachController",
                        "ForeachControlPanel",
                        "outer",
                        &[("ForeachController.inputVal", "a"), ("ForeachController.returnVal", "key")],
                    )
                    .flag("ForeachController.useSeparator", true)
                    .of([foreach_of(
                        "inner",
                        "${key}",
                        &[],
                        [get("${key} ${item}", "/n")],
                    )]),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "runtime",
            "Samplers until the time is up; the last one is not cut.",
            [users([
                element("RunTime", "RunTimeGui", "for a second", &[("RunTime.seconds", "1")])
                    .of([get("slow", "/delay/700"), get("slow too", "/delay/700")]),
                get("last", "/last"),
            ])],
        ),
    ]
}

/// A Once Only Controller.
pub(crate) fn once(children: impl IntoIterator<Item = Node>) -> Node {
    controller("OnceOnlyController", "OnceOnlyControllerGui", "once", children)
}

/// A ForEach Controller.
pub(crate) fn foreach(
    name: &str,
    input: &str,
    output: &str,
    children: impl IntoIterator<Item = Node>,
) -> Node {
    foreach_of(name, input, &[("returnVal", output)], children)
}

fn foreach_of(
    name: &str,
    input: &str,
    more: &[(&str, &str)],
    children: impl IntoIterator<Item = Node>,
) -> Node {
    let node = element(
        "ForeachController",
        "ForeachControlPanel",
        name,
        &[("ForeachController.inputVal", input), ("ForeachController.returnVal", "item")],
    );
    let node =
        more.iter().fold(node, |node, (key, value)| node.text(&format!("ForeachController.{key}"), value));
    node.flag("ForeachController.useSeparator", true).of(children)
}

fn interleaving() -> Vec<Draft> {
    let interleave = |name: &str, style: i32, children: Vec<Node>| {
        let node = controller("InterleaveControl", "InterleaveControlGui", name, children);
        node.int("InterleaveControl.style", style).flag("InterleaveControl.accrossThreads", false)
    };
    let inner = || simple("block", [get("b1", "/b1"), get("b2", "/b2")]);
    let throughput = |name: &str, style: i32, max: &str, percent: &str, children: Vec<Node>| {
        let node = element("ThroughputController", "ThroughputControllerGui", name, &[]);
        let node =
            node.int("ThroughputController.style", style).flag("ThroughputController.perThread", false);
        let node = node.text("ThroughputController.maxThroughput", max);
        set(
            node,
            "ThroughputController.percentThroughput",
            swell_plan::PropertyValue::Text(percent.to_owned()),
        )
        .of(children)
    };
    vec![
        Draft::new(
            "interleave",
            "One child a turn; sub-controllers as blocks or opened.",
            [loops(
                users([
                    interleave("opened", 0, vec![get("a", "/a"), inner(), get("c", "/c")]),
                    interleave("blocks", 1, vec![get("d", "/d"), inner(), get("e", "/e")]),
                    interleave(
                        "nested",
                        0,
                        vec![interleave("in", 0, vec![get("x", "/x"), get("y", "/y")]), get("z", "/z")],
                    ),
                    interleave("empty", 0, vec![]),
                ]),
                "5",
            )],
        ),
        Draft::new(
            "random",
            "Any one child a turn.",
            [loops(
                users([controller(
                    "RandomController",
                    "RandomControlGui",
                    "any",
                    [get("a", "/a"), get("a", "/a")],
                )
                .int("InterleaveControl.style", 1)]),
                "4",
            )],
        )
        .rule("order none"),
        Draft::new(
            "random_order",
            "All children, in any order.",
            [loops(
                users([controller(
                    "RandomOrderController",
                    "RandomOrderControllerGui",
                    "shuffled",
                    [get("a", "/a"), get("b", "/b"), simple("s", [get("c", "/c"), get("d", "/d")])],
                )]),
                "3",
            )],
        )
        .rule("order none"),
        Draft::new(
            "throughput",
            "A share of the turns, or a number of them.",
            [loops(
                users([
                    throughput("half", 1, "0", "50.0", vec![get("half", "/half")]),
                    throughput(
                        "third",
                        1,
                        "0",
                        "33.3",
                        vec![get("third", "/third"), get("third too", "/third")],
                    ),
                    throughput("all", 1, "0", "100", vec![get("all", "/all")]),
                    throughput("none", 1, "0", "0.0", vec![get("none", "/none")]),
                    throughput("two", 0, "2", "100.0", vec![get("two in all", "/two")]),
                    throughput("from a variable", 0, "${n}", "100.0", vec![get("three in all", "/three")]),
                    get("turn", "/turn"),
                ]),
                "6",
            )],
        )
        .variables(&[("n", "3")]),
        Draft::new(
            "throughput_per_user",
            "Each user counts alone, or all together.",
            [loops(
                users([
                    throughput("each", 0, "1", "100.0", vec![get("each", "/each?u=${__threadNum}")])
                        .flag("ThroughputController.perThread", true),
                    throughput("together", 0, "3", "100.0", vec![get("together", "/together")]),
                ])
                .text("ThreadGroup.num_threads", "2")
                .text("ThreadGroup.ramp_time", "2"),
                "2",
            )],
        ),
    ]
}

fn sharing() -> Vec<Draft> {
    let critical = |name: &str, lock: &str, children: Vec<Node>| {
        element(
            "CriticalSectionController",
            "CriticalSectionControllerGui",
            name,
            &[("CriticalSectionController.lockName", lock)],
        )
        .of(children)
    };
    vec![
        Draft::new(
            "critical_section",
            "Only one user at a time is inside.",
            [loops(
                users([
                    critical(
                        "locked",
                        "lock",
                        vec![get("in 1", "/in?u=${__threadNum}"), get("in 2", "/delay/20?u=${__threadNum}")],
                    ),
                    critical("unnamed", "", vec![get("unnamed", "/unnamed")]),
                    critical(
                        "outer",
                        "outer",
                        vec![critical("inner", "${__threadNum}", vec![get("nested", "/nested")])],
                    ),
                ])
                .text("ThreadGroup.num_threads", "2"),
                "2",
            )],
        )
        .rule("order thread")
        .rule("mask grpThreads allThreads"),
    ]
}

/// What stands at another place of the tree or in another file.
fn elsewhere() -> Vec<Draft> {
    let module = |name: &str, path: &[&str]| {
        let node = element("ModuleController", "ModuleControllerGui", name, &[]);
        set(node, "ModuleController.node_path", texts(path))
    };
    let fragment = |name: &str, children: Vec<Node>| {
        controller("TestFragmentController", "TestFragmentControllerGui", name, children)
    };
    let include = |name: &str, path: &str| {
        element("IncludeController", "IncludeControllerGui", name, &[("IncludeController.includepath", path)])
    };
    vec![
        Draft::new(
            "module",
            "A controller used at other places, from a fragment and from a group.",
            [
                fragment(
                    "parts",
                    vec![
                        simple("login", [get("login ${n}", "/login")]),
                        simple("off", [get("off", "/off")]).off(),
                    ],
                ),
                loops(
                    users([
                        counter("count", "n"),
                        module("M1", &["Test Plan", "module", "parts", "login"]),
                        loop_of("twice", "2", [module("M2", &["Test Plan", "module", "parts", "login"])]),
                        module("M3", &["Test Plan", "module", "parts", "off"]),
                        module("M4", &["Test Plan", "module", "Store", "cart"]),
                    ]),
                    "2",
                ),
                group("ThreadGroup", "ThreadGroupGui", "Store", [simple("cart", [get("cart", "/cart")])])
                    .off(),
            ],
        ),
        Draft::new(
            "include",
            "The fragment of another file.",
            [users([
                variables(&[("from", "outside")]),
                include("I1", "data/fragment.jmx"),
                loop_of("twice", "2", [include("I2", "data/fragment.jmx")]),
                get("last", "/last"),
            ])],
        ),
        Draft::new(
            "fragment",
            "A fragment alone does not run.",
            [
                users([fragment("inside", vec![get("never", "/never")]), get("only", "/only")]),
                fragment("outside", vec![get("never outside", "/never")]),
            ],
        ),
    ]
}

/// What the case `include` includes.
pub(super) fn fragment_file() -> Draft {
    Draft::new(
        "fragment",
        "Included by the case `include`.",
        [
            controller(
                "TestFragmentController",
                "TestFragmentControllerGui",
                "Fragment",
                [
                    get("included ${from}", "/included"),
                    simple("more", [get("included too", "/included")]),
                    get("off", "/off").off(),
                ],
            ),
            users([get("not included", "/never")]),
        ],
    )
}
