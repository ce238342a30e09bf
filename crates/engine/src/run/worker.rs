//! A worker is one thread with an event loop. Its users share one compiled plan, and counts.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::{RngCore, SeedableRng};
use swell_api::{Functions, Pool};
use swell_expr::{Charset, Context, Heavy, Names, RemoteMode, Slot, Value, Vars};
use swell_net::Sender;
use swell_trace::{RecentPool, UserTrace};

use super::before::{self, Start};
use super::commands::Event;
use super::handles::Handles;
use super::live::{Live, StopMode, WorkDone};
use super::locks::Locks;
use super::time_accounting::TimeAccounting;
use crate::prepare::Prepared;
use crate::program::Program;
use crate::schedule::Share;

/// The state that the users of a worker share.
pub(crate) struct Worker {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) program: Program,
    pub(super) names: Rc<Names>,
    pub(super) start: Start,
    pub(super) initial: OnceCell<Vars>,
    /// Variables whose changes listeners ask for.
    pub(super) watched: Arc<[String]>,
    pub(crate) live: Arc<Live>,
    pub(crate) locks: Arc<Locks>,
    /// Users who were waiting when the test stopped.
    pub(super) left_users: Cell<u32>,
    pub(crate) handles: Handles,
    pub(crate) compat: bool,
    /// Charset of bodies that name none, where it is another than UTF-8.
    pub(crate) fallback_charset: Option<Charset>,
    pub(crate) seed: Option<u64>,
    /// Seeds of users, where they need not be the same in each run.
    pub(crate) random: RefCell<SmallRng>,
    pub(crate) last_sample_ok: Slot,
    pub(crate) yes: Value,
    pub(crate) no: Value,
    pub(crate) samples: Cell<u64>,
    /// Those of them that something else made.
    pub(crate) external_samples: Cell<u64>,
    pub(crate) cut: Cell<u64>,
    /// How the users spent their time.
    pub(crate) time_accounting: TimeAccounting,
    /// How checks of large bodies are done.
    pub(crate) heavy: Rc<Heavy>,
    pub(crate) events: Sender<Event>,
    /// The part of the test that this run makes.
    pub(super) share: Arc<Share>,
    /// Functions that a provider answers, where the plan may call them.
    pub(super) remote: Option<Remote>,
    /// Where users record what they do for failures that are kept.
    pub(super) recent: Option<Arc<RecentPool>>,
}

/// The functions of a provider, for a plan that may call them.
pub(crate) struct Remote {
    pub(crate) functions: Arc<dyn Functions>,
    pub(crate) pool: Arc<Pool>,
}

impl Worker {
    /// Variables that a user starts with: known when all workers are ready, before any user.
    pub(crate) fn initial(&self) -> &Vars {
        self.initial.get_or_init(|| {
            let variables = self.start.get().unwrap_or(&self.prepared.initial);
            let mut vars = before::vars_of(&self.names, variables);
            vars.watch(self.watched.iter().map(String::as_str));
            vars
        })
    }

    pub(super) fn tell_work(&self, index: usize) {
        let samples = self.samples.get();
        let cut = self.cut.get();
        let spent = self.time_accounting.spent();
        let left_waiting = u64::from(self.left_users.get());
        let external_samples = self.external_samples.get();
        self.live.tell_work(index, WorkDone { samples, external_samples, cut, left_waiting, spent });
    }

    /// How calls of its users go.
    pub(super) fn remote_mode(&self) -> RemoteMode {
        if self.remote.is_some() { RemoteMode::replays() } else { RemoteMode::Never }
    }

    /// What collects what a user does, if the run is traced.
    pub(super) fn trace_of(&self, cx: &Context) -> Option<Box<UserTrace>> {
        let sink = self.prepared.settings.trace.clone()?;
        let mut trace = UserTrace::new(sink, &cx.user.thread_name, &cx.user.group_name);
        let variables = cx.vars.entries();
        trace.begin(variables.iter().map(|(name, value)| (&**name, &**value)));
        Some(Box::new(trace))
    }

    /// Random numbers of a user.
    pub(crate) fn random_of(&self, group: usize, user: u32) -> SmallRng {
        match self.seed {
            Some(seed) => SmallRng::seed_from_u64(seed ^ ((group as u64) << 40) ^ (u64::from(user) << 1)),
            None => SmallRng::seed_from_u64(self.random.borrow_mut().next_u64()),
        }
    }

    /// An element stops only the users of a thread group.
    pub(crate) fn stop_group(&self, place: usize) {
        self.live.groups[place].raise(StopMode::Graceful);
        let _ = self.events.send(Event::Changed);
    }

    /// A user or element wants the test to stop.
    pub(crate) fn raise(&self, mode: StopMode) {
        self.live.raise(mode);
        let _ = self.events.send(Event::Stop);
    }
}
