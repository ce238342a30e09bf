//! Folders that are removed with the process that made them. A killed process removes nothing, so
//! the next process that makes such a folder does it.
//!
//! A folder has a file that its process keeps locked; the kernel drops the lock however the process
//! ends. A folder gets its name only when that file is locked, so that a new folder is never taken
//! for an abandoned one.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The locked file.
const OWNER: &str = ".swell-owner";

/// A folder for this process, which only its user can enter. It is removed with this value.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _owner: File,
}

impl Scratch {
    /// `swell-KIND-NAME` in that folder. Those of the same kind whose processes are gone are
    /// removed.
    ///
    /// # Errors
    /// It cannot be made there, or there is one of that name.
    pub fn new(place: &Path, kind: &str, name: &str) -> io::Result<Self> {
        fs::create_dir_all(place)?;
        let place = place.canonicalize()?;
        remove_left(&place, kind);
        let made = place.join(format!("swell-new-{kind}-{name}"));
        DirBuilder::new().mode(0o700).create(&made)?;
        let path = place.join(format!("swell-{kind}-{name}"));
        let owned = own(&made).and_then(|owner| fs::rename(&made, &path).map(|()| owner));
        match owned {
            Ok(owner) => Ok(Self { path, _owner: owner }),
            Err(error) => {
                // The error says why it is of no use.
                let _ = fs::remove_dir_all(&made);
                Err(error)
            }
        }
    }

    /// Where it is, from the root.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is removed by the next process.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn own(folder: &Path) -> io::Result<File> {
    let owner = File::create(folder.join(OWNER))?;
    match owner.try_lock() {
        // Without file locks, an abandoned folder cannot be recognised, and it stays.
        Ok(()) | Err(fs::TryLockError::Error(_)) => Ok(owner),
        Err(fs::TryLockError::WouldBlock) => Err(io::Error::other(
            "another process took it at the \
            same moment",
        )),
    }
}

/// Removes folders of that kind whose processes are gone. One that cannot be read or removed stays.
fn remove_left(place: &Path, kind: &str) {
    let prefix = format!("swell-{kind}-");
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) && is_left(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left(folder: &Path) -> bool {
    let own_user = rustix::process::geteuid().as_raw();
    let is_ours = folder.symlink_metadata().is_ok_and(|about| about.is_dir() && about.uid() == own_user);
    // A folder without the file is of another kind.
    is_ours && File::open(folder.join(OWNER)).is_ok_and(|owner| owner.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_its_value_and_one_that_was_left_with_the_next() {
        let place = tempfile::tempdir().expect("a folder");
        let names = || {
            let entries = fs::read_dir(place.path()).expect("it is there").flatten();
            let mut names: Vec<_> =
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort_unstable();
            names
        };
        // The folder of a killed process: it has a file without a lock.
        let left = place.path().join("swell-nats-left");
        fs::create_dir_all(left.join("store")).expect("made");
        fs::write(left.join(OWNER), "").expect("written");
        let other = place.path().join("swell-nats-other");
        fs::create_dir(&other).expect("made");
        std::os::unix::fs::symlink(&other, place.path().join("swell-nats-link")).expect("linked");
        let one = Scratch::new(place.path(), "nats", "one").expect("a folder");
        assert_eq!(
            names(),
            ["swell-nats-link", "swell-nats-one", "swell-nats-other"],
            "the rest has no owner file"
        );
        let two = Scratch::new(place.path(), "nats", "two").expect("a folder");
        assert!(one.path().is_dir() && two.path().is_dir(), "this process holds both");
        assert!(Scratch::new(place.path(), "nats", "two").is_err(), "one name is one folder's");
        assert!(two.path().is_dir() && !names().iter().any(|name| name.contains("new")), "{:?}", names());
        drop(one);
        drop(two);
        assert_eq!(names(), ["swell-nats-link", "swell-nats-other"]);
    }
}
