//! The files of a recording.

use std::path::{Path, PathBuf};

use crate::args::RecordArgs;
use crate::exit::Failure;

pub(super) const OVERWRITE: &str = "-f overwrites it; --again records the same flow once more";

/// The files of a recording.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// The plan.
    pub(super) plan: PathBuf,
    /// The HAR file that is written.
    pub(super) raw: PathBuf,
    /// The HAR file of the first recording, for the second.
    pub(super) first: Option<PathBuf>,
}

impl Places {
    /// Where all is read and written.
    ///
    /// # Errors
    /// A file exists that would be overwritten, or one is missing that is needed.
    pub(super) fn of(args: &RecordArgs) -> Result<Self, Failure> {
        let Some(plan) = args.output.clone() else {
            return Err(Failure::settings("no plan to write").hint("name it with -o PLAN"));
        };
        let places = Self::named(plan, args.raw.as_deref(), args.again);
        if places.raw == places.plan {
            return Err(Failure::settings("the plan and the raw recording are the same file"));
        }
        if let Some(first) = places.first.as_ref().filter(|first| !first.exists()) {
            let message = format!("{} is missing: --again needs the first recording", first.display());
            return Err(Failure::settings(message).hint("record without --again first"));
        }
        let existing = [&places.plan, &places.raw].into_iter().find(|path| path.exists()).cloned();
        match existing {
            Some(path) if !args.force && !args.again => {
                Err(Failure::settings(format!("{} exists", path.display())).hint(OVERWRITE))
            }
            _ => Ok(places),
        }
    }

    fn named(plan: PathBuf, raw: Option<&Path>, again: bool) -> Self {
        let first = raw.map_or_else(|| plan.with_extension("har"), Path::to_owned);
        if !again {
            return Self { plan, raw: first, first: None };
        }
        Self { plan, raw: first.with_extension("again.har"), first: Some(first) }
    }

    /// Where the plan before this one is kept: it may have been edited.
    pub(super) fn old_plan(&self) -> PathBuf {
        let mut name = self.plan.clone().into_os_string();
        name.push(".old");
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_next_to_the_plan() {
        let named = |raw: Option<&str>, again| Places::named("a/shop.jmx".into(), raw.map(Path::new), again);
        assert_eq!(named(None, false).raw, Path::new("a/shop.har"));
        let again = named(None, true);
        assert_eq!((again.raw, again.first), ("a/shop.again.har".into(), Some("a/shop.har".into())));
        assert_eq!(named(Some("x.har"), true).raw, Path::new("x.again.har"));
        assert_eq!(named(None, false).old_plan(), Path::new("a/shop.jmx.old"));
    }
}
