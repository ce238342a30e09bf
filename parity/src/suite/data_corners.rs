//! Corners of what gives values: files of all shapes, variables of the plan, users with columns.

use swell_plan::Node;

use super::data::{csv, show};
use super::draft::Draft;
use super::parts::{
    Edit, counter, debug, element, get, group, if_of, loop_of, loops, set, simple, texts, users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    [files(), places(), plan_variables(), elsewhere()].concat()
}

fn files() -> Vec<Draft> {
    let reading = |name, about, data: Vec<Node>, names: &[&str], count: &str| {
        Draft::new(name, about, [loops(users(data.into_iter().chain([show(names)])), count)])
    };
    vec![
        reading(
            "csv_byte_order_mark",
            "A file that begins with a mark, with names from it and from the plan.",
            vec![csv("data/bom.csv", "", &[]), csv("data/bom.csv", "x,y", &[])],
            &["id", "name", "x", "y"],
            "3",
        ),
        reading(
            "csv_utf16",
            "Sixteen bits a letter.",
            vec![csv("data/utf16.csv", "", &[("fileEncoding", "UTF-16")])],
            &["id", "n\u{e4}me"],
            "2",
        ),
        reading(
            "csv_blanks",
            "Empty lines, blanks around values, empty values, quotes.",
            vec![
                csv("data/blanks.csv", "a,b", &[]),
                csv("data/blanks.csv", "c,d", &[("quotedData", "true")]),
            ],
            &["a", "b", "c", "d"],
            "6",
        ),
        reading(
            "csv_header_only",
            "A file with names and no values.",
            vec![csv("data/header_only.csv", "", &[])],
            &["id", "name"],
            "2",
        ),
        reading(
            "csv_header_only_stops",
            "The same, where the end stops the user.",
            vec![csv("data/header_only.csv", "", &[("recycle", "false"), ("stopThread", "true")])],
            &["id", "name"],
            "2",
        ),
        reading(
            "csv_header_quoted",
            "Names in quotes.",
            vec![csv("data/quoted_header.csv", "", &[("quotedData", "true")])],
            &["first name", "a,b", "c"],
            "2",
        ),
        reading(
            "csv_no_last_line_end",
            "A last line without its end, and a delimiter that is not there.",
            vec![csv("data/no_end.csv", "a,b", &[]), csv("data/no_end.csv", "c,d", &[("delimiter", ";")])],
            &["a", "b", "c", "d"],
            "3",
        ),
        reading(
            "csv_no_delimiter",
            "No delimiter is given.",
            vec![csv("data/users.csv", "a,b", &[("delimiter", "")])],
            &["a", "b"],
            "2",
        ),
        reading(
            "csv_more_names",
            "More names than columns, fewer, and the same twice.",
            vec![
                csv("data/users.csv", "a,b,c,d", &[]),
                csv("data/users.csv", "only", &[]),
                csv("data/users.csv", "twice,twice", &[]),
            ],
            &["a", "b", "c", "d", "only", "twice"],
            "2",
        ),
    ]
}

fn places() -> Vec<Draft> {
    vec![
        Draft::new(
            "csv_end_in_loops",
            "The end of a file in an inner loop, with and without a stop.",
            [
                loops(
                    users([loop_of(
                        "inner",
                        "2",
                        [
                            csv("data/users.csv", "name,city", &[("recycle", "false")]),
                            get("${name}", "/a"),
                            if_of("end", "${__jexl3(\"${name}\" == \"<EOF>\")}", [get("at the end", "/end")]),
                        ],
                    )]),
                    "2",
                ),
                loops(
                    group(
                        "ThreadGroup",
                        "ThreadGroupGui",
                        "Stopping",
                        [
                            csv("data/header.csv", "a,b,c", &[("recycle", "false"), ("stopThread", "true")]),
                            simple("block", [get("${a}", "/a"), get("after ${a}", "/b")]),
                        ],
                    ),
                    "9",
                ),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "csv_two_groups",
            "Two groups and one file, in turn: the second goes on where the first ended.",
            [
                csv("data/users.csv", "name,city", &[]),
                loops(users([get("one ${name}", "/a")]), "2"),
                loops(group("ThreadGroup", "ThreadGroupGui", "Others", [get("two ${name}", "/a")]), "2"),
            ],
        )
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "counter_corners",
            "Counters with ends that are odd, in blocks that are not always entered.",
            [loops(
                users([
                    counter("n", "n"),
                    counter("ends", "e").text("CounterConfig.start", "5").text("CounterConfig.end", "3"),
                    counter("same", "s").text("CounterConfig.start", "2").text("CounterConfig.end", "2"),
                    counter("by variable", "v")
                        .text("CounterConfig.start", "${from}")
                        .text("CounterConfig.incr", "${by}"),
                    counter("negative", "m")
                        .text("CounterConfig.start", "-2")
                        .text("CounterConfig.format", "#;minus #"),
                    counter("nameless", "").text("CounterConfig.format", "0"),
                    if_of(
                        "odd",
                        "${__jexl3(${n} % 2 == 1)}",
                        [counter("inside", "i"), get("inside ${i}", "/i")],
                    ),
                    get("${n} ${e} ${s} ${v} ${m}", "/a"),
                ]),
                "4",
            )],
        )
        .variables(&[("from", "10"), ("by", "5")]),
        Draft::new(
            "user_parameters_corners",
            "More names than values, values from functions, two elements, in a block.",
            [loops(
                users([
                    parameters(&["a", "b", "c"], &[&["1"]], false),
                    parameters(&["d"], &[&["${__intSum(${a},1)}"], &["other"]], true),
                    get("${a} ${b} ${c} ${d}", "/a"),
                    simple("block", [parameters(&["a"], &[&["block"]], false), get("${a}", "/b")]),
                    get("${a}", "/c"),
                    get("own ${a} ${e}", "/d").of([parameters(&["e", "a"], &[&["e of ${a}", "own"]], false)]),
                    get("after ${a} ${e}", "/e"),
                ]),
                "2",
            )],
        ),
    ]
}

fn parameters(names: &[&str], columns: &[&[&str]], once: bool) -> Node {
    use swell_plan::{Property, PropertyValue};
    let node = element("UserParameters", "UserParametersGui", "User Parameters", &[]);
    let node = set(node, "UserParameters.names", texts(names));
    let columns = columns.iter().enumerate();
    let columns = columns.map(|(at, values)| Property::new(&at.to_string(), texts(values))).collect();
    let node = set(node, "UserParameters.thread_values", PropertyValue::Collection(columns));
    node.flag("UserParameters.per_iteration", once)
}

fn plan_variables() -> Vec<Draft> {
    vec![
        Draft::new(
            "variables_order",
            "Variables that use each other, functions, properties, and names that are odd.",
            [
                variables(&[
                    ("late", "uses ${early}"),
                    ("early", "plan"),
                    ("sum", "${__intSum(1,2)}"),
                    ("again", "${sum}"),
                ]),
                users([
                    variables(&[
                        ("name with blanks", "x"),
                        ("", "nameless"),
                        ("dup", "1"),
                        ("dup", "2"),
                        ("quote", "a\"b'c"),
                    ]),
                    get("${late}|${early}|${sum}|${again}", "/1"),
                    get("${name with blanks}|${dup}|${quote}|${p}|${d}", "/2"),
                    get("${one} ${two} ${counted} ${counted}", "/3"),
                    debug("all"),
                ]),
            ],
        )
        .variables(&[
            ("one", "1"),
            ("two", "${one}2"),
            ("p", "${__P(own,default)}"),
            ("d", "${__P(missing,default of ${one})}"),
            ("counted", "${__counter(FALSE)}"),
            ("early", "test plan"),
        ])
        .rule("property own=property")
        .rule("mask bytes"),
        Draft::new(
            "variables_users",
            "What a user changes is its own, and stays over loops.",
            [loops(
                users([
                    counter("n", "n"),
                    get("${v} ${n}", "/count/vu${__threadNum}").of([super::extractors::regex(
                        "changes",
                        "v",
                        "count\":(\\d)",
                        "user ${__threadNum} loop $1$",
                        "1",
                        "none",
                    )]),
                    get("then ${v}", "/b"),
                ])
                .text("ThreadGroup.num_threads", "2")
                .text("ThreadGroup.ramp_time", "2"),
                "2",
            )],
        )
        .variables(&[("v", "plan's")]),
    ]
}

fn elsewhere() -> Vec<Draft> {
    let module = |name: &str, path: &[&str]| {
        let node = element("ModuleController", "ModuleControllerGui", name, &[]);
        set(node, "ModuleController.node_path", texts(path))
    };
    let include = |path: &str| {
        element(
            "IncludeController",
            "IncludeControllerGui",
            "include",
            &[("IncludeController.includepath", path)],
        )
    };
    vec![
        Draft::new(
            "module_corners",
            "Modules of modules, of loops and conditions, of another group, used twice and with variables.",
            [
                element("TestFragmentController", "TestFragmentControllerGui", "parts", &[]).of([
                    loop_of("looped", "2", [get("looped ${v} ${__jm__looped__idx}", "/l")]),
                    if_of("asked", "${__jexl3(\"${v}\" == \"yes\")}", [get("asked ${v}", "/i")]),
                    simple(
                        "inner",
                        [
                            module("of inner", &["Test Plan", "module_corners", "parts", "looped"]),
                            get("inner", "/n"),
                        ],
                    ),
                ]),
                loops(
                    users([
                        module("one", &["Test Plan", "module_corners", "parts", "inner"]),
                        variables(&[("v", "yes")]),
                        module("two", &["Test Plan", "module_corners", "parts", "asked"]),
                        loop_of(
                            "outer",
                            "2",
                            [module("three", &["Test Plan", "module_corners", "parts", "looped"])],
                        ),
                        super::parts::transaction(
                            "T",
                            true,
                            false,
                            [module("four", &["Test Plan", "module_corners", "parts", "inner"])],
                        ),
                    ]),
                    "2",
                ),
            ],
        ),
        Draft::new(
            "include_by_prefix",
            "The folder of included files is a property.",
            [users([variables(&[("from", "prefix")]), include("fragment.jmx"), get("last", "/last")])],
        )
        .rule("property includecontroller.prefix=data/"),
    ]
}
