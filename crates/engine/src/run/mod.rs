//! Running a prepared plan on workers.

mod before;
mod commands;
mod control;
mod controller_context;
mod coordinator;
mod external;
mod gates;
mod group_run;
mod huge_pages;
mod idle;
mod idle_users;
mod interrupt;
mod lateness;
mod launcher;
mod launchers;
mod live;
mod load;
mod locks;
mod options;
mod parallel;
mod remote;
mod sample;
mod time_accounting;
mod user;
mod wait;
mod worker;

use std::sync::Arc;

use swell_api::Registry;

use crate::Prepared;
pub use control::{Control, ControlError};
pub use live::{GroupStatus, Status};
pub use options::{BeforeUsers, OnWorker, Outcome, RootListeners, RunOptions, Stopped, WorkerThread};
pub use time_accounting::TimeSpent;

/// Runs a plan to its end: set-up groups, main groups, tear-down groups. The calling thread coordinates; the workers
/// are threads of their own. `control` can stop it from elsewhere and says how it goes.
pub fn run(prepared: &Arc<Prepared>, registry: Registry, options: RunOptions, control: &Control) -> Outcome {
    coordinator::run(prepared, registry, options, control)
}
