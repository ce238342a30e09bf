//! Locations of a run's files: checks whether they can be written, without changing them; and small
//! files that are written completely or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// The mode of new files before the process's umask takes bits off: results, reports, logs, and
/// what a plan writes, as in JMeter. The option `--file-mode` of the command sets the umask.
pub const NEW_FILE_MODE: u32 = 0o666;

/// The mode of new files that may hold secrets: those of kept runs, with the plan and the
/// properties as they are.
pub const PRIVATE_FILE_MODE: u32 = 0o600;

/// Sets the umask of the process, and of what it starts, so that new files have this mode, and new
/// folders may be entered by who may read files. Private files keep theirs. To be called before any
/// thread starts.
pub fn set_file_mode(mode: u32) {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(umask_for(mode)));
}

fn umask_for(mode: u32) -> u32 {
    let off = !mode & 0o666;
    off | ((off & 0o444) >> 2)
}

/// A new file in the folder of its final path, with a temporary name until it is complete. It is
/// removed unless it is renamed.
pub(crate) struct TemporaryFile {
    path: PathBuf,
    named: bool,
}

impl TemporaryFile {
    /// A file that can be read and appended to, in the folder of `place`.
    pub(crate) fn make(place: &Path) -> io::Result<(Self, File)> {
        Self::make_with(place, NEW_FILE_MODE)
    }

    fn make_with(place: &Path, mode: u32) -> io::Result<(Self, File)> {
        refuse_folders(place)?;
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut number = 0_u32;
        loop {
            let name = format!(".swell-{}-{number}", process::id());
            let path = folder.unwrap_or(Path::new(".")).join(name);
            let mut options = OpenOptions::new();
            options.read(true).append(true).create_new(true).mode(mode);
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                file => return Ok((Self { path, named: false }, file?)),
            }
        }
    }

    /// Gives it its name, replacing a file that already has it.
    pub(crate) fn rename_to(mut self, place: &Path) -> io::Result<()> {
        fs::rename(&self.path, place)?;
        self.named = true;
        Ok(())
    }

    /// Gives it its name if nothing has that yet. False where something has; then the file goes.
    pub(crate) fn rename_to_new(mut self, place: &Path) -> io::Result<bool> {
        match renameat_with(CWD, &self.path, CWD, place, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) if place.exists() => Ok(false),
            // A link that leads nowhere; or a file system that cannot tell, where a moment of
            // chance remains.
            Err(Errno::EXIST | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                let is_free = !place.exists();
                if is_free {
                    self.rename_to(place)?;
                }
                Ok(is_free)
            }
            renamed => {
                renamed?;
                self.named = true;
                Ok(true)
            }
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.named {
            // It cannot be told from here, and a name with a dot in front does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Folders created for a file. They are removed again unless they are kept.
#[derive(Debug, Default)]
pub struct Folders(Vec<PathBuf>);

impl Folders {
    /// Makes a folder and its parents, as far as they are missing.
    ///
    /// # Errors
    /// What the system says; then nothing is left behind.
    pub fn make(folder: &Path) -> io::Result<Self> {
        let mut made = Self::default();
        let missing =
            folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let missing: Vec<_> = missing.collect();
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => made.0.push(folder.to_owned()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }

    /// Leaves them where they are.
    pub fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // Something else may be in it by now, and then it stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Sees whether [`write_whole`] can write there, and leaves everything as it is.
///
/// # Errors
/// What the system says.
pub fn check_place(path: &Path) -> io::Result<()> {
    if is_special(path)? {
        return OpenOptions::new().append(true).open(path).map(drop);
    }
    TemporaryFile::make(&target(path)).map(drop)
}

/// Writes a file so that it is there whole or not at all, whatever happens meanwhile: next to its
/// place, then renamed. An old file keeps its mode, a new one has [`NEW_FILE_MODE`]. What is no
/// file, such as a pipe, is written to directly.
///
/// # Errors
/// What the system says; then an old file is what it was.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    write_with(path, content, NEW_FILE_MODE)
}

/// As [`write_whole`]; a new file has [`PRIVATE_FILE_MODE`].
///
/// # Errors
/// As there.
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    write_with(path, content, PRIVATE_FILE_MODE)
}

fn write_with(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    if is_special(path)? {
        return OpenOptions::new().append(true).open(path)?.write_all(content);
    }
    let place = target(path);
    let (temporary, mut file) = TemporaryFile::make_with(&place, mode)?;
    file.write_all(content)?;
    if let Ok(old) = fs::metadata(&place) {
        file.set_permissions(Permissions::from_mode(old.permissions().mode()))?;
    }
    file.sync_all()?;
    temporary.rename_to(&place)
}

/// Where a link leads to, so that the link stays one.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether something is there that is neither file nor folder.
fn is_special(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(there) => Ok(!there.is_file() && !there.is_dir()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn refuse_folders(path: &Path) -> io::Result<()> {
    if path.is_dir() || path.file_name().is_none() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(())
}

/// One name for a file however it is spelled, as far as it exists (`File.getCanonicalPath`).
pub fn place_of(path: &Path) -> PathBuf {
    let by_parent = || {
        let absolute = std::path::absolute(path).ok()?;
        Some(absolute.parent()?.canonicalize().ok()?.join(absolute.file_name()?))
    };
    path.canonicalize().ok().or_else(by_parent).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("is there").permissions().mode() & 0o777
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_mode_of_files_is_an_umask_that_leaves_folders_open_to_who_may_read() {
        for (mode, umask) in [(0o600, 0o077), (0o640, 0o027), (0o644, 0o022), (0o660, 0o007), (0o666, 0)] {
            assert_eq!(umask_for(mode), umask, "{mode:o}");
        }
    }

    #[test]
    fn a_check_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("out.json");
        check_place(&place).expect("can be written");
        assert_eq!(names(folder.path()), Vec::<String>::new());
        fs::write(&place, "old").expect("written");
        check_place(&place).expect("can be written");
        assert_eq!(fs::read_to_string(&place).expect("readable"), "old");
        for bad in [folder.path().to_owned(), folder.path().join("none/x"), place.join("x"), "/".into()] {
            assert!(check_place(&bad).is_err(), "{}", bad.display());
        }
        assert_eq!(names(folder.path()), ["out.json"]);
    }

    #[test]
    fn a_file_is_made_whole_with_the_mode_of_the_umask_and_an_old_one_keeps_its_mode() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("out.json");
        write_whole(&place, b"new").expect("written");
        let by_umask = folder.path().join("other");
        fs::write(&by_umask, "").expect("written");
        let wanted = mode(&by_umask);
        fs::remove_file(by_umask).expect("removed");
        assert_eq!((fs::read_to_string(&place).expect("readable").as_str(), mode(&place)), ("new", wanted));
        let private = folder.path().join("private");
        write_private(&private, b"secret").expect("written");
        assert_eq!(mode(&private), 0o600);
        fs::remove_file(private).expect("removed");
        fs::set_permissions(&place, Permissions::from_mode(0o644)).expect("set");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&place, &link).expect("a link");
        write_whole(&link, b"newer").expect("written");
        assert_eq!((fs::read_to_string(&place).expect("readable").as_str(), mode(&place)), ("newer", 0o644));
        assert!(link.is_symlink() && names(folder.path()).len() == 2);
        write_whole(Path::new("/dev/null"), b"gone").expect("written");
    }

    #[test]
    fn folders_go_again_unless_they_are_kept_or_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("a/b/c");
        drop(Folders::make(&deep).expect("made"));
        assert!(!folder.path().join("a").exists());
        let made = Folders::make(&deep).expect("made");
        fs::write(folder.path().join("a/used"), "").expect("written");
        drop(made);
        assert_eq!(names(folder.path().join("a").as_path()), ["used"]);
        Folders::make(&deep).expect("made").keep();
        assert!(deep.is_dir());
        Folders::make(&folder.path().join("a/used/x")).expect_err("a file is in the way");
    }
}
