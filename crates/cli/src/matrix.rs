//! `swell matrix`: load generators side by side.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use swell_results::write_whole;
use swell_session::MADE_BY;
use swell_study::matrix::{self, Adapter, Matrix, MatrixDriver, MatrixOptions, RunEnding, tools};
use swell_study::table::Table;

use crate::args::MatrixArgs;
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout};
use crate::signals;
use crate::study::make_folder;
use crate::target_process::TargetProcess;

/// Runs the command.
pub(crate) fn matrix(args: &MatrixArgs) -> Result<Exit, Failure> {
    let found = found(args)?;
    if args.list {
        print_stdout(&list(&found))?;
        return Ok(Exit::Fine);
    }
    if found.iter().all(|(_, program)| program.is_none()) {
        let lines: Vec<_> =
            found.iter().map(|(tool, _)| format!("{}: {}", tool.name, tool.install)).collect();
        return Err(Failure::settings(format!("none of these tools is here\n  {}", lines.join("\n  "))));
    }
    let seconds = whole_seconds(args.duration)?;
    // Without -o what tools write is not kept.
    let (folder, kept) = match &args.output {
        Some(dir) => (begin(dir, args.force)?, true),
        None => (std::env::temp_dir().join(format!("swell-matrix-{}", std::process::id())), false),
    };
    let site = TargetProcess::start_with(&["--workers", &args.site_workers.to_string()])
        .map_err(|error| Failure::settings(format!("cannot start the built-in target: {error}")))?;
    let options = MatrixOptions {
        tools: found,
        site: site.address,
        rtts: args.rtt.clone(),
        users: args.users.clone(),
        seconds,
        rounds: usize::from(args.rounds),
        seed: (!args.in_order).then_some(args.seed),
        folder: folder.join("runs"),
    };
    let mut driver = Driver { folder: kept.then(|| folder.clone()), interrupted: signals::interrupt_flag()? };
    let ended = matrix::run(MADE_BY, &options, &mut driver);
    if !kept {
        // It is in the system's folder for temporary files.
        let _ = std::fs::remove_dir_all(&folder);
    }
    let (found, whole) = ended.map_err(Failure::settings)?;
    show(args, &found, kept.then_some(&*folder))?;
    if !whole {
        print_stderr("interrupted; what was measured before is above");
        return Ok(Exit::Interrupted);
    }
    let all_read = found.runs.iter().all(|run| run.ending == RunEnding::Read);
    Ok(if all_read { Exit::Fine } else { Exit::NothingSucceeded })
}

/// The tools that are asked for, each with its program if it is here.
fn found(args: &MatrixArgs) -> Result<Vec<(&'static Adapter, Option<PathBuf>)>, Failure> {
    let names = || tools::ALL.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ");
    let unknown = |name: &str| {
        Failure::settings(format!("unknown tool `{name}`")).hint(format!("there are {}", names()))
    };
    let mut given = Vec::new();
    for text in &args.program {
        let (name, path) = text.split_once('=').ok_or_else(|| {
            Failure::settings(format!("`{text}` names no program"))
                .hint("--program jmeter=/opt/jmeter/bin/jmeter")
        })?;
        let tool = tools::named(name).ok_or_else(|| unknown(name))?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
        if !path.is_file() {
            return Err(Failure::settings(format!("program not found: `{}`", path.display())));
        }
        given.push((tool.name, path));
    }
    let mut wanted = Vec::new();
    for name in &args.tools {
        let tool = tools::named(name.trim()).ok_or_else(|| unknown(name.trim()))?;
        if wanted.iter().all(|known: &&Adapter| known.name != tool.name) {
            wanted.push(tool);
        }
    }
    if wanted.is_empty() {
        wanted.extend(&tools::ALL);
    }
    let program = |tool: &Adapter| {
        let named = given.iter().find(|(name, _)| *name == tool.name).map(|(_, path)| path.clone());
        let own = || match tool.program {
            "" => None,
            _ if tool.name == "swell" => std::env::current_exe().ok(),
            name => on_path(name),
        };
        named.or_else(own)
    };
    Ok(wanted.into_iter().map(|tool| (tool, program(tool))).collect())
}

/// A program on the path.
fn on_path(program: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(program)).find(is_program)
}

fn list(found: &[(&Adapter, Option<PathBuf>)]) -> String {
    let mut table = Table::new(["tool", "here", "install"]);
    for (tool, program) in found {
        let here = program.as_ref().map_or("no".to_owned(), |path| path.display().to_string());
        table.rows.push(vec![tool.name.to_owned(), here, tool.install.to_owned()]);
    }
    table.text()
}

fn whole_seconds(time: Duration) -> Result<u32, Failure> {
    let whole = time.subsec_nanos() == 0 && (1..=86_400).contains(&time.as_secs());
    if !whole {
        return Err(
            Failure::settings("a run takes whole seconds, 1s to 1d").hint("some of the tools know no others")
        );
    }
    Ok(time.as_secs() as u32)
}

fn begin(dir: &Path, force: bool) -> Result<PathBuf, Failure> {
    if !force && dir.join("matrix.json").exists() {
        return Err(Failure::settings(format!("`{}` has a matrix already", dir.display()))
            .hint("-f writes over it; -o takes another folder"));
    }
    make_folder(dir).map_err(|error| cannot(dir, &error))?;
    std::path::absolute(dir).map_err(|error| cannot(dir, &error))
}

fn cannot(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::lost(format!("cannot write `{}`: {error}", path.display()))
}

fn json(found: &Matrix) -> String {
    let text = serde_json::to_string_pretty(found).expect("numbers and texts are valid JSON");
    swell_report::json::harmless(&text)
}

fn show(args: &MatrixArgs, found: &Matrix, folder: Option<&Path>) -> Result<(), Failure> {
    if let Some(folder) = folder {
        print_stderr(&format!("The page is {}", folder.join("index.html").display()));
    }
    if args.json {
        return print_stdout(&(json(found) + "\n"));
    }
    print_stdout(&matrix::text(found))
}

struct Driver {
    folder: Option<PathBuf>,
    interrupted: Arc<AtomicBool>,
}

impl MatrixDriver for Driver {
    fn goes_on(&self) -> bool {
        !self.interrupted.load(Ordering::Relaxed)
    }

    fn done(&mut self, done: usize, all: usize, line: &str) {
        print_stderr(&format!("{done} of {all}: {line}"));
    }

    fn keep(&mut self, found: &Matrix) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let files = [
            ("matrix.csv", found.csv()),
            ("matrix.json", json(found) + "\n"),
            ("index.html", matrix::html(found)),
        ];
        for (name, text) in files {
            let path = folder.join(name);
            write_whole(&path, text.as_bytes()).map_err(|error| cannot(&path, &error).message)?;
        }
        Ok(())
    }
}
