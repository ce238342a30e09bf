//! Figures of the machine and the processes under test during a test: processors, memory, threads,
//! sockets, garbage collection.
//!
//! A [`Monitor`] reads its sources once a second, on separate threads with a lower priority;
//! followers ([`Monitor::follow`]) receive what there is and never wait. One thread reads `/proc`
//! of this machine, and each exporter has a thread, so that a slow one delays no other. A failure
//! is reported once, and so is the recovery.
//!
//! Pure functions parse the texts: [`exposition`], [`perf_data`], [`kernel`].

mod exporter;
pub mod exposition;
mod jvm;
pub mod kernel;
mod local;
mod machine;
pub mod perf_data;
mod process;
mod processes;
mod programs;
mod rise;
mod sock_diag;
mod sockets;
mod source;

use std::fmt;
use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::thread::Builder;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use swell_stats::Reading;

use self::exporter::Exporter;
pub use self::exporter::{Mapping, fetch};
use self::local::Local;
use self::process::{ProcessLook, ProcessSelector};
pub use self::programs::ProcessorWatch;
pub use self::sockets::listeners;
pub use self::source::{Source, SourceError};

/// Receives messages about sources that fail or recover. It is called on a thread of the monitor.
pub type StatusSink = Arc<dyn Fn(&str) + Send + Sync>;

/// Why a source has no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartError {
    /// The source.
    pub source: String,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot monitor {}: {}", self.source, self.why)
    }
}

impl std::error::Error for StartError {}

/// Observes sources. Clones share the monitor, which ends with the last clone.
#[derive(Clone)]
pub struct Monitor(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    /// The thread that looks at this machine, and those of the exporters, which end when these are
    /// gone.
    local: Option<Sender<SocketAddr>>,
    _exporters: Vec<Sender<()>>,
}

/// The readings that the monitor's threads store.
pub(crate) struct Shared {
    followers: Mutex<Vec<Weak<Waiting>>>,
    began: Instant,
    say: StatusSink,
}

/// Looks that a follower has not taken.
type Waiting = Mutex<Vec<Reading>>;

/// Receives the figures of a monitor.
pub struct Follower {
    waiting: Arc<Waiting>,
    _monitor: Monitor,
}

impl Monitor {
    /// Reads each source once, and then each second. [`Source::Local`] starts when it receives the
    /// address of the server ([`Monitor::server_at`]).
    ///
    /// # Errors
    /// A source has no figures now: no such process, or no exporter that responds; or no thread can
    /// be started.
    pub fn start(sources: &[Source], say: StatusSink) -> Result<Self, StartError> {
        let shared = Arc::new(Shared { followers: Mutex::default(), began: Instant::now(), say });
        let mut exporters = Vec::new();
        let mut processes = Vec::new();
        let mut with_local = false;
        for source in sources {
            match source {
                Source::Local => with_local = true,
                Source::Pid(pid) => processes.push(ProcessLook::new(ProcessSelector::Pid(*pid))),
                Source::Jvm(pid) => processes.push(ProcessLook::new(ProcessSelector::Jvm(*pid))),
                Source::Port(port) => processes.push(ProcessLook::new(ProcessSelector::Port(*port))),
                Source::Prometheus { url, matching } => {
                    exporters.push((url.clone(), Exporter::new(url, matching.clone())));
                }
            }
        }
        let no_thread = |error: std::io::Error| StartError {
            source: "anything".to_owned(),
            why: format!("cannot start a thread: {error}"),
        };
        let local = if with_local || !processes.is_empty() {
            let mut local = Local::new(processes, shared.clone());
            local.check()?;
            Some(start_local(local).map_err(no_thread)?)
        } else {
            None
        };
        let mut senders = Vec::new();
        for (url, mut exporter) in exporters {
            check(&url, &mut exporter, &shared)?;
            senders.push(start_exporter(url, exporter, shared.clone()).map_err(no_thread)?);
        }
        Ok(Self(Arc::new(Inner { shared, local, _exporters: senders })))
    }

    /// Tells where the test connects to on this machine: what listens there is [`Source::Local`].
    pub fn server_at(&self, address: SocketAddr) {
        if let Some(local) = &self.0.local {
            // The thread ends only with the monitor.
            let _ = local.send(address);
        }
    }

    /// Takes the figures from now on.
    pub fn follow(&self) -> Follower {
        let waiting = Arc::new(Waiting::default());
        self.0.shared.followers.lock().push(Arc::downgrade(&waiting));
        Follower { waiting, _monitor: self.clone() }
    }
}

impl Follower {
    /// The figures since the last call; none if no source was looked at since. It does not wait.
    pub fn take(&self) -> Vec<Reading> {
        std::mem::take(&mut *self.waiting.lock())
    }
}

impl Shared {
    /// Seconds since the monitor began.
    pub(crate) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Sends readings to all followers.
    pub(crate) fn tell(&self, readings: &[Reading]) {
        self.followers.lock().retain(|follower| {
            let Some(waiting) = follower.upgrade() else { return false };
            let mut waiting = waiting.lock();
            // One that does not take them gets means over a longer time: memory does not grow.
            Reading::merge(&mut waiting, readings);
            true
        });
    }

    pub(crate) fn say(&self, text: &str) {
        (self.say)(text);
    }
}

/// Reports once that a source fails, and once that it has recovered.
#[derive(Default)]
pub(crate) struct SourceStatus(bool);

impl SourceStatus {
    pub(crate) fn note<T>(&mut self, source: &str, result: Result<T, String>, shared: &Shared) -> Option<T> {
        match result {
            Ok(value) => {
                if std::mem::take(&mut self.0) {
                    shared.say(&format!("{source} is being monitored again"));
                }
                Some(value)
            }
            Err(why) => {
                if !std::mem::replace(&mut self.0, true) {
                    shared.say(&format!("cannot monitor {source} any more: {why}; the test continues"));
                }
                None
            }
        }
    }
}

/// The time until the next look: shortly before a whole second, when the second of the run is put
/// together.
fn until_next_look(before: Duration) -> Duration {
    let now_ns = swell_net::now_ns() + i64::try_from(before.as_nanos()).unwrap_or(0);
    Duration::from_nanos(1_000_000_000 - now_ns.rem_euclid(1_000_000_000).unsigned_abs())
}

fn start_local(mut local: Local) -> std::io::Result<Sender<SocketAddr>> {
    let (sender, inbox) = mpsc::channel();
    Builder::new().name("monitor-local".to_owned()).spawn(move || {
        let mut background = swell_net::Background::enter(&swell_net::Lift::default());
        let mut next = Instant::now() + until_next_look(Duration::from_millis(120));
        loop {
            match inbox.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(address) => local.server_at(address),
                Err(RecvTimeoutError::Timeout) => {
                    local.look();
                    background.rest();
                    // A look that was late does not bring the next one forward by less than half a
                    // second.
                    next = Instant::now()
                        + until_next_look(Duration::from_millis(120)).max(Duration::from_millis(500));
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    })?;
    Ok(sender)
}

fn check(url: &str, exporter: &mut Exporter, shared: &Shared) -> Result<(), StartError> {
    let failed = |why| StartError { source: format!("`{url}`"), why };
    let readings = exporter.look(|| shared.seconds()).map_err(failed)?;
    if readings.is_empty() {
        return Err(failed(match exporter.pattern() {
            Some(pattern) => format!("it has no known figures and none whose name matches `{pattern}`"),
            None => "it has no known figures; select figures with `,match=NAME*`".to_owned(),
        }));
    }
    Ok(())
}

fn start_exporter(url: String, mut exporter: Exporter, shared: Arc<Shared>) -> std::io::Result<Sender<()>> {
    let (sender, inbox) = mpsc::channel();
    Builder::new().name("monitor-http".to_owned()).spawn(move || {
        let mut background = swell_net::Background::enter(&swell_net::Lift::default());
        let mut trouble = SourceStatus::default();
        // Where an exporter needs long, it is asked as soon as it has answered, and no sooner than
        // after half a second.
        let wait = || until_next_look(Duration::from_millis(300)).max(Duration::from_millis(500));
        while let Err(RecvTimeoutError::Timeout) = inbox.recv_timeout(wait()) {
            let look = exporter.look(|| shared.seconds());
            if let Some(readings) = trouble.note(&format!("`{url}`"), look, &shared) {
                shared.tell(&readings);
            }
            background.rest();
        }
    })?;
    Ok(sender)
}
