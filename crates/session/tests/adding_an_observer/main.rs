//! The observer that `docs/adding-an-observer.md` adds watches a run.

mod csv;

use std::path::Path;
use std::sync::Arc;

use csv::CsvOfSeconds;
use swell_plan::{Element, Node, Plan};
use swell_report::page::About;
use swell_run::{Trial, TrialSettings};
use swell_session::{Ended, Session, SessionOptions, Subject};

fn run(plan: &Plan, csv: &Path) -> Result<Ended, Box<dyn std::error::Error>> {
    let trial = Trial::prepare(plan, TrialSettings::new("."))?;
    let mut options = SessionOptions::default();
    options.thresholds.rules.push("errors<1%".to_owned());
    let about = About::default();
    let subject = Subject {
        kind: "run",
        file: None,
        changed_text: None,
        trial: None,
        plan,
        title: "shop".to_owned(),
        about,
    };
    let mut session = Session::begin(options, &subject, &trial, Arc::new(|event| println!("{event:?}")))?;
    session.add(Box::new(CsvOfSeconds::create(csv)?));
    let (running, observed) = session.start(trial, Box::new(Trial::start))?;
    Ok(observed.end(running.wait(), false))
}

/// A plan of five samples that need no server.
fn plan() -> Plan {
    let controller = Element::new("LoopController", "", "loops")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", "5");
    let group = Element::new("ThreadGroup", "", "group")
        .with_text("ThreadGroup.num_threads", "1")
        .with_text("ThreadGroup.ramp_time", "0")
        .with_element("ThreadGroup.main_controller", controller);
    let nap = Element::new("JavaSampler", "", "nap")
        .with_text("classname", "org.apache.jmeter.protocol.java.test.JavaTest");
    Plan::new(Node::new(Element::new("TestPlan", "", "plan")).with(Node::new(group).with(Node::new(nap))))
}

#[test]
fn the_observer_writes_each_second_and_thresholds_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("seconds.csv");
    let ended = run(&plan(), &path).expect("it runs");
    assert!(ended.problems.is_empty() && ended.judgements.len() == 1, "{:?}", ended.problems);
    let csv = std::fs::read_to_string(&path).expect("written");
    assert_eq!(csv.lines().next(), Some("end_ms,samples,errors,users"));
    let samples: u64 =
        csv.lines().skip(1).filter_map(|line| line.split(',').nth(1)?.parse::<u64>().ok()).sum();
    assert_eq!(samples, ended.report.summary.total.samples, "{csv}");
}

#[test]
fn a_disk_that_is_full_is_a_problem_of_the_run() {
    let ended = run(&plan(), Path::new("/dev/full")).expect("it runs");
    assert_eq!(ended.problems.len(), 1);
    assert_eq!(ended.ending(), swell_session::Ending::ResultsLost);
}

#[test]
fn the_page_has_the_code_that_runs_here() {
    let page = include_str!("../../../../docs/adding-an-observer.md");
    let here = [include_str!("csv.rs"), include_str!("main.rs")];
    let blocks: Vec<_> =
        page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        assert!(here.iter().any(|code| code.contains(block.trim_end())), "only on the page: {block}");
    }
}
