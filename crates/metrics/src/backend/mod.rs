//! Backend Listener with JMeter's clients: sums of each interval as lines for InfluxDB or Graphite,
//! or one line per sample (`InfluxdbBackendListenerClient`, `GraphiteBackendListenerClient`,
//! `InfluxDBRawBackendListenerClient`).
//!
//! Each worker sums into its own table. A thread takes the tables, keeps the windows for averages
//! and percentiles, and sends. The request path never waits for it.

mod arguments;
mod estimator;
mod graphite;
mod influx;
mod listener;
mod metering;
mod raw;
mod sums;
mod table;
pub(crate) mod trust;
mod udp;
mod windows;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use swell_api::Listener;
use swell_expr::{Host, Level};

pub(crate) use listener::backend_factory;

/// Numbers of virtual users.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Users {
    pub(crate) started: u32,
    pub(crate) finished: u32,
}

/// A Backend Listener that sends, shared by all workers.
pub(crate) trait Export: Send + Sync {
    /// What takes the samples of a worker.
    fn listener(&self) -> Rc<dyn Listener>;
    /// How many users there are now.
    fn set_users(&self, users: Users);
    /// Sends what is left and ends.
    fn finish(&self);
}

/// Reports only the first of consecutive failures.
pub(super) struct Complaints<'h> {
    host: &'h dyn Host,
    /// What could not be done, and where.
    what: String,
    failed: bool,
}

impl<'h> Complaints<'h> {
    pub(super) fn new(host: &'h dyn Host, what: String) -> Self {
        Self { host, what, failed: false }
    }

    pub(super) fn take(&mut self, result: Result<(), String>) {
        match result {
            Ok(()) => self.failed = false,
            Err(problem) => {
                if !std::mem::replace(&mut self.failed, true) {
                    self.host.log(Level::Error, &format!("{}: {problem}", self.what));
                }
            }
        }
    }
}

/// A thread that sends at intervals until it is stopped.
#[derive(Default)]
pub(super) struct Sending(Mutex<Option<(Sender<()>, JoinHandle<()>)>>);

impl Sending {
    /// Starts it. The job gets what tells it to end.
    pub(super) fn start(&self, name: &str, job: impl FnOnce(&Pause) + Send + 'static) {
        let (stop, stopped) = channel();
        let started = std::thread::Builder::new().name(name.into()).spawn(move || job(&Pause(stopped)));
        if let Ok(thread) = started {
            *self.0.lock() = Some((stop, thread));
        }
    }

    /// Ends it, and waits for its last words.
    pub(super) fn finish(&self) {
        if let Some((stop, thread)) = self.0.lock().take() {
            drop(stop);
            // It only sends, with its own limits.
            let _ = thread.join();
        }
    }
}

/// How a sending thread waits.
pub(super) struct Pause(Receiver<()>);

impl Pause {
    /// Waits until an instant. False: the run has finished.
    pub(super) fn until(&self, at: Instant) -> bool {
        let left = at.saturating_duration_since(Instant::now());
        matches!(self.0.recv_timeout(left), Err(RecvTimeoutError::Timeout))
    }

    /// The instants of an interval, each waited for, up to the end of the run.
    pub(super) fn ticks(&self, every: Duration) -> impl Iterator<Item = ()> {
        let mut next = Instant::now();
        std::iter::from_fn(move || {
            next += every;
            self.until(next).then_some(())
        })
    }
}

fn now_ms() -> i64 {
    swell_net::now_ns().div_euclid(1_000_000)
}

/// The host of an export that outlives the plan.
pub(super) type SharedHost = Arc<dyn Host>;
