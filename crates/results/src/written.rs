//! Opens files whose names may contain text from a response, only in the folder that the plan
//! names.

use std::fs::{File, OpenOptions, create_dir_all};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, CWD, Mode, OFlags, access, mkdirat, openat};
use rustix::io::Errno;
use swell_expr::{ContainedPath, FileName};

use crate::NEW_FILE_MODE;

/// What to do with an existing file, and with missing folders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Writing {
    /// What is in the file stays, and new content comes after it.
    pub append: bool,
    /// Missing folders are made.
    pub makes_folders: bool,
}

/// Opens a file to write or append to. Where something in its name is not the plan's own, it is
/// below the plan's folder, and no link is followed on the way from there. A new file has mode
/// [`NEW_FILE_MODE`].
///
/// # Errors
/// The name leads out of the plan's folder, a link is in the way, or what the system says.
pub fn open_named(name: &FileName, how: Writing) -> io::Result<File> {
    if name.is_of_plan() {
        open_of_plan(Path::new(name.text()), how)
    } else {
        open_contained(&name.contained().map_err(io::Error::other)?, how)
    }
}

/// Whether a file could be opened, as far as that is seen without touching it: a missing folder, a
/// folder in its place, no permission.
///
/// # Errors
/// As [`open_named`].
pub fn check_named(name: &FileName) -> io::Result<()> {
    let place = if name.is_of_plan() {
        PathBuf::from(name.text())
    } else {
        let ContainedPath { folder, below, file } = name.contained().map_err(io::Error::other)?;
        below.iter().fold(folder, |folder, name| folder.join(name)).join(file)
    };
    if place.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !name.is_of_plan() && place.is_symlink() {
        return Err(is_link());
    }
    if place.exists() {
        return Ok(access(&place, Access::WRITE_OK)?);
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?)
}

fn open_of_plan(path: &Path, how: Writing) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|folder| how.makes_folders && !folder.as_os_str().is_empty()) {
        create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).write(true).append(how.append).truncate(!how.append).mode(NEW_FILE_MODE);
    options.open(path)
}

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

fn open_contained(place: &ContainedPath, how: Writing) -> io::Result<File> {
    let own = if place.folder.as_os_str().is_empty() { Path::new(".") } else { &place.folder };
    if how.makes_folders {
        create_dir_all(own)?;
    }
    let mut folder = openat(CWD, own, FOLDER, Mode::empty())?;
    for name in &place.below {
        folder = step(&folder, name, how.makes_folders)?;
    }
    let content = if how.append { OFlags::APPEND } else { OFlags::TRUNC };
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | content;
    let opened = openat(&folder, &*place.file, flags, Mode::from_raw_mode(NEW_FILE_MODE));
    opened.map(File::from).map_err(|error| match error {
        Errno::LOOP => is_link(),
        other => other.into(),
    })
}

fn is_link() -> io::Error {
    io::Error::other("it is a symbolic link, which is not followed here")
}

/// The folder of that name in another.
fn step(folder: &OwnedFd, name: &str, make: bool) -> io::Result<OwnedFd> {
    if make
        && let Err(error) = mkdirat(folder, name, Mode::from_raw_mode(0o777))
        && error != Errno::EXIST
    {
        return Err(error.into());
    }
    openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| match error {
        Errno::NOTDIR | Errno::LOOP => io::Error::other(format!(
            "`{name}` in it is no folder, or a symbolic link, which is not followed here"
        )),
        other => other.into(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn write_named(name: &FileName, content: &[u8], how: Writing) -> io::Result<()> {
        open_named(name, how)?.write_all(content)
    }

    const MAKES: Writing = Writing { append: false, makes_folders: true };

    #[test]
    fn links_are_followed_only_in_what_the_plan_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).expect("made");
        fs::write(at("victim"), "old").expect("written");
        symlink(at("real"), at("link")).expect("made");
        symlink(at("victim"), at("real/1.html")).expect("made");
        let name = |own: &str, more: &str| {
            let mut name = FileName::of_plan(at(own).to_string_lossy());
            name.push(more);
            name
        };
        write_named(&name("link/", "2.html"), b"new", MAKES).expect("the plan says the link");
        assert_eq!(fs::read_to_string(at("real/2.html")).expect("readable"), "new");
        let mode = |name: &str| fs::metadata(at(name)).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode("real/2.html"), mode("victim"), "that of the umask");
        for (own, more) in
            [("link/", "1.html"), ("x/../", "link/3.html"), ("", "/link/3.html"), ("real/", "../victim")]
        {
            write_named(&name(own, more), b"new", MAKES).expect_err(more);
        }
        assert_eq!(fs::read_to_string(at("victim")).expect("readable"), "old");
        write_named(&name("link/1.html", ""), b"new", MAKES).expect("the plan says the link");
        assert_eq!(fs::read_to_string(at("victim")).expect("readable"), "new");
    }

    #[test]
    fn folders_are_made_on_demand_and_contents_appended() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut name = FileName::of_plan(folder.path().join("a/").to_string_lossy());
        name.push("b/c.txt");
        write_named(&name, b"1", Writing::default()).expect_err("there is no folder");
        write_named(&name, b"1", MAKES).expect("written");
        write_named(&name, b"2", Writing { append: true, ..Writing::default() }).expect("written");
        assert_eq!(fs::read_to_string(folder.path().join("a/b/c.txt")).expect("readable"), "12");
    }

    #[test]
    fn what_cannot_be_opened_is_mostly_known_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old"), "old").expect("written");
        symlink(at("old"), at("link")).expect("made");
        for (own, more, fits) in [
            ("new", "", true),
            ("old", "", true),
            ("link", "", true),
            ("", "old", true),
            ("", "link", false),
            ("", "../old", false),
            ("none/new", "", false),
            ("old/new", "", false),
            (".", "", false),
        ] {
            let mut name = FileName::of_plan(at(own).to_string_lossy());
            name.push(more);
            assert_eq!(check_named(&name).is_ok(), fits, "{}", name.text());
            assert_eq!(fs::read_to_string(at("old")).expect("readable"), "old");
            assert!(!at("new").exists());
            assert_eq!(
                open_named(&name, Writing { append: true, ..Writing::default() }).is_ok(),
                fits,
                "{}",
                name.text()
            );
            fs::remove_file(at("new")).ok();
        }
    }
}
