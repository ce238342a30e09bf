//! Worlds with load: a client with an open loop, the site under test, and what goes wrong between
//! them.

mod check;
mod client;
mod http2;
mod options;
mod run;

pub use client::{Outcome, Sample};
pub use options::{Fault, LoadOptions};
pub use run::{LoadResult, run};
