//! Tests that need a separate process, because they change or read its state.

use std::process::Command;

/// Whether a test has run in a process without other tests; in that process it is false. `module`:
/// its `module_path!()`.
pub(crate) fn in_separate_process(module: &str, test: &str) -> bool {
    const ALONE: &str = "SWELL_TEST_ALONE";
    let (_, module) = module.split_once("::").expect("a module of the test program");
    let name = format!("{module}::{test}");
    if std::env::var(ALONE).is_ok_and(|alone| alone == name) {
        return false;
    }
    let program = std::env::current_exe().expect("this test");
    let mut alone = Command::new(program);
    alone.args([&name, "--exact", "--nocapture"]).env(ALONE, &name);
    let ended = alone.output().expect("this test starts again");
    let output = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
    // It holds the reason of a test that was skipped.
    println!("{output}");
    assert!(ended.status.success() && output.contains("1 passed"), "{name} failed in a separate process");
    true
}
