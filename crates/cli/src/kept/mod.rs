//! Runs that are kept: where, under which names, and what stands in their folders.

mod facts;
mod history;
mod place;

use std::path::Path;

use swell_results::run_folder::{CreateError, Event, Outcome, Recorder, RunFolder};
use swell_stats::verdict::{Criterion, Verdict};

use crate::args::KeepArgs;
use crate::exit::{Exit, Failure};
use crate::print::print_stderr;
use crate::watched::Watched;

pub(crate) use facts::RunFacts;
pub(crate) use history::{Entry, History, REPORT};
pub(crate) use place::{Place, runs_folder};

/// A run that is being kept.
pub(crate) struct Kept {
    /// Its name, unique in the history.
    pub(crate) name: String,
    history: Option<History>,
    /// The command line named the folder: that it cannot be written whole is an error of the run.
    is_asked_for: bool,
}

/// Makes the folder of a run, before its first user; none where nothing is kept. `by_default`: where the command line says nothing.
///
/// # Errors
/// The folder that the command line names cannot be made. One that nobody asked for is not missed: that is said, and no more.
pub(crate) fn begin(
    args: &KeepArgs,
    by_default: bool,
    force: bool,
    facts: &RunFacts,
) -> Result<Option<(Kept, Recorder)>, Failure> {
    let is_asked_for = args.run_dir.is_some() || args.run_name.is_some();
    let place = match Place::of(args, by_default) {
        Place::Nowhere if args.run_name.is_some() => {
            return Err(Failure::settings(
                "--name names a run to keep, and there is no folder to keep runs in",
            )
            .hint(
                "name a folder with --run-dir, or a folder of runs by the environment variable SWELL_RUNS",
            ));
        }
        Place::Nowhere => return Ok(None),
        place => place,
    };
    match make(args, &place, force, facts) {
        Ok((name, history, recorder)) => {
            recorder.journal().write(&Event::now("start", "the run begins").with("name", name.as_str()));
            Ok(Some((Kept { name, history, is_asked_for }, recorder)))
        }
        Err(error) if is_asked_for => {
            let hint = match &error {
                CreateError::HasRun(_) => "name another folder, or write over a run that is over with -f",
                CreateError::NotEmpty(_) => "name a folder that is new or empty",
                CreateError::Io(..) => {
                    "name a folder that this user may write to, or keep nothing with --no-run-dir"
                }
            };
            Err(Failure::settings(error.to_string()).hint(hint))
        }
        Err(error) => {
            print_stderr(&format!(
                "{error}; nothing is kept of this run (--no-run-dir: nothing is to be kept)"
            ));
            Ok(None)
        }
    }
}

fn make(
    args: &KeepArgs,
    place: &Place,
    force: bool,
    facts: &RunFacts,
) -> Result<(String, Option<History>, Recorder), CreateError> {
    let wanted = args.run_name.clone().unwrap_or_else(|| facts.default_name());
    let mut history = place.history();
    for number in 1.. {
        let name = if number == 1 { wanted.clone() } else { format!("{wanted}-{number}") };
        if history.as_ref().is_some_and(|history| history.has(&name)) {
            continue;
        }
        let (folder, replace) = match place {
            Place::Folder(folder) => (folder.clone(), force),
            Place::Among(runs) => (runs.join(&name), false),
            Place::Nowhere => unreachable!("there is a place"),
        };
        match Recorder::create(&folder, &facts.metadata(&name), &facts.plan, replace) {
            // Somebody else has just taken the name.
            Err(CreateError::HasRun(_) | CreateError::NotEmpty(_)) if matches!(place, Place::Among(_)) => {}
            made => {
                let recorder = made?;
                if let Some(history) = &mut history {
                    history.begin(&Entry::begun(&name, &folder, args.run_name.is_some(), facts));
                }
                return Ok((name, history, recorder));
            }
        }
    }
    unreachable!("there are more numbers than runs")
}

impl Kept {
    /// Writes how the run ended. The status is the same, or that of results that were lost.
    pub(crate) fn finish(self, recorder: &mut Recorder, watched: &Watched, ended: &Ended<'_>) -> Exit {
        let text = format!("the run is over with status {}", ended.exit as u8);
        recorder.journal().write(&Event::now("end", text).with("exit", ended.exit as u8));
        let outcome = outcome(watched, ended);
        recorder.finish(&outcome, ended.summary);
        let folder = recorder.path().to_owned();
        if let Some(history) = &self.history {
            history.end(&self.name, &outcome, &watched.report, &folder);
            history.forget_old(&folder, ended.limits);
        }
        let Some(why) = recorder.failure() else {
            print_stderr(&format!("The run is kept as {} in {}", self.name, folder.display()));
            return ended.exit;
        };
        print_stderr(&format!("cannot write the folder of the run `{}` whole: {why}", folder.display()));
        let was_fine = ended.exit == Exit::Fine;
        if self.is_asked_for && was_fine { Exit::ResultsLost } else { ended.exit }
    }
}

/// How a run ended.
pub(crate) struct Ended<'a> {
    pub(crate) exit: Exit,
    pub(crate) interrupted: bool,
    /// Its figures as JSON.
    pub(crate) summary: &'a str,
    /// What was said at its end.
    pub(crate) problems: Vec<String>,
    pub(crate) limits: Limits,
}

/// How much is kept of runs that nobody gave a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Runs.
    pub(crate) runs: u64,
    /// Bytes of all their folders.
    pub(crate) bytes: u64,
}

impl Limits {
    /// As the properties `swell.runs.keep` and `swell.runs.max_mb` say.
    pub(crate) fn of(props: &swell_expr::Properties) -> Self {
        let number = |name, default| u64::try_from(props.number(name, default)).unwrap_or(0);
        Self { runs: number("swell.runs.keep", 100), bytes: number("swell.runs.max_mb", 2048) << 20 }
    }
}

fn outcome(watched: &Watched, ended: &Ended<'_>) -> Outcome {
    let report = &watched.report;
    Outcome {
        schema: Outcome::SCHEMA.to_owned(),
        end_ms: swell_net::now_ns().div_euclid(1_000_000),
        exit: ended.exit as u8,
        interrupted: ended.interrupted,
        is_judged: report.verdict.is_some(),
        evidence: report.evidence.clone(),
        refusal: report.verdict.as_ref().and_then(|verdict| verdict.refusal.clone()),
        lost_machines: report.verdict.as_ref().and_then(lost_machines),
        servers: report.servers.iter().map(ToString::to_string).collect(),
        thresholds: watched.judgements.iter().map(facts::threshold).collect(),
        problems: ended.problems.clone(),
    }
}

/// The agents whose load is missing.
fn lost_machines(verdict: &Verdict) -> Option<String> {
    let gate = verdict.gates.iter().find(|gate| gate.criterion == Criterion::LostLoad)?;
    gate.machine.as_deref().map(str::to_owned)
}

/// A run by its name in the history, its folder, or `last`.
///
/// # Errors
/// There is none.
pub(crate) fn find(name: &str) -> Result<RunFolder, Failure> {
    let failed = |error: swell_results::run_folder::ReadError| Failure::settings(error.to_string());
    let path = Path::new(name);
    if RunFolder::is_one(path) {
        return RunFolder::open(path).map_err(failed);
    }
    let history = runs_folder().and_then(|runs| History::open_existing(&runs));
    let entry = history.as_ref().and_then(|history| history.find(name));
    if let Some(entry) = entry {
        if !RunFolder::is_one(&entry.folder) {
            return Err(Failure::settings(format!(
                "the folder of the run `{name}` is gone: `{}`",
                entry.folder.display()
            ))
            .hint("runs without a name of their own are removed after a while: swell.runs.keep, swell.runs.max_mb"));
        }
        return RunFolder::open(&entry.folder).map_err(failed);
    }
    let named = history.map(|history| history.names_like(name)).unwrap_or_default();
    let hint = if named.is_empty() {
        "name a folder of a run, or a name that `swell history` shows".to_owned()
    } else {
        format!("did you mean {}? `swell history` shows all", named.join(", "))
    };
    Err(Failure::settings(format!("there is no run `{name}`")).hint(hint))
}
