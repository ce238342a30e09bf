//! Sums over users that only wait.

/// The sum for a group on a worker, without a list of users.
#[derive(Clone, Copy, Default)]
pub(super) struct Idle {
    pub(super) users: u32,
    /// The sum of when they started.
    pub(super) started_ns: i128,
    /// The sum of until when the time_accounting accounts for their time.
    pub(super) accounted_ns: i128,
}
