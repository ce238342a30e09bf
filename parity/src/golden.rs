//! What JMeter made of each case, kept as a file, so that Swell can be judged where there is no Java.

use std::path::{Path, PathBuf};

/// Where the text of a case is kept.
pub fn path(folder: &Path, case: &str) -> PathBuf {
    folder.join(format!("{case}.txt"))
}

/// The text of a case; none if there is no file yet.
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

/// Keeps the text of a case.
///
/// # Errors
/// The file cannot be written.
pub fn store(folder: &Path, case: &str, text: &str) -> Result<(), String> {
    let file = path(folder, case);
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
}
