//! JMeter's recorded output of each case, so that Swell can be checked without Java.

use std::path::{Path, PathBuf};

/// Returns the path of a case's recorded output.
pub fn path(folder: &Path, case: &str) -> PathBuf {
    folder.join(format!("{case}.txt"))
}

/// Returns the recorded output of a case; `None` if there is no file yet.
///
/// # Errors
/// The file cannot be read.
pub fn load(folder: &Path, case: &str) -> Result<Option<String>, String> {
    let file = path(folder, case);
    match std::fs::read_to_string(&file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", file.display())),
    }
}

/// Writes the output of a case.
///
/// # Errors
/// The file cannot be written.
pub fn store(folder: &Path, case: &str, text: &str) -> Result<(), String> {
    let file = path(folder, case);
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
}
