//! The jar in this crate equals the one built from the sources in `jvm/`.

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

#[test]
fn the_jar_was_built_after_the_last_change_of_its_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jvm");
    let mut files = vec![root.join("pom.xml")];
    files_below(&root.join("src"), &mut files);
    let mut lines: Vec<String> = Vec::new();
    for file in files {
        let digest = Sha256::digest(fs::read(&file).expect("a source"));
        let mut line = digest.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("strings take everything");
            hex
        });
        let name = file.strip_prefix(&root).expect("below it").display().to_string();
        write!(line, "  {name}").expect("strings take everything");
        lines.push(line);
    }
    lines.sort();
    let built =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bridge.sources")).expect("a list");
    let mut of_jar: Vec<&str> = built.lines().collect();
    of_jar.sort_unstable();
    assert!(
        lines == of_jar,
        "the sources in jvm/ are not those of crates/jvm/src/bridge.jar: run jvm/build.sh"
    );
}
