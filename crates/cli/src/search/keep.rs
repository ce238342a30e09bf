//! The folder of a search.

use std::path::{Path, PathBuf};

use swell_results::write_whole;
use swell_study::search::{self, SearchReport};

use crate::exit::Failure;
use crate::study::make_folder;

/// Where a search is kept.
pub(super) struct Folder {
    dir: PathBuf,
}

impl Folder {
    /// Makes the folder; one that has a search is taken only by force.
    pub(super) fn begin(dir: &Path, force: bool) -> Result<Self, Failure> {
        if !force && dir.join("search.json").exists() {
            return Err(Failure::settings(format!("`{}` has a search already", dir.display()))
                .hint("-f writes over it; -o takes another folder"));
        }
        make_folder(dir).map_err(|error| cannot(dir, &error))?;
        Ok(Self { dir: dir.to_owned() })
    }

    pub(super) fn page(&self) -> PathBuf {
        self.dir.join("index.html")
    }

    /// Rewrites both files, each whole.
    pub(super) fn keep(&self, found: &SearchReport) -> Result<(), Failure> {
        for (name, text) in [("search.json", json(found) + "\n"), ("index.html", search::html(found))] {
            let path = self.dir.join(name);
            write_whole(&path, text.as_bytes()).map_err(|error| cannot(&path, &error))?;
        }
        Ok(())
    }
}

fn cannot(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::lost(format!("cannot write `{}`: {error}", path.display()))
}

/// The search for machines.
pub(super) fn json(found: &SearchReport) -> String {
    let text = serde_json::to_string_pretty(found).expect("numbers and texts are valid JSON");
    swell_report::json::harmless(&text)
}
