//! The folder of a sweep.

use std::path::{Path, PathBuf};

use serde::Serialize;
use swell_results::write_whole;
use swell_study::sweep::{self, Capacities, Surface};

use crate::exit::Failure;
use crate::study::make_folder;

/// Where a sweep is kept.
pub(super) struct Folder {
    dir: PathBuf,
}

impl Folder {
    /// Makes the folder; one that has a sweep with this file is taken only by force.
    pub(super) fn begin(dir: &Path, file: &str, force: bool) -> Result<Self, Failure> {
        if !force && dir.join(file).exists() {
            return Err(Failure::settings(format!("`{}` has a sweep already", dir.display()))
                .hint("-f writes over it; -o takes another folder"));
        }
        make_folder(dir).map_err(|error| cannot(dir, &error))?;
        Ok(Self { dir: dir.to_owned() })
    }

    pub(super) fn page(&self) -> PathBuf {
        self.dir.join("index.html")
    }

    /// Rewrites all three files, each whole.
    pub(super) fn keep(&self, surface: &Surface) -> Result<(), Failure> {
        self.write([
            ("surface.csv", surface.csv()),
            ("surface.json", json(surface) + "\n"),
            ("index.html", sweep::html(surface)),
        ])
    }

    /// The same of searches.
    pub(super) fn keep_capacities(&self, all: &Capacities) -> Result<(), Failure> {
        self.write([
            ("capacity.csv", all.csv()),
            ("capacity.json", json(all) + "\n"),
            ("index.html", all.html()),
        ])
    }

    fn write(&self, files: [(&str, String); 3]) -> Result<(), Failure> {
        for (name, text) in files {
            let path = self.dir.join(name);
            write_whole(&path, text.as_bytes()).map_err(|error| cannot(&path, &error))?;
        }
        Ok(())
    }
}

fn cannot(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::lost(format!("cannot write `{}`: {error}", path.display()))
}

/// What was found, for machines.
pub(super) fn json(found: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(found).expect("numbers and texts are valid JSON");
    swell_report::json::harmless(&text)
}
