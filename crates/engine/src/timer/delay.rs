//! The result of a timer.

use std::sync::Arc;

use super::barrier::Barrier;

/// Nanoseconds of a millisecond.
pub(crate) const MS: i64 = 1_000_000;

/// The result of a timer.
pub(crate) enum Delay {
    /// Wait so long from the end of the think time before.
    For(i64),
    /// Not before this time.
    At(i64),
    /// A slot of a fixed rate: at this time, or at once if it has passed; then the sample is late.
    Slot(i64),
    /// Do not go: the schedule ends before.
    Stop,
    /// Do not go; at this time all users of the group are to stop.
    StopGroup(i64),
    /// Wait for others first.
    Meet(Arc<Barrier>, Option<i64>),
}

impl From<swell_api::Delay> for Delay {
    fn from(delay: swell_api::Delay) -> Self {
        match delay {
            swell_api::Delay::For(delay_ns) => Self::For(delay_ns),
            swell_api::Delay::At(at_ns) => Self::At(at_ns),
            swell_api::Delay::Slot(at_ns) => Self::Slot(at_ns),
            swell_api::Delay::Stop => Self::Stop,
            swell_api::Delay::StopGroup(at_ns) => Self::StopGroup(at_ns),
        }
    }
}
