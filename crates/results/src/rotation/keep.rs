//! What is kept of the pieces of a results file.

use std::sync::Arc;

/// The pieces that are kept; beyond, the oldest are deleted. The file that is written to, and those that wait to be
/// compressed, do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// This many pieces.
    Pieces(u64),
    /// As many as have at most that many bytes on disk.
    Bytes(u64),
}

/// Told of pieces that cannot be compressed or deleted, on the thread that tried.
pub type OnTrouble = Arc<dyn Fn(&str) + Send + Sync>;
