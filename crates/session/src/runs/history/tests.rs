//! Tests of the history on files.

use super::*;
use rusqlite::Connection;
use swell_results::run_folder::{Metadata, Recorder, ThresholdResult};
use swell_stats::{Observation, Run, Users};

use crate::runs::{LabelName, PointFigures};

fn quiet() -> Say {
    std::sync::Arc::new(|_| {})
}

fn entry(runs: &Path, name: &str, start_ms: i64, named: bool) -> Entry {
    let folder = runs.join(name);
    Entry { name: name.to_owned(), folder, start_ms, named, kind: "run".into(), ..Entry::default() }
}

/// Runs that are over, in the folder of runs and in the history.
fn runs(names: &[(&str, bool)]) -> (tempfile::TempDir, History) {
    let folder = tempfile::tempdir().expect("a folder");
    let history = History::open(folder.path(), &quiet()).expect("it can be made");
    for ((name, named), start_ms) in names.iter().zip(1..) {
        let entry = entry(folder.path(), name, start_ms, *named);
        drop(Recorder::create(&entry.folder, &Metadata::default(), b"<plan/>", false).expect("made"));
        history.begin(&entry);
    }
    (folder, history)
}

fn names(history: &History) -> Vec<String> {
    history.latest(100).into_iter().map(|entry| entry.name).collect()
}

#[test]
fn runs_are_listed_and_found() {
    let (folder, history) = runs(&[("a", false), ("b", true), ("c", false)]);
    assert_eq!(names(&history), ["c", "b", "a"]);
    assert_eq!(history.latest(1).len(), 1);
    assert_eq!(history.find("last").map(|entry| entry.name), Some("c".to_owned()));
    assert_eq!((history.has("a"), history.has("x")), (true, false));
    let again = History::open_existing(folder.path(), &quiet()).expect("it is there");
    assert_eq!(again.find("b"), Some(entry(folder.path(), "b", 2, true)));
    assert!(History::open_existing(&folder.path().join("a"), &quiet()).is_none());
}

#[test]
fn old_runs_go_unless_somebody_named_them() {
    let (folder, history) =
        runs(&[("old", false), ("named", true), ("older", false), ("new", false), ("last", false)]);
    let limits = Limits { runs: 2, bytes: u64::MAX };
    history.forget_old(&folder.path().join("last"), limits);
    assert_eq!(names(&history), ["last", "new", "named"]);
    let there = |name: &str| folder.path().join(name).exists();
    assert_eq!(["old", "named", "older", "new", "last"].map(there), [false, true, false, true, true]);
    history.forget_old(&folder.path().join("last"), Limits { runs: 100, bytes: 1 });
    assert_eq!(names(&history), ["last", "named"]);
}

#[test]
fn a_run_that_goes_on_is_not_removed() {
    let (folder, history) = runs(&[("last", false)]);
    let running = entry(folder.path(), "running", 0, false);
    let recorder = Recorder::create(&running.folder, &Metadata::default(), b"", false).expect("made");
    history.begin(&running);
    history.forget_old(&folder.path().join("last"), Limits { runs: 1, bytes: 1 });
    assert_eq!(names(&history), ["last", "running"]);
    assert!(history.find("running").is_some_and(|entry| entry.is_running()));
    drop(recorder);
    assert!(history.find("running").is_some_and(|entry| !entry.is_running()));
}

#[test]
fn a_history_of_a_later_version_is_left_alone() {
    let (folder, history) = runs(&[("a", false)]);
    history.file.pragma_update(None, "user_version", schema::VERSION + 1).expect("changed");
    drop(history);
    assert!(History::open(folder.path(), &quiet()).is_none());
    std::fs::write(folder.path().join(FILE), "no database at all, and long enough to be looked at")
        .expect("written");
    assert!(History::open(folder.path(), &quiet()).is_none());
}

/// Tables and a row as version 1 of the history had them.
const VERSION_1: &str = "CREATE TABLE runs (
    name TEXT PRIMARY KEY, folder TEXT NOT NULL, named INTEGER NOT NULL, kind TEXT NOT NULL, plan TEXT NOT NULL,
    start_ms INTEGER NOT NULL, end_ms INTEGER, exit INTEGER, verdict TEXT,
    samples INTEGER, errors INTEGER, mean_ms REAL, p50_ms REAL, p95_ms REAL, p99_ms REAL, per_s REAL,
    thresholds INTEGER, thresholds_broken INTEGER, bytes INTEGER NOT NULL DEFAULT 0);
    INSERT INTO runs (name, folder, named, kind, plan, start_ms, samples, p95_ms) VALUES
        ('a', '/runs/a', 1, 'run', 'shop.jmx', 5, 10, 2.5), ('b', '/runs/b', 0, 'hit', '', 6, NULL, NULL);
    PRAGMA user_version = 1;";

#[test]
fn a_history_of_version_1_keeps_its_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = Connection::open(folder.path().join(FILE)).expect("made");
    old.execute_batch(VERSION_1).expect("valid");
    drop(old);
    let history = History::open_existing(folder.path(), &quiet()).expect("it is brought up to date");
    let [b, a] = &history.latest(10)[..] else { panic!("two runs") };
    assert_eq!((a.name.as_str(), a.samples, a.p95_ms, a.named), ("a", Some(10), Some(2.5), true));
    assert_eq!((a.subject.as_str(), b.subject.as_str()), ("shop.jmx", "hit"));
    assert_eq!((a.owner, a.annotation.clone()), (None, Annotation::default()));
    drop(history);
    let again = History::open_existing(folder.path(), &quiet()).expect("it is there");
    assert_eq!(names(&again), ["b", "a"]);
}

#[test]
fn two_programs_that_bring_a_history_up_to_date_at_once_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    Connection::open(folder.path().join(FILE)).expect("made").execute_batch(VERSION_1).expect("valid");
    std::thread::scope(|scope| {
        let open = || History::open_existing(folder.path(), &quiet()).map(|history| names(&history));
        let all: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        for one in all {
            assert_eq!(one.join().expect("no panic"), Some(vec!["b".to_owned(), "a".to_owned()]));
        }
    });
}

#[test]
fn last_is_a_run_of_this_user() {
    let (folder, history) = runs(&[("mine", false)]);
    let other =
        Entry { owner: Some(crate::runs::entry::own_id() + 1), ..entry(folder.path(), "theirs", 9, false) };
    history.begin(&other);
    assert_eq!(names(&history), ["theirs", "mine"]);
    assert_eq!(history.find("last").map(|entry| entry.name), Some("mine".to_owned()));
    assert_eq!(history.find("theirs").map(|entry| entry.name), Some("theirs".to_owned()));
}

#[test]
fn tags_and_notes_are_replaced() {
    let (_folder, history) = runs(&[("a", false)]);
    let tags = [("version".to_owned(), "1.4 <b>".to_owned())].into();
    let annotation = Annotation { tags, note: "a 'note'; --".to_owned() };
    history.set_annotation("a", &annotation).expect("written");
    assert_eq!(history.find("a").map(|entry| entry.annotation), Some(annotation));
}

#[test]
fn a_subject_has_one_baseline_which_stays() {
    let (folder, history) = runs(&[("a", false), ("b", false), ("c", false)]);
    let [c, b, a] = &history.latest(9)[..] else { panic!("three runs") };
    history.set_baseline(a).expect("written");
    history.set_baseline(b).expect("written");
    assert_eq!(history.baselines(), [(String::new(), "b".to_owned())].into());
    history.forget_old(&folder.path().join("c"), Limits { runs: 1, bytes: u64::MAX });
    assert_eq!(names(&history), ["c", "b"], "the baseline does not count");
    assert_eq!(history.baseline_of("").map(|entry| entry.name), Some("b".to_owned()));
    history.remove_baseline(c).expect("written");
    assert_eq!(history.baseline_of(""), None);
}

/// The figures of a run in which a label took that long.
fn summary(label: &str, ms: u64) -> Summary {
    let mut recorder = swell_stats::Recorder::default();
    for _ in 0..200 {
        recorder.record(&Observation {
            label,
            elapsed_ns: ms * 1_000_000,
            success: true,
            ..Observation::default()
        });
    }
    let mut run = Run::default();
    run.add(0, &recorder.take_interval(), Users::default());
    run.summary()
}

#[test]
fn a_label_has_a_trend_and_goes_with_its_runs() {
    let (folder, history) = runs(&[("a", false), ("b", false), ("c", false)]);
    let long = "x".repeat(10_000);
    let rule =
        ThresholdResult { rule: "p(95)<5ms".to_owned(), limit: Some(5.0), ..ThresholdResult::default() };
    for (name, ms) in [("a", 1), ("b", 2)] {
        let outcome = Outcome { end_ms: 10, thresholds: vec![rule.clone()], ..Outcome::default() };
        history.end(name, &outcome, &summary(&long, ms), Some(Grade::Valid), folder.path());
    }
    let labels = history.labels_of("").expect("readable");
    assert_eq!(labels, [LabelName { id: labels[0].id, label: long, is_transaction: false }]);
    let trend = |label, count| history.trend("", label, count).expect("readable");
    let points = trend(Some(labels[0].id), 100);
    assert_eq!(points.iter().map(|point| point.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let PointFigures { samples, p50_ms, .. } = points[1].figures;
    assert_eq!((samples, p50_ms.map(f64::round), points[1].thresholds_broken), (200, Some(2.0), Some(1)));
    assert_eq!(trend(None, 1).iter().map(|point| point.name.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(history.rules_of("b"), [rule]);
    history.forget_old(&folder.path().join("c"), Limits { runs: 1, bytes: u64::MAX });
    assert_eq!(names(&history), ["c"]);
    assert!(history.labels_of("").expect("readable").is_empty());
    let left: i64 =
        history.file.query_row("SELECT count(*) FROM labels", [], |row| row.get(0)).expect("a count");
    assert_eq!(left, 0);
}

#[test]
fn rows_that_another_program_spoiled_are_left_out() {
    let (_folder, history) = runs(&[("a", false), ("b", false), ("c", false)]);
    history.file.execute("UPDATE runs SET tags = 'no JSON' WHERE name = 'a'", []).expect("changed");
    history.file.execute("UPDATE runs SET start_ms = 'soon' WHERE name = 'b'", []).expect("changed");
    assert_eq!(names(&history).len(), 2);
    assert!(history.find("a").is_some_and(|entry| entry.annotation.tags.is_empty()));
}

#[test]
fn a_locked_or_damaged_history_is_reported() {
    let (folder, history) = runs(&[("a", false)]);
    let other = Connection::open(folder.path().join(FILE)).expect("opened");
    other.execute_batch("BEGIN EXCLUSIVE").expect("locked");
    history.file.busy_timeout(Duration::ZERO).expect("set");
    assert_eq!(history.try_latest(1), Err("another program has locked it; try again".to_owned()));
    let entry = entry(folder.path(), "a", 1, false);
    assert!(history.set_baseline(&entry).expect_err("locked").message.contains("has locked it"));
    drop(other);
    drop(history);
    std::fs::write(folder.path().join(FILE), "no database at all, and long enough to be looked at")
        .expect("written");
    let said = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let heard = said.clone();
    let say: Say = std::sync::Arc::new(move |line: &str| heard.lock().expect("no panic").push_str(line));
    assert!(History::open(folder.path(), &say).is_none());
    assert!(said.lock().expect("no panic").contains("it is damaged"), "{said:?}");
}

#[test]
fn the_run_before_is_the_last_finished_one_of_the_same_plan_and_command() {
    let (folder, history) = runs(&[("a", false), ("b", false), ("c", false), ("d", false)]);
    let before = |name: &str| {
        let this = history.find(name).expect("it is there");
        history.before(&this).map(|entry| entry.name)
    };
    assert_eq!(before("d"), None, "none has finished");
    for name in ["a", "b"] {
        history.end(name, &Outcome::default(), &summary("x", 5), None, folder.path());
    }
    history.end("c", &Outcome::default(), &Run::default().summary(), None, folder.path());
    assert_eq!(before("d").as_deref(), Some("b"), "a run without samples is none");
    assert_eq!((before("b").as_deref(), before("a")), (Some("a"), None));
    history.file.execute("UPDATE runs SET kind = 'hit' WHERE name = 'b'", []).expect("changed");
    assert_eq!(before("d").as_deref(), Some("a"));
    let this = Entry { subject: "shop.jmx".to_owned(), ..history.find("d").expect("it is there") };
    assert_eq!(history.before(&this), None, "another plan");
    history.file.execute("UPDATE runs SET subject = 'shop.jmx'", []).expect("changed");
    let earlier = crate::runs::earlier_run(&history, &this).expect("a run before").with_label_changes();
    assert_eq!((earlier.name.as_str(), earlier.this.as_str(), earlier.samples), ("a", "d", 200));
    let study = Entry { kind: "search".to_owned(), ..this };
    assert_eq!(crate::runs::earlier_run(&history, &study), None);
}
