//! `swell import`: a plan of foreign files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use swell_expr::FileLimits;
use swell_import::{Imported, Note, NoteKind, Options, ReadError, Source};
use swell_report::plain;
use swell_run::host::read_whole;

use crate::args::ImportPlanArgs;
use crate::exit::{Exit, Failure};
use crate::plan_text;
use crate::print::{print_stderr, print_stdout};

/// Recordings are the largest files that are imported.
const LARGEST_FILE: u64 = 1 << 30;

/// Runs the command.
pub(crate) fn import(args: &ImportPlanArgs) -> Result<Exit, Failure> {
    let files = args.files.iter().map(|path| Ok((shown(path), bytes(path)?)));
    let files: Vec<(String, Vec<u8>)> = files.collect::<Result<_, Failure>>()?;
    let sources: Vec<Source<'_>> = files.iter().map(|(name, bytes)| Source { name, bytes }).collect();
    let imported = swell_import::import(&sources, &plan_name(args), &options(args)).map_err(unreadable)?;
    write(args, &imported)?;
    let is_piped = args.output == Path::new("-");
    let text = if args.json { json(args, &imported) } else { table(args, &imported) };
    if is_piped {
        print_stderr(text.trim_end());
    } else {
        print_stdout(&text)?;
    }
    Ok(if imported.notes.is_lossy() && !args.lossy { Exit::Found } else { Exit::Fine })
}

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let cannot = |error: std::io::Error| Failure::settings(format!("cannot read `{}`: {error}", shown(path)));
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().take(LARGEST_FILE).read_to_end(&mut bytes).map_err(cannot)?;
        return Ok(bytes);
    }
    read_whole(path, FileLimits { whole_bytes: LARGEST_FILE, ..FileLimits::default() }).map_err(cannot)
}

pub(crate) fn unreadable(error: ReadError) -> Failure {
    let failure =
        Failure::settings(format!("{}: {}", plain(&error.place.to_string()), plain(&error.message)));
    if error.hint.is_empty() { failure } else { failure.hint(error.hint) }
}

/// The plan is named after its file; one on standard output after the first source.
fn plan_name(args: &ImportPlanArgs) -> String {
    let named = if args.output == Path::new("-") { &args.files[0] } else { &args.output };
    let stem = named.file_stem().unwrap_or_default().to_string_lossy();
    if stem.is_empty() || stem == "-" { "imported".to_owned() } else { stem.into_owned() }
}

fn options(args: &ImportPlanArgs) -> Options {
    Options {
        from: args.from.clone(),
        name: args.name.clone(),
        static_files: args.static_files.into(),
        hosts: args.hosts.clone(),
        pauses: args.pause.into(),
        keeps_secrets: args.keep_secrets,
        makes_data: args.data,
        variables: args.variables.clone(),
        base_url: args.base.clone(),
        settings: settings(args),
        ..Options::default()
    }
}

/// Values that one format reads.
fn settings(args: &ImportPlanArgs) -> BTreeMap<String, String> {
    let tags = (!args.tags.is_empty()).then(|| args.tags.join(","));
    let all = [("tag", tags), ("speed", args.speed.clone())];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Writes the plan and the files next to it. A file that already has the same content stays as it
/// is.
fn write(args: &ImportPlanArgs, imported: &Imported) -> Result<(), Failure> {
    if args.output == Path::new("-") && !imported.files.is_empty() {
        return Err(Failure::settings("this plan has files next to it, so it cannot go to standard output")
            .hint("write it to a file with -o PLAN"));
    }
    let folder = args.output.parent().unwrap_or(Path::new(""));
    let others: Vec<(PathBuf, &[u8])> =
        imported.files.iter().map(|file| (folder.join(&file.path), &*file.bytes)).collect();
    let is_same = |path: &Path, bytes: &[u8]| std::fs::read(path).is_ok_and(|old| old == bytes);
    for (path, bytes) in &others {
        if path.exists() && !args.force && !is_same(path, bytes) {
            return Err(Failure::settings(format!("`{}` exists", path.display()))
                .hint("choose another plan, or overwrite with -f"));
        }
    }
    plan_text::write(&args.output, imported.text.as_bytes(), args.force)?;
    for (path, bytes) in others.iter().filter(|(path, bytes)| !is_same(path, bytes)) {
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.map_err(|error| {
            Failure::lost(format!("cannot make the folder of `{}`: {error}", path.display()))
        })?;
        plan_text::write(path, bytes, args.force)?;
    }
    Ok(())
}

/// Notes with the same reason, by their first one.
struct Group<'a> {
    first: &'a Note,
    count: usize,
}

fn groups(notes: &[Note]) -> Vec<Group<'_>> {
    let mut all: Vec<Group<'_>> = Vec::new();
    for note in notes.iter().filter(|note| note.kind != NoteKind::Taken) {
        let is_same =
            |group: &&mut Group<'_>| group.first.kind == note.kind && group.first.reason == note.reason;
        match all.iter_mut().find(is_same) {
            Some(group) => group.count += 1,
            None => all.push(Group { first: note, count: 1 }),
        }
    }
    all
}

/// More reasons are in the JSON.
const MOST_LINES: usize = 40;

fn table(args: &ImportPlanArgs, imported: &Imported) -> String {
    let notes = imported.notes.all();
    let mut out = String::new();
    let groups = groups(notes);
    for (title, kind, is_wanted) in [
        ("left out", NoteKind::LeftOut, false),
        ("changed", NoteKind::Changed, false),
        ("not needed", NoteKind::LeftOut, true),
    ] {
        let of_kind =
            groups.iter().filter(|group| group.first.kind == kind && group.first.is_wanted == is_wanted);
        for group in of_kind.take(MOST_LINES) {
            let Note { place, what, reason, .. } = group.first;
            let more =
                if group.count > 1 { format!(" (and {} more)", group.count - 1) } else { String::new() };
            let place = if place.file.is_empty() { String::new() } else { format!("{place}: ") };
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{title:<11}{}{}{more}: {}", plain(&place), plain(what), plain(reason));
        }
    }
    if groups.len() > MOST_LINES {
        out.push_str("--json lists all\n");
    }
    let count = |kind, is_wanted| {
        notes.iter().filter(|note| note.kind == kind && note.is_wanted == is_wanted).count()
    };
    let taken = count(NoteKind::Taken, false);
    let plural = if taken == 1 { "" } else { "s" };
    let files = match imported.files.len() {
        0 => String::new(),
        1 => " and 1 file next to it".to_owned(),
        number => format!(" and {number} files next to it"),
    };
    let _ = writeln!(
        out,
        "{taken} request{plural} taken, {} changed, {} left out, {} not needed; wrote {}{files}",
        count(NoteKind::Changed, false),
        count(NoteKind::LeftOut, false),
        count(NoteKind::LeftOut, true),
        plain(&args.output.display().to_string()),
    );
    out
}

/// What `--json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    schema: &'static str,
    plan: &'a Path,
    sources: Vec<ShownSource<'a>>,
    files: Vec<&'a str>,
    /// Requests in the plan.
    requests: usize,
    complete: bool,
    notes: Vec<ShownNote<'a>>,
    /// Notes that are counted only.
    more_notes: usize,
}

#[derive(Serialize)]
struct ShownSource<'a> {
    file: String,
    format: &'a str,
}

#[derive(Serialize)]
struct ShownNote<'a> {
    outcome: &'static str,
    file: &'a str,
    line: u32,
    column: u32,
    what: &'a str,
    reason: &'a str,
}

fn json(args: &ImportPlanArgs, imported: &Imported) -> String {
    let note = |note: &'_ Note| -> &'static str {
        match (note.kind, note.is_wanted) {
            (NoteKind::Taken, _) => "taken",
            (NoteKind::Changed, _) => "changed",
            (NoteKind::LeftOut, true) => "not needed",
            (NoteKind::LeftOut, false) => "left out",
        }
    };
    let notes = imported.notes.all();
    let shown = Shown {
        schema: "swell.import/1",
        plan: &args.output,
        sources: args
            .files
            .iter()
            .zip(&imported.formats)
            .map(|(path, format)| ShownSource { file: shown(path), format })
            .collect(),
        files: imported.files.iter().map(|file| &*file.path).collect(),
        requests: notes.iter().filter(|note| note.kind == NoteKind::Taken).count(),
        complete: !imported.notes.is_lossy(),
        notes: notes
            .iter()
            .map(|one| ShownNote {
                outcome: note(one),
                file: &one.place.file,
                line: one.place.line,
                column: one.place.column,
                what: &one.what,
                reason: &one.reason,
            })
            .collect(),
        more_notes: imported.notes.not_kept(),
    };
    swell_report::json::line(&shown)
}
