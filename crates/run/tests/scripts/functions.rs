//! Functions whose scripts need the JVM, in every place where a text may call them.

use swell_plan::{Element, Node, Plan};
use swell_run::{ScriptMode, TrialSettings};

use crate::plans::{Ran, argument, jvm, plan, run_with, sampler, sampler_that_says, script};

/// Runs what Swell understands natively, and all else on the JVM.
fn run(loops: u32, children: Vec<Node>) -> Ran {
    run_plan(&plan(loops, children))
}

fn run_plan(plan: &Plan) -> Ran {
    run_with(plan, |settings: &mut TrialSettings| settings.scripts = ScriptMode::Auto)
}

fn messages(ran: &Ran) -> Vec<&str> {
    ran.samples.iter().map(|sample| sample.message.as_str()).collect()
}

fn labels(ran: &Ran) -> String {
    ran.samples.iter().map(|sample| sample.label.as_str()).collect::<Vec<_>>().join(" ")
}

/// A text that calls `__groovy` with a script that only the JVM runs.
fn groovy(script: &str) -> String {
    format!("${{__groovy(({}).collect {{ it }}.sum())}}", script.replace(',', "\\,"))
}

fn controller(class: &str, property: &str, value: &str) -> Element {
    Element::new(class, "", class).with_text(property, value)
}

#[test]
fn a_function_with_a_long_script_gives_its_value_in_a_field_of_a_sampler() {
    let Some(_jvm) = jvm() else { return };
    let message = format!("{}!", groovy("[1, 2, 39]"));
    let ran = run(2, vec![sampler_that_says(&format!("n {}", groovy("[7]")), &message)]);
    assert_eq!((messages(&ran), labels(&ran).as_str()), (vec!["42!", "42!"], "n 7 n 7"), "{}", ran.log);
}

#[test]
fn a_function_knows_the_sampler_that_it_is_evaluated_for() {
    let Some(_jvm) = jvm() else { return };
    let asks = "${__groovy(sampler.name + ' ' + sampler.classname.size())}";
    let ran =
        run(1, vec![sampler_that_says("a", "x"), sampler_that_says("b", asks), sampler_that_says("c", asks)]);
    assert_eq!(messages(&ran), ["x", "b 45", "c 45"], "{}", ran.log);
}

#[test]
fn functions_around_one_that_is_waited_for_act_once() {
    let Some(_jvm) = jvm() else { return };
    let message =
        format!("${{__counter(TRUE,before)}}-{}-${{__counter(TRUE,)}}", groovy("[vars.get('before') + 'x']"));
    let ran = run(3, vec![sampler_that_says("s", &message)]);
    assert_eq!(messages(&ran), ["1-1x-1", "2-2x-2", "3-3x-3"], "{}", ran.log);
}

#[test]
fn a_variable_has_the_value_that_it_had_when_it_was_read() {
    let Some(_jvm) = jvm() else { return };
    let set = "${__groovy([1].each { vars.put('seen'\\, 'b') }.size())}";
    let first = Node::new(script("JSR223PreProcessor", "vars.put('seen', 'a')"));
    let ran = run(1, vec![sampler_that_says("s", &format!("${{seen}}{set}${{seen}}")).with(first)]);
    assert_eq!(messages(&ran), ["a1b"], "{}", ran.log);
}

#[test]
fn a_function_puts_its_value_into_its_variable_and_may_stand_in_another() {
    let Some(_jvm) = jvm() else { return };
    let inner = "${__groovy([20\\, 1].asImmutable().sum(),half)}";
    let message =
        format!("${{__groovy([{inner}].collect {{ it * 2 }}.sum(),whole)}} of ${{half}} and ${{whole}}");
    let ran = run(1, vec![sampler_that_says("s", &message)]);
    assert_eq!(messages(&ran), ["42 of 21 and 42"], "{}", ran.log);
}

#[test]
fn all_languages_of_functions_run() {
    let Some(_jvm) = jvm() else { return };
    let message = "${__BeanShell(l = new ArrayList(); l.add(\"b\"); l.get(0))} \
                   ${__javaScript(var a = [1\\,2\\,3]; a.reverse().join(''))} \
                   ${__jexl3(var s = 0; for (x : [1\\, 2\\, 3]) { s = s + x; } s)} ${__jexl2(size([1\\,2]))}";
    let ran = run(1, vec![sampler_that_says("s", message)]);
    assert_eq!(messages(&ran), ["b 321 6 2"], "{}", ran.log);
}

#[test]
fn a_script_that_fails_leaves_its_text_empty_and_is_logged() {
    let Some(_jvm) = jvm() else { return };
    let ran =
        run(1, vec![sampler_that_says("s", "[${__groovy([1].each { throw new Exception('odd') },v)}]${v}")]);
    assert_eq!(messages(&ran), ["[]${v}"]);
    assert!(ran.log.contains("odd"), "{}", ran.log);
}

#[test]
fn conditions_of_controllers_are_evaluated_as_often_as_in_jmeter() {
    let Some(_jvm) = jvm() else { return };
    let hold = |script: &str| format!("${{__groovy({})}}", script.replace(',', "\\,"));
    let when = |condition: &str, is_expression: bool, name: &str| {
        let element = controller("IfController", "IfController.condition", condition)
            .with_flag("IfController.useExpression", is_expression);
        Node::new(element).with(sampler(name))
    };
    // Twice an iteration, at its end and at the start of the next: JMeter 5.6.3 asks 0 1 2 3 4.
    let loops =
        hold("def n = (vars.get('n') ?: '0').toInteger(); vars.put('n', '' + (n + 1)); [n].every { it < 4 }");
    let children = vec![
        when(&hold("[1].any { it == 1 }"), true, "yes"),
        when(&hold("[1].any { it == 2 }"), true, "no"),
        when("var a = [1, 2]; a.length == 2", false, "js"),
        when("var a = [1, 2]; a.length == 3", false, "no js"),
        Node::new(controller("WhileController", "WhileController.condition", &loops)).with(sampler("w")),
        sampler_that_says("n", "${n}"),
    ];
    let ran = run(1, children);
    assert_eq!(labels(&ran), "yes js w w n", "{}", ran.log);
    assert_eq!(messages(&ran).last(), Some(&"5"));
}

#[test]
fn loops_switches_and_lists_take_their_fields_from_functions() {
    let Some(_jvm) = jvm() else { return };
    let repeat = Element::new("LoopController", "LoopControlPanel", "l")
        .with_flag("LoopController.continue_forever", true)
        .with_text("LoopController.loops", &groovy("[1, 1]"));
    let choose = controller("SwitchController", "SwitchController.value", &groovy("['b', 'c']"));
    let each = controller("ForeachController", "ForeachController.inputVal", &groovy("['it', 'em']"))
        .with_text("ForeachController.returnVal", "seen")
        .with_flag("ForeachController.useSeparator", true);
    let fill = script("JSR223PreProcessor", "(1..3).each { vars.put('item_' + it, 'v' + it) }");
    let children = vec![
        sampler("start").with(Node::new(fill)),
        Node::new(repeat).with(sampler("l")),
        Node::new(choose).with(sampler("a")).with(sampler("bc")),
        Node::new(each).with(sampler_that_says("e", "${seen}")),
    ];
    let ran = run(1, children);
    assert_eq!(labels(&ran), "start l l bc e e e", "{}", ran.log);
    assert_eq!(messages(&ran)[4..], ["v1", "v2", "v3"]);
}

#[test]
fn iteration_elements_count_once_although_a_field_is_waited_for() {
    let Some(_jvm) = jvm() else { return };
    let counter = Element::new("CounterConfig", "CounterConfigGui", "c")
        .with_text("CounterConfig.start", &groovy("[4, 1]"))
        .with_text("CounterConfig.incr", "1")
        .with_text("CounterConfig.name", "seen")
        .with_flag("CounterConfig.per_user", false);
    let shared = Element::new("CounterConfig", "CounterConfigGui", "d")
        .with_text("CounterConfig.start", "1")
        .with_text("CounterConfig.incr", "1")
        .with_text("CounterConfig.name", "other")
        .with_flag("CounterConfig.per_user", false);
    let ran = run(3, vec![Node::new(shared), Node::new(counter), sampler_that_says("s", "${seen}/${other}")]);
    assert_eq!(messages(&ran), ["5/1", "6/2", "7/3"], "{}", ran.log);
}

#[test]
fn lines_of_a_file_whose_name_a_function_makes_are_read_once_each() {
    let Some(_jvm) = jvm() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("data.csv"), "one\ntwo\n").expect("it is ours");
    let name = groovy(&format!("['{}/da', 'ta.csv']", folder.path().display()));
    let csv = Element::new("CSVDataSet", "TestBeanGUI", "csv")
        .with_text("filename", &name)
        .with_text("variableNames", "seen")
        .with_flag("recycle", false);
    let ran = run(2, vec![Node::new(csv), sampler("s")]);
    assert_eq!(messages(&ran), ["one", "two"], "{}", ran.log);
}

#[test]
fn timers_assertions_and_extractors_wait_for_functions() {
    let Some(_jvm) = jvm() else { return };
    let timer = Element::new("ConstantTimer", "ConstantTimerGui", "t")
        .with_text("ConstantTimer.delay", &groovy("[1, 2]"));
    let shared = Element::new("ConstantThroughputTimer", "TestBeanGUI", "r")
        .with_text("throughput", &groovy("[60000000]"))
        .with_text("calcMode", "3");
    let body = "${__groovy([prev.getResponseDataAsString()].collect { it[0..1] }.sum())}";
    let assertion = Element::new("ResponseAssertion", "AssertionGui", "is it")
        .with_text("Assertion.test_field", "Assertion.response_data")
        .with_int("Assertion.test_type", 2)
        .with("Asserion.test_strings", collection(&[body]));
    let extractor = Element::new("RegexExtractor", "RegexExtractorGui", "x")
        .with_text("RegexExtractor.refname", "found")
        .with_text("RegexExtractor.regex", &groovy("['(o', 'd)']"))
        .with_text("RegexExtractor.template", "$1$")
        .with_text("RegexExtractor.match_number", "1");
    let first =
        [timer, shared, assertion, extractor].into_iter().map(Node::new).fold(sampler("s"), Node::with);
    let ran = run(2, vec![first, sampler_that_says("t", "${found}")]);
    assert_eq!(messages(&ran), ["${seen}", "od", "${seen}", "od"], "{}", ran.log);
    let results: Vec<_> =
        ran.samples.iter().map(|sample| (sample.success, sample.assertions.len())).collect();
    assert_eq!(results, [(true, 1), (true, 0), (true, 1), (true, 0)]);
}

fn collection(texts: &[&str]) -> swell_plan::PropertyValue {
    let member =
        |text: &&str| swell_plan::Property::new(text, swell_plan::PropertyValue::Text((*text).to_owned()));
    swell_plan::PropertyValue::Collection(texts.iter().map(member).collect())
}

#[test]
fn what_is_evaluated_before_the_test_waits_for_functions() {
    let Some(_jvm) = jvm() else { return };
    let mut plan = plan(1, vec![sampler_that_says("s", "${given}-${later}")]);
    let given = Element::new("Arguments", "ArgumentsPanel", "")
        .with_elements("Arguments.arguments", vec![argument("given", &groovy("['x', 'y']"))]);
    plan.root.element = plan.root.element.clone().with_element("TestPlan.user_defined_variables", given);
    let more = Element::new("Arguments", "ArgumentsPanel", "more")
        .with_elements("Arguments.arguments", vec![argument("later", &groovy("[vars.get('given')]"))]);
    let group = &mut plan.root.children[0];
    group.element = group.element.clone().with_text("ThreadGroup.num_threads", &groovy("[1, 1]"));
    group.children.push(Node::new(more));
    let ran = run_plan(&plan);
    assert_eq!(messages(&ran), ["xy-xy", "xy-xy"], "{}", ran.log);
}

#[test]
fn a_script_that_a_variable_brings_runs_although_nobody_saw_it_before() {
    let Some(_jvm) = jvm() else { return };
    let fill = script("JSR223PreProcessor", "vars.put('code', '[1, 2].collect { it }.sum()')");
    let text = "vars.put('text', '${__gro' + 'ovy([2].collect { it }.sum())}')";
    let children = vec![
        sampler("first").with(Node::new(fill)).with(Node::new(script("JSR223PreProcessor", text))),
        sampler_that_says("s", "${__groovy(${code})} ${__evalVar(text)}"),
    ];
    let ran = run(1, children);
    assert_eq!(messages(&ran)[1], "3 2", "{}", ran.log);
}
