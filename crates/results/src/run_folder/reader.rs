//! Reads the folder of a run, including one that is still running or was killed.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use swell_stats::encoding::decode;
use swell_stats::{Run, Snapshot};

use super::events::{self, JournalEvent};
use super::files::{is_running, remove_run};
use crate::place::write_private;

use super::{
    EVENTS, FAILURES, FINE, INTERVALS, Intervals, METADATA, Metadata, OUTCOME, Outcome, PLAN, RecordEnd,
    SUMMARY,
};

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    metadata: Metadata,
}

/// Why a run cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// The folder holds no run.
    NoRun(PathBuf),
    /// A file of the run is of a version that this program does not know.
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        found: String,
        /// What this program reads.
        reads: &'static str,
    },
    /// A file of the run cannot be read.
    Io(PathBuf, io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRun(path) => {
                write!(f, "`{}` is not a run folder: it has no {METADATA}", path.display())
            }
            Self::OtherVersion { path, found, reads } => write!(
                f,
                "`{}` has format `{found}`, and this program reads `{reads}`: read it with the version of Swell that wrote it",
                path.display()
            ),
            Self::Io(path, error) => write!(f, "cannot read `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for ReadError {}

impl RunFolder {
    /// Opens a run.
    ///
    /// # Errors
    /// There is none, or its `run.json` cannot be read.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let metadata: Metadata = match read_json(&path.join(METADATA))? {
            Some(metadata) => metadata,
            None => return Err(ReadError::NoRun(path.to_owned())),
        };
        check_form(&path.join(METADATA), &metadata.schema, Metadata::SCHEMA)?;
        Ok(Self { path: path.to_owned(), metadata })
    }

    /// Whether there is a run in a folder.
    pub fn is_one(path: &Path) -> bool {
        path.join(METADATA).is_file()
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was run against what.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Whether it is running: the program that records it holds a lock.
    pub fn is_running(&self) -> bool {
        is_running(&self.path)
    }

    /// What happened in each interval.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn intervals(&self) -> Result<Intervals, ReadError> {
        let path = self.path.join(INTERVALS);
        Intervals::open(&path).map_err(|error| ReadError::Io(path, error))
    }

    /// Length of the file that [`Self::intervals`] reads.
    ///
    /// # Errors
    /// The file is not there or cannot be asked.
    pub fn interval_bytes(&self) -> io::Result<u64> {
        Ok(self.path.join(INTERVALS).metadata()?.len())
    }

    /// All intervals in one, as the run had it at its end, and how the file ended.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn run(&self) -> Result<(Run, RecordEnd), ReadError> {
        let mut run = Run::default();
        let mut intervals = self.intervals()?;
        for interval in intervals.by_ref() {
            run.add(interval.start_ms.div_euclid(1000), &interval.labels, interval.users);
        }
        if let Some(fine) = self.fine()? {
            // What contradicts stays at two digits; the verdict of the run tells it.
            let _ = run.refine(&fine);
        }
        let end = intervals.end().cloned().unwrap_or(RecordEnd::Whole);
        Ok((run, end))
    }

    /// What gives the figures of all intervals together their third digit ([`Snapshot::refine`]);
    /// none where they have it.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn fine(&self) -> Result<Option<Snapshot>, ReadError> {
        let path = self.path.join(FINE);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            bytes => bytes
                .and_then(|bytes| decode(&bytes).map(Some).map_err(io::Error::other))
                .map_err(|error| ReadError::Io(path, error)),
        }
    }

    /// The journal so far; a line that was cut is left out.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn events(&self) -> Result<Vec<JournalEvent>, ReadError> {
        let path = self.path.join(EVENTS);
        let text = fs::read(&path).map_err(|error| ReadError::Io(path, error))?;
        Ok(events::read(&text).0)
    }

    /// The first failures, as lines of JSON; none if none was kept.
    pub fn failures(&self) -> Option<String> {
        fs::read_to_string(self.path.join(FAILURES)).ok()
    }

    /// How it ended; none if it is running or was killed.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn outcome(&self) -> Result<Option<Outcome>, ReadError> {
        let path = self.path.join(OUTCOME);
        let outcome: Option<Outcome> = read_json(&path)?;
        if let Some(outcome) = &outcome {
            check_form(&path, &outcome.schema, Outcome::SCHEMA)?;
        }
        Ok(outcome)
    }

    /// The plan as it was; none for a run without one.
    pub fn plan(&self) -> Option<String> {
        fs::read_to_string(self.path.join(PLAN)).ok()
    }

    /// The figures as `--json` prints them; none if it is running or was killed.
    pub fn summary(&self) -> Option<String> {
        fs::read_to_string(self.path.join(SUMMARY)).ok()
    }

    /// Replaces the tags and the note in `run.json`. Fields that a later version added stay.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn annotate(&self, tags: &BTreeMap<String, String>, note: &str) -> io::Result<()> {
        let path = self.path.join(METADATA);
        let mut fields: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&fs::read(&path)?)?;
        for (name, value) in [("tags", serde_json::to_value(tags)?), ("note", note.into())] {
            let is_empty =
                value.as_str() == Some("") || value.as_object().is_some_and(serde_json::Map::is_empty);
            if is_empty {
                fields.remove(name);
            } else {
                fields.insert(name.to_owned(), value);
            }
        }
        let mut text = serde_json::to_string_pretty(&fields)?;
        text.push('\n');
        write_private(&path, text.as_bytes())
    }

    /// Removes the run; files that are not its own stay.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(self) -> io::Result<()> {
        remove_run(&self.path)
    }
}

fn check_form(path: &Path, found: &str, reads: &'static str) -> Result<(), ReadError> {
    if found == reads || found.is_empty() {
        return Ok(());
    }
    Err(ReadError::OtherVersion { path: path.to_owned(), found: found.to_owned(), reads })
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ReadError> {
    let failed = |error| ReadError::Io(path.to_owned(), error);
    let text = match fs::read(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        text => text.map_err(failed)?,
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| failed(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_replaced_and_fields_of_a_later_version_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(METADATA);
        fs::write(&path, r#"{"schema":"swell.run/1","name":"a","later":[1],"tags":{"old":"x"}}"#)
            .expect("written");
        let run = RunFolder::open(folder.path()).expect("a run");
        assert_eq!(run.metadata().tags, BTreeMap::from([("old".to_owned(), "x".to_owned())]));
        let tags = BTreeMap::from([("version".to_owned(), "1 <b>".to_owned())]);
        run.annotate(&tags, "a note").expect("written");
        let again = RunFolder::open(folder.path()).expect("a run");
        assert_eq!((&again.metadata().tags, again.metadata().note.as_str()), (&tags, "a note"));
        again.annotate(&BTreeMap::new(), "").expect("written");
        let text = fs::read_to_string(&path).expect("readable");
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read, serde_json::json!({"schema": "swell.run/1", "name": "a", "later": [1]}));
    }

    #[test]
    fn what_is_no_run_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = |path: &Path| RunFolder::open(path).expect_err("it is none").to_string();
        assert!(told(folder.path()).ends_with("is not a run folder: it has no run.json"));
        assert!(told(&folder.path().join("none")).contains("is not a run folder"));
        fs::write(folder.path().join(METADATA), "{\"schema\":").expect("written");
        assert!(told(folder.path()).contains("EOF while parsing"), "{}", told(folder.path()));
        fs::write(folder.path().join(METADATA), "{\"schema\":\"swell.run/9\"}").expect("written");
        assert!(
            told(folder.path()).contains("has format `swell.run/9`, and this program reads `swell.run/1`")
        );
    }
}
