//! The class name of an element occurs only once in the code: in the list from which the table of
//! elements is made.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Places that name classes and are no list of what there is.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/plan/src/", "below the table: how a class is written in the file, independent of what runs it"),
    ("crates/expr/src/condition.rs", "what evaluates a condition in the JVM is called after its controller"),
    (
        "crates/run/src/properties_read.rs",
        "elements after which the properties that a plan reads \
        are unknown",
    ),
    ("crates/cli/src/preflight/", "elements whose users and hosts are looked at before the first request"),
    (
        "crates/run/src/jmeter_bugs.rs",
        "elements that meet bugs of JMeter 5.6.3: no list of what is supported",
    ),
    ("crates/world/src/trial/plan.rs", "elements of the plans that simulated trials run"),
    ("crates/api/src/role.rs", "endings of names of unknown classes"),
    (
        "crates/elements/src/extractors/",
        "names that JMeter's log gives its extractors, and options of the XML parser",
    ),
];

#[test]
fn each_class_stands_in_one_list() {
    let registry = swell_run::table_of_elements();
    let classes: Vec<&str> = registry.kinds().flat_map(|kind| &kind.classes).map(AsRef::as_ref).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in sources(&root.join("crates")) {
        let name = file.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("a source file is text");
        for (number, literal) in literals(&text) {
            if let Some(class) = classes.iter().find(|class| **class == literal) {
                found.entry(class).or_default().push(format!("{name}:{number}"));
            }
        }
    }
    for class in &classes {
        let places = found.remove(class).unwrap_or_default();
        let mut places: Vec<_> = places.into_iter().filter(|place| !is_allowed(place)).collect();
        // Where the name in the menus is the class, the line has both.
        places.dedup();
        assert!(places.len() <= 1, "`{class}` is in several lists: {places:?}");
    }
}

#[test]
fn what_is_allowed_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (place, why) in ALLOWED {
        assert!(root.join(place).exists(), "{place} ({why}) is gone: take it off the list");
    }
}

fn is_allowed(place: &str) -> bool {
    ALLOWED.iter().any(|(allowed, _)| place.starts_with(allowed))
}

/// Source files of all crates, tests left out.
fn sources(crates: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(crates).expect("there are crates");
    let mut waiting: Vec<_> = folders.map(|entry| entry.expect("readable").path().join("src")).collect();
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("readable").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_test = name == "tests" || name.ends_with("tests.rs") || name == "testing.rs";
            if path.is_dir() && !is_test {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
                files.push(path);
            }
        }
    }
    files
}

/// The texts in quotes of a source file with their lines, without comments, tests, and elements
/// that are made (`Element::new("…"`).
fn literals(text: &str) -> Vec<(usize, &str)> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = (1..).zip(code.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    let mut all = Vec::new();
    for (number, line) in lines {
        let parts: Vec<&str> = line.split('"').collect();
        for pair in parts.windows(2).step_by(2).filter(|pair| !pair[0].ends_with("Element::new(")) {
            all.push((number, pair[1]));
        }
    }
    all
}

#[test]
fn a_class_in_a_list_is_found_and_in_an_element_that_is_made_is_not() {
    let code = "let a = [\"One\", \"Two\"];\n// \"Three\"\nElement::new(\"Four\", \"Five\");\n#[cfg(test)]\nmod tests { \"Six\" }";
    let mut seen = HashMap::new();
    for (number, literal) in literals(code) {
        seen.insert(literal, number);
    }
    assert_eq!(seen, HashMap::from([("One", 1), ("Two", 1), ("Five", 3)]));
}
