//! The live page of a run: a small server on a thread of its own. It serves the page of `web/`, the figures of the run as they grow, and
//! its control; `docs/guide/live.md` says what each request means.
//!
//! The thread is none of the workers': it takes the seconds of the trial as any subscriber does, adds them up, and makes one text of
//! each second for all who watch. A slow reader costs that thread only.

mod access;
mod answer;
mod change;
mod connection;
mod desk;
mod handle;
mod routes;
mod server;
mod stream;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::mpsc;
use std::thread::JoinHandle;

use data_encoding::HEXLOWER;
use swell_connect::TlsServerConfig;
use swell_net::{Sender, channel};
use swell_report::page::{About, Ending, Event, RunPage};
use swell_run::{Subscription, Trial, TrialControl};
use swell_stats::threshold::Judge;
use swell_stats::verdict::Verdict;

pub use handle::{Handle, HandleFile, newest, runtime_folder};

/// Receives each change of the run that is made on the page. Its kind is one of `load`, `property`, `pause`, `resume` and
/// `stop`.
pub type OnEvent = Box<dyn Fn(&str, &Event) + Send>;

/// How a run is served.
pub struct LiveOptions {
    /// Where to listen; port 0 lets the system choose.
    pub at: SocketAddr,
    /// How it is encrypted; none: not at all.
    pub tls: Option<LiveTls>,
    /// A name by which its readers reach it, beside its addresses. It stands in the addresses that are printed.
    pub name: Option<String>,
    /// What the page says of the run.
    pub about: About,
    /// The thresholds of the run, to show what they say while it goes on; none if there are none.
    pub judge: Option<Judge>,
    /// Called with each change that somebody made, on the thread of the page.
    pub on_event: OnEvent,
}

/// Encryption of a live page.
#[derive(Clone)]
pub struct LiveTls {
    /// Certificate and key.
    pub config: TlsServerConfig,
    /// What [`swell_connect::certificate_digest`] says of the certificate.
    pub digest: [u8; 32],
}

/// A run that is served.
pub struct LivePage {
    /// How readers reach it, such as `http://127.0.0.1:41234/`.
    url: String,
    digest: Option<[u8; 32]>,
    tokens: [String; 2],
    to: Sender<Message>,
    thread: JoinHandle<RunPage>,
}

/// What reaches the thread of the page.
pub(crate) enum Message {
    /// There are seconds to take.
    Seconds,
    /// The trial has started.
    Control(Box<TrialControl>),
    /// Somebody changed the run elsewhere: who, and what was done.
    Changed(String, String),
    /// The trial is over, and this is how good the tool was and what else is to be said of it.
    End(Option<Box<Verdict>>, Box<Ending>),
}

/// An address that others can write: where a page listens at all of them, the one from which this machine reaches others.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    // Nothing is sent: the system only says which address it would send from. 192.0.2.0/24 is for documents (RFC 5737).
    let outgoing = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).and_then(|()| socket.local_addr())
    });
    let ip = outgoing.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |outgoing| outgoing.ip());
    SocketAddr::new(ip, address.port())
}

impl LivePage {
    /// Serves a trial from before its first second on.
    ///
    /// # Errors
    /// The address cannot be had, or there is no thread.
    pub fn start(trial: &Trial, options: LiveOptions) -> io::Result<Self> {
        let (to, inbox) = channel();
        let (digest, name) = (options.tls.as_ref().map(|tls| tls.digest), options.name.clone());
        let tell = to.clone();
        let seconds: Subscription = trial.subscribe_with(move || {
            // The page is gone only after the end.
            let _ = tell.send(Message::Seconds);
        });
        let (told, ready) = mpsc::channel();
        let serve = move || server::run(options, seconds, inbox, &told);
        let thread = std::thread::Builder::new().name("page".into()).spawn(serve)?;
        let (address, tokens) =
            ready.recv().map_err(|_| io::Error::other("the thread of the page ended"))??;
        let scheme = if digest.is_some() { "https" } else { "http" };
        let place = match name {
            Some(name) => format!("{name}:{}", address.port()),
            None => reachable(address).to_string(),
        };
        Ok(Self { url: format!("{scheme}://{place}/"), digest, tokens, to, thread })
    }

    /// Shows a change of the run that was made elsewhere: who made it, and what was done.
    pub fn show_change(&self, who: &str, what: String) {
        // The page is gone only after the end.
        let _ = self.to.send(Message::Changed(who.to_owned(), what));
    }

    /// Lets the page control the trial, to be called when that has started.
    pub fn controller(&self) -> impl FnOnce(TrialControl) + 'static {
        let to = self.to.clone();
        move |control| {
            // The page is gone only after the end.
            let _ = to.send(Message::Control(Box::new(control)));
        }
    }

    /// How the page is reached.
    pub fn handle(&self) -> Handle {
        Handle {
            url: self.url.clone(),
            certificate: self.digest.map(|digest| HEXLOWER.encode(&digest)),
            token: self.tokens[0].clone(),
            process: std::process::id(),
        }
    }

    /// As [`LivePage::handle`], with a secret that lets its reader see the run and change nothing.
    pub fn looking(&self) -> Handle {
        Handle { token: self.tokens[1].clone(), ..self.handle() }
    }

    /// Shows the end to who watches, and gives the whole page.
    ///
    /// # Panics
    /// The thread of the page did, by a fault of the tool.
    pub fn end(self, verdict: Option<&Verdict>, ending: Ending) -> RunPage {
        // A thread that panicked takes no message, and says so when it is joined.
        let _ = self.to.send(Message::End(verdict.cloned().map(Box::new), Box::new(ending)));
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
