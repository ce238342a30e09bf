//! Thread groups: when users start, and how many times they iterate.

use std::sync::Arc;

/// When a thread group runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// `SetupThreadGroup`: before all others.
    SetUp,
    /// All other thread groups.
    Main,
    /// `PostThreadGroup`: after all others.
    TearDown,
}

/// The start of one user or one iteration. Times are nanoseconds on the clock of [`crate::Timing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Its number in the group, from 0, as in its thread name.
    pub user: u32,
    /// When it starts.
    pub start_ns: i64,
    /// When its schedule ends; `i64::MAX` if it does not.
    pub end_ns: i64,
}

/// When the users of a thread group start. All workers read the same schedule, each for its users:
/// the k-th start is on the worker k mod workers. So it must return the same starts to every
/// caller.
pub trait Schedule: Send + Sync {
    /// All starts in order of their times. It may be endless.
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_>;
    /// How many users there are, as far as is known.
    fn users(&self) -> u32;
    /// The latest end, if the schedule defines one; running samples are not counted.
    fn end_ns(&self) -> Option<i64>;
}

/// The meaning of a start, and what follows the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartMode {
    /// A user that loops as the `LoopController` in `ThreadGroup.main_controller` says, until its
    /// schedule ends.
    #[default]
    Users,
    /// A user for one iteration; those that run at the end of the schedule are aborted. A schedule
    /// without an end ends after its last start.
    OneShot,
    /// An iteration: of a user that has nothing to do, or of a new one as long as there are fewer
    /// users than that. When the schedule ends, users stop before their next sample.
    Iterations {
        /// The most users at a time; none: no limit.
        at_most: Option<u32>,
    },
}

/// A kind of thread group, for one element. It is made when the plan is prepared, and again on each
/// worker.
pub trait ThreadGroup: Send + Sync {
    /// The schedule of the group, which starts at `start_ns`. `property` evaluates a property of
    /// the element with the functions and variables of the plan; a missing one is empty.
    ///
    /// # Errors
    /// Why the group cannot start, for the user who wrote the plan.
    fn schedule(&self, property: &dyn Fn(&str) -> String, start_ns: i64)
    -> Result<Arc<dyn Schedule>, String>;
    /// What its starts are.
    fn mode(&self) -> StartMode {
        StartMode::Users
    }
    /// Cookies, cache and connections of a user stay over its iterations.
    fn same_user(&self) -> bool {
        true
    }
}
