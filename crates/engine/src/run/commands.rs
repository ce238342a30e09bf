//! Messages between the coordinator and the workers.

use std::sync::{Arc, mpsc};

use swell_api::GroupSample;
use swell_plan::Diagnostic;

use crate::schedule::{Schedule, Slice, Takeover};

/// A message to a worker.
pub(crate) enum Command {
    /// Start your users of a thread group.
    Start(StartGroup),
    /// The stop mode of [`super::live::Live`] was raised: wake all users.
    Wake,
    /// Samples of a thread group that something else runs.
    Deliver(Delivery),
    /// As [`Event::Changed`]: those who wait are to look.
    Look,
    /// As [`Event::GroupOver`].
    GroupOver(usize),
    /// The run has finished.
    End,
}

/// Samples of a thread group run by another component. Their sender waits until this is dropped.
pub(crate) struct Delivery {
    /// Place in the plan.
    pub(crate) group: usize,
    /// Its name now.
    pub(crate) name: Arc<str>,
    pub(crate) samples: Vec<GroupSample>,
    /// These were the last.
    pub(crate) is_last: bool,
    /// Dropped with it.
    pub(crate) _done: mpsc::Sender<()>,
}

/// A thread group to start.
#[derive(Clone)]
pub(crate) struct StartGroup {
    /// Place in the plan.
    pub(crate) group: usize,
    /// Its name now.
    pub(crate) name: Arc<str>,
    pub(crate) schedule: Arc<dyn Schedule>,
    pub(crate) slice: Slice,
    /// How many of the users of the group this run has.
    pub(crate) share_users: u32,
    /// Users at a time at most that this run may have of a group whose iterations arrive.
    pub(crate) at_most: Option<u32>,
    /// The slice was begun elsewhere.
    pub(crate) taken_over: Option<Takeover>,
}

/// A message to the coordinator.
pub(crate) enum Event {
    /// A worker has compiled the plan; what was found on the way.
    Ready(Vec<Diagnostic>),
    /// A worker cannot start, and why.
    Failed(String),
    /// No worker has users of the group any more, or will get some: those that have none wait no
    /// longer for a change of the load.
    GroupOver(usize),
    /// A worker has no user of the group any more and will not get one.
    GroupDone(usize),
    /// A group that something else runs has ended, and why if that was not its proper end.
    ExternalEnded(usize, Result<(), String>),
    /// The stop mode was raised.
    Stop,
    /// The stop mode of a group was raised, or control has changed the load.
    Changed,
    /// A phase that was held may start.
    Released,
    /// A worker has ended, before its time if it was not told to.
    Exited,
}
