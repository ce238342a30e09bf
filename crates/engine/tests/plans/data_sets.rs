//! Data sets and variables.

use std::collections::HashSet;

use swell_plan::Severity;

use crate::bench::{Bench, element, group, group_of, plan, sampler, serialized, text};

fn csv(file: &str, properties: &str) -> String {
    element("CSVDataSet", "csv", &format!("{}{properties}", text("filename", file)), "")
}

#[test]
fn a_data_set_is_read_once_an_iteration_and_shared_as_it_says() {
    let below = |share: &str| {
        let set = csv("f.csv", &format!("{}{}", text("variableNames", "x"), text("shareMode", share)));
        [set, sampler("${x}"), sampler("${x}")].concat()
    };
    let labels = |share: &str| {
        let mut bench = Bench::default().workers(2);
        bench.host.add_file("f.csv", "1\n2\n3\n4\n5\n6\n7\n8\n");
        bench.options.workers = 2;
        let jmx = plan(&[group("A", 2, 2, "", &below(share)), group("B", 1, 2, "", &below(share))].concat());
        let ran = bench.run(&serialized(&jmx));
        let mut labels: Vec<_> = ran.labels().iter().map(ToString::to_string).collect();
        let b = labels.split_off(8);
        labels.sort();
        (labels.join(""), b.join(""))
    };
    assert_eq!(labels("shareMode.all"), ("11223344".into(), "5566".into()));
    assert_eq!(labels("shareMode.group"), ("11223344".into(), "1122".into()));
    assert_eq!(labels("shareMode.thread"), ("11112222".into(), "1122".into()));
    assert_eq!(labels("mine"), ("11223344".into(), "5566".into()));
}

#[test]
fn a_data_set_ends_as_it_says() {
    let labels = |properties: &str| {
        let bench = Bench::default();
        bench.host.add_file("f.csv", "x\ty\na\tb\nc\td\n");
        let recycle = if properties.contains("recycle") { String::new() } else { text("recycle", "true") };
        let delimiter = text("delimiter", "\\t") + &recycle;
        let jmx = plan(&group(
            "G",
            1,
            3,
            "",
            &[csv("f.csv", &format!("{delimiter}{properties}")), sampler("${x}${y}")].concat(),
        ));
        bench.run(&jmx).labels().join(" ")
    };
    assert_eq!(labels(""), "ab cd ab");
    let no_recycle = text("recycle", "false");
    assert_eq!(labels(&no_recycle), "ab cd <EOF><EOF>");
    assert_eq!(labels(&format!("{no_recycle}{}", text("stopThread", "true"))), "ab cd");
    let names = format!("{}{}", text("variableNames", "y, x"), text("ignoreFirstLine", "true"));
    assert_eq!(labels(&names), "ba dc ba");
}

#[test]
fn a_data_set_below_a_loop_is_read_by_the_loop() {
    let bench = Bench::default();
    bench.host.add_file("f.csv", "1\n2\n3\n4\n5\n");
    let set = csv("f.csv", &text("variableNames", "x"));
    let inner =
        element("LoopController", "L", &text("LoopController.loops", "2"), &[set, sampler("${x}")].concat());
    let jmx = plan(&group("G", 1, 2, "", &[sampler("${x}"), inner].concat()));
    assert_eq!(bench.run(&jmx).labels().join(" "), "${x} 1 2 2 3 4");
}

#[test]
fn a_missing_data_file_ends_the_user_with_a_word() {
    let jmx = plan(&group("G", 1, 2, "", &[csv("none.csv", ""), sampler("a")].concat()));
    let ran = Bench::default().run(&jmx);
    assert_eq!(ran.heard.len(), 0);
    assert!(ran.log.iter().any(|line| line.contains("none.csv")), "{:?}", ran.log);
}

#[test]
fn missing_data_files_are_seen_before_the_run_unless_they_may_still_be_made() {
    let severities = |groups: &[String]| {
        let mut bench = Bench::default();
        bench.host.add_file("there.csv", "1\n");
        let prepared = bench.prepare(&plan(&groups.concat()));
        let missing = swell_engine::missing_files(&prepared, &bench.registry);
        missing.iter().map(|found| (found.severity, found.message.clone())).collect::<Vec<_>>()
    };
    let sets = [csv("there.csv", ""), csv("none.csv", ""), csv("${name}.csv", ""), csv("", "")].concat();
    let main = group("G", 1, 1, "", &[sets, sampler("a")].concat());
    let found = severities(std::slice::from_ref(&main));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0 == Severity::Error && found[0].1.starts_with("cannot read `none.csv`: "), "{found:?}");
    let set_up = group_of("SetupThreadGroup", "S", 1, 1, "", &sampler("a"));
    assert_eq!(severities(&[set_up, main])[0].0, Severity::Warning);
}

#[test]
fn user_defined_variables_are_evaluated_once_for_all() {
    let argument = |name: &str, value: &str| {
        format!(
            r#"<elementProp name="{name}" elementType="Argument">{}{}</elementProp>"#,
            text("Argument.name", name),
            text("Argument.value", value)
        )
    };
    let arguments = |members: &str| {
        let members = format!(r#"<collectionProp name="Arguments.arguments">{members}</collectionProp>"#);
        element("Arguments", "v", &members, "")
    };
    let first =
        arguments(&[argument("id", "${__UUID}"), argument("a", "1"), argument("own", "${a}")].concat());
    let second = arguments(&[argument("b", "${a}2"), argument("a", "9")].concat());
    let below = [sampler("${id}"), sampler("${a}${b}${own}"), second].concat();
    let ran = Bench::default().run(&plan(&[first, group("G", 3, 1, "", &below)].concat()));
    let labels: HashSet<_> = ran.labels().into_iter().collect();
    assert_eq!(labels.len(), 2, "{labels:?}");
    assert!(labels.contains("912${a}"), "{labels:?}");
}

#[test]
fn start_variables_are_there() {
    let ran =
        Bench::default().run(&plan(&group("G", 1, 1, "", &sampler("${START.YMD}-${START.HMS}-${START.MS}"))));
    assert_eq!(ran.labels(), ["20170714-024000-1500000000000"]);
}
