//! Which elements work on which sampler, in which order.

use super::draft::Draft;
use super::extractors::regex;
use super::parts::{
    Edit, assertion, counter, debug, defaults, get, group, headers, loops, request, simple, users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    let mark = |name: &str, kind: i32| assertion(name, "response_data", kind, &["nothing"]);
    vec![
        Draft::new(
            "scope_headers",
            "The innermost header of a name wins; others are added.",
            [
                headers("plan", &[("A", "plan"), ("B", "plan"), ("C", "plan")]),
                users([
                    headers("group", &[("a", "group"), ("D", "group")]),
                    get("group's", "/1"),
                    simple(
                        "block",
                        [
                            headers("block", &[("B", "block"), ("E", "block")]),
                            headers("block 2", &[("B", "block 2"), ("F", "block 2")]),
                            get("block's", "/2")
                                .of([headers("own", &[("C", "own"), ("G", "own"), ("G", "twice")])]),
                        ],
                    ),
                    get("group's again", "/3"),
                ]),
            ],
        ),
        Draft::new(
            "scope_defaults",
            "Defaults fill what is empty; the innermost first.",
            [
                defaults(&[
                    ("path", "/from-plan"),
                    ("contentEncoding", "UTF-8"),
                    ("response_timeout", "5000"),
                ]),
                users([
                    get("own path", "/own"),
                    get("no path", ""),
                    simple(
                        "block",
                        [
                            super::parts::with_parameters(
                                defaults(&[("path", "/from-block")]),
                                [
                                    super::parts::parameter("d", "default"),
                                    super::parts::parameter("e", "block"),
                                ],
                            ),
                            get("block's path", ""),
                            request("own parameters first", "GET", "", &[("d", "own")]),
                            request("in a body", "POST", "", &[("d", "own")]),
                        ],
                    ),
                ]),
            ],
        ),
        Draft::new(
            "scope_assertions",
            "Outer assertions come first; all of them judge.",
            [
                mark("plan", 16),
                users([
                    mark("group", 16),
                    simple(
                        "block",
                        [
                            mark("block", 16),
                            get("three and own", "/1").of([mark("own", 16), mark("own, well", 20)]),
                        ],
                    ),
                    mark("group, after", 16),
                ]),
            ],
        ),
        Draft::new(
            "scope_extractors",
            "Outer extractors come first, so the inner value stays.",
            [users([
                regex("outer", "v", "o(k)", "outer $1$", "1", ""),
                simple(
                    "block",
                    [
                        regex("block", "v", "o(k)", "block $1$", "1", ""),
                        get("extracts", "/1").of([regex("own", "v", "o(k)", "own $1$", "1", "")]),
                        get("shows ${v}", "/2?v=${v}"),
                    ],
                ),
                get("shows outside ${v}", "/3"),
            ])],
        ),
        Draft::new(
            "scope_variables",
            "Variables of the plan first; elements anywhere, the last one wins.",
            [
                variables(&[("a", "element"), ("b", "from ${a}"), ("c", "own ${d}"), ("d", "late")]),
                users([
                    simple("block", [variables(&[("b", "block"), ("e", "sees ${b}")])]),
                    get("a=${a} b=${b} c=${c} d=${d} e=${e} x=${x}", "/1"),
                    debug("all"),
                ]),
                group("ThreadGroup", "ThreadGroupGui", "Off", [variables(&[("a", "off")])]).off(),
            ],
        )
        .variables(&[("a", "plan"), ("x", "plan ${a}")])
        .rule("mask bytes"),
        Draft::new(
            "scope_variables_of_groups",
            "Groups do not see each other's variables; both see the plan's.",
            [
                users([
                    get("sets", "/count/v").of([regex("sets", "v", "count\":(\\d)", "set $1$", "1", "")]),
                    get("${v}", "/1"),
                ]),
                group("ThreadGroup", "ThreadGroupGui", "Others", [get("others ${v} ${w}", "/2")]),
            ],
        )
        .variables(&[("w", "plan")])
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "scope_counters",
            "A counter under a sampler, a block and a group.",
            [loops(
                users([
                    counter("group", "g"),
                    simple(
                        "block",
                        [counter("block", "b"), get("${g} ${b} ${s}", "/1").of([counter("own", "s")])],
                    ),
                    super::parts::loop_of("loop", "2", [counter("loop", "l"), get("loop ${g} ${l}", "/2")]),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "expressions",
            "References: nested, unknown, escaped, in every place.",
            [users([
                variables(&[("n", "1"), ("v_1", "one"), ("name", "v_1"), ("dollar", "$"), ("empty", "")]),
                get("nested ${v_${n}}", "/1"),
                get("by function ${__V(v_${n})} ${__V(missing)} ${__V(missing,dflt)}", "/2"),
                get("unknown ${missing} ${}", "/3"),
                get("escaped \\${n} \\\\ \\, ${n}", "/4"),
                get("dollars $ $$ ${dollar}{n} $n", "/7"),
                get("empty [${empty}] spaces ${ n }", "/8"),
                get("eval ${__eval(${name} and ${v_1})} ${__evalVar(name)}", "/9"),
            ])],
        ),
    ]
}
