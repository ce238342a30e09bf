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
    folder.swell(&["check", "plan.jmx"]).exits(104).prints(&["unsupported", "com.example.ExoticSampler"]);
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
        let wrong = format!("ThreadGroup.num_threads: `{users}` is no whole number");
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
        "ThreadGroup.num_threads: `many` is no whole number",
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
    ended.exits(113).says(&["nothing ran", "cannot read `none.csv`"]);
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
        "warning: [Plan > Users > nap > take] RegexExtractor.regex: `a(b`",
        "hint: ",
    ]);
    let assertion =
        Element::new("JSONPathAssertion", "JSONPathAssertionGui", "holds").with_text("JSON_PATH", "$.[");
    let ended = run_of(&with_element(assertion));
    ended
        .exits(98)
        .says(&["plan.jmx:", "warning: [Plan > Users > nap > holds] JSON_PATH: the path cannot be read"]);
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
    run_of(&folder).exits(113).says(&["there is no enabled thread group", "nothing ran"]);
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
