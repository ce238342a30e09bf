//! Virtual users over time: thread groups, controllers, sample packages, timers, workers.
//!
//! The engine knows contracts ([`Sampler`], [`Listener`], [`Step`]), not protocols: what can be in a plan besides its
//! own controllers and timers comes in by a [`Registry`].

mod contract;

pub use contract::compile::{Compile, SamplerInput};
pub use contract::listener::{Listener, SampleEvent};
pub use contract::registry::{ListenerFactory, Registry, SamplerFactory, StepFactory};
pub use contract::sampler::{Sampler, SamplerFuture, Step, StepRun, UserState};
pub use contract::user::User;
