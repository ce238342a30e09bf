//! What was taken, changed and left out.

use crate::source::Place;

/// Status of a part of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// It is in the plan.
    Taken,
    /// It is in the plan, and works otherwise than in the source.
    Changed,
    /// It is not in the plan.
    LeftOut,
}

/// The status of one part of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What happened to it.
    pub kind: NoteKind,
    /// Where it is.
    pub place: Place,
    /// What it is, as `header Expect` or `GET /favicon.ico`.
    pub what: String,
    /// Why, or how it works now.
    pub reason: String,
    /// It was left out because an option or a rule for every import says so (static files, other
    /// hosts), so the plan lacks nothing that was asked for.
    pub is_wanted: bool,
}

/// All notes of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    all: Vec<Note>,
    /// Notes beyond [`Notes::LIMIT`], which are counted only.
    uncounted: usize,
    /// One of them was left out against the user's wish.
    lost: bool,
}

impl Notes {
    /// More are counted, not kept.
    pub const LIMIT: usize = 100_000;

    /// Adds a part that works otherwise than in the source.
    pub fn changed(&mut self, place: &Place, what: impl Into<String>, reason: impl Into<String>) {
        self.add(NoteKind::Changed, place, what.into(), reason.into(), false);
    }

    /// Adds a part that is missing in the plan.
    pub fn left_out(&mut self, place: &Place, what: impl Into<String>, reason: impl Into<String>) {
        self.lost = true;
        self.add(NoteKind::LeftOut, place, what.into(), reason.into(), false);
    }

    /// Adds a part that is missing as an option, or a rule for every import, says.
    pub fn dropped(&mut self, place: &Place, what: impl Into<String>, reason: impl Into<String>) {
        self.add(NoteKind::LeftOut, place, what.into(), reason.into(), true);
    }

    /// Adds a request that is in the plan; only the last step does so.
    pub(crate) fn taken(&mut self, place: &Place, what: impl Into<String>, reason: impl Into<String>) {
        self.add(NoteKind::Taken, place, what.into(), reason.into(), false);
    }

    fn add(&mut self, kind: NoteKind, place: &Place, what: String, reason: String, is_wanted: bool) {
        if self.all.len() >= Self::LIMIT {
            self.uncounted += 1;
            return;
        }
        self.all.push(Note { kind, place: place.clone(), what, reason, is_wanted });
    }

    /// All notes in order.
    pub fn all(&self) -> &[Note] {
        &self.all
    }

    /// Notes that were counted only.
    pub fn not_kept(&self) -> usize {
        self.uncounted
    }

    /// Something is missing in the plan against the user's wish.
    pub fn is_lossy(&self) -> bool {
        self.lost
    }
}
