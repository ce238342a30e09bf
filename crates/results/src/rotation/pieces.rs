//! Names of pieces.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Digits of a number at least, so that names in order of the alphabet are in order of time.
const DIGITS: usize = 6;

/// `results.000007.jtl` for `results.jtl`.
pub(super) fn piece(file: &Path, number: u64) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = match file.extension() {
        Some(end) => format!("{stem}.{number:0DIGITS$}.{}", end.to_string_lossy()),
        None => format!("{stem}.{number:0DIGITS$}"),
    };
    file.with_file_name(name)
}

/// The number of a piece by its name, if it is one of that file: whole or compressed.
pub(super) fn number_of(name: &str, file: &Path) -> Option<u64> {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let rest = name.strip_prefix(file.file_stem()?.to_str()?)?.strip_prefix('.')?;
    let digits = match file.extension() {
        Some(end) => rest.strip_suffix(end.to_str()?)?.strip_suffix('.')?,
        None => rest,
    };
    let is_number = digits.len() >= DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// The pieces next to a file with their numbers, oldest first. If one is there twice, since the
/// process was killed while it was compressed, the compressed one, which is whole.
pub(crate) fn old_pieces(file: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found = BTreeMap::<u64, PathBuf>::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        if let Some(number) = entry.file_name().to_str().and_then(|name| number_of(name, file)) {
            let path = entry.path();
            let is_compressed = path.extension().is_some_and(|end| end == "gz");
            if is_compressed || !found.contains_key(&number) {
                found.insert(number, path);
            }
        }
    }
    Ok(found.into_iter().collect())
}
