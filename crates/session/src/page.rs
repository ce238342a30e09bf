//! The page of a run: put together during the run for its report, or served as the live page.

use std::net::SocketAddr;
use std::path::PathBuf;

use swell_page::{HandleFile, LiveOptions as ServeOptions, LivePage as Served, runtime_folder};
use swell_report::page::{self, About, Ending, Intervals, Rule, RunPage};
use swell_results::run_folder::Event as JournalEvent;
use swell_run::Trial;
use swell_stats::threshold::Judge;

use crate::encryption;
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
pub(crate) struct GrowingPage(Option<RunPage>);

impl GrowingPage {
    pub(crate) fn new(about: About) -> Self {
        Self(Some(RunPage::new(about)))
    }
}

impl Observer for GrowingPage {
    fn second(&mut self, second: &Second) {
        let Some(page) = &mut self.0 else { return };
        page.add(second.interval());
        if let Some(fine) = &second.fine {
            page.refine(fine);
        }
    }

    fn event(&mut self, event: &Event) {
        if let Some((page, event)) = self.0.as_mut().zip(event.journal()) {
            let who = event.source.clone();
            page.event(page::Event { at_ms: event.at_ms, who, what: event.text.clone() });
        }
    }

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        if let Some(mut page) = self.0.take() {
            page.end(ending(ended));
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
    }
}

/// A page that is served during the run.
pub(crate) struct LivePage {
    /// Nothing after the end.
    served: Option<Served>,
    /// Tells others on this machine where the page is, until it is dropped.
    _handle: Option<HandleFile>,
}

impl LivePage {
    /// Serves the page of a trial that has not started. It takes its seconds on its own thread.
    ///
    /// # Errors
    /// The page cannot be served as the options want it.
    pub(crate) fn begin(
        trial: &Trial,
        live: &LiveOptions,
        about: About,
        judge: Option<Judge>,
        events: EventSink,
        say: &Say,
    ) -> Result<Self, Problem> {
        let on_event = Box::new(move |kind: &str, event: &page::Event| {
            events(Event::ChangedOnPage(JournalEvent::now(kind, &*event.what).by(&event.who)));
        });
        let at = live.at;
        let tls = encryption::of(at, live)?;
        let name = live.name.clone();
        let served = Served::start(trial, ServeOptions { at, tls, name, about, judge, on_event });
        let served = served.map_err(|error| {
            Problem::settings(format!("cannot serve the live page at {at}: {error}"))
                .hint("--live alone takes a free port")
        })?;
        let handle = served.handle();
        say(&format!("Live page: {}", handle.address()));
        say(&format!("To look only: {}", served.looking().address()));
        if let Some(digest) = &handle.certificate {
            say(&format!("SHA-256 of its certificate: {}", encryption::in_pairs(digest)));
        }
        let folder = runtime_folder();
        let file = HandleFile::write(&folder, &handle).map_err(|error| {
            let folder = folder.display();
            say(&format!("`swell ctl` will need --url: cannot write to `{folder}`: {error}"));
        });
        Ok(Self { served: Some(served), _handle: file.ok() })
    }
}

impl Observer for LivePage {
    fn begin(&mut self, run: &RunHandle) {
        if let Some(served) = &self.served {
            served.controller()(run.control().clone());
        }
    }

    fn second(&mut self, _second: &Second) {}

    fn event(&mut self, event: &Event) {
        if let (Some(served), Event::Changed(event)) = (&self.served, event) {
            served.show_change(&event.source, event.text.clone());
        }
    }

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        if let Some(served) = self.served.take() {
            ended.page = Some(served.end(ended.report.verdict.as_ref(), ending(ended)));
        }
        Vec::new()
    }
}
