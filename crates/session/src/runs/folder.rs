//! The folder of a run, written as the run happens.

use std::path::Path;
use std::sync::Arc;

use swell_debug::KeptFailures;
use swell_results::run_folder::{CreateError, JournalEvent, Metadata, Outcome, Recorder};
use swell_run::Trial;
use swell_stats::verdict::{Criterion, Verdict};

use super::{
    EarlierRun, Entry, HAS_HISTORY, History, Limits, Place, RunFacts, earlier_run, facts, without_history,
};
use crate::kept_failures::page_of;
use crate::messages::messages;
use crate::observer::{Event, Observer, RunHandle, Second};
use crate::{Ended, Ending, Problem, SessionOptions, summary_json};

/// A run that is kept as it happens: its folder, its journal and its line in the history.
pub(crate) struct KeptRun {
    /// Its name, unique in the history.
    pub(crate) name: String,
    /// The run of the same plan before it.
    pub(crate) earlier: Option<EarlierRun>,
    recorder: Recorder,
    history: Option<History>,
    limits: Limits,
    /// The user named the folder: the run fails if it cannot be written whole.
    is_asked_for: bool,
    exit_status: fn(Ending) -> u8,
    run: Option<RunHandle>,
    failures: Option<Arc<KeptFailures>>,
    /// Lines of failures that are written.
    written: usize,
    title: String,
}

impl KeptRun {
    /// Makes the folder, before the first user; nothing where nothing is kept.
    ///
    /// # Errors
    /// The folder that the user named cannot be made. One that is made by default is not needed: a
    /// message says so.
    pub(crate) fn begin(
        options: &SessionOptions,
        facts: &RunFacts,
        trial: &Trial,
    ) -> Result<Option<Self>, Problem> {
        let keep = &options.keep;
        let is_asked_for = keep.folder.is_some() || keep.name.is_some();
        let place = match Place::of(keep) {
            Place::Nowhere if keep.name.is_some() => return Err(nowhere()),
            Place::Nowhere => return Ok(None),
            place => place,
        };
        match make(options, &place, facts) {
            Ok((name, history, recorder)) => Ok(Some(Self {
                earlier: history.as_ref().and_then(|history| earlier_run(history, &history.find(&name)?)),
                name,
                recorder,
                history,
                limits: Limits::of(trial.props()),
                is_asked_for,
                exit_status: options.exit_status,
                run: None,
                failures: trial.kept_failures().cloned(),
                written: 0,
                title: trial.prepared().root().element.name().to_owned(),
            })),
            Err(error) if is_asked_for => Err(cannot_make(&error)),
            Err(error) => {
                (options.say)(&format!("{error}; this run is not kept (--no-run-dir keeps no run)"));
                Ok(None)
            }
        }
    }
}

impl KeptRun {
    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        self.recorder.path()
    }

    fn write_failures(&mut self) {
        if let Some(kept) = &self.failures {
            let lines = kept.lines_from(self.written);
            self.written += lines.len();
            self.recorder.record_failures(&lines);
        }
    }

    /// The failures as a page.
    fn write_failures_page(&mut self, ended: &Ended) {
        let Some(kept) = self.failures.as_ref().filter(|kept| !kept.is_empty()) else { return };
        match page_of(&self.title, &kept.lines_from(0)) {
            Ok(page) => self.recorder.write_failures_page(&page),
            Err(error) => ended.say(&format!("cannot make the page of failures: {error}")),
        }
    }
}

fn nowhere() -> Problem {
    if !HAS_HISTORY {
        return without_history("--name needs it");
    }
    Problem::settings("--name names a run to keep, but no folder for kept runs is set")
        .hint("name a folder with --run-dir, or a folder of runs by the environment variable SWELL_RUNS")
}

pub(super) fn cannot_make(error: &CreateError) -> Problem {
    Problem::settings(error.to_string()).hint(match error {
        CreateError::HasRun(_) => "name another folder, or write over a finished run with -f",
        CreateError::NotEmpty(_) => "name a folder that is new or empty",
        CreateError::Io(..) => "name a folder that this user may write to, or keep nothing with --no-run-dir",
    })
}

fn make(
    options: &SessionOptions,
    place: &Place,
    facts: &RunFacts,
) -> Result<(String, Option<History>, Recorder), CreateError> {
    let wanted = options.keep.name.clone().unwrap_or_else(|| facts.default_name());
    let history = place.history(&options.say);
    let made =
        create(place, &wanted, options.force, history.as_ref(), &facts.plan, |name| facts.metadata(name));
    let (name, recorder) = made?;
    if let Some(history) = &history {
        let is_named = options.keep.name.is_some();
        history.begin(&Entry::begun(&name, recorder.path(), is_named, facts));
    }
    Ok((name, history, recorder))
}

/// Makes the folder of a run under the wanted name, or under the first one with a number that is
/// free.
pub(super) fn create(
    place: &Place,
    wanted: &str,
    force: bool,
    history: Option<&History>,
    plan: &[u8],
    metadata: impl Fn(&str) -> Metadata,
) -> Result<(String, Recorder), CreateError> {
    for number in 1.. {
        let name = if number == 1 { wanted.to_owned() } else { format!("{wanted}-{number}") };
        if history.is_some_and(|history| history.has(&name)) {
            continue;
        }
        let (folder, replace) = match place {
            Place::Folder(folder) => (folder.clone(), force),
            Place::Among(runs) => (runs.join(&name), false),
            Place::Nowhere => unreachable!("there is a place"),
        };
        match Recorder::create(&folder, &metadata(&name), plan, replace) {
            // Another run has just taken the name.
            Err(CreateError::HasRun(_) | CreateError::NotEmpty(_)) if matches!(place, Place::Among(_)) => {}
            made => return Ok((name, made?)),
        }
    }
    unreachable!("there are more numbers than runs")
}

impl Observer for KeptRun {
    fn begin(&mut self, run: &RunHandle) {
        self.run = Some(run.clone());
    }

    fn second(&mut self, second: &Second) {
        let had_failed = self.recorder.failure().is_some();
        self.recorder.record(second.interval());
        self.write_failures();
        if let Some(fine) = &second.fine {
            self.recorder.record_fine(fine);
        }
        let fails = self.recorder.failure().filter(|_| !had_failed);
        if let Some((why, run)) = fails.zip(self.run.as_ref()) {
            let folder = self.recorder.path().display();
            run.say(format!(
                "cannot write the folder of the run `{folder}` any more: {why}; the test continues"
            ));
        }
    }

    fn event(&mut self, event: &Event) {
        if let Some(event) = event.journal() {
            self.recorder.journal().write(event);
        }
    }

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        let exit = (self.exit_status)(ended.ending());
        let event = JournalEvent::now("end", format!("the run has finished with status {exit}"));
        self.recorder.journal().write(&event.with("exit", exit));
        self.write_failures();
        self.write_failures_page(ended);
        let outcome = outcome(ended, exit);
        self.recorder.finish(&outcome, &summary_json(ended));
        let folder = self.recorder.path().to_owned();
        if let Some(history) = &self.history {
            let grade = ended.report.verdict.as_ref().map(|verdict| verdict.grade);
            history.end(&self.name, &outcome, &ended.report.summary, grade, &folder);
            history.forget_old(&folder, self.limits);
        }
        let Some(why) = self.recorder.failure() else {
            ended.say(&format!("The run is kept as {} in {}", self.name, folder.display()));
            return Vec::new();
        };
        let text = format!("cannot write the folder of the run `{}` whole: {why}", folder.display());
        if self.is_asked_for {
            return vec![Problem::output(text)];
        }
        ended.say(&text);
        Vec::new()
    }
}

fn outcome(ended: &Ended, exit: u8) -> Outcome {
    let report = &ended.report;
    Outcome {
        schema: Outcome::SCHEMA.to_owned(),
        end_ms: swell_net::now_ns().div_euclid(1_000_000),
        exit,
        interrupted: ended.interrupted,
        is_judged: report.verdict.is_some(),
        evidence: report.evidence.clone(),
        refusal: report.verdict.as_ref().and_then(|verdict| verdict.refusal.clone()),
        lost_machines: report.verdict.as_ref().and_then(lost_machines),
        servers: report.servers.iter().map(ToString::to_string).collect(),
        thresholds: ended.judgements.iter().map(facts::threshold).collect(),
        problems: messages(ended),
    }
}

/// The agents whose load is missing.
fn lost_machines(verdict: &Verdict) -> Option<String> {
    let gate = verdict.gates.iter().find(|gate| gate.criterion == Criterion::LostLoad)?;
    gate.machine.as_deref().map(str::to_owned)
}
