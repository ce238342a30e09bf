//! The page of a run, put together while the run goes on, and served if that is asked for.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use swell_page::{HandleFile, LiveOptions, LivePage, runtime_folder};
use swell_report::page::{self, About, Ending, IS_BUILT, Intervals, Rule, RunPage};
use swell_results::run_folder::{Event, RunFolder};
use swell_run::{Trial, TrialControl};

use super::event::Announce;
use super::recording::Recording;
use super::{encryption, screen};
use crate::args::LiveArgs;
use crate::exit::Failure;
use crate::output;
use crate::print::print_stderr;
use crate::watched::Watched;

/// A page that grows on a thread of its own.
pub(crate) enum PageOfRun {
    /// For the report at the end.
    Growing(JoinHandle<RunPage>),
    /// Served; the file says where.
    Live(LivePage, Option<HandleFile>),
}

impl PageOfRun {
    /// Begins the page of a trial that has not started, with changes by hand in the journal of what is recorded, and its
    /// thresholds; none where nobody wants one, or the program holds no page.
    ///
    /// # Errors
    /// There is no thread for it, or it cannot be served as it is asked for.
    pub(crate) fn begin(
        trial: &Trial,
        about: About,
        live: &LiveArgs,
        reports: bool,
        recording: &Recording,
    ) -> Result<Option<Self>, Failure> {
        match live.live {
            Some(at) => serve(trial, about, (at, live), recording).map(Some),
            None if IS_BUILT && reports => grow(trial, about).map(Some),
            None => Ok(None),
        }
    }

    /// Who is to have control of the trial when it has started.
    pub(crate) fn controller(&self) -> Option<Box<dyn FnOnce(TrialControl)>> {
        match self {
            Self::Growing(_) => None,
            Self::Live(live, _) => Some(Box::new(live.controller())),
        }
    }

    /// Who is to be told of changes that are made elsewhere; none where the page is not served.
    pub(crate) fn announcer(&self) -> Option<Announce> {
        match self {
            Self::Growing(_) => None,
            Self::Live(live, _) => {
                let tell = live.announcer();
                Some(Box::new(move |kind, what| tell(kind, screen::WHO, what)))
            }
        }
    }

    /// The whole page, after the end of the trial.
    ///
    /// # Panics
    /// The thread did, by a fault of the tool.
    pub(crate) fn end(self, watched: &Watched) -> RunPage {
        let report = &watched.report;
        let ending = Ending {
            own: report.run.own.clone(),
            servers: report.servers.iter().map(ToString::to_string).collect(),
            thresholds: watched.judgements.iter().map(Rule::of).collect(),
            problems: output::what_went_wrong(watched),
            intervals: Intervals::of(&report.summary),
        };
        match self {
            Self::Growing(thread) => {
                let mut page = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                for event in happened(watched) {
                    page.event(event);
                }
                page.end(ending);
                page
            }
            Self::Live(live, _file) => live.end(report.verdict.as_ref(), ending),
        }
    }
}

/// The journal of a run that is kept; a page that is served has it already. A folder that cannot be written or read is told by who keeps it.
fn happened(watched: &Watched) -> Vec<page::Event> {
    let folder = watched.recorder.as_ref().and_then(|recorder| RunFolder::open(recorder.path()).ok());
    let events = folder.and_then(|folder| folder.events().ok()).unwrap_or_default();
    let shown = |event: Event| page::Event { at_ms: event.at_ms, who: event.source, what: event.text };
    events.into_iter().map(shown).collect()
}

fn no_thread(error: &std::io::Error) -> Failure {
    Failure::settings(format!("cannot start a thread: {error}"))
}

fn grow(trial: &Trial, about: About) -> Result<PageOfRun, Failure> {
    let seconds = trial.subscribe();
    let collect = move || {
        let mut background = swell_net::Background::enter();
        let mut page = RunPage::new(about);
        for second in seconds {
            page.add(&second.interval());
            if let Some(fine) = &second.fine {
                page.refine(fine);
            }
            background.rest();
        }
        page
    };
    let thread = std::thread::Builder::new().name("page".into()).spawn(collect);
    Ok(PageOfRun::Growing(thread.map_err(|error| no_thread(&error))?))
}

fn serve(
    trial: &Trial,
    about: About,
    (at, args): (SocketAddr, &LiveArgs),
    recording: &Recording,
) -> Result<PageOfRun, Failure> {
    if !IS_BUILT {
        return Err(Failure::settings("--live: this program was built without the page of web/")
            .hint("build it with `make build`, which needs Node 18 or later"));
    }
    let (journal, judge) = (recording.journal(), recording.judge.clone());
    let on_event = Box::new(move |kind: &str, event: &page::Event| {
        journal.write(&Event::now(kind, &*event.what).by(&event.who));
    });
    let tls = encryption::of(at, args)?;
    let name = args.live_name.clone();
    let live = LivePage::start(trial, LiveOptions { at, tls, name, about, judge, on_event });
    let live = live.map_err(|error| {
        Failure::settings(format!("cannot serve the live page at {at}: {error}"))
            .hint("--live alone takes a free port")
    })?;
    let handle = live.handle();
    print_stderr(&format!("Live page: {}", handle.address()));
    print_stderr(&format!("To look only: {}", live.looking().address()));
    if let Some(digest) = &handle.certificate {
        print_stderr(&format!("SHA-256 of its certificate: {}", encryption::in_pairs(digest)));
    }
    let folder = runtime_folder();
    let file = HandleFile::write(&folder, &handle).map_err(|error| {
        print_stderr(&format!(
            "`swell ctl` will need --url: cannot write to `{}`: {error}",
            folder.display()
        ));
    });
    Ok(PageOfRun::Live(live, file.ok()))
}
