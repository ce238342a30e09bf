//! What a user waits for before it continues: writers that lag. The user waits, never its worker.

use std::future::Future;
use std::io;
use std::pin::Pin;

use crate::level::Level;

/// Done when the writer has caught up.
pub type Backlog = Pin<Box<dyn Future<Output = ()>>>;

/// How a file that cannot be written is logged, from its name and the reason.
pub type WriteFailed = fn(&str, &io::Error) -> (Level, String);
