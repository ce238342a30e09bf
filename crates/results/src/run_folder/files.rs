//! Creates, finds and removes the files of a run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::{EVENTS, FAILURES, FAILURES_PAGE, FINE, INTERVALS, METADATA, OUTCOME, PLAN, SUMMARY};
use crate::PRIVATE_FILE_MODE;

/// Locked during the run.
pub(super) const LOCK: &str = ".running";

/// A file that is not there yet, for the user alone.
pub(super) fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(PRIVATE_FILE_MODE).open(path)
}

/// Whether the program that records the run in this folder holds its lock.
pub(super) fn is_running(path: &Path) -> bool {
    let Ok(file) = File::open(path.join(LOCK)) else { return false };
    // The lock that this may take goes with the file, at once.
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Removes the files of a run, and the folder if nothing else is in it.
pub(super) fn remove_run(path: &Path) -> io::Result<()> {
    // The one that makes it a run goes first: what is left when this is interrupted is none.
    for name in [METADATA, OUTCOME, SUMMARY, EVENTS, FAILURES, FAILURES_PAGE, FINE, INTERVALS, PLAN, LOCK] {
        match fs::remove_file(path.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    // Reports and what else people keep there stays.
    let _ = fs::remove_dir(path);
    Ok(())
}
