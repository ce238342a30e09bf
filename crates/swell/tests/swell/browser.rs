//! The page in a real browser, by the scripts of `web/test/browser`, and the tests of its parts.
//! They want Node, Chromium, the packages of `web/` and its page in the program, and say what of
//! these is not there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

/// What is missing for a test in a browser.
pub(crate) fn missing() -> Option<&'static str> {
    let runs = |program: &str| {
        let mut call = Command::new(program);
        call.arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    match () {
        () if !runs("node") => Some("Node is not installed"),
        () if !web().join("node_modules/playwright-core").is_dir() => {
            Some("web/node_modules is not there (`make packages`)")
        }
        () if !runs(&chromium) => Some("Chromium is not installed (or CHROMIUM names another place)"),
        () => None,
    }
}

/// Held while a browser runs: several share two processors badly, because those of root put
/// themselves before all other programs, and what they show then comes late.
pub(crate) fn only_browser() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn node(args: &[&str]) {
    let mut call = Command::new("node");
    call.args(args).current_dir(web()).env("SWELL", env!("CARGO_BIN_EXE_swell"));
    call.env("PLAN", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ten-urls.jmx"));
    let ended = call.output().expect("node runs");
    let said =
        [ended.stdout, ended.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(ended.status.success(), "{args:?}: {said}");
}

fn in_browser(script: &str) {
    match missing() {
        Some(what) => println!("skipped: {what}"),
        None => {
            let _only = only_browser();
            node(&[&format!("test/browser/{script}")]);
        }
    }
}

#[test]
fn a_report_is_searched_sorted_compared_and_zoomed() {
    in_browser("report.mjs");
}

#[test]
fn pages_of_studies_and_comparisons_have_the_charts_of_a_report() {
    in_browser("studies.mjs");
}

#[test]
fn kept_runs_are_listed_edited_compared_and_followed_in_a_browser() {
    in_browser("serve.mjs");
}

#[test]
fn the_page_of_a_debugged_plan_is_read_from_a_file_and_asks_the_program() {
    in_browser("trace.mjs");
}

#[test]
fn a_run_is_watched_and_changed_from_its_page() {
    in_browser("live.mjs");
}

#[test]
fn a_tab_that_was_hidden_and_frozen_in_a_browser_that_was_stopped_has_the_whole_history() {
    in_browser("away.mjs");
}

#[test]
fn parts_of_the_page_keep_their_word() {
    if let Some(what) = missing() {
        println!("skipped: {what}");
        return;
    }
    node(&["build.mjs", "--tests"]);
    node(&[
        "--test",
        "dist-test/event-stream.test.mjs",
        "dist-test/figures.test.mjs",
        "dist-test/format.test.mjs",
        "dist-test/runs.test.mjs",
        "dist-test/store.test.mjs",
        "dist-test/study.test.mjs",
        "dist-test/trace.test.mjs",
        "dist-test/transactions.test.mjs",
        "dist-test/trials.test.mjs",
    ]);
}
