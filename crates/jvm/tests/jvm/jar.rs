//! The jars in the repository equal those built from the sources in `jvm/`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            files_below(&entry, found);
        } else {
            found.push(entry);
        }
    }
}

/// Compares the sources of a project with the list that was made with its jar.
fn expect_built(project: &Path, list: &Path, part: &str) {
    let mut files = vec![project.join("pom.xml")];
    files_below(&project.join("src"), &mut files);
    let mut lines: Vec<String> = Vec::new();
    for file in files {
        let digest = Sha256::digest(fs::read(&file).expect("a source"));
        let mut line = digest.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("strings take everything");
            hex
        });
        let name = file.strip_prefix(project).expect("below it").display().to_string();
        write!(line, "  {name}").expect("strings take everything");
        lines.push(line);
    }
    lines.sort();
    let built = fs::read_to_string(list).expect("a list");
    let mut of_jar: Vec<&str> = built.lines().collect();
    of_jar.sort_unstable();
    assert!(
        lines == of_jar,
        "{} does not match the sources of its jar: run jvm/build.sh {part}",
        list.display()
    );
}

#[test]
fn each_jar_was_built_after_the_last_change_of_its_sources() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let java = package.join("../../jvm");
    expect_built(&java, &package.join("src/bridge.sources"), "bridge");
    expect_built(&java.join("dsl"), &java.join("dsl/jmeter-java-dsl-swell.sources"), "dsl");
}
