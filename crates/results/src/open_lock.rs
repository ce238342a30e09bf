//! Prevents two runs from removing each other's rows, by a lock on the open results file, which
//! ends with its process.

use std::fs::{File, TryLockError};
use std::io;

/// Who else may open a results file for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Others that append, too.
    WithOthers,
    /// No others.
    Alone,
}

/// Holds a file until it is closed. What is no file, as a pipe, is not held.
///
/// # Errors
/// Another run holds it.
pub(crate) fn hold(file: &File, sharing: Sharing) -> io::Result<()> {
    if !file.metadata()?.is_file() {
        return Ok(());
    }
    let held = match sharing {
        Sharing::WithOthers => file.try_lock_shared(),
        Sharing::Alone => file.try_lock(),
    };
    match held {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::new(io::ErrorKind::ResourceBusy, "another run is writing to it"))
        }
        // Some network file systems have no locks. Then all is as if there were none.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(()),
    }
}
