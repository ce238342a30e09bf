//! Runs a prepared plan on workers.

mod before;
mod branch_context;
mod ceilings;
mod commands;
mod control;
mod control_error;
mod controller_context;
mod coordinator;
mod delay;
mod elsewhere;
mod examine;
mod external;
mod gates;
mod group_run;
mod handles;
mod huge_pages;
mod idle;
mod idle_sum;
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
mod ramp;
mod sample;
mod steps;
mod task;
mod time_accounting;
mod transactions;
mod user;
mod wait;
mod walker;
mod worker;
mod worker_thread;

use std::sync::Arc;

use swell_api::Registry;

use crate::prepare::Prepared;
pub use crate::schedule::{Share, Takeover};
pub use ceilings::Ceilings;
pub use control::Control;
pub use control_error::ControlError;
pub use elsewhere::{LoadChange, RunElsewhere};
pub use live::{GroupStatus, Status};
pub use options::{
    BeforeUsers, OnWorker, RootListeners, RunOptions, RunOutcome, SessionCounts, Stopped, WorkerThread,
};
pub use time_accounting::TimeSpent;

/// Runs a plan to its end: set-up groups, main groups, tear-down groups. The calling thread
/// coordinates; the workers are separate threads. `control` can stop it from elsewhere and reports
/// its progress.
pub fn run(
    prepared: &Arc<Prepared>,
    registry: Registry,
    options: RunOptions,
    control: &Control,
) -> RunOutcome {
    swell_net::wait_for(coordinator::run(prepared, registry, options, control))
}

/// As [`run`], but coordinates as a future, in a loop: for simulated worlds, where the workers are
/// processes of the world.
pub async fn run_in_loop(
    prepared: &Arc<Prepared>,
    registry: Registry,
    options: RunOptions,
    control: &Control,
) -> RunOutcome {
    coordinator::run(prepared, registry, options, control).await
}
