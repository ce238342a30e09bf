//! The files that a plan may access if its owner does not own the machine: those of one folder, or
//! all.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The files that a plan may read and write. It belongs to a run; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Confinement(Option<Arc<FileConfinement>>);

#[derive(Debug)]
struct FileConfinement {
    /// The real path of the folder.
    folder: PathBuf,
    /// How the owner of the machine allows more.
    how: String,
    /// The first refusal.
    refused: OnceLock<String>,
}

/// A plan was about to touch a file that it may not.
#[derive(Debug)]
struct ConfinementError(String);

impl fmt::Display for ConfinementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfinementError {}

impl Confinement {
    /// The files of a folder, and of those in it. `how`: how the owner of the machine allows all
    /// others.
    ///
    /// # Errors
    /// The folder does not exist.
    pub fn within(folder: &Path, how: &str) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        let how = how.to_owned();
        Ok(Self(Some(Arc::new(FileConfinement { folder, how, refused: OnceLock::new() }))))
    }

    /// Whether a file may be touched, which need not be there. Links count as what they lead to.
    ///
    /// # Errors
    /// It may not; the text says which it is and who allows it.
    pub fn check(&self, path: &Path) -> io::Result<()> {
        let Some(confined) = &self.0 else { return Ok(()) };
        if real_path(path).is_some_and(|real| real.starts_with(&confined.folder)) {
            return Ok(());
        }
        let text = format!(
            "the plan may not use `{}`, which is outside the run's folder: {}",
            path.display(),
            confined.how
        );
        let _ = confined.refused.set(text.clone());
        Err(io::Error::new(ErrorKind::PermissionDenied, ConfinementError(text)))
    }

    /// The first refusal, if there was one: the plan cannot run here as it is meant.
    pub fn refused(&self) -> Option<&str> {
        self.0.as_ref()?.refused.get().map(String::as_str)
    }
}

/// Where a path leads, with the names of what is not there yet; `None` if that is unknown.
fn real_path(path: &Path) -> Option<PathBuf> {
    let mut there = std::path::absolute(path).ok()?;
    let mut missing = Vec::new();
    loop {
        match there.canonicalize() {
            Ok(real) => {
                return Some(
                    missing.into_iter().rev().fold(real, |path, name: std::ffi::OsString| path.join(name)),
                );
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                // What is written to a link that leads nowhere goes where it leads.
                if there.is_symlink() {
                    return None;
                }
                // None: `..` of a folder that is not there.
                missing.push(there.file_name()?.to_owned());
                there.pop();
            }
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_of_the_folder_may_be_touched_and_no_others_whatever_they_are_called() {
        let all = tempfile::tempdir().expect("a folder");
        let at = |name: &str| all.path().join(name);
        std::fs::create_dir_all(at("own/sub")).expect("made");
        std::fs::create_dir_all(at("own-not")).expect("made");
        for file in ["own/a", "own/sub/b", "other", "own-not/c"] {
            std::fs::write(at(file), "x").expect("written");
        }
        symlink(at("other"), at("own/out")).expect("a link");
        symlink(at("own/a"), at("in")).expect("a link");
        symlink(all.path(), at("own/up")).expect("a link");
        symlink(at("nowhere"), at("own/dangling")).expect("a link");
        let own = Confinement::within(&at("own"), "ask").expect("checked above");
        for name in
            ["own/a", "own/sub/b", "own/sub/../a", "own/none/new", "in", "own/up/own/a", "own", "own/a/x"]
        {
            assert!(own.check(&at(name)).is_ok(), "{name}");
        }
        assert_eq!(own.refused(), None);
        for name in [
            "other",
            "own/../other",
            "own-not/c",
            "own/out",
            "own/up/other",
            "own/up/new",
            "own/dangling",
            "own/none/../a",
            "",
        ] {
            let error = own.check(&at(name)).expect_err(name);
            assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        }
        let first = format!(
            "the plan may not use `{}`, which is outside the run's folder: ask",
            at("other").display()
        );
        assert_eq!(own.refused(), Some(&*first));
        assert!(own.check(Path::new("relative")).is_err(), "the working folder is another");
        assert!(Confinement::default().check(Path::new("/etc/passwd")).is_ok());
    }
}
