//! Crates that run in worlds ask for no real time, and for no randomness but that of a seed.

use std::fs;
use std::path::{Path, PathBuf};

/// Those that a world runs.
const CRATES: [&str; 6] = ["net", "connect", "http1", "http2", "websocket", "target"];
/// What a world cannot answer, or not from its seed.
const REFUSED: [&str; 6] =
    ["Instant::now", "SystemTime::now", "thread::sleep", "rand::rng(", "rand::random", "from_os_rng"];

/// The Rust files below a folder.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            all.push(path);
        }
    }
}

#[test]
fn crates_of_worlds_ask_for_no_real_time() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut all = Vec::new();
    for name in CRATES {
        files(&crates.join(name).join("src"), &mut all);
    }
    assert!(all.len() > 80, "{} files", all.len());
    for path in all {
        let text = fs::read_to_string(&path).expect("a source");
        // Unit tests are at the end of a file.
        let program = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(&text);
        for refused in REFUSED {
            assert!(
                !program.contains(refused),
                "{}: {refused}: use swell_net::now_ns, sleep_until, or a seed that is handed in",
                path.display()
            );
        }
    }
}
