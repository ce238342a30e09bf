//! Evaluation on an event loop when some results come later.
//!
//! A text with such a call cannot be finished, nor can the step of a sample package or the
//! controller's decision that needs the text. The step is abandoned, as after an exception. The
//! engine gets the result ([`crate::Context::asked`], [`crate::Context::answer`]) and repeats the
//! step. Results of functions called before are recorded, and the repetition uses them instead of
//! calling again: so a counter counts once, and a variable is set once. While the context is
//! suspended, its variables keep their values.

use crate::remote_answer::{RemoteCall, RemoteFault};
use crate::thrown::Thrown;

/// Identifies a call, or a variable in a text, within a plan.
pub(crate) type Key = u64;

/// Results of evaluations since a step or decision began.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    entries: Vec<Entry>,
    /// What comes next, among the entries.
    at: usize,
    /// The call whose answer is waited for, and its entry.
    asked: Option<(usize, RemoteCall)>,
    /// Listeners of an iteration that were called before one of them was suspended.
    pub(crate) told: usize,
    /// A child of a controller that had nothing more, where what follows from that was suspended.
    pub(crate) empty: Option<u32>,
    /// The step cannot be done once more from now on, since it acts on what was evaluated.
    acts: bool,
}

#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    known: ReplayState,
    /// After the entries of its arguments.
    end: usize,
}

#[derive(Clone, Debug)]
enum ReplayState {
    /// It was not finished.
    Nothing,
    Text(String, Option<Box<Thrown>>),
    Answer(Result<String, RemoteFault>),
}

/// The recorded state of a call.
pub(crate) enum ReplayEntry {
    /// Its text, and what it threw.
    Known(String, Option<Box<Thrown>>),
    /// It has to be made; its result goes to this place.
    New(usize),
    /// It has to be made, and its result is kept nowhere.
    Unrecorded,
}

impl Replay {
    /// The entry of a call: the next that is known by its key. Some may be left over that are not
    /// asked for again, since a controller continued with their values.
    fn find(&self, key: Key) -> Option<usize> {
        if self.acts {
            return self.entries.iter().position(|entry| entry.key == key);
        }
        self.entries.get(self.at..)?.iter().position(|entry| entry.key == key).map(|found| self.at + found)
    }

    pub(crate) fn enter(&mut self, key: Key) -> ReplayEntry {
        let Some(place) = self.find(key) else {
            return if self.acts { ReplayEntry::Unrecorded } else { ReplayEntry::New(self.add(key)) };
        };
        let entry = &self.entries[place];
        if let ReplayState::Text(text, thrown) = &entry.known {
            self.at = entry.end;
            return ReplayEntry::Known(text.clone(), thrown.clone());
        }
        if self.acts {
            return ReplayEntry::Unrecorded;
        }
        self.at = place + 1;
        ReplayEntry::New(place)
    }

    fn add(&mut self, key: Key) -> usize {
        let place = self.entries.len();
        self.entries.push(Entry { key, known: ReplayState::Nothing, end: place + 1 });
        self.at = place + 1;
        place
    }

    pub(crate) fn done(&mut self, place: usize, text: &str, thrown: Option<&Thrown>) {
        if self.asked.is_some() {
            return;
        }
        let known = ReplayState::Text(text.to_owned(), thrown.cloned().map(Box::new));
        let key = self.entries[place].key;
        let end = self.at;
        self.entries[place] = Entry { key, known, end };
    }

    /// The answer to a call, if it is there.
    pub(crate) fn answer_of(&mut self, key: Key) -> Option<Result<String, RemoteFault>> {
        let place = self.find(key)?;
        let ReplayState::Answer(answer) = &self.entries[place].known else { return None };
        self.at = place + 1;
        Some(answer.clone())
    }

    /// Asks for the answer to a call.
    pub(crate) fn ask(&mut self, key: Key, call: RemoteCall) {
        let place = self.add(key);
        self.asked = Some((place, call));
    }

    pub(crate) fn is_suspended(&self) -> bool {
        self.asked.is_some()
    }

    pub(crate) fn acts(&self) -> bool {
        self.acts
    }

    /// From now on the step is not done once more, unless it is suspended.
    #[inline]
    pub(crate) fn act(&mut self) {
        if !self.is_suspended() {
            self.acts = true;
        }
    }

    /// The call whose answer is waited for.
    pub(crate) fn asked(&self) -> Option<&RemoteCall> {
        self.asked.as_ref().map(|(_, call)| call)
    }

    /// The answer is there: evaluation begins once more.
    pub(crate) fn answer(&mut self, answer: Result<String, RemoteFault>) {
        if let Some((place, _)) = self.asked.take() {
            self.entries[place].known = ReplayState::Answer(answer);
        }
        self.at = 0;
    }

    /// The answer is needed for nothing.
    pub(crate) fn abandon(&mut self) {
        self.asked = None;
    }

    /// How much was evaluated up to now.
    pub(crate) fn evaluated(&self) -> usize {
        self.at
    }

    /// What was evaluated since then will not be evaluated once more.
    pub(crate) fn settle(&mut self, since: usize) {
        if !self.is_suspended() {
            self.entries.drain(since..self.at);
            self.at = since;
        }
    }
}

/// The state of a context's calls that are evaluated elsewhere.
#[derive(Default)]
pub enum RemoteMode {
    /// They fail.
    #[default]
    Never,
    /// Its thread waits for each of them.
    Waits,
    /// What evaluates is given up, and done once more when the answer is there.
    Replays(Box<Replay>),
}

impl RemoteMode {
    /// For a user on an event loop.
    pub fn replays() -> Self {
        Self::Replays(Box::default())
    }
}
