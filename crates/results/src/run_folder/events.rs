//! The journal of a run: events other than samples, one JSON object per line.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event at a time of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JournalEvent {
    /// When, milliseconds since the epoch.
    pub at_ms: i64,
    /// What kind of thing: `start`, `phase`, `load`, `property`, `pause`, `resume`, `stop`,
    /// `threshold`, `message`, `end`.
    pub kind: String,
    /// In a sentence, for people.
    pub text: String,
    /// Who asked for it: `plan`, `page`, `ctl`, `signal`, `udp`, `threshold`; empty if none did.
    pub source: String,
    /// Its figures, by names that end in their unit.
    pub details: Map<String, Value>,
}

impl JournalEvent {
    /// An event of now.
    pub fn now(kind: &str, text: impl Into<String>) -> Self {
        Self { at_ms: now_ms(), kind: kind.to_owned(), text: text.into(), ..Self::default() }
    }

    /// Who asked for it.
    #[must_use]
    pub fn by(mut self, source: &str) -> Self {
        source.clone_into(&mut self.source);
        self
    }

    /// With a figure or a name.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

fn now_ms() -> i64 {
    swell_net::now_ns().div_euclid(1_000_000)
}

/// The destination of a run's events. Clones write to the same journal, from any thread.
#[derive(Clone)]
pub struct Journal(Arc<Mutex<Writer>>);

struct Writer {
    file: Option<File>,
    failure: Option<io::Error>,
}

impl Journal {
    /// A journal that discards its events.
    pub fn nowhere() -> Self {
        Self(Arc::new(Mutex::new(Writer { file: None, failure: None })))
    }

    /// Makes the file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = super::files::new_file(path)?;
        Ok(Self(Arc::new(Mutex::new(Writer { file: Some(file), failure: None }))))
    }

    /// Appends an event. A journal that cannot be written any more takes nothing; the first failure
    /// is kept ([`Journal::take_failure`]).
    pub fn write(&self, event: &JournalEvent) {
        let mut line = serde_json::to_vec(event).expect("texts and numbers are valid JSON");
        line.push(b'\n');
        let mut writer = self.0.lock();
        if let Some(Err(error)) = writer.file.as_mut().map(|file| file.write_all(&line)) {
            writer.file = None;
            writer.failure = Some(error);
        }
    }

    /// Why nothing is written any more; told once.
    pub fn take_failure(&self) -> Option<io::Error> {
        self.0.lock().failure.take()
    }
}

/// The events of a journal; what is cut or damaged is left out and counted.
pub(crate) fn read(text: &[u8]) -> (Vec<JournalEvent>, usize) {
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut events = Vec::new();
    let mut damaged = 0;
    for line in lines {
        match serde_json::from_slice(line) {
            Ok(event) => events.push(event),
            Err(_) => damaged += 1,
        }
    }
    (events, damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back_and_a_line_that_was_cut_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("events");
        let journal = Journal::create(&path).expect("made");
        let load = JournalEvent::now("load", "users of `shop`: 100 → 300").by("ctl").with("users", 300);
        journal.write(&load);
        journal.clone().write(&JournalEvent::now("end", "a \n line"));
        let mut text = std::fs::read(&path).expect("readable");
        assert_eq!(text.split(|byte| *byte == b'\n').count(), 3);
        let (events, damaged) = read(&text);
        assert_eq!((events.len(), damaged, &events[0]), (2, 0, &load));
        assert!(events[0].at_ms > 1_500_000_000_000 && events[1].text == "a \n line");
        text.truncate(text.len() - 4);
        let (events, damaged) = read(&text);
        assert_eq!((events.len(), damaged), (1, 1));
    }

    #[test]
    fn a_journal_that_cannot_be_written_tells_so_once() {
        let journal = Journal(Arc::new(Mutex::new(Writer {
            file: std::fs::OpenOptions::new().write(true).open("/dev/full").ok(),
            failure: None,
        })));
        journal.write(&JournalEvent::now("start", ""));
        journal.write(&JournalEvent::now("end", ""));
        assert!(journal.take_failure().is_some() && journal.take_failure().is_none());
        Journal::nowhere().write(&JournalEvent::default());
    }
}
