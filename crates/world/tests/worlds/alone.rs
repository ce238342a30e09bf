//! Runs a test of this program again in a separate process.

use std::process::{Command, Output};

const ALONE: &str = "SWELL_WORLD_ALONE";

/// The output of a test in a separate process; none in that process.
pub(crate) fn again(module: &str, test: &str) -> Option<Output> {
    let (_, module) = module.split_once("::").expect("a module of the test program");
    let name = format!("{module}::{test}");
    if std::env::var(ALONE).is_ok_and(|alone| alone == name) {
        return None;
    }
    let program = std::env::current_exe().expect("this test");
    let mut again = Command::new(program);
    again.args([&name, "--exact", "--nocapture"]).env(ALONE, &name);
    Some(again.output().expect("this test starts again"))
}

/// All that a process wrote.
pub(crate) fn text(output: &Output) -> String {
    (String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr)).into_owned()
}
