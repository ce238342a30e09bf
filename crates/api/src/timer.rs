//! Timers.

use crate::{StepProgress, User};

/// What a timer can read in addition to its user. Times are nanoseconds on the clock of
/// [`crate::Timing`].
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Now.
    pub now_ns: i64,
    /// From when delays count: the end of what the user did before.
    pub from_ns: i64,
    /// By what control multiplies the load; a rate that several users share is multiplied by it.
    pub factor: f64,
    /// When control last resumed the test after a pause, `i64::MIN` without one: slots that were
    /// due before are left out.
    pub resumed_ns: i64,
    /// When the user's schedule ends; `i64::MAX` if it does not.
    pub end_ns: i64,
    /// When the test started.
    pub test_start_ns: i64,
    /// Users of all thread groups that run.
    pub active: u32,
    /// Users of this thread group that run.
    pub group_active: u32,
    /// Users that the thread group has in all, as far as is known.
    pub group_users: u32,
}

/// The result of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// Wait this many nanoseconds from [`Moment::from_ns`] on. What several timers of this kind ask
    /// for adds up.
    For(i64),
    /// Not before this time.
    At(i64),
    /// A slot of a fixed rate: at this time, or at once if it has passed; then the sample is late.
    Slot(i64),
    /// Take no sample: the user ends.
    Stop,
    /// Take no sample: at this time all users of the thread group stop.
    StopGroup(i64),
}

/// Decides when the samples in its scope start. There is one per element, thread group and worker,
/// shared by the worker's users. State of a user is in [`User::state`]; state that all workers
/// share is in `shared` of [`crate::CompileContext::expr`].
pub trait Timer {
    /// Whether it reads the coming request ([`User::request`]), as [`crate::Step::reads_request`].
    fn reads_request(&self) -> bool {
        false
    }
    /// The delay before a sample, asked once for each.
    fn delay<'a>(&'a self, user: &'a mut User, moment: Moment) -> StepProgress<'a, Delay>;
}
