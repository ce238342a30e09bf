//! Files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder with this extension, sorted.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut waiting = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("readable").path();
            let is_left_out = path.ends_with("node_modules") || path.ends_with("bench/results");
            match (path.is_dir(), is_left_out) {
                (true, false) => waiting.push(path),
                (false, _) if has_extension(&path, extension) => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own == extension)
}
