//! The folder of a study: a page, and what was found as JSON and CSV.

use std::path::{Path, PathBuf};

use serde::Serialize;
use swell_report::json::indented;
use swell_results::write_whole;

use crate::exit::Failure;
use crate::print::{print_stderr, print_stdout};

/// Where a study is kept.
pub(crate) struct StudyFolder {
    dir: PathBuf,
}

impl StudyFolder {
    /// Makes the folder. One that has this file has a `study` already, and is taken only by force.
    ///
    /// # Errors
    /// It has a study, or files cannot be made in it: hours later would be too late.
    pub(crate) fn begin(dir: &Path, file: &str, study: &str, force: bool) -> Result<Self, Failure> {
        if !force && dir.join(file).exists() {
            return Err(Failure::settings(format!("`{}` has a {study} already", dir.display()))
                .hint("-f writes over it; -o takes another folder"));
        }
        let dir = make(dir).map_err(|error| cannot(dir, &error))?;
        Ok(Self { dir })
    }

    /// A file or folder in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Rewrites these files, each whole.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub(crate) fn write<const N: usize>(&self, files: [(&str, String); N]) -> Result<(), Failure> {
        for (name, text) in files {
            let path = self.path(name);
            write_whole(&path, text.as_bytes()).map_err(|error| cannot(&path, &error))?;
        }
        Ok(())
    }
}

fn make(dir: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(dir)?;
    let tried = dir.join(format!(".swell-{}", std::process::id()));
    std::fs::write(&tried, "\n")?;
    std::fs::remove_file(tried)?;
    std::path::absolute(dir)
}

fn cannot(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::lost(format!("cannot write `{}`: {error}", path.display()))
}

/// Says where the page is, and prints what was found: as JSON, or as text for people.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn show(
    folder: Option<&StudyFolder>,
    found: &impl Serialize,
    as_json: bool,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if let Some(folder) = folder {
        print_stderr(&format!("The page is {}", folder.path("index.html").display()));
    }
    print_stdout(&if as_json { indented(found) } else { text() })
}
