//! Text files that are run as plans: Hurl and `.http` files become plans when they are read.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use swell_expr::FileLimits;
use swell_import::{DataFile, Imported, Note, NoteKind, Options, Source, format_of_name};
use swell_report::plain;
use swell_run::host::read_whole;

use crate::args::{TextLoadArgs, TextPlanArgs, is_text_plan};
use crate::exit::Failure;
use crate::plan_text;
use crate::print::print_stderr;

/// More notes are counted only.
const MOST_SHOWN: usize = 10;

/// The longest line of names of columns.
const LONGEST_HEADER: u64 = 1 << 16;

/// A plan made of text files.
pub(crate) struct TextPlan {
    /// The plan as a file.
    pub(crate) bytes: Vec<u8>,
    /// Asserts that were left out as the user wished.
    pub(crate) skipped: usize,
}

/// What is done with the plan.
#[derive(Clone, Copy)]
pub(crate) enum Use<'a> {
    /// It runs, with this load.
    Run(&'a TextLoadArgs),
    /// It runs with the load of a command.
    Trial,
    /// It is only shown.
    Look,
}

/// Makes a plan of text files; none if the first is not one.
///
/// # Errors
/// A file cannot be read, or not all of it can be a plan.
pub(crate) fn read(path: &Path, args: &TextPlanArgs, purpose: Use<'_>) -> Result<Option<TextPlan>, Failure> {
    let load = match purpose {
        Use::Run(load) => Some(load),
        Use::Trial | Use::Look => None,
    };
    let more = load.map_or(&[][..], |load| &load.more);
    if !is_text_plan(path) {
        return refuse_options(path, args, load).map(|()| None);
    }
    let paths: Vec<&Path> = std::iter::once(path).chain(more.iter().map(PathBuf::as_path)).collect();
    if let Some(other) = paths.iter().find(|path| !is_text_plan(path)) {
        let other = other.display();
        return Err(Failure::settings(format!("`{other}` is neither a .hurl nor a .http file"))
            .hint("several files can be run at the same time only if all are text files"));
    }
    let needs_values = !matches!(purpose, Use::Look);
    let imported = import(&paths, args, (load, needs_values))?;
    refuse_loss(&imported)?;
    if let Some(file) = imported.files.first() {
        return Err(Failure::settings(format!("the plan needs a file next to it, such as `{}`", file.path))
            .hint(format!("`swell import {} -o plan.jmx` writes the plan with its files", path.display())));
    }
    let skipped = say(imported.notes.all());
    Ok(Some(TextPlan { bytes: imported.text.into_bytes(), skipped }))
}

/// Options that mean something for text files only.
fn refuse_options(path: &Path, args: &TextPlanArgs, load: Option<&TextLoadArgs>) -> Result<(), Failure> {
    let plan = path.display();
    if let Some(more) = load.and_then(|load| load.more.first()) {
        return Err(Failure::settings(format!("unexpected argument `{}`", more.display()))
            .hint("only .hurl and .http files can be run together; a plan is run alone"));
    }
    if let Some(option) = load.and_then(TextLoadArgs::given) {
        return Err(Failure::settings(format!(
            "{option} is for .hurl and .http files, and `{plan}` is a plan"
        ))
        .hint("the plan sets the number of users; if it has ${__P(users)}, use -Jusers=50"));
    }
    let option = match args {
        TextPlanArgs { variables, .. } if !variables.is_empty() => "--variable",
        TextPlanArgs { data: Some(_), .. } => "--data",
        TextPlanArgs { skip_asserts: true, .. } => "--skip-asserts",
        _ => return Ok(()),
    };
    Err(Failure::settings(format!("{option} is for .hurl and .http files, and `{plan}` is a plan"))
        .hint("-Jname=value sets a property, --set PATH=VALUE a property of an element"))
}

fn import(
    paths: &[&Path],
    args: &TextPlanArgs,
    (load, needs_values): (Option<&TextLoadArgs>, bool),
) -> Result<Imported, Failure> {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let files: Vec<Vec<u8>> = paths.iter().map(|path| file_bytes(path)).collect::<Result<_, _>>()?;
    let sources: Vec<Source<'_>> =
        names.iter().zip(&files).map(|(name, bytes)| Source { name, bytes }).collect();
    let name = paths[0].file_stem().unwrap_or_default().to_string_lossy();
    let options = Options {
        from: names.first().and_then(|name| format_of_name(name)).map(|format| format.name.to_owned()),
        keeps_secrets: true,
        variables: args.variables.clone(),
        data: args.data.as_deref().map(|data| data_file(paths[0], data)).transpose()?,
        load: load.map(TextLoadArgs::load).unwrap_or_default(),
        weights: load.map(|load| load.weights.clone()).unwrap_or_default(),
        needs_values,
        skips_asserts: args.skip_asserts,
        ..Options::default()
    };
    // Each file has its own format.
    let options = if paths.len() > 1 { Options { from: None, ..options } } else { options };
    swell_import::import(&sources, &name, &options).map_err(crate::import::unreadable)
}

fn file_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    read_whole(path, FileLimits::default())
        .map_err(|error| Failure::settings(format!("cannot read `{}`: {error}", path.display())))
}

/// The data file, with the names of its columns.
fn data_file(plan: &Path, path: &Path) -> Result<DataFile, Failure> {
    let shown = path.display();
    let cannot =
        |error: std::io::Error| Failure::settings(format!("cannot read the data `{shown}`: {error}"));
    let file = std::fs::File::open(path).map_err(cannot)?;
    let mut header = String::new();
    BufReader::new(file.take(LONGEST_HEADER)).read_line(&mut header).map_err(cannot)?;
    let header = header.trim_start_matches('\u{feff}').trim_end();
    let delimiter =
        [",", ";", "\t"].into_iter().max_by_key(|mark| (header.matches(mark).count(), *mark == ","));
    let delimiter = delimiter.unwrap_or(",");
    let variables: Vec<String> =
        header.split(delimiter).map(|name| name.trim().trim_matches('"').to_owned()).collect();
    if variables.iter().any(String::is_empty) {
        return Err(Failure::settings(format!("the first line of `{shown}` does not name all its columns"))
            .hint("write the names of the variables there, as in `user,password`"));
    }
    let name = path.to_string_lossy();
    let inside = plan_text::relative(plan, &name);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Ok(DataFile {
        path: inside.unwrap_or_else(|| absolute.to_string_lossy().into_owned()),
        variables,
        delimiter: if delimiter == "\t" { "\\t".to_owned() } else { delimiter.to_owned() },
        skips_first_line: true,
        ..DataFile::default()
    })
}

/// What a plan cannot have is an error, as the run would be another one.
fn refuse_loss(imported: &Imported) -> Result<(), Failure> {
    if !imported.notes.is_lossy() {
        return Ok(());
    }
    let is_lost = |note: &&Note| note.kind == NoteKind::LeftOut && !note.is_wanted;
    let lost: Vec<&Note> = imported.notes.all().iter().filter(is_lost).collect();
    let mut lines: Vec<String> = lost.iter().take(MOST_SHOWN).map(|note| line(note)).collect();
    if lost.len() > MOST_SHOWN {
        lines.push(format!("and {} more", lost.len() - MOST_SHOWN));
    }
    let has_others =
        lost.iter().any(|note| !note.what.starts_with("assert") && !note.what.starts_with("body"));
    let hint = if has_others {
        "change these lines; `swell import FILE -o plan.jmx` makes a plan without them"
    } else {
        "change these lines, or leave the asserts out with --skip-asserts"
    };
    Err(Failure::settings(format!("not all of the file can be run:\n  {}", lines.join("\n  "))).hint(hint))
}

fn line(note: &Note) -> String {
    let place = if note.place.file.is_empty() { String::new() } else { format!("{}: ", note.place) };
    format!("{}{}: {}", plain(&place), plain(&note.what), plain(&note.reason))
}

/// Says what works otherwise than in the file, and what was left out; gives the number of the
/// latter.
fn say(notes: &[Note]) -> usize {
    let shown = |note: &&Note| note.kind != NoteKind::Taken;
    let mut reasons: Vec<(&Note, usize)> = Vec::new();
    for note in notes.iter().filter(shown) {
        let is_same = |(first, _): &&mut (&Note, usize)| {
            first.kind == note.kind && first.reason == note.reason && !note.is_wanted
        };
        match reasons.iter_mut().find(is_same) {
            Some((_, count)) => *count += 1,
            None => reasons.push((note, 1)),
        }
    }
    for (note, count) in reasons.iter().take(MOST_SHOWN) {
        let verb = if note.is_wanted { "left out" } else { "changed" };
        let more = if *count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
        print_stderr(&format!("{verb}: {}{more}", line(note)));
    }
    if reasons.len() > MOST_SHOWN {
        print_stderr(&format!("and {} more", reasons.len() - MOST_SHOWN));
    }
    notes.iter().filter(|note| note.kind == NoteKind::LeftOut && note.what.starts_with("assert")).count()
}
