//! The end of a trial whose load was made by other processes.

use std::net::SocketAddr;
use std::sync::Arc;

use swell_engine::RunOutcome;
use swell_net::IoInterface;
use swell_results::WriteFailure;
use swell_stats::Snapshot;
use swell_stats::verdict::{Evidence, LostLoad};

/// What a machine reports about itself at the end.
#[derive(Clone, Debug)]
pub struct MachineReport {
    /// The name of the machine.
    pub name: Arc<str>,
    /// What its verdict is made of.
    pub evidence: Evidence,
    /// The script that was not understood and ended the test.
    pub refusal: Option<String>,
}

/// Machines that were lost or stopped during a trial.
#[derive(Clone, Debug)]
pub struct LostMachines {
    /// Their names, in one text.
    pub names: Arc<str>,
    /// The load that is missing.
    pub load: LostLoad,
}

/// The end of a trial whose load was made elsewhere.
#[derive(Clone, Debug, Default)]
pub struct EndElsewhere {
    /// What all machines made.
    pub outcome: RunOutcome,
    /// Each machine that told.
    pub machines: Vec<MachineReport>,
    /// Addresses that samples connected to.
    pub servers: Vec<SocketAddr>,
    /// The interface of the kernel that event loops used; refusals have the name of their machine.
    pub io: Option<IoInterface>,
    /// Results files that lack rows.
    pub write_failures: Vec<WriteFailure>,
    /// Load that no machine made, with the machines that should have; none if there was none.
    pub lost: Option<LostMachines>,
    /// Why the figures do not hold, if they do not.
    pub invalid: Option<String>,
    /// The third digit of values that were counted with two ([`swell_stats::Snapshot::refine`]).
    pub fine: Option<Arc<Snapshot>>,
}
