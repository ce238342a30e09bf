//! One test on many machines, over NATS JetStream: a controller cuts the load of a plan into
//! slices, agents make them, and what they count is merged exactly.
//!
//! [`Controller`] takes a prepared trial and runs it on agents; [`agent::serve`] is an agent. The
//! rules are pure ([`coordinator`], [`ledger`], [`lease`], [`offset`]); everything of async-nats
//! and tokio is in `bus`, on a separate thread. `docs/reference/fleet.md` has the subjects and the
//! wire format.

pub mod agent;
pub mod broker;
mod bus;
pub mod claims;
mod controller;
pub mod coordinator;
mod creds;
mod files;
pub mod join;
pub mod lease;
pub mod ledger;
mod manifests;
pub mod offset;
pub mod outbox;
mod pieces;
pub mod reporting;
mod run_id;
mod scratch;
mod spool;
pub mod wire;

pub use controller::{Controller, ControllerOptions, OnLoss, TakeOver, try_broker};
pub use creds::Creds;
pub use files::{SentFile, files_of_trial, parts_of_trial};
pub use join::Join;
pub use manifests::{Platform, manifest};
pub use run_id::run_id;
pub use scratch::Scratch;
pub use spool::ReceivedRanges;

/// Why a test cannot run on many machines; the text says what to do.
#[derive(Debug)]
pub struct FleetError {
    /// What is wrong.
    pub message: String,
    /// What helps.
    pub hint: Option<String>,
}

impl FleetError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for FleetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\n  hint: {hint}"))
    }
}

impl std::error::Error for FleetError {}
