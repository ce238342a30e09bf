//! Files that a plan writes during the run: other users continue, readers see the written data, and
//! the files are complete at the end.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use swell_plan::{Element, Node, Plan};
use swell_run::{Trial, TrialReport, TrialSettings};

fn group(name: &str, users: u32, loops: i32, below: Vec<Node>) -> Node {
    let main = Element::new("LoopController", "LoopControlPanel", "Loop Controller")
        .with_flag("LoopController.continue_forever", false)
        .with_int("LoopController.loops", loops);
    let group = Element::new("ThreadGroup", "ThreadGroupGui", name)
        .with_element("ThreadGroup.main_controller", main)
        .with_text("ThreadGroup.num_threads", &users.to_string())
        .with_text("ThreadGroup.ramp_time", "0")
        .with_text("ThreadGroup.on_sample_error", "continue");
    below.into_iter().fold(Node::new(group), Node::with)
}

/// A sampler that evaluates a text and waits for nothing: its label is what the text gave.
fn says(text: &str) -> Node {
    let sampler = Element::new("kg.apc.jmeter.samplers.DummySampler", "DummySamplerGui", text)
        .with_flag("SUCCESFULL", true)
        .with_text("RESPONSE_CODE", "200")
        .with_text("RESPONSE_TIME", "0");
    Node::new(sampler)
}

fn plan(groups: impl IntoIterator<Item = Node>) -> Plan {
    let root = Node::new(Element::new("TestPlan", "TestPlanGui", "files"));
    Plan::new(groups.into_iter().fold(root, Node::with))
}

/// On one worker, with a log.
fn settings(folder: &Path) -> TrialSettings {
    TrialSettings { workers: Some(1), log: Some(folder.join("swell.log")), ..TrialSettings::new(folder) }
}

fn labels(report: &TrialReport) -> Vec<(String, u64)> {
    let rows = &report.run.snapshot.rows;
    rows.iter().map(|row| (row.label.to_string(), row.stats.samples)).collect()
}

/// A pipe without a reader.
fn pipe(folder: &Path) -> PathBuf {
    let path = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    path
}

#[test]
fn a_file_that_takes_nothing_holds_up_no_other_user_of_its_worker() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = pipe(folder.path());
    // Eight megabytes: more than may wait for a file.
    let line = "x".repeat(1 << 20);
    let slow = format!("slow${{__if(${{__StringToFile({},{line})}},true,,)}}", pipe.display());
    let plan = plan([group("slow", 1, 8, vec![says(&slow)]), group("light", 3, 100, vec![says("light")])]);
    let trial = Trial::prepare(&plan, settings(folder.path())).expect("it can run");
    let mut seconds = trial.subscribe();
    let running = trial.start().expect("threads");
    let mut light = 0;
    while light < 300 {
        let second = seconds.next().expect("the test continues until the pipe is read");
        let labels = second.labels();
        let rows = labels.rows.iter().filter(|row| &*row.label == "light");
        light += rows.map(|row| row.stats.samples).sum::<u64>();
    }
    // Its writers come and go: open for both, it does not end with one of them.
    let mut opened = fs::File::options().read(true).write(true).open(&pipe).expect("there");
    opened.read_exact(&mut vec![0; 8 << 20]).expect("all that was written");
    let report = running.wait();
    let mut labels = labels(&report);
    labels.sort();
    assert_eq!(labels, [("light".to_owned(), 300), ("slow".to_owned(), 8)]);
    assert!(report.evidence.disk_wait.is_some_and(|part| part > 0.0), "{:?}", report.evidence.disk_wait);
}

#[test]
fn what_a_function_wrote_is_read_by_the_next_and_there_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("f");
    let name = file.display();
    let text = format!("${{__StringToFile({name},a)}}${{__FileToString({name})}}");
    let report = Trial::prepare(&plan([group("g", 1, 3, vec![says(&text)])]), settings(folder.path()))
        .expect("it can run")
        .start()
        .expect("threads")
        .wait();
    let wanted = ["truea", "trueaa", "trueaaa"].map(|label| (label.to_owned(), 1));
    assert_eq!(labels(&report), wanted);
    assert_eq!(fs::read_to_string(&file).expect("it was written"), "aaa");
}

#[test]
fn a_file_that_cannot_be_written_is_false_or_an_error_in_the_log_by_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = folder.path().join("none/f");
    let below = [&none, Path::new("/dev/full")]
        .map(|path| says(&format!("${{__StringToFile({},a)}}", path.display())));
    let report = Trial::prepare(&plan([group("g", 1, 1, below.into())]), settings(folder.path()))
        .expect("it can run")
        .start()
        .expect("threads")
        .wait();
    assert_eq!(labels(&report), ["false", "true"].map(|label| (label.to_owned(), 1)));
    assert_eq!(report.logged.errors, 2, "{:?}", report.logged);
    let log = fs::read_to_string(folder.path().join("swell.log")).expect("a log");
    for path in [&*none, Path::new("/dev/full")] {
        let line = format!("__StringToFile: {} cannot be written to: ", path.display());
        assert!(log.contains(&line), "{log}");
    }
}

#[test]
fn all_that_was_logged_is_in_the_log_in_order_when_the_trial_is_over() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("swell.log"), "of the run before\n").expect("written");
    let log = says("${__logn(line ${__counter(FALSE)})}logged");
    let report = Trial::prepare(&plan([group("g", 2, 500, vec![log])]), settings(folder.path()))
        .expect("it can run")
        .start()
        .expect("threads")
        .wait();
    assert_eq!(labels(&report), [("logged".to_owned(), 1000)]);
    let log = fs::read_to_string(folder.path().join("swell.log")).expect("a log");
    let numbers: Vec<usize> = log
        .lines()
        .filter_map(|line| line.split_once(" line ").and_then(|(_, number)| number.parse().ok()))
        .collect();
    assert_eq!(numbers, (1..=1000).collect::<Vec<_>>());
    assert!(!log.contains("of the run before"));
}
