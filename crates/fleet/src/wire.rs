//! What controller and agents say to each other. `docs/reference/fleet.md` has the subjects.

mod counts;
mod manifest;
mod messages;
mod status;

pub use counts::{AgentMessage, Body, EventLoops, RowPiece, Rows, ShareEnd, row_piece, up};
pub(crate) use manifest::refusal;
pub use manifest::{FileEntry, Manifest, Needs, SentShape};
pub use messages::{Claim, ControllerMessage, Grant, Heartbeat, Hello, SliceProgress, State};
pub(crate) use status::LAST_PHASE;
pub use status::{GroupCounts, ShareStatus, phase_number, phase_of, whole_status};

/// Raised when anything here changes: both sides must have the same.
pub const PROTOCOL: u32 = 12;
