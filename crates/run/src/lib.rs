//! A trial as a library: from a plan and settings to what was measured, and how well.
//!
//! Nothing here writes to a terminal, listens for signals, or ends the process; that is the caller's.

mod elements;
pub mod evidence;
pub mod give_up;
pub mod host;
mod neighbour;
pub mod resources;
mod tcp_counts;

pub use elements::registry;
