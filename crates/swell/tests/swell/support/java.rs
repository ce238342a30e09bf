//! Java, JMeter and what is compiled against it.

use std::path::{Path, PathBuf};
use std::process::Command;

use swell_jvm::{ClassPath, JMeterHome, Java};

/// JMeter's folder; none, with the reason printed, where Java or JMeter is missing.
pub(crate) fn jmeter() -> Option<PathBuf> {
    let found = Java::find(None).map_err(|error| error.to_string());
    let home = JMeterHome::find(None).map_err(|error| error.to_string());
    match found.and(home) {
        Ok(home) => Some(home.folder().to_owned()),
        Err(missing) => {
            println!("skipped: {missing}");
            None
        }
    }
}

/// The jar of a plug-in from the sources in `tests/plugin`; none, with the reason printed, where it
/// cannot be made.
pub(crate) fn plugin_jar(folder: &Path) -> Option<PathBuf> {
    jmeter()?;
    let home = JMeterHome::find(None).expect("it was found before");
    let path = ClassPath::of(&home);
    let path = std::env::join_paths(path.entries()).expect("no `:` in them");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugin/org/nowhere/odd");
    let files = [sources.clone(), sources.join("functions")].into_iter().flat_map(|folder| {
        let entries = std::fs::read_dir(folder).expect("the sources are there");
        entries.map(|entry| entry.expect("a file").path()).filter(|file| file.extension().is_some())
    });
    let classes = folder.join("classes");
    let jar = folder.join("odd.jar");
    let mut javac = Command::new("javac");
    javac.arg("-cp").arg(path).arg("-d").arg(&classes).args(files);
    run(javac)?;
    let mut packs = Command::new("jar");
    packs.arg("cf").arg(&jar).arg("-C").arg(&classes).arg(".");
    run(packs)?;
    Some(jar)
}

fn run(mut command: Command) -> Option<()> {
    match command.output() {
        Ok(ran) => {
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
            Some(())
        }
        Err(error) => {
            println!("skipped: {} cannot be started: {error}", command.get_program().to_string_lossy());
            None
        }
    }
}
