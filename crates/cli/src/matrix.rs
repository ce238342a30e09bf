//! `swell matrix`: load generators side by side.

use std::path::PathBuf;
use std::time::Duration;

use swell_metrics::export::Destination;
use swell_report::json::indented;
use swell_results::run_folder::RunFolder;
use swell_session::MADE_BY;
use swell_study::matrix::{
    self, Adapter, Matrix, MatrixDriver, MatrixOptions, Reading, Run, RunEnding, RunFacts, tools,
};
use swell_study::table::Table;

use crate::args::{MatrixArgs, ObserveArgs};
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout, say};
use crate::study::Course;
use crate::study_folder::{StudyFolder, show};
use crate::target_process::TargetProcess;
use crate::trials::{Counting, ObservedTrials, StudyOptions};

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
    check(&args.observe)?;
    let output = args.output.as_deref();
    let kept = output.map(|dir| StudyFolder::begin(dir, "matrix.json", "matrix", args.force)).transpose()?;
    // Without -o what tools write is not kept.
    let temporary = std::env::temp_dir().join(format!("swell-matrix-{}", std::process::id()));
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
        folder: kept.as_ref().map_or(temporary.clone(), |kept| kept.path("runs")),
    };
    let mut driver = Driver::begin(args, kept)?;
    let ended = matrix::run(MADE_BY, &options, &mut driver);
    if driver.folder.is_none() {
        // It is in the system's folder for temporary files.
        let _ = std::fs::remove_dir_all(&temporary);
    }
    let (found, whole) = ended?;
    show(driver.folder.as_ref(), &found, args.json, || matrix::text(&found))?;
    if !whole {
        print_stderr("interrupted; what was measured before is above");
        return Ok(Exit::Interrupted);
    }
    let all_read = found.runs.iter().all(|run| run.ending == RunEnding::Read);
    driver.trials.end(if all_read { Exit::Fine } else { Exit::NothingSucceeded })
}

/// Refuses options that the runs of Swell in a matrix cannot have.
fn check(observe: &ObserveArgs) -> Result<(), Failure> {
    if observe.keep.run_name.is_some() {
        return Err(Failure::settings("--name: the runs of a matrix have no names")
            .hint("keep them in a folder with --run-dir"));
    }
    let any_port = |to: &Destination| matches!(to, Destination::Prometheus(address) if address.port() == 0);
    if observe.exports.destinations().iter().any(any_port) {
        return Err(Failure::settings(
            "--export: each run of a matrix would serve its metrics on another port",
        )
        .hint("name a port: --export prometheus=127.0.0.1:9464"));
    }
    if observe.exports.destinations().iter().any(|to| to.file().is_some()) {
        return Err(Failure::settings("--export: each run of a matrix would overwrite the CSV file")
            .hint("keep the runs in a folder with --run-dir"));
    }
    Ok(observe.thresholds.options().check(&say())?)
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

struct Driver<'a> {
    args: &'a MatrixArgs,
    folder: Option<StudyFolder>,
    course: Course,
    trials: ObservedTrials,
    /// The folder in which the running tool keeps its run, if it is Swell.
    run: Option<PathBuf>,
}

impl<'a> Driver<'a> {
    /// Signals are caught from now on.
    fn begin(args: &'a MatrixArgs, folder: Option<StudyFolder>) -> Result<Self, Failure> {
        let course = Course::begin()?;
        let options = StudyOptions {
            kind: "matrix",
            subject: "built-in target",
            observe: &args.observe,
            force: args.force,
            json: args.json,
            counting: Counting::All,
        };
        let trials = ObservedTrials::begin(&options, course.interrupted())?;
        Ok(Self { args, folder, course, trials, run: None })
    }

    fn end_run(&mut self, run: &Run) -> Result<(), Failure> {
        if let Some(folder) = self.run.take().filter(|folder| RunFolder::is_one(folder)) {
            return self.trials.end_kept(&folder);
        }
        let Reading { requests, errors, per_s, p95_ms, .. } = run.said;
        let error_percent = errors.zip(requests).map(|(errors, of)| 100.0 * errors / of.max(1.0));
        self.trials.end_unjudged(per_s, p95_ms, error_percent);
        Ok(())
    }
}

impl MatrixDriver for Driver<'_> {
    type Failure = Failure;

    fn goes_on(&self) -> bool {
        self.course.goes_on()
    }

    fn begin(&mut self, run: &RunFacts<'_>) -> Vec<String> {
        let keep = self.trials.next(run.label.clone());
        if run.tool.name != "swell" {
            return Vec::new();
        }
        let in_runs = || self.trials.needs_figures().then(|| run.folder.join("run"));
        self.run = keep.folder.or_else(in_runs).map(|folder| std::path::absolute(&folder).unwrap_or(folder));
        let observe = &self.args.observe;
        let keep = self.run.iter().map(|folder| format!("--run-dir={}", folder.display()));
        let keep = keep.chain(self.args.force.then(|| "-f".to_owned()));
        keep.chain(observe.exports.arguments()).chain(observe.monitor.arguments()).collect()
    }

    fn done(&mut self, done: usize, all: usize, run: &Run, line: &str) -> Result<(), Failure> {
        let ended = self.end_run(run);
        self.trials.conclude(line);
        print_stderr(&format!("{done} of {all}: {line}"));
        ended
    }

    fn keep(&mut self, found: &Matrix) -> Result<(), Failure> {
        let Some(folder) = &self.folder else { return Ok(()) };
        folder.write([
            ("matrix.csv", found.csv()),
            ("matrix.json", indented(found)),
            ("index.html", matrix::html(found)),
        ])
    }
}
