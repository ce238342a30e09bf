//! Lagging writers that a user waits for before it continues. Only the user waits, never its
//! worker.

use std::future::Future;
use std::io;
use std::pin::Pin;

use crate::level::Level;

/// A future that ends when the writer has caught up.
pub type Backlog = Pin<Box<dyn Future<Output = ()>>>;

/// Makes the log entry for a file that cannot be written, from its name and the error.
pub type WriteFailed = fn(&str, &io::Error) -> (Level, String);
