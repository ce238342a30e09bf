//! File names that a server influences, by its content type or by a variable taken from a response.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use swell_expr::FileName;
use swell_results::fuzz::suffix;
use swell_results::{Writing, open_named};

use super::parts;

/// Names with more nested folders than this are only checked, and not written.
const MOST_FOLDERS: usize = 40;

/// A prefix from the plan, a text from a response, and a content type. The resulting file must be
/// below the plan's folder.
pub(super) fn file_names(input: &[u8]) {
    let [own, brought, content_type] = parts::<3>(input);
    let suffix = suffix(&content_type);
    check_plain(&suffix);
    let name = |own: &str| {
        let mut name = FileName::of_plan(own);
        name.push(&brought);
        name.push(".");
        name.push(&suffix);
        name
    };
    check_contained(&name(&own), &own);
    if brought.matches('/').count() <= MOST_FOLDERS {
        check_written(&|folder: &Path| name(&format!("{}/r_", folder.display())));
    }
}

/// Checks that a suffix has only letters, digits and `.-_`, and is neither a folder nor hidden.
fn check_plain(suffix: &str) {
    assert!(suffix.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c)), "{suffix:?}");
    assert!(
        (1..=64).contains(&suffix.len()) && !suffix.starts_with('.') && !suffix.ends_with('.'),
        "{suffix:?}"
    );
}

/// Checks that the folder is the plan's, and that the rest of the name cannot leave it.
fn check_contained(name: &FileName, own: &str) {
    let Ok(place) = name.contained() else { return };
    let folder = place.folder.to_str().expect("it is part of a text");
    assert!(own.starts_with(folder) && (folder.is_empty() || folder.ends_with('/')), "{name:?}: {place:?}");
    for part in place.below.iter().chain([&place.file]) {
        assert!(!["", ".", ".."].contains(&part.as_str()) && !part.contains('/'), "{name:?}: {place:?}");
    }
}

/// Writes into a folder that contains links to the outside, and checks the outside.
fn check_written(name: &dyn Fn(&Path) -> FileName) {
    let top = tempfile::tempdir().expect("a folder");
    let inside = top.path().join("in");
    let victim = top.path().join("victim");
    fs::create_dir(&inside).expect("a folder can be made");
    fs::write(&victim, "old").expect("a file can be written");
    for link in ["r_", "r_a", "link"] {
        symlink(top.path(), inside.join(link)).expect("a link can be made");
    }
    symlink(&victim, inside.join("r_.html")).expect("a link can be made");
    let how = Writing { append: false, makes_folders: true };
    let written = open_named(&name(&inside), how).and_then(|mut file| file.write_all(b"new"));
    assert_eq!(fs::read_to_string(&victim).expect("it exists"), "old", "a file outside was written");
    assert_eq!(entries(top.path()).len(), 2, "something new is outside: {:?}", entries(top.path()));
    assert!(written.is_err() || holds_new(&inside), "it says that it was written, and it is not there");
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder can be read");
    entries.map(|entry| entry.expect("an entry can be read").path()).collect()
}

/// Whether a file below this folder, not reached through a link, has the new content.
fn holds_new(folder: &Path) -> bool {
    entries(folder).iter().filter(|path| !path.is_symlink()).any(|path| {
        if path.is_dir() { holds_new(path) } else { fs::read(path).is_ok_and(|content| content == b"new") }
    })
}
