//! The contracts between the engine and what it runs.

pub(crate) mod compile;
pub(crate) mod listener;
pub(crate) mod merged;
pub(crate) mod registry;
pub(crate) mod sampler;
pub(crate) mod user;
