//! What controller and agents say to each other. `docs/reference/fleet.md` has the subjects.

mod counts;
mod manifest;
mod status;
mod words;

pub use counts::{Body, EventLoops, RowPiece, Rows, ShareEnd, Up, row_piece, up};
pub(crate) use manifest::refusal;
pub use manifest::{FileEntry, Manifest, Needs, SentShape};
pub(crate) use status::LAST_PHASE;
pub use status::{GroupCounts, ShareStatus, phase_number, phase_of, whole_status};
pub use words::{Claim, Down, Grant, Heartbeat, Hello, LeftOff, State};

/// Raised when anything here changes: both sides must have the same.
pub const PROTOCOL: u32 = 10;
