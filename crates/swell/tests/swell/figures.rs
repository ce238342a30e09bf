//! Custom figures and groups of labels, from the plan to the summary.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use swell_plan::{Element, Node};

use crate::support::{Answer, Ended, Folder, Server, plan};

/// A server whose answers have these values, one after the other.
fn server(values: &'static [&'static str]) -> Server {
    let at = AtomicUsize::new(0);
    Server::start(move |_| {
        let value = values[at.fetch_add(1, Ordering::Relaxed) % values.len()];
        Answer::ok(&format!("total={value};"))
    })
}

/// A sampler that takes the value into a variable, or `none`.
fn order(server: &Server, path: &str, variable: &str) -> Node {
    let extractor = Element::new("RegexExtractor", "RegexExtractorGui", "total")
        .with_text("RegexExtractor.refname", variable)
        .with_text("RegexExtractor.regex", "total=([^;]*);")
        .with_text("RegexExtractor.template", "$1$")
        .with_text("RegexExtractor.default", "none")
        .with_text("RegexExtractor.match_number", "1");
    plan::get(server.addr, path).with(Node::new(extractor))
}

/// The figure of a label, or of all samples.
fn figure(ended: &Ended, name: &str, label: Option<&str>) -> Value {
    let all = ended.json()["figures"].as_array().expect("a list").clone();
    let found = all.into_iter().find(|figure| figure["name"] == name && figure["label"].as_str() == label);
    found.unwrap_or_else(|| panic!("{name} of {label:?}: {ended}"))
}

#[test]
fn numbers_of_a_variable_are_a_figure_of_each_label_and_of_all() {
    let server = server(&["10.5", "-2", "x", "10.5"]);
    let pause = plan::get(server.addr, "/pause");
    let nodes = [plan::group(1, 2)
        .with(order(&server, "/a", "total"))
        .with(order(&server, "/b", "total"))
        .with(pause)];
    let folder = Folder::with_plan(nodes);
    let args = [
        "run",
        "plan.jmx",
        "--json",
        "--figure",
        "order=total",
        "--threshold",
        "figure(order).max<11",
        "--threshold",
        "label(\"/a\"): figure(order).count>5",
        "--export",
        "csv=s.csv",
    ];
    // The server gives a third answer to the pause: a: 10.5, b: -2, pause, a: 10.5, b: 10.5, pause.
    let ended = folder.swell(&args).exits(99);
    let all = figure(&ended, "order", None);
    assert_eq!((&all["count"], &all["not_numbers"], &all["kind"]), (&4.into(), &0.into(), &"total".into()));
    let numbers = ["sum", "mean", "min", "max"].map(|name| all[name].as_f64());
    assert_eq!(numbers, [29.5, 7.375, -2.0, 10.5].map(Some));
    let b = figure(&ended, "order", Some("/b"));
    assert_eq!((&b["count"], b["sum"].as_f64()), (&2.into(), Some(8.5)));
    let judged = ended.json()["thresholds"].clone();
    assert_eq!((&judged[0]["passed"], &judged[1]["passed"]), (&true.into(), &false.into()), "{judged}");
    assert!(folder.read("s.csv").lines().any(|line| line.contains("(all)") && line.contains(",order,")));
}

#[test]
fn texts_that_are_no_number_are_counted_and_the_plan_can_name_figures() {
    let server = server(&["7", "seven"]);
    let variables = Element::new("Argument", "", "swell.figures")
        .with_text("Argument.name", "swell.figures")
        .with_text("Argument.value", "total, never");
    let variables = Element::new("Arguments", "ArgumentsPanel", "User Defined Variables")
        .with_elements("Arguments.arguments", [variables]);
    let group = plan::group(1, 4).with(order(&server, "/a", "total"));
    let folder = Folder::with_plan([Node::new(variables), group]);
    let ended = folder.swell(&["run", "plan.jmx", "--json"]).exits(0);
    let all = figure(&ended, "total", None);
    assert_eq!((&all["count"], &all["not_numbers"]), (&2.into(), &2.into()));
    assert!(
        ended.json()["figures"].as_array().is_some_and(|all| all.iter().all(|one| one["name"] != "never"))
    );
    let ended = folder.swell(&["run", "plan.jmx"]).exits(0);
    ended.prints(&["figures                     values", "total: 2 texts are not numbers"]);
    let ended = folder.swell(&["run", "plan.jmx", "-Jswell.figures=a b"]);
    ended.refused(&["swell.figures: invalid figure `a b`: expected NAME or NAME=VARIABLE"]);
}

#[test]
fn a_page_of_a_kept_run_or_a_results_file_has_groups() {
    let server = server(&["1"]);
    let nodes = ["/cart", "/pay", "/home"].map(|path| plan::get(server.addr, path));
    let folder = Folder::with_plan([nodes.into_iter().fold(plan::group(1, 2), Node::with)]);
    let args = ["run", "plan.jmx", "-l", "r.jtl", "--run-dir", "kept", "--group", "checkout=/(cart|pay)"];
    folder.swell(&args).exits(0);
    let kept: Value = serde_json::from_str(&folder.read("kept/run.json")).expect("JSON");
    assert_eq!(kept["label_groups"], serde_json::json!(["checkout=/(cart|pay)"]));
    let page = |args: &[&str]| {
        folder.swell(&[&["report", "-f"], args].concat()).exits(0);
        folder.report("report.html")
    };
    let row = |name: &str, samples: u64| format!(r#""{name}","{samples}","0.00""#);
    let own = page(&["kept"]);
    assert!(own.contains("Groups of labels") && own.contains(&row("checkout", 4)), "a run keeps its groups");
    let more = page(&["kept", "--group", "checkout=/cart", "--group", "all=."]);
    assert!(more.contains(&row("checkout", 2)) && more.contains(&row("all", 6)), "given groups replace them");
    let of_file = page(&["r.jtl", "--group", "shop=/home"]);
    assert!(of_file.contains(&row("shop", 2)) && !of_file.contains(&row("checkout", 4)));
    assert!(!page(&["r.jtl"]).contains("Groups of labels"));
    folder.swell(&["report", "-f", "kept", "--group", "a"]).refused(&["expected NAME=PATTERN"]);
}

#[test]
fn groups_have_rows_and_rules() {
    let server = server(&["1"]);
    let nodes = ["/cart", "/pay", "/home"].map(|path| plan::get(server.addr, path));
    let folder = Folder::with_plan([nodes.into_iter().fold(plan::group(1, 2), Node::with)]);
    let args =
        ["run", "plan.jmx", "--group", "checkout=/cart", "--group", "checkout=/pay", "--group", "none=/x"];
    let rules =
        ["--threshold", "group(\"checkout\"): samples>4", "--threshold", "group(checkout): samples<5"];
    let ended = folder.swell(&[&args[..], &rules, &["--json"]].concat()).exits(99);
    let summary = ended.json();
    let groups = summary["groups"].as_array().expect("a list");
    assert_eq!(groups.len(), 1, "{summary}");
    assert_eq!((&groups[0]["label"], &groups[0]["samples"]), (&"checkout".into(), &4.into()));
    let passed: Vec<_> =
        summary["thresholds"].as_array().expect("a list").iter().map(|rule| &rule["passed"]).collect();
    assert_eq!(passed, [&Value::from(false), &Value::from(true)]);
    folder.swell(&args).exits(0).prints(&["groups of labels", "checkout"]);
    let wrong = folder.swell(&["run", "plan.jmx", "--threshold", "group(x): samples>4"]);
    wrong.refused(&["unknown group `x`: expected one of --group, which names none"]);
    folder.swell(&["run", "plan.jmx", "--group", "a=("]).refused(&["invalid regular expression `(`"]);
}
