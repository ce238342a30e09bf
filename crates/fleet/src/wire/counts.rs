//! What an agent counts, and how its shares go and end.

use serde::{Deserialize, Serialize};
use swell_stats::Load;

use super::ShareStatus;

/// What an agent counts and says, each once. postcard, in the stream of measurements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentMessage {
    /// The agent.
    pub agent: String,
    /// The share that this is of.
    pub share: String,
    /// Number of this message of the agent, from 0.
    pub seq: u64,
    /// What it says.
    pub body: Body,
}

/// Reads an [`AgentMessage`].
///
/// # Errors
/// The bytes are something else.
pub fn up(bytes: &[u8]) -> Result<AgentMessage, postcard::Error> {
    postcard::from_bytes(bytes)
}

/// What an [`AgentMessage`] says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Body {
    /// A slice was granted: so that a controller that comes later knows.
    Granted {
        /// The slice.
        slice: u32,
        /// Its epoch.
        epoch: u64,
    },
    /// What was counted in an interval, as an encoded [`swell_stats::Snapshot`]. Labels of many
    /// samples have two digits.
    Counts {
        /// When the interval began, in whole seconds since the epoch.
        at_s: i64,
        /// The snapshot, or a piece of it.
        snapshot: Vec<u8>,
    },
    /// The third digit of what earlier messages reported with two, as an encoded
    /// [`swell_stats::Snapshot`], or a piece of it. It has no samples.
    Fine {
        /// The snapshot.
        snapshot: Vec<u8>,
    },
    /// Progress of a share; all counts of seconds before `through_s` are reported.
    Goes {
        /// Seconds before this one are reported.
        through_s: i64,
        /// Samples reported until now, including transactions.
        samples: u64,
        /// Users and phases.
        status: ShareStatus,
        /// How busy the machine is.
        load: Load,
    },
    /// A failed sample with the steps before it, packed
    /// ([`swell_debug::KeptFailures::packed_from`]).
    Failure {
        /// Its events.
        packed: Vec<u8>,
    },
    /// A share has finished.
    End(Box<ShareEnd>),
}

/// The end of a share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ShareEnd {
    /// Samples counted, transactions among them.
    pub samples: u64,
    /// An encoded [`swell_engine::Outcome`]; none if the engine broke or was abandoned.
    pub outcome: Option<Vec<u8>>,
    /// An encoded [`swell_stats::verdict::Evidence`].
    pub evidence: Vec<u8>,
    /// A script that was not understood.
    pub refusal: Option<String>,
    /// Addresses that samples connected to.
    pub servers: Vec<std::net::SocketAddr>,
    /// What its event loops used; none if there were none.
    pub event_loops: Option<EventLoops>,
    /// Rows for results files.
    pub rows: Vec<Rows>,
    /// Rows that could not be kept.
    pub rows_lost: u64,
    /// It ended since the plan was about to use a file that the owner of the machine does not
    /// allow: which, and who can allow it.
    pub refused_file: Option<String>,
    /// It ended since the agent had to give it up, and others make the rest.
    pub given_up: Option<String>,
    /// When its first user was to start and did, on the controller's clock in nanoseconds: how well
    /// it began together with others.
    pub began: Option<(i64, i64)>,
}

/// The interface of the kernel that the event loops of a share used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLoops {
    /// [`swell_net::Io::word`].
    pub io: String,
    /// What the kernel answered where a ring was wanted and epoll served.
    pub refused: Option<String>,
}

/// Rows of a results file of an agent, all of which were sent as pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// The listener's element in the plan.
    pub listener: u32,
    /// Length of the file.
    pub bytes: u64,
}

/// A piece of a results file of an agent, while it is written. postcard, in the stream of rows; the
/// subject has the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowPiece {
    /// The share whose rows they are.
    pub share: String,
    /// The listener's element in the plan.
    pub listener: u32,
    /// Where in the file it begins.
    pub offset: u64,
    /// As in the file.
    pub bytes: Vec<u8>,
}

/// Reads a [`RowPiece`].
///
/// # Errors
/// The bytes are something else.
pub fn row_piece(bytes: &[u8]) -> Result<RowPiece, postcard::Error> {
    postcard::from_bytes(bytes)
}
