//! Evaluations that may have to wait for results ([`crate::replay`]).

use crate::context::Context;
use crate::level::Level;
use crate::remote_answer::{RemoteCall, RemoteFault};
use crate::replay::{RemoteMode, Replay};
use crate::thrown::Thrown;

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
        self.replay()?.asked().cloned()
    }

    /// The answer is on its way: what the call changes of the user can be changed.
    pub fn resume(&mut self) {
        self.vars.freeze(false);
        self.thrown = None;
    }

    /// The answer: what was given up can be done once more.
    pub fn answer(&mut self, answer: Result<String, RemoteFault>) {
        self.resume();
        if let Some(replay) = self.replay() {
            replay.answer(answer);
        }
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
        if let RemoteMode::Replays(replay) = &mut self.remote {
            replay.act();
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
            replay.abandon();
        }
    }

    /// What was evaluated up to now in this step or decision.
    pub fn evaluated(&mut self) -> usize {
        self.replay().map_or(0, |replay| replay.evaluated())
    }

    /// Later evaluations will not be repeated: a controller continues with it.
    pub fn settle(&mut self, since: usize) {
        if let Some(replay) = self.replay() {
            replay.settle(since);
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
