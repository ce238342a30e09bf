//! Retention of a results file's pieces.

use std::sync::Arc;

/// The number or size of the pieces to keep; beyond it, the oldest are deleted. The file being
/// written and pieces that wait to be compressed do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// This many pieces.
    Pieces(u64),
    /// As many as have at most that many bytes on disk.
    Bytes(u64),
}

/// Called if a piece cannot be compressed or deleted, on the thread that tried.
pub type OnTrouble = Arc<dyn Fn(&str) + Send + Sync>;
