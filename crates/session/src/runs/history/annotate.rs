//! Tags, notes and baselines, which users change after a run.

use std::collections::BTreeMap;

use rusqlite::params;

use super::{History, told};
use crate::Problem;
use crate::runs::{Annotation, Entry};

/// Tags as the table has them.
pub(super) fn json_of(tags: &BTreeMap<String, String>) -> String {
    serde_json::to_string(tags).unwrap_or_default()
}

impl History {
    /// Replaces the tags and the note of a run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn set_annotation(&self, name: &str, annotation: &Annotation) -> Result<(), Problem> {
        let values = params![name, json_of(&annotation.tags), annotation.note];
        self.try_change("UPDATE runs SET tags = ?2, note = ?3 WHERE name = ?1", values)
    }

    /// Makes a run the baseline of its subject, instead of the one before.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set_baseline(&self, entry: &Entry) -> Result<(), Problem> {
        let insert = "INSERT INTO baselines (subject, run) SELECT subject, id FROM runs WHERE name = ?1
            ON CONFLICT (subject) DO UPDATE SET run = excluded.run";
        self.try_change(insert, params![entry.name])
    }

    /// The subject of a run has no baseline any more.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove_baseline(&self, entry: &Entry) -> Result<(), Problem> {
        self.try_change("DELETE FROM baselines WHERE subject = ?1", params![entry.subject])
    }

    /// The names of the baselines by their subjects.
    pub fn baselines(&self) -> BTreeMap<String, String> {
        let read = || {
            let query =
                "SELECT baselines.subject, runs.name FROM baselines JOIN runs ON runs.id = baselines.run";
            let mut statement = self.file.prepare(query)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            super::readable(rows)
        };
        let all = read().inspect_err(|error| {
            (self.say)(&format!("cannot read the baselines of the history of runs: {}", told(error)));
        });
        all.unwrap_or_default().into_iter().collect()
    }

    /// The baseline of a subject.
    pub fn baseline_of(&self, subject: &str) -> Option<Entry> {
        self.baselines().get(subject).and_then(|name| self.find_exactly(name))
    }

    fn try_change(&self, command: &str, values: impl rusqlite::Params) -> Result<(), Problem> {
        let changed = self.file.execute(command, values);
        changed
            .map(drop)
            .map_err(|error| Problem::output(format!("cannot write the history of runs: {}", told(&error))))
    }
}
