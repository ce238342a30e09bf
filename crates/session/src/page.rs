//! The page of a run: put together during the run for its report, or served as the live page.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use swell_page::{
    LiveOptions as ServeOptions, LivePage as Served, PrivateFile, ShownRun, StudyProgress, runtime_folder,
};
use swell_report::page::{self, About, Ending, Intervals, Rule, RunPage};
use swell_results::run_folder::JournalEvent;
use swell_run::Trial;
use swell_stats::threshold::Judge;

use crate::encryption;
use crate::kept_failures::LinkedFailures;
use crate::messages::messages;
use crate::observer::{Event, EventSink, Observer, RunHandle, Say, Second};
use crate::{Ended, Problem};

/// The live page of a run.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// Where to listen; port 0 lets the system choose.
    pub at: SocketAddr,
    /// A certificate, PEM, and those that signed it.
    pub certificate: Option<PathBuf>,
    /// Its key, PEM.
    pub key: Option<PathBuf>,
    /// A name by which readers reach the page.
    pub name: Option<String>,
}

/// A page that grows for the report at the end.
pub(crate) struct GrowingPage {
    page: Option<RunPage>,
    failures: Option<LinkedFailures>,
}

impl GrowingPage {
    pub(crate) fn new(about: About, failures: Option<LinkedFailures>) -> Self {
        Self { page: Some(RunPage::new(about)), failures }
    }
}

impl Observer for GrowingPage {
    fn second(&mut self, second: &Second) {
        let Some(page) = &mut self.page else { return };
        page.add(second.interval());
        if let Some(fine) = &second.fine {
            page.refine(fine);
        }
    }

    fn event(&mut self, event: &Event) {
        if let Some((page, event)) = self.page.as_mut().zip(event.journal()) {
            let who = event.source.clone();
            page.event(page::Event { at_ms: event.at_ms, who, what: event.text.clone() });
        }
    }

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        if let Some(mut page) = self.page.take() {
            page.end(ending(ended));
            if let Some(failures) = &self.failures {
                failures.link(&mut page);
            }
            ended.page = Some(page);
        }
        Vec::new()
    }
}

/// The end of a run as its page shows it.
fn ending(ended: &Ended) -> Ending {
    let report = &ended.report;
    Ending {
        own: report.run.own.clone(),
        servers: report.servers.iter().map(ToString::to_string).collect(),
        thresholds: ended.judgements.iter().map(Rule::of).collect(),
        problems: messages(ended),
        intervals: Intervals::of(&report.summary),
        earlier: ended.earlier.clone(),
    }
}

/// A served page, which other programs on this machine find until it is dropped.
struct ServedPage {
    page: Served,
    _handle: Option<PrivateFile>,
}

impl ServedPage {
    /// Serves a page, and says where.
    ///
    /// # Errors
    /// It cannot be served as the options want it.
    fn begin(live: &LiveOptions, say: &Say) -> Result<Self, Problem> {
        let at = live.at;
        let tls = encryption::of(at, live)?;
        let page = Served::start(ServeOptions { at, tls, name: live.name.clone() }).map_err(|error| {
            Problem::settings(format!("cannot serve the live page at {at}: {error}"))
                .hint("--live alone takes a free port")
        })?;
        let handle = page.handle();
        say(&format!("Live page: {}", handle.address()));
        say(&format!("To look only: {}", page.looking().address()));
        if let Some(digest) = &handle.certificate {
            say(&format!("SHA-256 of its certificate: {}", encryption::in_pairs(digest)));
        }
        let folder = runtime_folder();
        let file = handle.write(&folder).map_err(|error| {
            let folder = folder.display();
            say(&format!("`swell ctl` will need --url: cannot write to `{folder}`: {error}"));
        });
        Ok(Self { page, _handle: file.ok() })
    }

    /// Shows a trial that has not started. The page takes its seconds on its own thread.
    fn show(&self, trial: &Trial, about: About, judge: Option<Judge>, events: EventSink) {
        let on_event = Box::new(move |kind: &str, event: &page::Event| {
            events(Event::ChangedOnPage(JournalEvent::now(kind, &*event.what).by(&event.who)));
        });
        let failures = trial.kept_failures().cloned();
        self.page.begin(trial, ShownRun { about, judge, on_event, failures });
    }

    fn event(&self, event: &Event) {
        if let Event::Changed(event) = event {
            self.page.show_change(&event.source, event.text.clone());
        }
    }

    fn end_trial(&self, ended: &Ended) {
        self.page.end_trial(ended.report.verdict.as_ref(), ending(ended));
    }
}

/// The live page of one run. Nothing after the end.
pub(crate) struct LivePage {
    served: Option<ServedPage>,
    failures: Option<LinkedFailures>,
}

impl LivePage {
    /// Serves the page of a trial that has not started.
    ///
    /// # Errors
    /// The page cannot be served as the options want it.
    pub(crate) fn begin(
        trial: &Trial,
        live: &LiveOptions,
        about: About,
        judge: Option<Judge>,
        events: EventSink,
        failures: Option<LinkedFailures>,
        say: &Say,
    ) -> Result<Self, Problem> {
        let served = ServedPage::begin(live, say)?;
        served.show(trial, about, judge, events);
        Ok(Self { served: Some(served), failures })
    }
}

impl Observer for LivePage {
    fn begin(&mut self, run: &RunHandle) {
        if let Some(served) = &self.served {
            served.page.control(run.control().clone());
        }
    }

    fn second(&mut self, _second: &Second) {}

    fn event(&mut self, event: &Event) {
        if let Some(served) = &self.served {
            served.event(event);
        }
    }

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        if let Some(served) = self.served.take() {
            served.end_trial(ended);
            let mut page = served.page.end();
            // The report has other addresses than the page that was served.
            page.link_failures(Vec::new());
            if let Some(failures) = &self.failures {
                failures.link(&mut page);
            }
            ended.page = Some(page);
        }
        Vec::new()
    }
}

/// The live page of a study: one address for all its trials. Clones are the same page.
#[derive(Clone)]
pub struct StudyPage(Arc<ServedPage>);

impl StudyPage {
    /// Serves the page of a study, and says where.
    ///
    /// # Errors
    /// It cannot be served as the options want it.
    pub fn begin(live: &LiveOptions, say: &Say) -> Result<Self, Problem> {
        ServedPage::begin(live, say).map(|served| Self(Arc::new(served)))
    }

    /// Shows the trials of the study so far.
    pub fn show(&self, study: &StudyProgress) {
        self.0.page.show_study(study.clone());
    }

    /// Tells all readers that there will be no more trials, if this is the only clone that is left.
    pub fn end(self) {
        if let Some(served) = Arc::into_inner(self.0) {
            // The page of the last trial is in its folder, where one is kept.
            drop(served.page.end());
        }
    }

    /// The observer of a trial that has not started.
    pub(crate) fn observe(
        &self,
        trial: &Trial,
        about: About,
        judge: Option<Judge>,
        events: EventSink,
    ) -> impl Observer + 'static {
        self.0.show(trial, about, judge, events);
        TrialPage(self.clone())
    }
}

/// A trial on the page of its study.
struct TrialPage(StudyPage);

impl Observer for TrialPage {
    fn begin(&mut self, run: &RunHandle) {
        self.0.0.page.control(run.control().clone());
    }

    fn second(&mut self, _second: &Second) {}

    fn event(&mut self, event: &Event) {
        self.0.0.event(event);
    }

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        self.0.0.end_trial(ended);
        Vec::new()
    }
}
