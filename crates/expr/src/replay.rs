//! Evaluating on an event loop, where some answers come later.
//!
//! A text that calls such a function cannot be finished, and so cannot what it was evaluated for: a
//! step of a sample package, or the decision of a controller. That is given up, as after an
//! exception; the engine gets the answer ([`Context::asked`], [`Context::answer`]) and does the
//! same once more. Each function that had been called by then has its result recorded, and what is
//! done once more gets that instead of another call: a counter counts once, a variable is set once.
//! While the context is suspended, its variables keep their values.

use crate::context::{Context, Level, Thrown};
use crate::remote::{RemoteCall, RemoteFault, RemoteMode};

/// What tells a call, or a variable within a text, from the others of a plan.
pub(crate) type Key = u64;

/// What was evaluated since a step or decision began.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    entries: Vec<Entry>,
    /// What comes next, among the entries.
    at: usize,
    /// The call whose answer is waited for, and its entry.
    asked: Option<(usize, RemoteCall)>,
    /// Listeners of an iteration that were called before one of them was suspended.
    told: usize,
    /// A child of a controller that had nothing more, where what follows from that was suspended.
    empty: Option<u32>,
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

/// What is known of a call that is to be made.
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
}

impl Context {
    pub(crate) fn replay(&mut self) -> Option<&mut Replay> {
        match &mut self.remote {
            RemoteMode::Replays(replay) => Some(replay),
            RemoteMode::Never | RemoteMode::Waits => None,
        }
    }

    /// Gives up what evaluates, until there is an answer.
    pub(crate) fn suspend(&mut self) {
        self.vars.freeze(true);
        let message = "a function was called before its result was available".to_owned();
        self.thrown = Some(Box::new(Thrown { class: Thrown::SUSPENDED, message }));
    }

    /// Whether what was evaluated was given up, since a call has no answer yet.
    #[inline]
    pub fn is_suspended(&self) -> bool {
        matches!(&self.remote, RemoteMode::Replays(replay) if replay.is_suspended())
    }

    /// Whether what is evaluated may have to be done once more.
    #[inline]
    pub fn may_be_suspended(&self) -> bool {
        matches!(self.remote, RemoteMode::Replays(_))
    }

    /// The call whose answer is waited for.
    pub fn asked(&mut self) -> Option<RemoteCall> {
        self.replay()?.asked.as_ref().map(|(_, call)| call.clone())
    }

    /// The answer is on its way: what the call changes of the user can be changed.
    pub fn resume(&mut self) {
        self.vars.freeze(false);
        self.thrown = None;
    }

    /// The answer: what was given up can be done once more.
    pub fn answer(&mut self, answer: Result<String, RemoteFault>) {
        self.resume();
        let Some(replay) = self.replay() else { return };
        if let Some((place, _)) = replay.asked.take() {
            replay.entries[place].known = ReplayState::Answer(answer);
        }
        replay.at = 0;
    }

    /// A step or decision begins: nothing of what comes was evaluated before.
    #[inline]
    pub fn begin_evaluation(&mut self) {
        if let RemoteMode::Replays(_) = self.remote {
            self.begin_anew();
        }
    }

    fn begin_anew(&mut self) {
        if self.is_suspended() {
            self.resume();
            let user = &self.user.thread_name;
            let message = format!("{user}: a function was called where its result cannot be awaited");
            self.host.log(Level::Error, &message);
        }
        if let Some(replay) = self.replay() {
            *replay = Replay::default();
        }
    }

    /// The step acts on what was evaluated, such as by sending a request: it is not done once more.
    /// What it evaluates again has the value that it had, and a call that has no answer by now gets
    /// none.
    #[inline]
    pub fn act(&mut self) {
        if let RemoteMode::Replays(replay) = &mut self.remote
            && !replay.is_suspended()
        {
            replay.acts = true;
        }
    }

    /// How calls work in a second context, which has what was evaluated up to now.
    pub fn remote_beside(&self) -> RemoteMode {
        match &self.remote {
            RemoteMode::Replays(replay) => RemoteMode::Replays(replay.clone()),
            RemoteMode::Never | RemoteMode::Waits => RemoteMode::Never,
        }
    }

    /// Gives up what is suspended for good: its answer is needed for nothing.
    pub fn abandon(&mut self) {
        self.resume();
        if let Some(replay) = self.replay() {
            replay.asked = None;
        }
    }

    /// What was evaluated up to now in this step or decision.
    pub fn evaluated(&mut self) -> usize {
        self.replay().map_or(0, |replay| replay.at)
    }

    /// Later evaluations will not be repeated: a controller continues with it.
    pub fn settle(&mut self, since: usize) {
        if let Some(replay) = self.replay().filter(|replay| !replay.is_suspended()) {
            replay.entries.drain(since..replay.at);
            replay.at = since;
        }
    }

    /// The number of listeners of the suspended iteration that were called.
    pub fn take_told(&mut self) -> usize {
        self.replay().map_or(0, |replay| std::mem::take(&mut replay.told))
    }

    /// Whether this child had nothing more when the decision was suspended.
    pub fn take_empty(&mut self, child: u32) -> bool {
        self.replay().is_some_and(|replay| replay.empty.take_if(|empty| *empty == child).is_some())
    }

    /// What follows from a child that has nothing more is suspended.
    pub fn suspend_after(&mut self, child: u32) {
        if let Some(replay) = self.replay() {
            replay.empty = Some(child);
        }
    }

    /// The iteration is suspended in the listener with this place.
    pub fn suspend_in(&mut self, listener: usize) {
        if let Some(replay) = self.replay() {
            replay.told = listener;
        }
    }
}
