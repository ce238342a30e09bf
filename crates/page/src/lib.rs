//! The live page of a run, or of all trials of a study: a small server on a separate thread. It
//! serves the page of `web/`, the figures of the run as they grow, and its control;
//! `docs/guide/live.md` documents each request.
//!
//! The thread is not a worker: it subscribes to the seconds of the trial, adds them up, and formats
//! one text per second for all readers. A slow reader costs only this thread.

mod change;
mod handle;
mod routes;
mod server;
mod state;
mod stream;
mod study;
mod trace;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use data_encoding::HEXLOWER;
use swell_connect::TlsServerConfig;
use swell_debug::KeptFailures;
use swell_net::{Lift, Sender, channel, reachable};
use swell_report::page::{About, Ending, Event, RunPage};
use swell_run::{Subscription, Trial, TrialControl};
use swell_stats::threshold::Judge;
use swell_stats::verdict::Verdict;

pub use handle::{Handle, PrivateFile, newest, runtime_folder};
pub use study::{StudyProgress, TrialLoad, TrialResult};
pub use trace::{TraceHost, TraceSite, TriedExpression, WrittenAs, serve_trace};

/// Callback for each change of the run that is made on the page. The kind is one of `load`,
/// `property`, `pause`, `resume` and `stop`.
pub type OnEvent = Box<dyn Fn(&str, &Event) + Send>;

/// Where and how a page is served.
pub struct LiveOptions {
    /// Where to listen; port 0 lets the system choose.
    pub at: SocketAddr,
    /// Certificate and key; none: not encrypted.
    pub tls: Option<LiveTls>,
    /// A host name of the page, in addition to its addresses. Printed addresses use it.
    pub name: Option<String>,
}

/// What a page shows of a run.
pub struct ShownRun {
    /// Description of the run.
    pub about: About,
    /// The thresholds of the run, to show their state during the run; none if there are none.
    pub judge: Option<Judge>,
    /// Called on the thread of the page with each change that a reader made.
    pub on_event: OnEvent,
    /// Failures that the run keeps.
    pub failures: Option<Arc<KeptFailures>>,
}

/// Encryption of a live page.
#[derive(Clone)]
pub struct LiveTls {
    /// Certificate and key.
    pub config: TlsServerConfig,
    /// The result of [`swell_connect::certificate_digest`] for the certificate.
    pub digest: [u8; 32],
}

/// A served page. A page of one run has one trial; that of a study has one after the other.
pub struct LivePage {
    /// The address for readers, for example `http://127.0.0.1:41234/`.
    url: String,
    digest: Option<[u8; 32]>,
    tokens: [String; 2],
    to: Sender<Message>,
    thread: JoinHandle<RunPage>,
    lift: Lift,
}

/// Messages to the thread of the page.
pub(crate) enum Message {
    /// A trial is about to start.
    Begin(Box<(ShownRun, Subscription)>),
    /// There are new seconds.
    Seconds,
    /// The trial has started.
    Control(Box<TrialControl>),
    /// The run was changed elsewhere: who changed it, and a description.
    Changed(String, String),
    /// A trial has finished, with the evidence about the tool and further notes.
    EndTrial(Option<Box<Verdict>>, Box<Ending>),
    /// The trials of the study so far.
    Study(Box<StudyProgress>),
    /// There will be no more trials.
    End,
}

impl LivePage {
    /// Starts to serve a page that shows nothing yet.
    ///
    /// # Errors
    /// The address is not available, or no thread can be started.
    pub fn start(options: LiveOptions) -> io::Result<Self> {
        let (to, inbox) = channel();
        let digest = options.tls.as_ref().map(|tls| tls.digest);
        let name = options.name.clone();
        let (told, ready) = mpsc::channel();
        let lift = Lift::default();
        let background = lift.clone();
        let serve = move || server::run(options, inbox, &told, &background);
        let thread = std::thread::Builder::new().name("page".into()).spawn(serve)?;
        let (address, tokens) =
            ready.recv().map_err(|_| io::Error::other("the thread of the page ended"))??;
        let scheme = if digest.is_some() { "https" } else { "http" };
        let place = match name {
            Some(name) => format!("{name}:{}", address.port()),
            None => SocketAddr::new(reachable(address.ip()), address.port()).to_string(),
        };
        Ok(Self { url: format!("{scheme}://{place}/"), digest, tokens, to, thread, lift })
    }

    /// Shows a trial from before its first second, instead of the one before it.
    pub fn begin(&self, trial: &Trial, shown: ShownRun) {
        let to = self.to.clone();
        let lift = self.lift.clone();
        let seconds = trial.subscribe_with(move || {
            lift.message();
            // The page ends only after the trial does.
            let _ = to.send(Message::Seconds);
        });
        self.send(Message::Begin(Box::new((shown, seconds))));
    }

    /// Shows the trials of the study so far.
    pub fn show_study(&self, study: StudyProgress) {
        self.send(Message::Study(Box::new(study)));
    }

    fn send(&self, message: Message) {
        // A thread that panicked accepts no message; `end` reports the panic.
        let _ = self.to.send(message);
    }

    /// Shows a change of the run that was made elsewhere: who made it, and a description.
    pub fn show_change(&self, who: &str, what: String) {
        self.send(Message::Changed(who.to_owned(), what));
    }

    /// Lets the page control the trial. Call it when the trial has started.
    pub fn control(&self, control: TrialControl) {
        self.send(Message::Control(Box::new(control)));
    }

    /// The address of the page.
    pub fn handle(&self) -> Handle {
        Handle {
            url: self.url.clone(),
            certificate: self.digest.map(|digest| HEXLOWER.encode(&digest)),
            token: self.tokens[0].clone(),
            process: std::process::id(),
        }
    }

    /// As [`LivePage::handle`], with the secret that lets its reader view the run and change
    /// nothing.
    pub fn looking(&self) -> Handle {
        Handle { token: self.tokens[1].clone(), ..self.handle() }
    }

    /// Shows the end of the trial.
    pub fn end_trial(&self, verdict: Option<&Verdict>, ending: Ending) {
        self.send(Message::EndTrial(verdict.cloned().map(Box::new), Box::new(ending)));
    }

    /// Tells all readers that there will be no more trials, and returns the page of the last one.
    ///
    /// # Panics
    /// The thread of the page panicked because of a bug.
    pub fn end(self) -> RunPage {
        self.send(Message::End);
        self.lift.now();
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
