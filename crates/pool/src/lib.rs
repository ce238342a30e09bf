//! Threads for work that leaves an event loop: scripts, foreign elements, checks of large bodies.
//!
//! A [`Pool`] is a value of a run, not of the process. It grows while its threads are busy, up to a
//! limit; the queue has a limit too. How long work waits and runs is measured ([`PoolFigures`]), so
//! that a run can report too few threads. Work learns that nothing waits for it any more by its
//! [`Cancel`] token.

mod cancel;
mod figures;
mod pending;
mod pool;
mod queue;

pub use cancel::{Cancel, CancelReason};
pub use figures::PoolFigures;
pub use pending::{Pending, WorkError};
pub use pool::{Pool, PoolOptions};
