//! What is kept and judged of a run, from before its first user to its end.

use swell_expr::Properties;
use swell_plan::Plan;
use swell_results::check_place;

use super::recording::Recording;
use crate::args::{KeepArgs, ThresholdArgs};
use crate::exit::{Exit, Failure};
use crate::kept::{self, Ended, Kept, Limits, RunFacts};
use crate::output;
use crate::thresholds;
use crate::watched::Watched;

/// What the command line says of it.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct KeepOptions<'a> {
    pub(crate) keep: &'a KeepArgs,
    pub(crate) thresholds: &'a ThresholdArgs,
    /// The run is kept unless the command line says otherwise.
    pub(crate) by_default: bool,
    /// A run that is over may be written over.
    pub(crate) force: bool,
    /// Standard output belongs to JSON.
    pub(crate) json: bool,
    pub(crate) strict: bool,
}

/// A run that is kept, judged, or both; or neither.
pub(crate) struct Keeping<'a> {
    options: KeepOptions<'a>,
    kept: Option<Kept>,
    limits: Limits,
    /// For files that name it.
    plan_name: String,
}

impl<'a> Keeping<'a> {
    /// Reads the thresholds and makes the folder of the run. What takes the seconds of the run goes to its watch.
    ///
    /// # Errors
    /// A threshold cannot be understood, or something that is to be written cannot be.
    pub(crate) fn begin(
        options: KeepOptions<'a>,
        facts: &RunFacts,
        plan: &Plan,
        props: &Properties,
    ) -> Result<(Self, Recording), Failure> {
        let judge = thresholds::judge(options.thresholds, props)?;
        for (path, what) in thresholds::outputs(options.thresholds) {
            let refused =
                |error| Failure::settings(format!("cannot write {what} to `{}`: {error}", path.display()));
            check_place(&path).map_err(refused)?;
        }
        let begun = kept::begin(options.keep, options.by_default, options.force, facts)?;
        let (kept, recorder) = begun.unzip();
        let recording = Recording { recorder, judge: Some(judge).filter(|judge| !judge.is_empty()) };
        let plan_name = plan.root.element.name().to_owned();
        Ok((Self { options, kept, limits: Limits::of(props), plan_name }, recording))
    }

    /// The name under which the run is kept, or that of a run that nobody names.
    pub(crate) fn name_of_run(&self, facts: &RunFacts) -> String {
        self.kept.as_ref().map_or_else(|| facts.default_name(), |kept| kept.name.clone())
    }

    /// Writes what is left to write. `written`: what became of the other files of the run.
    pub(crate) fn end(self, mut watched: Watched, written: Result<(), Failure>) -> Result<Exit, Failure> {
        let name = self.kept.as_ref().map_or(self.plan_name.as_str(), |kept| kept.name.as_str());
        let judged = thresholds::write(
            self.options.thresholds,
            name,
            &watched.report,
            &watched.judgements,
            self.options.json,
        );
        let written = written.and(judged);
        let exit =
            written.as_ref().map_or_else(|failure| failure.exit, |()| watched.exit(self.options.strict));
        let ended = Ended {
            exit,
            interrupted: watched.interrupted,
            summary: &output::json(&watched),
            problems: output::what_went_wrong(&watched),
            limits: self.limits,
        };
        let recorder = watched.recorder.take();
        let exit = match (self.kept, recorder) {
            (Some(kept), Some(mut recorder)) => kept.finish(&mut recorder, &watched, &ended),
            _ => exit,
        };
        written.map(|()| exit)
    }
}
