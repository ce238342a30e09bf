//! Controllers that choose: Switch, If, While.

use super::draft::Draft;
use super::extractors::regex;
use super::parts::{Edit, counter, element, get, if_of, loop_of, loops, simple, users, variables, while_of};

pub(super) fn drafts() -> Vec<Draft> {
    [choosing(), conditions()].concat()
}

fn choosing() -> Vec<Draft> {
    let switch = |name: &str, value: &str| {
        let node =
            element("SwitchController", "SwitchControllerGui", name, &[("SwitchController.value", value)]);
        node.of([
            get("zero", "/0"),
            simple("one", [get("one a", "/1a"), get("one b", "/1b")]),
            get("Two", "/2"),
            get("default", "/default"),
        ])
    };
    let bare = |name: &str, value: &str| {
        let node =
            element("SwitchController", "SwitchControllerGui", name, &[("SwitchController.value", value)]);
        node.of([get("bare zero", "/0"), get("bare one", "/1")])
    };
    let values = ["0", "1", " 2 ", "7", "-1", "one", "Two", "two", "nothing", "", "${unknown}", "1.0"];
    let switches =
        values.iter().flat_map(|value| [switch(&format!("by {value}"), value), bare("bare", value)]);
    vec![
        Draft::new("switch", "By number, by name, by default.", [users(switches)]),
        Draft::new(
            "switch_changing",
            "The value is read once an iteration.",
            [loops(
                users([
                    counter("count", "n"),
                    element(
                        "SwitchController",
                        "SwitchControllerGui",
                        "by n",
                        &[("SwitchController.value", "${n}")],
                    )
                    .of([
                        get("zero", "/0"),
                        loop_of("one", "2", [get("in a loop", "/1")]),
                        get("two", "/2"),
                    ]),
                ]),
                "3",
            )],
        ),
    ]
}

fn conditions() -> Vec<Draft> {
    let script = |name: &str, condition: &str| {
        let child = get(name, "/yes");
        if_of(name, condition, [child]).flag("IfController.useExpression", false)
    };
    let expression = |value: &str| if_of(value, value, [get(&format!("ran for {value}"), "/yes")]);
    vec![
        Draft::new(
            "if_expression",
            "The text must be `true` in any case.",
            [users([
                variables(&[("yes", "true"), ("no", "false"), ("empty", "")]),
                expression("true"),
                expression("TRUE"),
                expression(" true"),
                expression("${yes}"),
                expression("${no}"),
                expression("${unknown}"),
                expression("${empty}"),
                expression("1"),
                expression("${__isVarDefined(yes)}"),
                expression("${JMeterThread.last_sample_ok}"),
                get("fails", "/status/500"),
                expression("${JMeterThread.last_sample_ok}"),
            ])],
        ),
        Draft::new(
            "if_script",
            "The old mode: a comparison as JavaScript.",
            [users([
                variables(&[("x", "5"), ("name", "ann")]),
                script("number", "${x} == 5"),
                script("less", "${x} < 5"),
                script("text", "\"${name}\" == \"ann\""),
                script("other text", "'${name}' != 'bob'"),
                script("both", "\"${name}\"==\"ann\" && ${x} > 3"),
                script("either", "\"${name}\"==\"bob\" || ${x} >= 6"),
                script("not", "!(${x} == 5)"),
                script("plain", "true"),
                script("no boolean", "5"),
                script("strict", "\"${x}\" === \"5\""),
            ])],
        ),
        Draft::new(
            "if_each_child",
            "Read before the first child only, or before each.",
            [loops(
                users([
                    if_of("first", "${go}", [get("sets nothing", "/a"), get("still", "/b")]),
                    get("extracts", "/count/if").of([regex(
                        "stop",
                        "go",
                        "\"count\":(\\d)",
                        "$1$",
                        "1",
                        "x",
                    )]),
                    if_of(
                        "read once",
                        "${JMeterThread.last_sample_ok}",
                        [get("fails", "/status/500"), get("still runs", "/c")],
                    ),
                    get("well", "/d"),
                    if_of(
                        "read each time",
                        "${JMeterThread.last_sample_ok}",
                        [get("fails too", "/status/500"), get("does not run", "/e")],
                    )
                    .flag("IfController.evaluateAll", true),
                    get("well again", "/f"),
                ]),
                "2",
            )],
        )
        .variables(&[("go", "true")]),
        Draft::new(
            "if_false_in_loops",
            "A condition that is never true does not hang an endless loop.",
            [loops(
                users([
                    loop_of("loop", "3", [if_of("never", "false", [get("never", "/never")])]),
                    get("after", "/after"),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "while",
            "Until the text is `false`, until a sample fails, or both.",
            [users([
                counter("count", "n"),
                while_of(
                    "until false",
                    "${more}",
                    [get("asks", "/count/w").of([regex(
                        "more",
                        "more",
                        "\"count\":([12])",
                        "true$1$",
                        "1",
                        "false",
                    )])],
                ),
                while_of("until failure", "", [get("fine", "/fine"), get("flaky", "/flaky/a")]),
                while_of("last", "LAST", [get("last: ok", "/ok"), get("last: fails", "/status/500")]),
                while_of("last again", "LAST", [get("never", "/never")]),
                while_of("false", "false", [get("never false", "/never")]),
                while_of("FALSE", " FALSE ", [get("never FALSE", "/never")]),
                get("after", "/after?i=${__jm__until false__idx}"),
            ])],
        )
        .variables(&[("more", "go")]),
        Draft::new(
            "while_nested",
            "A loop in a loop starts anew.",
            [loops(
                users([while_of(
                    "outer",
                    "${a}",
                    [
                        get("a", "/count/outer").of([regex(
                            "a",
                            "a",
                            "\"count\":(1|3)\\D",
                            "go",
                            "1",
                            "false",
                        )]),
                        while_of(
                            "inner",
                            "${b}",
                            [get("b", "/count/inner").of([regex(
                                "b",
                                "b",
                                "\"count\":(1|2|4)\\D",
                                "go",
                                "1",
                                "false",
                            )])],
                        ),
                    ],
                )]),
                "2",
            )],
        )
        .variables(&[("a", "go"), ("b", "go")]),
    ]
}
