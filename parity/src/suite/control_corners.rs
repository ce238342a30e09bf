//! Corners of controllers and thread groups: values that are odd or change, controllers within each other, users that stop.

use swell_plan::{Node, PropertyValue};

use super::controllers::{foreach, once};
use super::draft::Draft;
use super::extractors::{json, regex};
use super::parts::{
    Edit, action, assertion, counter, debug, element, get, group, if_of, loop_of, loops, pause, set, simple,
    transaction, users, variables, while_of,
};

pub(super) fn drafts() -> Vec<Draft> {
    [looping(), choosing(), turns(), groups(), transactions()].concat()
}

fn looping() -> Vec<Draft> {
    let each = |name: &str, start: &str, end: &str| {
        let node = foreach(name, "v", "item", [get(&format!("{name} ${{item}}"), "/e")]);
        node.text("ForeachController.startIndex", start).text("ForeachController.endIndex", end)
    };
    vec![
        Draft::new(
            "loop_counts",
            "Counts that are odd, negative, or change.",
            [loops(
                users([
                    counter("n", "n"),
                    loop_of("by n", "${n}", [get("by n ${__jm__by n__idx}", "/n")]),
                    loop_of("missing", "${missing}", [get("never", "/never")]),
                    loop_of(
                        "negative",
                        "-2",
                        [
                            get("negative", "/neg"),
                            if_of("enough", "${__jexl3(${__jm__negative__idx} >= 2)}", [action("out", 5, 0)]),
                        ],
                    ),
                    loop_of("fraction", "1.5", [get("fraction", "/f")]),
                    loop_of("blanks", " 2 ", [get("blanks", "/b")]),
                    loop_of("function", "${__intSum(1,1)}", [get("function", "/fn")]),
                    loop_of(
                        "set inside",
                        "${count}",
                        [get("sets", "/count/lc").of([json("count", "$.count", "1", "0")])],
                    ),
                ]),
                "2",
            )],
        )
        .variables(&[("count", "3")]),
        Draft::new(
            "foreach_ranges",
            "Starts and ends that are odd.",
            [users([
                variables(&[("v_1", "one"), ("v_2", "two"), ("v_3", ""), ("v_4", "four"), ("k", "1")]),
                each("all", "", ""),
                each("from variable", "${k}", "3"),
                each("zero", "0", "0"),
                each("backwards", "3", "1"),
                each("odd", "x", "y"),
                each("negative", "-1", "2"),
                foreach("no output", "v", "", [get("no output [${item}]", "/o")]),
                foreach("no input", "", "item", [get("no input", "/o")]),
                foreach("same name", "v", "v_1", [get("same ${v_1}", "/s")]),
                get("left ${item} ${v_1}", "/left"),
            ])],
        ),
        Draft::new(
            "foreach_growing",
            "A list that changes while it is gone through, and one that is found anew.",
            [loops(
                users([
                    get("finds", "/html").of([regex("ids", "id", "data-id=\"(\\d)\"", "$1$", "-1", "none")]),
                    foreach(
                        "each",
                        "id",
                        "one",
                        [get("one ${one} of ${id_matchNr}", "/one/${one}")
                            .of([regex("more", "id_4", "(o)k", "extra$1$", "1", "none")])],
                    ),
                    get("finds none", "/ok").of([regex(
                        "ids",
                        "id",
                        "data-id=\"(\\d)\"",
                        "$1$",
                        "-1",
                        "none",
                    )]),
                    foreach("none", "id", "one", [get("left ${one}", "/left")]),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "while_conditions",
            "Conditions that are functions, variables, nothing.",
            [loops(
                users([
                    variables(&[("i", "0")]),
                    while_of(
                        "jexl",
                        "${__jexl3(${i} < 3)}",
                        [simple(
                            "step",
                            [get("i ${i}", "/count/while${__threadNum}")
                                .of([json("i", "$.count", "1", "9")])],
                        )],
                    ),
                    while_of("never", "${__jexl3(1 > 2)}", [get("never", "/never")]),
                    while_of(
                        "until it fails",
                        "${JMeterThread.last_sample_ok}",
                        [get("fine", "/a"), get("flaky", "/flaky/w")],
                    ),
                    get("fine again", "/b"),
                    while_of("last", "last", [get("last", "/c"), get("fails", "/status/404")]),
                    get("end ${i}", "/end"),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "once_places",
            "Once, in all kinds of places.",
            [loops(
                users([
                    simple("a", [once([get("first", "/1")]), once([get("second", "/2")])]),
                    transaction("T", true, false, [once([get("in T", "/t")]), get("always", "/a")]),
                    if_of("if", "true", [once([get("in if", "/i")])]),
                    foreach("each", "v", "item", [once([get("in each ${item}", "/e")])]),
                    while_of(
                        "while",
                        "${__jexl3(\"${go}\" == \"yes\")}",
                        [
                            once([get("in while", "/w")]),
                            get("stop", "/html").of([regex("go", "go", "(zz)", "$1$", "1", "no")]),
                        ],
                    ),
                    once([
                        loop_of("twice", "2", [get("looped", "/l")]),
                        transaction("once", false, false, [get("x", "/x")]),
                    ]),
                ]),
                "2",
            )],
        )
        .variables(&[("v_1", "a"), ("v_2", "b"), ("go", "yes")]),
        Draft::new(
            "runtime_places",
            "No time, no number, an empty one.",
            [users([
                element("RunTime", "RunTimeGui", "zero", &[("RunTime.seconds", "0")])
                    .of([get("never", "/never")]),
                element("RunTime", "RunTimeGui", "odd", &[("RunTime.seconds", "x")])
                    .of([get("never odd", "/never")]),
                element("RunTime", "RunTimeGui", "by variable", &[("RunTime.seconds", "${s}")])
                    .of([get("slow", "/delay/1300")]),
                element("RunTime", "RunTimeGui", "empty", &[("RunTime.seconds", "1")]).of([]),
                get("last", "/last"),
            ])],
        )
        .variables(&[("s", "1")]),
    ]
}

fn choosing() -> Vec<Draft> {
    let switch = |name: &str, value: &str, children: Vec<Node>| {
        element("SwitchController", "SwitchControllerGui", name, &[("SwitchController.value", value)])
            .of(children)
    };
    let expression = |name: &str, condition: &str| if_of(name, condition, [get(name, "/yes")]);
    vec![
        Draft::new(
            "if_conditions",
            "Conditions as people write them.",
            [loops(
                users([
                    counter("n", "n"),
                    expression("jexl numbers", "${__jexl3(${n} > 1)}"),
                    expression("jexl texts", "${__jexl3(\"${name}\" == \"ann\" && \"${empty}\" == \"\")}"),
                    expression("jexl missing", "${__jexl3(\"${missing}\" == \"\\${missing}\")}"),
                    expression("groovy", "${__groovy(vars.get(\"name\") == \"ann\")}"),
                    expression("groovy null", "${__groovy(vars.get(\"missing\") == null)}"),
                    expression("groovy number", "${__groovy(vars.get(\"n\").toInteger() % 2 == 0)}"),
                    expression("javascript", "${__javaScript(\"${name}\" == \"ann\")}"),
                    expression("javascript number", "${__javaScript(${n} == 1)}"),
                    expression("not", "${__jexl3(!(\"${name}\" == \"bob\"))}"),
                    expression("last ok", "${JMeterThread.last_sample_ok}"),
                    expression("is defined", "${__isVarDefined(name)}"),
                    expression("is not defined", "${__isVarDefined(gone)}"),
                    get("fails", "/status/500"),
                    expression("last failed", "${__jexl3(\"${JMeterThread.last_sample_ok}\" == \"false\")}"),
                    expression("blank around", " ${__jexl3(true)} "),
                    expression("capitals", "True"),
                    expression("nothing", ""),
                ]),
                "2",
            )],
        )
        .variables(&[("name", "ann"), ("empty", "")]),
        Draft::new(
            "if_changes_inside",
            "What its samplers change does not end it, or does.",
            [loops(
                users([
                    variables(&[("go", "true")]),
                    if_of(
                        "read once",
                        "${go}",
                        [
                            get("changes", "/html").of([regex("go", "go", "(zz)", "$1$", "1", "false")]),
                            get("still", "/a"),
                            simple("block", [get("in a block", "/b")]),
                        ],
                    ),
                    get("resets", "/html").of([regex("go", "go", "(Orders)", "true", "1", "none")]),
                    if_of(
                        "read each time",
                        "${go}",
                        [
                            get("changes", "/html").of([regex("go", "go", "(zz)", "$1$", "1", "false")]),
                            get("not reached", "/a"),
                            simple("block", [get("nor this", "/b")]),
                        ],
                    )
                    .flag("IfController.evaluateAll", true),
                    if_of(
                        "nested",
                        "${__jexl3(\"${go}\" == \"false\")}",
                        [
                            if_of("inner", "${__jexl3(\"${go}\" != \"false\")}", [get("never", "/never")]),
                            get("outer only", "/o"),
                        ],
                    ),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "switch_values",
            "Values that change, functions, controllers as children, switches in switches.",
            [loops(
                users([
                    counter("n", "n"),
                    switch(
                        "by counter",
                        "${n}",
                        vec![
                            get("zero", "/0"),
                            transaction("one", true, false, [get("one", "/1")]),
                            loop_of("two", "2", [get("two", "/2")]),
                        ],
                    ),
                    switch(
                        "by function",
                        "${__intSum(${n},-1)}",
                        vec![
                            get("f zero", "/0"),
                            switch("inner", "b", vec![get("a", "/a"), get("b", "/b")]),
                            get("f two", "/2"),
                        ],
                    ),
                    switch(
                        "by name",
                        "name ${n}",
                        vec![
                            get("name 1", "/n1"),
                            simple("name 2", [get("in name 2", "/n2")]),
                            simple("default", [get("in default", "/d")]),
                        ],
                    ),
                    switch("empty", "", vec![]),
                    switch("big", "99", vec![get("big zero", "/0"), get("big one", "/1")]),
                    switch("spaced", " 1 ", vec![get("spaced zero", "/0"), get("spaced one", "/1")]),
                    switch("disabled child", "0", vec![get("off", "/off").off(), get("on", "/on")]),
                ]),
                "3",
            )],
        ),
    ]
}

fn turns() -> Vec<Draft> {
    let interleave = |name: &str, style: i32, children: Vec<Node>| {
        element("InterleaveControl", "InterleaveControlGui", name, &[])
            .int("InterleaveControl.style", style)
            .of(children)
    };
    let throughput = |name: &str, style: i32, max: &str, percent: &str, children: Vec<Node>| {
        let node = element("ThroughputController", "ThroughputControllerGui", name, &[])
            .int("ThroughputController.style", style);
        let node =
            node.flag("ThroughputController.perThread", true).text("ThroughputController.maxThroughput", max);
        set(node, "ThroughputController.percentThroughput", PropertyValue::Text(percent.to_owned()))
            .of(children)
    };
    vec![
        Draft::new(
            "interleave_controllers",
            "Controllers in turns: loops, conditions, transactions, empty ones.",
            [loops(
                users([
                    interleave(
                        "opened",
                        0,
                        vec![
                            loop_of("loop", "2", [get("looped", "/l")]),
                            if_of("no", "false", [get("never", "/never")]),
                            transaction("T", false, false, [get("t1", "/t"), get("t2", "/t")]),
                            simple("none", []),
                            get("plain", "/p"),
                        ],
                    ),
                    interleave(
                        "whole",
                        1,
                        vec![
                            loop_of("loop 2", "2", [get("looped 2", "/l"), get("looped 3", "/l")]),
                            if_of("yes", "true", [get("if 1", "/i"), get("if 2", "/i")]),
                            transaction("P", true, false, [get("p1", "/t"), get("p2", "/t")]),
                            once([get("once", "/once")]),
                        ],
                    ),
                    interleave("one", 0, vec![get("only", "/only")]),
                    loop_of(
                        "inner loop",
                        "3",
                        [interleave("in a loop", 0, vec![get("a", "/a"), get("b", "/b")])],
                    ),
                ]),
                "4",
            )],
        ),
        Draft::new(
            "interleave_users",
            "Users that take turns together, and alone.",
            [loops(
                users([
                    interleave("together", 0, vec![get("a", "/a"), get("b", "/b"), get("c", "/c")])
                        .flag("InterleaveControl.accrossThreads", true),
                    interleave("alone", 0, vec![get("x", "/x"), get("y", "/y")]),
                ])
                .text("ThreadGroup.num_threads", "2")
                .text("ThreadGroup.ramp_time", "2"),
                "2",
            )],
        ),
        Draft::new(
            "throughput_odd",
            "Shares and numbers that are odd, nested ones.",
            [loops(
                users([
                    throughput("over", 1, "0", "150", vec![get("over", "/over")]),
                    throughput("negative", 1, "0", "-5", vec![get("negative", "/neg")]),
                    throughput("odd", 1, "0", "x", vec![get("odd", "/odd")]),
                    throughput("by variable", 1, "0", "${share}", vec![get("quarter", "/q")]),
                    throughput("no times", 0, "0", "100", vec![get("never", "/never")]),
                    throughput("odd times", 0, "x", "100", vec![get("never odd", "/never")]),
                    throughput(
                        "nested",
                        1,
                        "0",
                        "50",
                        vec![
                            throughput("inner", 1, "0", "50", vec![get("quarter of all", "/i")]),
                            get("half", "/h"),
                        ],
                    ),
                    throughput(
                        "block",
                        0,
                        "1",
                        "100",
                        vec![get("one", "/1"), loop_of("l", "2", [get("two", "/2")])],
                    ),
                    throughput("tenth", 1, "0", "10.0", vec![get("tenth", "/t")]),
                ]),
                "8",
            )],
        )
        .variables(&[("share", "25")]),
        Draft::new(
            "random_order_one",
            "A Random Order Controller with one child, with none, in a transaction.",
            [loops(
                users([
                    element("RandomOrderController", "RandomOrderControllerGui", "one", &[]).of([loop_of(
                        "l",
                        "2",
                        [get("a", "/a")],
                    )]),
                    element("RandomOrderController", "RandomOrderControllerGui", "none", &[]),
                    element("RandomController", "RandomControlGui", "one of one", &[])
                        .int("InterleaveControl.style", 0)
                        .of([get("b", "/b")]),
                    element("RandomController", "RandomControlGui", "none of none", &[])
                        .int("InterleaveControl.style", 0),
                    element("RecordingController", "RecordController", "recorded", &[])
                        .of([get("c", "/c"), get("d", "/d")]),
                    transaction(
                        "T",
                        true,
                        false,
                        [element("RandomOrderController", "RandomOrderControllerGui", "in T", &[])
                            .of([get("e", "/e"), get("e", "/e")])],
                    ),
                ]),
                "2",
            )],
        ),
    ]
}

fn groups() -> Vec<Draft> {
    let with = |class: &str, gui: &str, name: &str, error: &str, count: &str, children: Vec<Node>| {
        loops(group(class, gui, name, children), count).text("ThreadGroup.on_sample_error", error)
    };
    let set_up = |error: &str, children: Vec<Node>| {
        with("SetupThreadGroup", "SetupThreadGroupGui", "Set up", error, "2", children)
    };
    vec![
        Draft::new(
            "groups_set_up_users",
            "Set-up and tear-down groups with several users and loops.",
            [
                set_up("continue", vec![get("up ${__threadNum}", "/up"), get("fails", "/status/500")])
                    .text("ThreadGroup.num_threads", "2")
                    .text("ThreadGroup.ramp_time", "2"),
                loops(users([get("main", "/main")]), "2"),
                with(
                    "PostThreadGroup",
                    "PostThreadGroupGui",
                    "Tear down",
                    "stopthread",
                    "2",
                    vec![get("fails down", "/status/500"), get("never", "/never")],
                ),
            ],
        ),
        Draft::new(
            "groups_set_up_stops_user",
            "A set-up user that stops does not stop the test.",
            [
                set_up("stopthread", vec![get("fails", "/status/500"), get("never", "/never")]),
                users([get("main", "/main")]),
                with(
                    "PostThreadGroup",
                    "PostThreadGroupGui",
                    "Tear down",
                    "startnextloop",
                    "2",
                    vec![get("next", "/status/404"), get("never", "/never")],
                ),
            ],
        ),
        Draft::new(
            "groups_fields",
            "Fields of groups: functions, properties, blanks.",
            [
                loops(users([get("${__threadNum} ${__jm__Users__idx}", "/a")]), "${__P(loops,3)}")
                    .text("ThreadGroup.num_threads", "${__P(users,2)}")
                    .text("ThreadGroup.ramp_time", "${__P(ramp,2)}"),
                loops(group("ThreadGroup", "ThreadGroupGui", "Blank fields", [get("blank", "/b")]), "1")
                    .text("ThreadGroup.ramp_time", "")
                    .text("ThreadGroup.delay", "")
                    .text("ThreadGroup.duration", ""),
                loops(group("ThreadGroup", "ThreadGroupGui", "", [get("nameless", "/n")]), "1"),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true)
        .rule("property loops=2"),
        Draft::new(
            "groups_errors_nested",
            "The next loop, from inside of loops, conditions and transactions.",
            [loops(
                users([
                    get("first", "/1"),
                    loop_of(
                        "loop",
                        "2",
                        [
                            if_of(
                                "if",
                                "true",
                                [transaction(
                                    "T",
                                    false,
                                    false,
                                    [
                                        get("fine", "/2"),
                                        get("fails in ${__jm__loop__idx}", "/flaky/${__jm__Users__idx}"),
                                        get("after", "/3"),
                                    ],
                                )],
                            ),
                            get("end of loop", "/4"),
                        ],
                    ),
                    get("last", "/5"),
                ])
                .text("ThreadGroup.on_sample_error", "startnextloop"),
                "3",
            )],
        ),
        Draft::new(
            "groups_errors_judged",
            "Failures by assertions, in redirects and in transactions, stop the user.",
            ["assertion", "redirect", "parent"].iter().map(|kind| {
                let failing = match *kind {
                    "assertion" => {
                        get("judged", "/ok").of([assertion("never", "response_data", 16, &["nothing"])])
                    }
                    "redirect" => get("redirected", "/redirect-to?url=/status/404"),
                    _ => transaction(
                        "P",
                        true,
                        false,
                        [get("fine", "/ok"), get("fails", "/status/500"), get("more", "/ok")],
                    ),
                };
                with(
                    "ThreadGroup",
                    "ThreadGroupGui",
                    kind,
                    "stopthread",
                    "2",
                    vec![get("before", "/before"), failing, get("never", "/never")],
                )
            }),
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "groups_disabled_inside",
            "Disabled elements of each kind inside of a group.",
            [loops(
                users([
                    loop_of("off loop", "2", [get("never", "/never")]).off(),
                    transaction("T", true, false, [get("a", "/a"), get("off", "/never").off()]),
                    if_of("off if", "true", [get("never", "/never")]).off(),
                    get("b", "/b").of([
                        assertion("off", "response_data", 16, &["nothing"]).off(),
                        pause("off", "60000").off(),
                    ]),
                    variables(&[("v", "off")]).off(),
                    get("v ${v}", "/c"),
                    once([get("off once", "/never")]).off(),
                ]),
                "2",
            )],
        ),
    ]
}

fn transactions() -> Vec<Draft> {
    vec![
        Draft::new(
            "transaction_names",
            "Names from variables, from what is found inside, and none.",
            [loops(
                users([
                    counter("n", "n"),
                    transaction(
                        "T ${n}",
                        false,
                        false,
                        [get("a", "/count/tn").of([json("c", "$.count", "1", "none")])],
                    ),
                    transaction(
                        "P ${n} ${c}",
                        true,
                        false,
                        [get("b", "/count/tn").of([json("c", "$.count", "1", "none")]), get("c ${c}", "/c")],
                    ),
                    transaction("", false, false, [get("nameless", "/d")]),
                    transaction("${missing}", true, false, [get("missing", "/e")]),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "transaction_ends",
            "Transactions that end by breaks, stops, and conditions.",
            [loops(
                users([
                    counter("n", "n"),
                    loop_of(
                        "loop",
                        "2",
                        [
                            transaction(
                                "broken",
                                true,
                                false,
                                [
                                    get("a", "/a"),
                                    if_of(
                                        "first",
                                        "${__jexl3(${__jm__loop__idx} == 0)}",
                                        [action("break", 4, 0)],
                                    ),
                                    get("b", "/b"),
                                ],
                            ),
                            transaction(
                                "empty now",
                                false,
                                false,
                                [if_of("never", "false", [get("never", "/never")])],
                            ),
                        ],
                    ),
                    transaction(
                        "outer",
                        false,
                        false,
                        [
                            transaction("inner", true, false, [get("c", "/c"), get("fails", "/status/500")]),
                            transaction("paused", false, true, [action("pause", 1, 0), get("d", "/d")]),
                            transaction("only a pause", true, true, [action("pause", 1, 0)]),
                        ],
                    ),
                    if_of(
                        "second",
                        "${__jexl3(${n} == 2)}",
                        [transaction(
                            "stops",
                            true,
                            false,
                            [get("e", "/e"), action("stop", 0, 0), get("f", "/f")],
                        )],
                    ),
                ]),
                "3",
            )],
        ),
        Draft::new(
            "transaction_judged",
            "Assertions, extractors and listeners in and around transactions.",
            [users([
                transaction("size", true, false, [get("a", "/json"), get("b", "/ok")]).of([assertion(
                    "message",
                    "response_message",
                    2,
                    &["Number of samples in transaction : 2"],
                )]),
                transaction("plain", false, false, [get("c", "/ok"), debug("d")]).of([assertion(
                    "code",
                    "response_code",
                    8,
                    &["200"],
                )]),
                transaction(
                    "failing inside",
                    true,
                    false,
                    [
                        get("e", "/ok").of([assertion("never", "response_data", 16, &["nothing"])]),
                        get("f", "/ok"),
                    ],
                ),
                transaction(
                    "failing inside, plain",
                    false,
                    false,
                    [
                        get("e", "/ok").of([assertion("never", "response_data", 16, &["nothing"])]),
                        get("f", "/ok"),
                    ],
                ),
                transaction(
                    "read",
                    true,
                    false,
                    [get("g", "/count/tr"), regex("v", "v", "count\":(\\d)", "v$1$", "1", "none")],
                ),
                get("v ${v}", "/v"),
            ])],
        )
        .rule("mask bytes"),
    ]
}
