//! A run from before its first user to its end.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use swell_metrics::export::TrialIdentity;
use swell_net::Lift;
use swell_plan::Plan;
use swell_report::page::About;
use swell_results::run_folder::{FAILURES_PAGE, JournalEvent};
use swell_run::{RunningTrial, Starter, Trial, TrialReport};

use crate::dispatch::{Dispatch, Input, Served, notify};
use crate::exports::{ExportContext, Exports};
use crate::kept_failures::{LinkedFailures, relative_address};
use crate::observer::{Event, EventSink, Observer, RunHandle};
use crate::page::{GrowingPage, LivePage};
use crate::report::ReportFile;
use crate::requests::{Inbox, Request};
use crate::runs::{EarlierRun, KeptRun, RunFacts};
use crate::stopping::{Grace, Graces, Stopping};
use crate::summary::SummaryFile;
use crate::thresholds::{Github, Gitlab, Junit, Thresholds};
use crate::watch::Watch;
use crate::{Ended, Problem, SessionOptions, thresholds};

/// What is run.
pub struct Subject<'a> {
    /// The command: `run`, `hit`.
    pub kind: &'static str,
    /// The file of the plan, where it has one.
    pub file: Option<&'a Path>,
    /// The file as it is run, if options have changed it.
    pub changed_text: Option<Vec<u8>>,
    /// Which trial it is, in a study of many.
    pub trial: Option<TrialIdentity>,
    /// The plan.
    pub plan: &'a Plan,
    /// The name of the plan for other systems.
    pub title: String,
    /// What the page says of the run.
    pub about: About,
}

/// A run that has not started.
pub struct Session {
    observers: Vec<Box<dyn Observer>>,
    /// Observers after which the caller's come.
    before: usize,
    events: EventSink,
    to: Sender<Input>,
    inbox: Receiver<Input>,
    options: SessionOptions,
    /// The name under which the run is kept, or that of its plan.
    name: String,
    /// The run of the same plan before it.
    earlier: Option<EarlierRun>,
}

/// How a run is started and waited for.
pub struct RunOptions {
    /// Starts the trial, here or elsewhere.
    pub starter: Starter,
    /// How long running samples may continue after a signal.
    pub graces: Graces,
    /// How long running samples may continue after the time of the test; nothing: as long as they
    /// take.
    pub end_grace: Option<Grace>,
}

/// A run whose seconds are observed.
pub struct Observed {
    dispatch: Dispatch,
    options: SessionOptions,
    name: String,
    earlier: Option<EarlierRun>,
}

impl Session {
    /// Reads the thresholds, makes the folder of the run and starts its live page and exports.
    /// Messages of the run go to `notices`.
    ///
    /// # Errors
    /// An option or property cannot be used, or a file cannot be made.
    pub fn begin(
        options: SessionOptions,
        subject: &Subject<'_>,
        trial: &Trial,
        notices: EventSink,
    ) -> Result<Self, Problem> {
        let (to, inbox) = mpsc::channel();
        let dispatch = to.clone();
        let events: EventSink = Arc::new(move |event: Event| {
            notices(event.clone());
            // The observers are gone only after the end.
            let _ = dispatch.send(Input::Event(event));
        });
        options.keep.annotation.check().map_err(Problem::settings)?;
        let facts = RunFacts::new(subject, trial.props(), &options);
        let begin = Begin { options: &options, subject, facts: &facts, trial, events: &events };
        let Begun { observers, before, name, earlier } = begin.observers()?;
        let start = JournalEvent::now("start", "the run begins").with("name", name.as_str());
        events(Event::Happened(start));
        Ok(Self { observers, before, events, to, inbox, options, name, earlier })
    }

    /// Adds an observer, which ends after the page and the report and before files of pipelines and
    /// the folder of the run.
    pub fn add(&mut self, observer: Box<dyn Observer>) {
        self.observers.insert(self.before, observer);
        self.before += 1;
    }

    /// Runs a trial to its end, or to the last signal. `display` shows it on this thread.
    ///
    /// # Errors
    /// No thread can be had.
    pub fn run(
        self,
        trial: Trial,
        run: RunOptions,
        inbox: &Inbox,
        display: &mut dyn Observer,
    ) -> Result<Ended, Problem> {
        let cannot = |error: io::Error| Problem::settings(format!("cannot start a thread: {error}"));
        let seconds = trial.subscribe_with(inbox.requests.seconds());
        let host = Arc::clone(trial.host());
        let handle = |control| RunHandle {
            control,
            events: self.events.clone(),
            requests: Some(inbox.requests.clone()),
        };
        let lift = Lift::default();
        let observed = trial.subscribe_with(notify(self.to.clone(), lift.clone()));
        let running = (run.starter)(trial).map_err(cannot)?;
        let run_handle = handle(running.control());
        running.control().load().limit_load(self.options.ceilings);
        display.begin(&run_handle);
        let dispatch =
            Dispatch::start(self.observers, run_handle, observed, self.inbox, lift).map_err(cannot)?;
        let observed = Observed { dispatch, options: self.options, name: self.name, earlier: self.earlier };
        let control = running.control();
        let stopping = Stopping::new(run.graces);
        let mut watch = Watch { control, seconds, display, stopping, end_grace: run.end_grace };
        watch.until_end(&inbox.from);
        let interrupted = watch.stopping.is_asked();
        let report = running.wait();
        // The last second is shown, and logged, while the run ends.
        host.finish_log();
        let (served, mut ended) = observed.finished(report, interrupted);
        for request in inbox.from.try_iter() {
            if let Request::Event(event) = request {
                display.event(&event);
            }
        }
        // No key changes the run after the end of the display.
        let problems = display.end(&mut ended);
        ended.problems.extend(problems);
        Ok(end(served, ended))
    }

    /// Starts a trial whose end the caller waits for.
    ///
    /// # Errors
    /// No thread can be had.
    pub fn start(self, trial: Trial, starter: Starter) -> io::Result<(RunningTrial, Observed)> {
        let lift = Lift::default();
        let observed = trial.subscribe_with(notify(self.to.clone(), lift.clone()));
        let running = starter(trial)?;
        let control = running.control();
        control.load().limit_load(self.options.ceilings);
        let handle = RunHandle { control, events: self.events, requests: None };
        let dispatch = Dispatch::start(self.observers, handle, observed, self.inbox, lift)?;
        Ok((running, Observed { dispatch, options: self.options, name: self.name, earlier: self.earlier }))
    }
}

impl Observed {
    /// Ends all observers, after the end of the trial.
    pub fn end(self, report: TrialReport, interrupted: bool) -> Ended {
        let (served, ended) = self.finished(report, interrupted);
        end(served, ended)
    }

    fn finished(self, mut report: TrialReport, interrupted: bool) -> (Served, Ended) {
        report.summary.add_groups(&self.options.thresholds.groups, &report.run.snapshot);
        let served = self.dispatch.join();
        let strict = self.options.strict;
        let say = self.options.say;
        let annotation = self.options.keep.annotation;
        let earlier = self.earlier.map(EarlierRun::with_label_changes);
        let name = self.name;
        (served, Ended { strict, name, annotation, earlier, say, ..Ended::of_trial(report, interrupted) })
    }
}

fn end(served: Served, mut ended: Ended) -> Ended {
    for mut observer in served.into_observers() {
        let problems = observer.end(&mut ended);
        ended.problems.extend(problems);
    }
    ended
}

/// What the observers of a run are made of.
struct Begin<'a> {
    options: &'a SessionOptions,
    subject: &'a Subject<'a>,
    facts: &'a RunFacts,
    trial: &'a Trial,
    events: &'a EventSink,
}

struct Begun {
    observers: Vec<Box<dyn Observer>>,
    before: usize,
    name: String,
    earlier: Option<EarlierRun>,
}

impl Begin<'_> {
    /// All observers, in the order in which they end: each sees what those before it leave.
    fn observers(&self) -> Result<Begun, Problem> {
        let options = self.options;
        let judge = thresholds::judge(
            &options.thresholds,
            self.trial.props(),
            Some(self.facts.subject()),
            &options.say,
        )?;
        let kept = KeptRun::begin(options, self.facts, self.trial)?;
        let name = kept.as_ref().map(|kept| kept.name.clone());
        let is_trial = self.subject.trial.is_some();
        let earlier = kept.as_ref().and_then(|kept| kept.earlier.clone()).filter(|_| !is_trial);
        let exports = self.exports(name.as_deref())?;
        let mut all: Vec<Box<dyn Observer>> = Vec::new();
        let thresholds = Thresholds::new(judge.clone(), options.thresholds.never_stops);
        let failures = self.linked_failures(kept.as_ref());
        let live_judge = thresholds.as_ref().map(|_| judge);
        all.extend(thresholds.map(boxed));
        all.extend(exports.map(boxed));
        if let Some(page) = &options.study_page {
            let about = self.about();
            all.push(boxed(page.observe(self.trial, about, live_judge, self.events.clone())));
        } else if let Some(live) = &options.live {
            let about = self.about();
            let events = self.events.clone();
            let page = LivePage::begin(self.trial, live, about, live_judge, events, failures, &options.say)?;
            all.push(boxed(page));
        } else if options.report.is_some() {
            all.push(boxed(GrowingPage::new(self.about(), failures)));
        }
        all.extend(options.summary.clone().map(SummaryFile).map(boxed));
        all.extend(options.report.clone().map(|report| self.report(report)));
        let before = all.len();
        all.extend(Junit::of(options).map(boxed));
        all.extend(options.gitlab.clone().map(Gitlab).map(boxed));
        if options.is_for_github {
            all.extend(Github::of_environment(&options.print).map(boxed));
        }
        all.extend(kept.map(boxed));
        let name = name.unwrap_or_else(|| self.subject.plan.root.element.name().to_owned());
        Ok(Begun { observers: all, before, name, earlier })
    }

    /// The failures that the run keeps, for its report: it links to the page in the folder of the
    /// run.
    fn linked_failures(&self, kept: Option<&KeptRun>) -> Option<LinkedFailures> {
        let failures = self.trial.kept_failures()?.clone();
        let report = self.options.report.as_ref().map(|report| &report.page);
        let page = kept
            .zip(report)
            .map(|(kept, report)| relative_address(&kept.folder().join(FAILURES_PAGE), report));
        Some(LinkedFailures { kept: failures, page })
    }

    /// What the page says of the run, with its tags and its note first.
    fn about(&self) -> About {
        let about = self.subject.about.clone();
        let facts = self.options.keep.annotation.facts().into_iter().chain(about.facts).collect();
        let groups = self.options.thresholds.groups.clone();
        About { facts, groups, ..about }
    }

    fn exports(&self, name: Option<&str>) -> Result<Option<Exports>, Problem> {
        let default = self.facts.default_name();
        let context = ExportContext {
            plan: &self.subject.title,
            run: name.unwrap_or(&default),
            trial: self.subject.trial.as_ref(),
            props: self.trial.props(),
            host: &**self.trial.host(),
            events: self.events,
            say: &self.options.say,
            interrupted: &self.options.interrupted,
        };
        Exports::begin(&self.options.exports, &context)
    }

    fn report(&self, options: crate::ReportOptions) -> Box<dyn Observer> {
        Box::new(ReportFile { options, force: self.options.force })
    }
}

fn boxed(observer: impl Observer + 'static) -> Box<dyn Observer> {
    Box::new(observer)
}
