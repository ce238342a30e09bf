//! The HTML report of a run: where it goes, and the file.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use swell_report::page;
use swell_report::without_passwords;
use swell_results::{Folders, NEW_FILE_MODE, write_whole};

use crate::observer::{Observer, Second};
use crate::paths::cannot_write;
use crate::{Ended, Problem};

/// A report that is written at the end of a run.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The page.
    pub page: PathBuf,
    /// Write `statistics.json` next to the page, as JMeter's reports have it.
    pub with_statistics: bool,
}

/// Writes the report.
pub(crate) struct ReportFile {
    pub(crate) options: ReportOptions,
    /// A report that is there already may be overwritten.
    pub(crate) force: bool,
}

impl Observer for ReportFile {
    fn second(&mut self, _second: &Second) {}

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        // A run that was refused before its first user leaves an old report as it is.
        if !ended.report.began {
            return Vec::new();
        }
        self.write(ended).err().into_iter().collect()
    }
}

impl ReportFile {
    fn write(&self, ended: &Ended) -> Result<(), Problem> {
        // The observer that grows or serves the page ends before this one.
        let Some(page) = &ended.page else { return Ok(()) };
        let (path, taken) = free_report(self.options.page.clone(), self.force);
        if taken {
            ended.say(&format!("{} was created by another run in the meantime", self.options.page.display()));
        }
        if self.options.with_statistics {
            let text = swell_report::statistics::text(&ended.report.run, None);
            write_statistics(&path.with_file_name("statistics.json"), &text)?;
        }
        write_report(&path, &page::file(page, ended.report.verdict.as_ref()))?;
        ended.say(&format!("The report is {}", path.display()));
        Ok(())
    }
}

/// Where the report goes, and whether another run took the place that was wanted. No report was
/// there before the run, so one that is there by now belongs to another run, which must not lose
/// it: the folder gets a number then.
fn free_report(path: PathBuf, force: bool) -> (PathBuf, bool) {
    let claims = |path: &Path| {
        // A place that cannot be made is reported when the report is written there.
        let made = Folders::make(path.parent().unwrap_or(Path::new("."))).and_then(|mut folders| {
            OpenOptions::new().write(true).create_new(true).mode(NEW_FILE_MODE).open(path)?;
            folders.keep();
            Ok(())
        });
        !made.is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    };
    if force || claims(&path) {
        return (path, false);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let file = path.file_name().unwrap_or_default();
    let numbered = (2_u32..).map(|number| {
        let mut name = folder.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name).join(file)
    });
    let free = numbered.into_iter().find(|path| claims(path)).unwrap_or_else(|| path.clone());
    (free, true)
}

/// Writes the page of a report, whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn write_report(path: &Path, page: &str) -> Result<(), Problem> {
    write_part(path, page, "report")
}

/// Writes the statistics of a report, whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn write_statistics(path: &Path, text: &str) -> Result<(), Problem> {
    write_part(path, &without_passwords(text), "statistics")
}

/// `what` is its name in messages.
fn write_part(path: &Path, text: &str, what: &str) -> Result<(), Problem> {
    let written = Folders::make(path.parent().unwrap_or(Path::new("."))).and_then(|mut folders| {
        write_whole(path, text.as_bytes())?;
        folders.keep();
        Ok(())
    });
    written.map_err(|error| Problem::output(cannot_write(what, path, &error)))
}
