//! The Java side, which is part of this program.
//!
//! `jvm/build.sh` makes its jar from the sources in `jvm/`. The jar is in the repository and in the
//! program, so no Java compiler is needed to build or to run the program, since many machines have
//! only a JRE. A test compares the jar with its sources.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const JAR: &[u8] = include_bytes!("bridge.jar");

/// Puts the jar into a folder, under a name that tells its content, if it is not there yet. A
/// class-data archive can only hold classes of jars that lie in files.
///
/// # Errors
/// It cannot be written.
pub(crate) fn unpack(folder: &Path) -> io::Result<PathBuf> {
    let file = folder.join(format!("bridge-{:016x}.jar", digest(JAR)));
    if fs::read(&file).is_ok_and(|bytes| bytes == JAR) {
        return Ok(file);
    }
    fs::create_dir_all(folder)?;
    // Another process may do the same: each writes a separate file, and the last rename wins.
    let own = folder.join(format!("bridge-{}.part", std::process::id()));
    fs::write(&own, JAR)?;
    fs::rename(&own, &file)?;
    Ok(file)
}

/// FNV-1a; it names versions of one file and guards against nothing.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_copy_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = unpack(folder.path()).expect("written");
        fs::write(&file, "half").expect("a file");
        assert_eq!(unpack(folder.path()).expect("written"), file);
        assert_eq!(fs::read(file).expect("read"), JAR);
    }
}
