//! Virtual users over time: thread groups, controllers, sample packages, timers, workers.
//!
//! The engine knows contracts ([`Sampler`], [`Listener`], [`Step`]), not protocols: what can be in a plan besides its
//! own controllers and timers comes in by a [`Registry`].

mod contract;
mod control;
mod csv;
mod debug;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod number;
mod prepare;
mod program;
mod run;
mod sampler;
mod schedule;
mod script;
mod timer;

pub use contract::compile::{Compile, SamplerInput};
pub use contract::listener::{Listener, SampleEvent};
pub use contract::merged::Merged;
pub use contract::registry::{ListenerFactory, Registry, SamplerFactory, StepFactory};
pub use contract::sampler::{Sampler, SamplerFuture, Step, StepRun, UserState};
pub use contract::user::User;
pub use control::LoopAction;
pub use prepare::{Phase, Prepared, Settings, Support, Surveyed, is_made, missing_files, prepare, survey};
pub use run::{
    BeforeUsers, Control, GroupStatus, Outcome, RootListeners, RunOptions, Status, Stopped, TimeSpent, run,
};
