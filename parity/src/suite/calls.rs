//! What function calls remember, and which of them JMeter makes before the test starts.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{
    Edit, assertion, bean, counter, debug, defaults, element, get, group, headers, loops, parameter, set,
    simple, texts, users, with_parameters,
};

pub(super) fn drafts() -> Vec<Draft> {
    vec![shared_by_groups(), shared_by_modules(), before_the_test(), variables_from_before(), no_loop()]
}

const COUNT: &str = "${__counter(FALSE)}";

fn second(children: impl IntoIterator<Item = Node>) -> Node {
    group("ThreadGroup", "ThreadGroupGui", "second", children)
}

fn shared_by_groups() -> Draft {
    Draft::new(
        "calls_shared",
        "A call counts for all samplers and thread groups in the scope of its element.",
        [
            headers("plan's", &[("Plan", COUNT)]),
            with_parameters(defaults(&[("path", "/${__counter(FALSE)}")]), [parameter("given", COUNT)]),
            assertion("plan's", "response_data", 16, &["never ${__counter(FALSE)}"]),
            loops(
                users([
                    headers("group's", &[("Group", COUNT)]),
                    get("one", "/one"),
                    get("two", ""),
                    simple("block", [get("three", "").of([headers("own", &[("Own", COUNT)])])]),
                ]),
                "2",
            ),
            second([headers("group's", &[("Group", COUNT)]), get("four", ""), get("five", "/five")]),
        ],
    )
    .flag("TestPlan.serialize_threadgroups", true)
}

fn shared_by_modules() -> Draft {
    let part = |name: &str| {
        let count = counter("count", "n").flag("CounterConfig.per_user", false);
        simple(name, [headers("own", &[("Own", COUNT)]), count, get("${n}", "/${__counter(FALSE)}")])
    };
    let fragment = |part: Node| {
        element("TestFragmentController", "TestFragmentControllerGui", "Fragment", &[]).of([part])
    };
    let module = |name: &str, path: &[&str]| {
        set(
            element("ModuleController", "ModuleControllerGui", name, &[]),
            "ModuleController.node_path",
            texts(path),
        )
    };
    let there = ["Test Plan", "calls_modules", "Fragment", "part"];
    let here = ["Test Plan", "calls_modules", "Users", "placed"];
    let off = ["Test Plan", "calls_modules", "Users", "off"];
    Draft::new(
        "calls_modules",
        "What the target of Module Controllers remembers is each one's own.",
        [
            fragment(part("part")),
            loops(
                users([
                    part("placed"),
                    part("off").off(),
                    module("1", &there),
                    module("2", &there),
                    module("3", &here),
                    module("4", &here),
                    module("5", &off),
                    module("6", &off),
                ]),
                "2",
            ),
            second([module("7", &there)]),
        ],
    )
    .flag("TestPlan.serialize_threadgroups", true)
}

fn script(class: &str, name: &str, script: &str, parameters: &str) -> Node {
    let language = if class.starts_with("JSR223") { "groovy" } else { "" };
    bean(class, name, &[("scriptLanguage", language), ("cacheKey", "false"), ("script", script)])
        .text("filename", "")
        .text("parameters", parameters)
}

/// A script that keeps its text's count and its parameters in variables.
fn keep(class: &str, name: &str) -> Node {
    let text = format!("vars.put(\"{name}\", \"{COUNT} \" + Parameters);");
    script(class, name, &text, COUNT)
}

fn before_the_test() -> Draft {
    let query = format!("vars.put(\"bean\", \"{COUNT}\"); return \"\";");
    let bean_shell = element(
        "BeanShellSampler",
        "BeanShellSamplerGui",
        "no bean",
        &[("BeanShellSampler.query", &query), ("BeanShellSampler.parameters", COUNT)],
    );
    Draft::new(
        "calls_before_scripts",
        "JMeter evaluates the texts of scripts once before the test, also of those that never run; not of the BeanShell Sampler.",
        [
            keep("JSR223PreProcessor", "plan"),
            loops(
                users([
                    keep("JSR223PreProcessor", "before"),
                    keep("BeanShellPreProcessor", "shell_before"),
                    keep("JSR223PostProcessor", "after"),
                    keep("BeanShellPostProcessor", "shell_after"),
                    keep("JSR223Sampler", "sampler"),
                    bean_shell,
                    debug("seen"),
                ]),
                "2",
            ),
            second([debug("second")]),
            group("ThreadGroup", "ThreadGroupGui", "none", [keep("JSR223PostProcessor", "nobody")]),
        ],
    )
    .rule("mask bytes")
    .flag("TestPlan.serialize_threadgroups", true)
}

fn variables_from_before() -> Draft {
    let text = "vars.put(\"mine\", \"${__Random(7,7,drawn)} ${__setProperty(told,${__counter(FALSE)})}\");";
    Draft::new(
        "calls_before_variables",
        "Variables that such a call sets are those of every user.",
        [
            users([get("drawn ${drawn} told ${__P(told)}", "/"), debug("seen")]),
            second([debug("second"), get("after", "/").of([script("JSR223PreProcessor", "sets", text, "")])]),
        ],
    )
    .rule("mask bytes")
    .flag("TestPlan.serialize_threadgroups", true)
}

fn no_loop() -> Draft {
    let mut bare = users([get("never", "/never")]);
    bare.element.properties.retain(|property| property.name != "ThreadGroup.main_controller");
    Draft::new(
        "group_no_loop",
        "Users of a thread group without a loop controller fail.",
        [bare, second([get("runs", "/runs")])],
    )
    .rule("mask grpThreads allThreads")
}
