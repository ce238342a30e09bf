//! Plans that are well-formed and wrong.

use swell_plan::{Element, Node};

use crate::support::{Folder, plan};

/// A plan with one user, one sample, and that element below the sampler.
fn with_element(element: Element) -> Folder {
    Folder::with_plan([plan::group(1, 1).with(plan::nap(0).with(Node::new(element)))])
}

fn run_of(folder: &Folder) -> crate::support::Ended {
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl"])
}

#[test]
fn an_unknown_function_is_warned_of_with_its_place_and_sent_as_text() {
    let sampler = Element::new("DebugSampler", "TestBeanGUI", "${__nosuch(1)}");
    let folder = Folder::with_plan([plan::group(1, 1).with(Node::new(sampler))]);
    let ended = run_of(&folder);
    let said = ["plan.jmx:", "warning: [Plan > Users > ${__nosuch(1)}]", "`__nosuch`", "hint: "];
    ended.exits(0).says(&said).prints(&["${__nosuch(1)}"]);
}

#[test]
fn an_element_that_is_not_supported_is_refused_with_its_place() {
    let sampler = Element::new("com.example.ExoticSampler", "com.example.Gui", "exotic");
    let folder = Folder::with_plan([plan::group(1, 1).with(Node::new(sampler))]);
    let ended = run_of(&folder);
    let ended =
        ended.refused(&["plan.jmx:", "[Plan > Users > exotic] `com.example.ExoticSampler`", "hint: "]);
    assert!(ended.err.contains("swell check"), "{ended}");
    // Without Java it is `unsupported`; with it, `jvm`, and no jar has it.
    let told = ["com.example.ExoticSampler", "error: [Plan > Users > exotic]", "cannot run as it is"];
    folder.swell(&["check", "plan.jmx"]).exits(104).prints(&told);
}

#[test]
fn a_disabled_element_that_is_not_supported_is_no_fault() {
    let sampler = Element::new("com.example.ExoticSampler", "com.example.Gui", "exotic").disabled();
    let folder = Folder::with_plan([plan::group(1, 1).with(Node::new(sampler)).with(plan::nap(0))]);
    run_of(&folder).exits(0);
}

#[test]
fn numbers_of_users_that_are_none_are_refused() {
    for users in ["abc", "1.5", "1 0", "99999999999"] {
        let group = Node::new(plan::group_element(users, 1)).with(plan::nap(0));
        let folder = Folder::with_plan([group]);
        let wrong = format!("ThreadGroup.num_threads: `{users}` is not a whole number");
        run_of(&folder).refused(&["plan.jmx:", "[Plan > Users]", &wrong]);
        folder.swell(&["check", "plan.jmx"]).exits(104).prints(&[&wrong]);
    }
}

#[test]
fn a_number_of_users_that_becomes_none_at_run_time_is_told() {
    let group = Node::new(plan::group_element("${__P(users)}", 1)).with(plan::nap(0));
    let folder = Folder::with_plan([group]);
    let ended = folder.swell(&["run", "plan.jmx", "-Jusers=many"]);
    ended.exits(104).says(&[
        "plan.jmx:",
        "[Plan > Users]",
        "ThreadGroup.num_threads: `many` is not a whole number up to 2147483647",
    ]);
    folder.swell(&["run", "plan.jmx", "-Jusers=1"]).exits(0);
}

#[test]
fn a_negative_ramp_is_told_and_means_none_as_in_jmeter() {
    let mut group = plan::group_element("2", 1);
    group.set_text("ThreadGroup.ramp_time", "-1");
    let folder = Folder::with_plan([Node::new(group).with(plan::nap(0))]);
    run_of(&folder).exits(0).says(&["warning: [Plan > Users] ThreadGroup.ramp_time: `-1`"]);
    assert_eq!(folder.jtl("out.jtl").len(), 2);
}

#[test]
fn a_scheduler_without_a_duration_is_told() {
    let group = plan::group_element("1", 1).with_flag("ThreadGroup.scheduler", true);
    let folder = Folder::with_plan([Node::new(group).with(plan::nap(0))]);
    run_of(&folder).exits(104).says(&["plan.jmx:", "[Plan > Users]", "duration"]);
}

#[test]
fn a_data_file_that_is_missing_is_refused_before_anything_runs() {
    let data = Element::new("CSVDataSet", "TestBeanGUI", "users.csv")
        .with_text("filename", "users.csv")
        .with_text("variableNames", "user")
        .with_flag("recycle", true);
    let folder = Folder::with_plan([plan::group(1, 1).with(Node::new(data)).with(plan::nap(0))]);
    run_of(&folder).refused(&[
        "plan.jmx:",
        "[Plan > Users > users.csv]",
        "filename: cannot read `users.csv`",
        "hint: ",
    ]);
    folder.write("users.csv", "ada\n");
    run_of(&folder).exits(0);
    assert_eq!(folder.jtl("out.jtl").len(), 1);
}

#[test]
fn a_data_file_whose_name_is_known_only_at_run_time_ends_its_users_with_words() {
    let data = Element::new("CSVDataSet", "TestBeanGUI", "users.csv")
        .with_text("filename", "${__P(file)}")
        .with_text("variableNames", "user");
    let folder = Folder::with_plan([plan::group(2, 1).with(Node::new(data)).with(plan::nap(0))]);
    let ended = folder.swell(&["run", "plan.jmx", "-Jfile=none.csv"]);
    ended.exits(113).says(&["no sample was completed", "cannot read `none.csv`"]);
}

#[test]
fn patterns_that_are_none_are_told_and_run_as_in_jmeter() {
    let extractor = Element::new("RegexExtractor", "RegexExtractorGui", "take")
        .with_text("RegexExtractor.refname", "x")
        .with_text("RegexExtractor.regex", "a(b")
        .with_text("RegexExtractor.template", "$1$");
    let ended = run_of(&with_element(extractor));
    ended.exits(0).says(&[
        "plan.jmx:",
        "warning: [Plan > Users > nap > take] RegexExtractor.regex: invalid regular expression `a(b`",
        "hint: ",
    ]);
    let assertion =
        Element::new("JSONPathAssertion", "JSONPathAssertionGui", "holds").with_text("JSON_PATH", "$.[");
    let ended = run_of(&with_element(assertion));
    ended.exits(98).says(&["plan.jmx:", "warning: [Plan > Users > nap > holds] JSON_PATH: invalid path"]);
    let extractor = Element::new("JSONPostProcessor", "JSONPostProcessorGui", "take")
        .with_text("JSONPostProcessor.referenceNames", "x")
        .with_text("JSONPostProcessor.jsonPathExprs", "$..[?(");
    let ended = run_of(&with_element(extractor));
    ended
        .exits(0)
        .says(&["plan.jmx:", "warning: [Plan > Users > nap > take] JSONPostProcessor.jsonPathExprs: "]);
}

#[test]
fn a_plan_without_thread_groups_runs_nothing_and_says_so() {
    let folder = Folder::with_plan([]);
    let ended = run_of(&folder);
    let ended = ended.exits(113).says(&["no enabled thread group", "no sample was completed"]);
    assert!(!ended.out.contains("VALID"), "a run in which nothing ran has no verdict: {ended}");
    ended.prints(&["no verdict: no sample was completed"]);
    folder.swell(&["run", "plan.jmx", "--json"]).exits(113).prints(&["\"verdict\": null"]);
    folder.swell(&["run", "plan.jmx", "-e", "-o", "report"]).exits(113);
    let report = folder.report("report/index.html");
    assert!(report.contains("\"verdict\":null"), "{report}");
}

#[test]
fn a_throughput_timer_without_a_rate_is_told() {
    for rate in ["0", "fast"] {
        let timer = Element::new("ConstantThroughputTimer", "TestBeanGUI", "pace")
            .with_text("throughput", rate)
            .with_text("calcMode", "3");
        let folder = with_element(timer);
        let said = format!("throughput: `{rate}` is not a rate above 0: the first user waits forever");
        folder.swell(&["check", "plan.jmx"]).exits(0).prints(&["Plan > Users > nap > pace", &said]);
    }
}

fn script(class: &str, gui: &str, text: &str) -> Element {
    Element::new(class, gui, "prepare").with_text("script", text).with_text("cacheKey", "true")
}

#[test]
fn a_script_that_is_not_understood_is_refused_before_anything_runs() {
    for text in [
        "def l = [1, 2]\nl.remove(0)",
        "vars.put('a', 'abcdef'.take(3))",
        "vars.put('a', '' + Boolean.valueOf(true))",
        "def s = 'a'; s++",
        "vars.put('d', new Date(0).format('MMMMM'))",
        "switch (200) { case '200': vars.put('a', 'b') }",
    ] {
        let folder = with_element(script("JSR223PreProcessor", "TestBeanGUI", text));
        let run = folder.swell(&["run", "plan.jmx", "--scripts", "native"]);
        run.refused(&["plan.jmx:", "[Plan > Users > nap > prepare]", "needs a script engine"]);
        let check = folder.swell(&["check", "plan.jmx", "--scripts", "native"]);
        check.exits(104).prints(&["jvm", "needs a script engine"]);
    }
}

#[test]
fn a_script_whose_reference_makes_it_not_understood_ends_the_test_and_its_verdict() {
    let delay = "${__groovy('1' + ${__P(code)})}";
    let timer =
        Element::new("ConstantTimer", "ConstantTimerGui", "prepare").with_text("ConstantTimer.delay", delay);
    let folder = with_element(timer);
    folder.swell(&["run", "plan.jmx", "-Jcode=5", "--strict", "--scripts", "native"]).exits(0);
    let run = |more: &[&str]| {
        let fixed = ["run", "plan.jmx", "-Jcode='abc'.take(2)", "-f", "-l", "out.jtl", "--scripts", "native"];
        folder.swell(&[&fixed[..], more].concat())
    };
    let place = "`Plan > Users > nap > prepare` (line ";
    let ended = run(&[]);
    ended
        .exits(107)
        .says(&["error: ", place, "`.take` of text and int needs a script engine", "hint: "])
        .prints(&["Measurement: unusable", "\n  INVALID   ", place, "`.take`"]);
    run(&["--strict", "--json"]).exits(107).prints(&["\"refusal\"", "\"level\": \"INVALID\""]);
    run(&["-e", "-o", "report"]).exits(107);
    let report = folder.report("report/index.html");
    assert!(report.contains("\"text\":\"the script of `Plan > Users"), "{report}");
}

#[test]
fn a_function_and_a_condition_that_are_not_understood_end_the_test() {
    let sampler = Element::new("DebugSampler", "TestBeanGUI", "${__groovy('x' + ${__P(code)})}");
    let folder = Folder::with_plan([plan::group(1, 1).with(Node::new(sampler))]);
    let ended = folder.swell(&["run", "plan.jmx", "-Jcode=[1].sum()", "--scripts", "native"]);
    ended.exits(107).says(&["`[` needs a script engine", "the script of `Plan > Users"]);
    let condition = Element::new("IfController", "IfControllerPanel", "if")
        .with_text("IfController.condition", "${__P(code)} == 1")
        .with_flag("IfController.useExpression", false);
    let controller = Node::new(condition).with(plan::nap(0));
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0)).with(controller)]);
    let ended = folder.swell(&["run", "plan.jmx", "-Jcode='a'.match(/a/)", "--scripts", "native"]);
    ended.exits(107).says(&["the script of `Plan > Users > if`", "script engine"]);
    // What JMeter's engine fails on, too, is false there and here.
    folder.swell(&["run", "plan.jmx", "-Jcode=undefined_word", "--scripts", "native"]).exits(0);
}

#[test]
fn a_listener_that_cannot_write_is_refused() {
    let listener =
        Element::new("ResultCollector", "SimpleDataWriter", "keep").with_text("filename", "plan.jmx/out.jtl");
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0)), Node::new(listener)]);
    folder
        .swell(&["run", "plan.jmx"])
        .refused(&["[Plan > keep]", "filename: cannot write results to `plan.jmx/out.jtl`"]);
}

#[test]
fn a_setting_that_is_not_followed_is_said_by_check_and_by_a_run() {
    let site = crate::support::site();
    let sampler = || plan::get(site.addr(), "/static/1k");
    let mut java = sampler();
    java.element = java.element.with_text("HTTPSampler.implementation", "Java");
    let group = plan::group(1, 1);
    let folder = Folder::with_plan([group.with(java.clone()).with(java).with(sampler())]);
    let checked = folder.swell(&["check", "plan.jmx", "--json"]).exits(0).json();
    let support = |element: &serde_json::Value| element["support"].as_str() == Some("differs");
    let differing = checked["elements"].as_array().expect("a list").iter().filter(|one| support(one));
    let whys: Vec<_> = differing.filter_map(|one| one["why"].as_str()).collect();
    assert_eq!(whys.len(), 2, "{checked}");
    assert!(whys[0].contains("`User-Agent`, `Accept`"), "{checked}");
    let line = "warning: not as the plan says: 2 `HTTPSamplerProxy` (it is sent as `HttpClient4` sends it";
    folder.swell(&["run", "plan.jmx"]).exits(0).says(&[line]);
    folder.swell(&["run", "plan.jmx", "-Jjmeter.httpsampler=Java"]).exits(0).says(&["3 `HTTPSamplerProxy`"]);
}

#[test]
fn included_files_that_grow_without_end_are_one_error_in_little_memory() {
    let include = |file: &str| {
        let element = Element::new("IncludeController", "IncludeControllerGui", "again");
        Node::new(element.with_text("IncludeController.includepath", file))
    };
    let folder = Folder::with_plan([plan::group(1, 1).with(include("0.jmx"))]);
    for level in 0..40 {
        let next = format!("{}.jmx", level + 1);
        let text = "x".repeat(100_000);
        let heavy = Element::new("GenericController", "LogicControllerGui", "c")
            .with_text("TestPlan.comments", &text);
        let fragment = Element::new("TestFragmentController", "TestFragmentControllerGui", "F").disabled();
        let fragment = Node::new(fragment).with(Node::new(heavy)).with(include(&next)).with(include(&next));
        folder.write(&format!("{level}.jmx"), plan::jmx([fragment]));
    }
    let ended = folder.swell(&["check", "plan.jmx"]).exits(104);
    assert_eq!(ended.out.matches("grows without limit").count(), 1, "{ended}");
    assert_eq!(ended.out.matches("error:").count(), 1, "{ended}");
    folder.swell(&["run", "plan.jmx"]).refused(&["grows without limit"]);
}
