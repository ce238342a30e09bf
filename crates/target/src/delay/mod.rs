//! How long an answer takes: durations, draws from distributions, and queues. Pure but for the
//! state of draws and queues.

mod admission;
mod distribution;
mod draws;
mod duration;
mod pool;

pub(crate) use admission::{AdmissionAsk, Admissions};
pub(crate) use distribution::{Distribution, random};
pub(crate) use draws::Draws;
pub(crate) use duration::parse_duration;
pub(crate) use pool::{PoolAsk, Pools, QueueFull};

/// What an answer waits for, counted from the arrival of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    None,
    For(i64),
    /// A turn in a pool's queue, and the service itself.
    Pool(Box<PoolAsk>),
    /// Nothing, if an admission control admits the request.
    Admission(Box<AdmissionAsk>),
}
