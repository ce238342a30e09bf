//! The files that a command reads and writes, as one value: checked once, before anything is
//! written.

use std::io;
use std::path::{Path, PathBuf};

use swell_results::{Folders, check_place, same_file};

use crate::Problem;

/// The files that a command reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    inputs: Vec<(PathBuf, &'static str)>,
    outputs: Vec<Output>,
}

#[derive(Clone, Debug)]
struct Output {
    path: PathBuf,
    what: &'static str,
    kind: OutputKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputKind {
    /// Results, which are opened, and so checked, before the first user.
    Results,
    /// The log, which a run can do without.
    Log,
    /// A file that is written at the end.
    AtEnd,
    /// The page of a report.
    Report,
}

impl Paths {
    /// A file that is read; nothing may overwrite it. `what` describes it, such as `the plan
    /// itself`.
    #[must_use]
    pub fn reads(mut self, path: impl Into<Option<PathBuf>>, what: &'static str) -> Self {
        self.inputs.extend(path.into().map(|path| (path, what)));
        self
    }

    /// A results file.
    #[must_use]
    pub fn results(self, path: impl Into<Option<PathBuf>>) -> Self {
        self.output(path.into(), "the results file", OutputKind::Results)
    }

    /// The log.
    #[must_use]
    pub fn log(self, path: impl Into<Option<PathBuf>>) -> Self {
        self.output(path.into(), "the log", OutputKind::Log)
    }

    /// A file that is written at the end.
    #[must_use]
    pub fn at_end(self, path: impl Into<Option<PathBuf>>, what: &'static str) -> Self {
        self.output(path.into(), what, OutputKind::AtEnd)
    }

    /// The page of a report.
    #[must_use]
    pub fn report(self, path: impl Into<Option<PathBuf>>) -> Self {
        self.output(path.into(), "the report", OutputKind::Report)
    }

    fn output(mut self, path: Option<PathBuf>, what: &'static str, kind: OutputKind) -> Self {
        self.outputs.extend(path.map(|path| Output { path, what, kind }));
        self
    }

    /// Files that no listener of a plan may write to, each with its description.
    pub fn protected(&self) -> Vec<(PathBuf, &'static str)> {
        let outputs = self.outputs.iter().filter(|output| output.kind != OutputKind::Results);
        let outputs = outputs.map(|output| (output.path.clone(), output.what));
        self.inputs.iter().cloned().chain(outputs).collect()
    }

    /// Checks that nothing is overwritten that is read or written elsewhere. Nothing is opened.
    ///
    /// # Errors
    /// Two of them are one file.
    pub fn check_overlaps(&self) -> Result<(), Problem> {
        let mut taken: Vec<_> = self.inputs.iter().map(|(path, what)| (path, *what)).collect();
        for Output { path, what, .. } in &self.outputs {
            if let Some((_, other)) = taken.iter().find(|(other, _)| same_file(other, path)) {
                let message = format!("`{}` cannot be {what}: it is {other}", path.display());
                return Err(Problem::settings(message).hint("name another file for what the run writes"));
            }
            taken.push((path, what));
        }
        Ok(())
    }

    /// Checks that the files of the end can be written. `force`: a report that is there already may
    /// be overwritten.
    ///
    /// # Errors
    /// One of them cannot.
    pub fn check_places(&self, force: bool) -> Result<(), Problem> {
        for Output { path, what, kind } in &self.outputs {
            match kind {
                OutputKind::Results | OutputKind::Log => {}
                OutputKind::Report => check_report(path, force)?,
                OutputKind::AtEnd => check_place(path).map_err(|error| {
                    Problem::settings(format!("cannot write {what} to `{}`: {error}", path.display()))
                })?,
            }
        }
        Ok(())
    }
}

/// Checks that a report can be written there; nothing is changed yet.
///
/// # Errors
/// There is a report already, or the place cannot be written to.
pub fn check_report(path: &Path, force: bool) -> Result<(), Problem> {
    if path.exists() && !force {
        return Err(Problem::settings(format!("the report exists already: {}", path.display()))
            .hint("name another folder, or overwrite it with -f"));
    }
    let folders = Folders::make(path.parent().unwrap_or(Path::new(".")));
    let checked = folders.and_then(|_removed_after_this| check_place(path));
    checked.map_err(|error| Problem::settings(cannot_write("report", path, &error)))
}

/// A message about a file that cannot be written.
pub fn cannot_write(what: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot write the {what} to `{}`: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths() -> Paths {
        Paths::default().reads(PathBuf::from("plan.jmx"), "the plan itself").log(PathBuf::from("jmeter.log"))
    }

    #[test]
    fn one_file_for_two_purposes_is_refused() {
        assert_eq!(paths().check_overlaps(), Ok(()));
        let twice = paths().results(PathBuf::from("./plan.jmx")).check_overlaps().expect_err("the plan");
        assert_eq!(twice.message, "`./plan.jmx` cannot be the results file: it is the plan itself");
        let log = paths().at_end(PathBuf::from("jmeter.log"), "the summary").check_overlaps();
        assert!(log.is_err_and(|problem| problem.message.ends_with("it is the log")));
        assert_eq!(paths().results(None).check_overlaps(), Ok(()));
    }

    #[test]
    fn listeners_may_write_to_results_and_nothing_else() {
        let paths = paths().results(PathBuf::from("r.jtl")).report(PathBuf::from("out/index.html"));
        let protected: Vec<_> = paths.protected().into_iter().map(|(_, what)| what).collect();
        assert_eq!(protected, ["the plan itself", "the log", "the report"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = folder.path().join("index.html");
        assert_eq!(Paths::default().report(page.clone()).check_places(false), Ok(()));
        std::fs::write(&page, "").expect("written");
        let there = Paths::default().report(page).check_places(false).expect_err("a report");
        assert!(there.message.starts_with("the report exists already"), "{}", there.message);
        let nowhere = Paths::default().at_end(folder.path().join("none/x"), "the summary");
        assert!(nowhere.check_places(false).is_err());
    }
}
