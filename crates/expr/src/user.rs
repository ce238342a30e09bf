//! The current user, and the numbers of users.

use std::rc::Rc;

/// The current user.
#[derive(Clone, Debug)]
pub struct UserIdentity {
    /// JMeter's thread name: `<group> <groupNo>-<threadNo>`.
    pub thread_name: Rc<str>,
    /// Name of the thread group.
    pub group_name: Rc<str>,
    /// Number in the group, from 0 (`__threadNum` shows it plus 1).
    pub thread_index: u32,
    /// Number of the thread group among the elements of the plan; 0 outside of groups.
    pub group_number: u32,
    /// How many users the thread group has, as far as its schedule says; 0 outside of groups.
    pub group_users: u32,
}

/// The number of running users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunningUsers {
    /// Running users of the user's thread group.
    pub group: u32,
    /// Running users of all thread groups.
    pub all: u32,
}

/// Users of the thread groups of a phase that have started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseUsers {
    /// How many their schedules have.
    pub planned: u32,
    /// How many have begun.
    pub started: u32,
}

/// Counts the running users. Few plans need it, so it is computed on demand.
pub trait UserCounts {
    /// How many run now.
    fn running_users(&self) -> RunningUsers;
    /// Those of the phase of the user's thread group.
    fn phase_users(&self) -> PhaseUsers;
}
