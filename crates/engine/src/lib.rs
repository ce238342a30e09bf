//! Virtual users over time: thread groups, controllers, sample packages, timers, workers.
//!
//! The engine knows contracts ([`swell_api`]), not protocols: elements other than its controllers
//! and timers come from a [`swell_api::Registry`].

mod compile_context;
mod control;
mod csv;
mod debug;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod group_load;
mod internals;
mod kinds;
mod number;
mod preparation;
mod prepare;
mod program;
mod run;
mod sampler;
mod schedule;
mod script;
mod timer;
mod trace;

pub use kinds::{ScriptsNatively, is_transaction, kinds, kinds_beside_jvm, phase_of};
pub use preparation::prepare;
pub use prepare::{
    DebugLoad, ElementSupport, LoadShape, PlanEdit, PlannedSampler, Prepared, Settings, ShapeOf, Support,
    debug_plan, last_for, missing_files, planned_samplers, shape_of, survey,
};
pub use run::{
    BeforeUsers, Ceilings, Control, ControlError, GroupStatus, LoadChange, OnWorker, RootListeners,
    RunElsewhere, RunOptions, RunOutcome, SessionCounts, Share, Status, Stopped, Takeover, TimeSpent,
    WorkerThread, run, run_in_loop,
};
pub use swell_api::{Phase, PoolFigures};
pub use trace::{element_ref, extract};
