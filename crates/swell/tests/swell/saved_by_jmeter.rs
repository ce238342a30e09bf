//! Plans that JMeter itself loads and saves again mean the same, and have JMeter's layout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use swell_jvm::{ClassPath, JMeterHome};

use crate::support::{Folder, jmeter};

/// The plans of a folder of this repository, and public ones where they are there.
fn plans() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.join("examples"), root.join("../shared/plans")];
    let files = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let mut plans: Vec<_> = files.map(|file| file.path()).collect();
    plans.retain(|path| path.extension().is_some_and(|extension| extension == "jmx"));
    plans.sort();
    plans
}

#[test]
fn a_plan_and_the_same_saved_by_jmeter_differ_in_nothing_and_fmt_leaves_it() {
    let Some(home) = jmeter() else { return };
    let path = ClassPath::of(&JMeterHome::find(None).expect("it was found before"));
    let path = std::env::join_paths(path.entries()).expect("no `:` in them");
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/save-again/SaveAgain.java");
    let mut java = Command::new("java");
    java.arg("-cp").arg(path).arg(source).arg(home).arg(folder.path()).args(plans());
    let ran = match java.output() {
        Ok(ran) => ran,
        Err(error) => return println!("skipped: java cannot be started: {error}"),
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let names = String::from_utf8_lossy(&ran.stdout).into_owned();
    let loaded: Vec<PathBuf> =
        plans().into_iter().filter(|plan| names.lines().any(|name| plan.ends_with(name))).collect();
    assert!(loaded.len() > 5, "JMeter loads {names}");
    let read = |bytes: &[u8]| swell_plan::read(bytes, None).plan.expect("JMeter reads it");
    let mut differ = Vec::new();
    for plan in &loaded {
        let saved = fs::read(folder.at(&plan.file_name().expect("a file").to_string_lossy()))
            .expect("JMeter wrote it");
        assert!(swell_plan::layout(&saved).expect("a plan").is_same, "fmt changes {}", plan.display());
        let diff = swell_author::diff(&read(&fs::read(plan).expect("it is there")), &read(&saved));
        if !diff.differences.is_empty() {
            differ.push(format!("{}\n{diff}", plan.display()));
        }
    }
    println!("{} of {} plans are the same", loaded.len() - differ.len(), loaded.len());
    assert!(differ.len() * 20 <= loaded.len(), "{}", differ.join("\n"));
}
