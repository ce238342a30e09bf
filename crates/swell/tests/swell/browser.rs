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

/// What went wrong in a call of Node in `web/`.
fn node(args: &[&str]) -> Result<(), String> {
    let mut call = Command::new("node");
    call.args(args).current_dir(web()).env("SWELL", env!("CARGO_BIN_EXE_swell"));
    call.env("PLAN", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ten-urls.jmx"));
    let ended = call.output().expect("node runs");
    let said =
        [ended.stdout, ended.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if ended.status.success() { Ok(()) } else { Err(format!("{args:?}: {said}")) }
}

/// One test for all: of several, those that wait for the browser would keep others from running.
#[test]
fn pages_do_in_a_browser_what_the_scripts_say() {
    if let Some(what) = missing() {
        println!("skipped: {what}");
        return;
    }
    // A report; studies and comparisons; `swell serve`; `swell debug`; the live page, also of a
    // browser that was stopped.
    let scripts = ["report.mjs", "studies.mjs", "serve.mjs", "trace.mjs", "live.mjs", "away.mjs"];
    let wrong = scripts.into_iter().filter_map(|script| {
        let _only = only_browser();
        node(&[&format!("test/browser/{script}")]).err()
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn parts_of_the_page_keep_their_word() {
    if let Some(what) = missing() {
        println!("skipped: {what}");
        return;
    }
    let ran = node(&["build.mjs", "--tests"]).and_then(|()| {
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
        ])
    });
    assert_eq!(ran, Ok(()));
}
