//! Where runs are kept.

use std::env;
use std::path::PathBuf;

use super::{HAS_HISTORY, History, KeepOptions};
use crate::Problem;
use crate::observer::Say;

/// The environment variable that names the folder of runs, or says `off`.
const VARIABLE: &str = "SWELL_RUNS";

/// Where a run is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Not at all.
    Nowhere,
    /// In this folder.
    Folder(PathBuf),
    /// In a new folder below the folder of runs.
    Among(PathBuf),
}

impl Place {
    /// As the options say, and where they say nothing, in the folder of runs if that is the
    /// default. Without a history nothing would remove old runs there, so none is kept by default.
    pub(crate) fn of(options: &KeepOptions) -> Self {
        match &options.folder {
            Some(folder) => Self::Folder(folder.clone()),
            None if HAS_HISTORY && (options.by_default || options.name.is_some()) => {
                runs_folder().map_or(Self::Nowhere, Self::Among)
            }
            None => Self::Nowhere,
        }
    }

    /// The history that lists a run there; none if it cannot be opened.
    pub(super) fn history(&self, say: &Say) -> Option<History> {
        match self {
            Self::Nowhere => None,
            Self::Folder(_) | Self::Among(_) => History::open(&runs_folder()?, say),
        }
    }
}

/// Whether names of runs and of tags may have it.
pub(super) fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || "-_.".contains(c)
}

/// Accepts the name of a run, which is a file name, too.
///
/// # Errors
/// The name is invalid; the text says what is expected.
pub fn check_name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.starts_with('.') || text.len() > 100 || !text.chars().all(is_part_of_name) {
        return Err("a name has letters, digits, `-`, `_` and `.`, does not begin with a point, and has at most 100 bytes".to_owned());
    }
    if text == "last" {
        return Err("`last` is the run that began last, whatever its name".to_owned());
    }
    Ok(text.to_owned())
}

/// The folder of runs: `SWELL_RUNS`, else `swell/runs` in the user's data folder (`XDG_DATA_HOME`,
/// else `~/.local/share`). None if it is `off`, or there is no home.
pub fn runs_folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    match set(VARIABLE) {
        Some(off) if off == "off" => None,
        Some(folder) => Some(folder.into()),
        None => {
            let home = || set("HOME").map(|home| PathBuf::from(home).join(".local/share"));
            let data = set("XDG_DATA_HOME").map(PathBuf::from).or_else(home)?;
            Some(data.join("swell/runs"))
        }
    }
}

/// The folder of runs.
///
/// # Errors
/// None is set.
pub fn needed_runs_folder() -> Result<PathBuf, Problem> {
    runs_folder().ok_or_else(|| {
        Problem::settings("no folder for kept runs is set")
            .hint(format!("the environment variable {VARIABLE} names it; `off` keeps no runs"))
    })
}

/// The history of this user; none if no run was kept yet, or if it cannot be used; `say` tells why.
pub fn existing_history(say: &Say) -> Option<History> {
    History::open_existing(&runs_folder()?, say)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_file_names() {
        for name in ["nightly-1.2", "Größe_3"] {
            assert_eq!(check_name(name).as_deref(), Ok(name));
        }
        for name in ["", "a/b", "..", "last", ".hidden", "a b", "a\n", &"x".repeat(101)] {
            check_name(name).expect_err(name);
        }
    }
}
