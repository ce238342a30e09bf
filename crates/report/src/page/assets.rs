//! Script and style of the page, as `make web` builds them from `web/`. They are in the repository,
//! so that a build needs no Node. The program has them compressed; they are inflated at first use.

use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;

/// A file as `build.rs` compressed it.
macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name))
    };
}
/// The script of the page.
pub static SCRIPT: LazyLock<String> = LazyLock::new(|| inflated(packed!("app.js")));
/// The style sheet of the page.
pub static STYLE: LazyLock<String> = LazyLock::new(|| inflated(packed!("app.css")));
/// The script of the pages of kept runs.
pub static RUNS_SCRIPT: LazyLock<String> = LazyLock::new(|| inflated(packed!("runs.js")));
/// The style sheet of the pages of kept runs, in addition to the one of the page.
pub static RUNS_STYLE: LazyLock<String> = LazyLock::new(|| inflated(packed!("runs.css")));
/// The script of the page of `swell debug`.
pub static TRACE_SCRIPT: LazyLock<String> = LazyLock::new(|| inflated(packed!("trace.js")));
/// The style sheet of the page of `swell debug`.
pub static TRACE_STYLE: LazyLock<String> = LazyLock::new(|| inflated(packed!("trace.css")));

fn inflated(packed: &[u8]) -> String {
    let mut text = String::new();
    DeflateDecoder::new(packed).read_to_string(&mut text).expect("the build compressed a text");
    text
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use sha2::{Digest, Sha256};

    use super::*;

    const OUTDATED: &str = "crates/report/page is not what web/ builds: run `make web` and commit both";

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

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
    fn the_page_was_built_after_the_last_change_of_its_sources() {
        let root = root();
        let named = ["web/build.mjs", "web/package-lock.json"];
        let names = ["app.css", "app.js", "runs.css", "runs.js", "trace.css", "trace.js"];
        let built = names.map(|name| format!("crates/report/page/{name}"));
        let mut files: Vec<PathBuf> = named.iter().map(|name| root.join(name)).collect();
        files.extend(built.iter().map(|name| root.join(name)));
        files_below(&root.join("web/src"), &mut files);
        let mut lines: Vec<String> = Vec::new();
        for file in files {
            let mut line = String::new();
            for byte in Sha256::digest(fs::read(&file).expect("a file")) {
                write!(line, "{byte:02x}").expect("a String takes it");
            }
            let name = file.strip_prefix(&root).expect("a file of the project").display();
            write!(line, "  {name}").expect("a String takes it");
            lines.push(line);
        }
        lines.sort_unstable();
        let mut of_build: Vec<&str> = include_str!("../../page/app.sources").lines().collect();
        of_build.sort_unstable();
        assert!(lines == of_build, "{OUTDATED}");
    }

    #[test]
    fn a_fresh_build_gives_the_same_page() {
        let web = root().join("web");
        if !web.join("node_modules/esbuild").is_dir() {
            println!("skipped: web/node_modules is not there (`make packages`)");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut call = Command::new("node");
        let ended = match call.arg("build.mjs").arg(folder.path()).current_dir(&web).output() {
            Ok(ended) => ended,
            Err(error) => {
                println!("skipped: Node cannot be started: {error}");
                return;
            }
        };
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let committed = [
            ("app.js", &SCRIPT),
            ("app.css", &STYLE),
            ("runs.js", &RUNS_SCRIPT),
            ("runs.css", &RUNS_STYLE),
            ("trace.js", &TRACE_SCRIPT),
            ("trace.css", &TRACE_STYLE),
        ];
        for (name, committed) in committed {
            assert!(fs::read_to_string(folder.path().join(name)).expect(name) == **committed, "{OUTDATED}");
        }
    }
}
