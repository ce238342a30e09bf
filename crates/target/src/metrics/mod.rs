//! The record of what happened: true times, by route.

mod distribution;
mod log;
mod record;
mod snapshot;

pub use log::LogEntry;
pub(crate) use log::to_csv;
pub(crate) use record::{CompletedRequest, Counters, WorkerMetrics, reset, snapshot};
pub use snapshot::{RouteStats, StatsSnapshot, Summary};
