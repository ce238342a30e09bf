//! Every available real plan is read, and written back without a loss.

use std::path::{Path, PathBuf};

use swell_plan::{Plan, Severity, read, write};

use crate::lines::without_lines;

/// All `.jmx` files; none, with the reason printed, where they are absent.
fn files() -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let mut folders = vec![shared.join("plans"), shared.join("jmeter-suite")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            println!("skipped: {} is not here", folder.display());
            continue;
        };
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jmx") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn plan(file: &Path, bytes: &[u8]) -> Plan {
    let name = file.display().to_string();
    let reading = read(bytes, Some(file));
    let errors = reading.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    assert_eq!(errors, 0, "{name}: {:?}", reading.diagnostics);
    reading.plan.unwrap_or_else(|| panic!("{name}: no plan, no error"))
}

#[test]
fn every_real_plan_is_read_and_written_back_without_a_loss() {
    let files = files();
    let mut newest = 0;
    let mut newest_identical = 0;
    let mut identical = 0;
    let mut differing = Vec::new();
    for file in &files {
        let bytes = std::fs::read(file).expect("a readable plan");
        let plan = plan(file, &bytes);
        let written = write(&plan);
        let is_newest = plan.jmeter_version() == "5.6.3";
        let again = read(written.as_bytes(), None).plan.expect("what was written can be read");
        assert_eq!(without_lines(again), without_lines(plan), "{}", file.display());
        let same = written.as_bytes() == bytes;
        newest += usize::from(is_newest);
        newest_identical += usize::from(is_newest && same);
        identical += usize::from(same);
        if !same {
            differing.push(file.display().to_string());
        }
    }
    println!(
        "byte for byte: {identical} of {} plans, {newest_identical} of {newest} of JMeter 5.6.3; not these:",
        files.len()
    );
    println!("{}", differing.join("\n"));
    // The rest was edited by hand: other indentation, comments, no line end at the end.
    assert!(
        identical * 100 >= files.len() * 95,
        "only {identical} of {} plans come back byte for byte",
        files.len()
    );
}
