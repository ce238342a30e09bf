//! Threads for work that leaves an event loop: scripts, foreign elements, checks of large bodies.
//!
//! A [`Pool`] belongs to a run, not to the process. It grows while its threads are busy, up to a
//! limit; the queue also has a limit. The pool measures how long work waits and runs
//! ([`PoolFigures`]), so that a run can report too few threads. A [`Cancel`] token tells work that
//! its result is no longer needed.

mod cancel;
mod figures;
mod pending;
mod pool;
mod queue;

pub use cancel::{Cancel, CancelReason};
pub use figures::PoolFigures;
pub use pending::{Pending, WorkError};
pub use pool::{Pool, PoolOptions};
