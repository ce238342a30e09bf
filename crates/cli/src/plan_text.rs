//! Plans as text: reads them with the changes of `--set`, and writes them.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use swell_author::{AddedElement, Addition, Change, Edited, ExtendedPlan, PathError, Settable, is_hidden};
use swell_expr::FileLimits;
use swell_plan::{Diagnostic, Plan, Severity};
use swell_report::plain;
use swell_results::write_whole;
use swell_run::host::read_whole;
use swell_run::table_of_elements;

use crate::args::{SetArgs, is_text_plan};
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout};
use crate::text_plan;

/// What `--set` prints instead of a run.
const LIST: &str = "list";

/// The bytes of a plan file.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    read_whole(path, FileLimits::default()).map_err(|error| {
        let text = path.to_string_lossy();
        let hint = if text.contains("://") {
            format!("`swell hit {text}` tests a URL without a plan")
        } else {
            "give the path of a .jmx file, as in `swell run examples/first.jmx`".to_owned()
        };
        Failure::settings(format!("cannot read the plan `{text}`: {error}")).hint(hint)
    })
}

/// A plan; what is wrong with it goes to standard error.
pub(crate) fn plan(path: &Path, bytes: &[u8]) -> Result<Plan, Failure> {
    let reading = swell_plan::read(bytes, Some(path));
    say(&reading.diagnostics);
    let failed = reading.diagnostics.iter().any(|found| found.severity == Severity::Error);
    match reading.plan {
        Some(plan) if !failed => Ok(plan),
        _ => Err(Failure::settings(format!("`{}` is not a plan that can be run", path.display()))),
    }
}

/// Shows diagnostics, notes left out.
pub(crate) fn say<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
    for diagnostic in diagnostics.into_iter().filter(|found| found.severity > Severity::Note) {
        print_stderr(&diagnostic.to_string());
    }
}

/// The bytes of a plan: those of its file, or what a text file becomes.
pub(crate) fn shown_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    SetArgs::default().bytes(path)
}

impl SetArgs {
    /// The same, read as the options say.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        match text_plan::read(path, &self.text, text_plan::Use::Look)? {
            Some(text) => Ok(text.bytes),
            None => bytes(path),
        }
    }

    /// A plan with the changes; none: there are none.
    ///
    /// # Errors
    /// The plan cannot be read, or a change cannot be made.
    pub(crate) fn apply(&self, path: &Path, before: &[u8]) -> Result<Option<Edited>, Failure> {
        if self.sets.is_empty() {
            return Ok(None);
        }
        let edited =
            swell_author::set(before, Some(path), &table_of_elements(), &self.sets).map_err(failed)?;
        Ok(Some(edited))
    }

    /// Prints what can be set, if this was requested instead of a run.
    pub(crate) fn list(&self, path: &Path) -> Result<Option<Exit>, Failure> {
        if !self.sets.iter().any(|set| set == LIST) {
            return Ok(None);
        }
        let plan = plan(path, &self.bytes(path)?)?;
        list_settable(&plan).map(Some)
    }
}

pub(crate) fn failed(error: PathError) -> Failure {
    Failure::settings(error.message).hint(error.hint)
}

/// All that can be set in a plan, as assignments.
pub(crate) fn print_list(path: &Path) -> Result<Exit, Failure> {
    list_settable(&plan(path, &bytes(path)?)?)
}

fn list_settable(plan: &Plan) -> Result<Exit, Failure> {
    let all = swell_author::settable(plan, &table_of_elements());
    print_stdout(&all.iter().map(list_line).collect::<String>())?;
    Ok(Exit::Fine)
}

fn list_line(settable: &Settable) -> String {
    let Settable { path, property, value, .. } = settable;
    let value = if is_hidden(property, value) { "***" } else { value };
    format!("{}/{}={}\n", plain(path), plain(property), plain(value))
}

/// Adds elements to the bytes of a plan, and shows what was added.
///
/// # Errors
/// One cannot be added.
pub(crate) fn enlarge(path: &Path, bytes: &[u8], additions: &[Addition]) -> Result<ExtendedPlan, Failure> {
    let enlarged = swell_author::add(bytes, Some(path), &table_of_elements(), additions).map_err(failed)?;
    for AddedElement { below, name, line } in &enlarged.added {
        print_stderr(&format!("add `{name}` below `{below}`, line {line}"));
    }
    Ok(enlarged)
}

/// How many changes are shown one by one.
const MOST_SHOWN: usize = 10;

/// Shows what was set.
pub(crate) fn say_changes(changes: &[Change]) {
    for change in changes.iter().take(MOST_SHOWN) {
        let shown = |value: &str| {
            if is_hidden(&change.property, value) { "***".to_owned() } else { value.to_owned() }
        };
        let old = change.old.as_deref().map_or_else(|| "(none)".to_owned(), shown);
        let Change { element, property, new, .. } = change;
        print_stderr(&format!("set {element} > {property}: {} -> {}", cut(&old), cut(&shown(new))));
        if let Some(warning) = &change.warning {
            print_stderr(&format!("warning: {element} > {property}: {warning}"));
        }
    }
    if changes.len() > MOST_SHOWN {
        print_stderr(&format!("and {} more", changes.len() - MOST_SHOWN));
    }
}

/// The beginning of a long value, in one line.
fn cut(value: &str) -> String {
    let line = value.replace('\n', " ");
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The largest part of a data file or a script that is looked at.
const LOOKED_AT: u64 = 1 << 20;

/// The beginning of a file that a plan names: relative names count from the working folder, then
/// from that of the plan.
pub(crate) fn file_text(plan: &Path, name: &str) -> Option<String> {
    use io::Read as _;
    let name = Path::new(name.trim());
    let beside = plan.parent().unwrap_or(Path::new("")).join(name);
    let found = [name.to_owned(), beside].into_iter().find(|path| path.is_file())?;
    let mut bytes = Vec::new();
    File::open(found).ok()?.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The name of a file relative to the plan's folder, if it is in it.
pub(crate) fn relative(plan: &Path, name: &str) -> Option<String> {
    let folder = std::path::absolute(plan).ok()?.parent()?.canonicalize().ok()?;
    let file = Path::new(name).canonicalize().ok()?;
    file.strip_prefix(folder).ok()?.to_str().map(str::to_owned)
}

/// Plans among paths, folders searched through.
pub(crate) fn plans(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            search(path, &mut found).map_err(|error| {
                Failure::settings(format!("cannot read the folder `{}`: {error}", path.display()))
            })?;
        } else {
            found.push(path.clone());
        }
    }
    if found.is_empty() {
        return Err(Failure::settings("no .jmx file in these folders"));
    }
    Ok(found)
}

fn search(dir: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<_> =
        std::fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?.iter().map(std::fs::DirEntry::path).collect();
    entries.sort_unstable();
    for path in entries {
        if path.is_dir() {
            search(&path, found)?;
        } else if path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("jmx")) {
            found.push(path);
        }
    }
    Ok(())
}

/// Writes a plan: it is whole before and after, with the same permissions.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    check_jmeter_plan(path)?;
    write_whole(path, bytes).map_err(|error| cannot_write(path, &error))
}

/// Refuses files of other formats.
pub(crate) fn check_jmeter_plan(path: &Path) -> Result<(), Failure> {
    if !is_text_plan(path) {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::settings(format!("`{path}` is not a plan of JMeter, so it cannot be changed"))
        .hint(format!("`swell import {path} -o plan.jmx` makes one")))
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::lost(format!("cannot write `{}`: {error}", path.display()))
}

/// Writes bytes as they are to standard output, or to a new file.
pub(crate) fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    if path == Path::new("-") {
        let mut out = io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(path, &error)),
            _ => Ok(()),
        };
    }
    if path.exists() && !force {
        return Err(Failure::settings(format!("`{}` exists", path.display()))
            .hint("-f overwrites it, -i changes the plan itself"));
    }
    replace(path, bytes)
}
