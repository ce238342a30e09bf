//! Backend Listener with JMeter's InfluxDB client (`InfluxdbBackendListenerClient`, `HttpMetricsSender`): sums of each five
//! seconds, sent as lines by HTTP.
//!
//! Each worker sums into a table of its own. A thread takes the tables, keeps the windows that averages and percentiles are
//! of, and sends. The request path never waits for it.

mod lines;
mod listener;
mod sender;
mod settings;
mod table;
mod windows;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use swell_expr::{Host, Level};

use crate::files::lock;
pub use listener::influx_factory;
use settings::Settings;
use table::Table;
use windows::Windows;

/// Numbers of virtual users.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Users {
    pub(crate) started: u32,
    pub(crate) finished: u32,
}

/// What workers and the sending thread share.
pub(crate) struct Export {
    settings: Settings,
    tables: Mutex<Vec<Arc<Mutex<Table>>>>,
    users: Mutex<Users>,
    stop: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Export {
    /// Starts sending.
    fn start(settings: Settings, host: Arc<dyn Host>) -> Arc<Self> {
        let export = Arc::new(Self {
            settings,
            tables: Mutex::default(),
            users: Mutex::default(),
            stop: Mutex::default(),
        });
        let (stop, stopped) = channel();
        let job = export.clone();
        let started =
            std::thread::Builder::new().name("influxdb".into()).spawn(move || job.run(&stopped, &*host));
        if let Ok(thread) = started {
            *lock(&export.stop) = Some((stop, thread));
        }
        export
    }

    /// A table for a worker.
    fn table(&self) -> Arc<Mutex<Table>> {
        let table = Arc::new(Mutex::new(Table::new(&self.settings)));
        lock(&self.tables).push(table.clone());
        table
    }

    pub(crate) fn set_users(&self, users: Users) {
        *lock(&self.users) = users;
    }

    /// Sends what is left and ends.
    pub(crate) fn finish(&self) {
        if let Some((stop, thread)) = lock(&self.stop).take() {
            drop(stop);
            // It only sends, with limits of its own.
            let _ended = thread.join();
        }
    }

    fn run(&self, stopped: &Receiver<()>, host: &dyn Host) {
        let mut windows = Windows::default();
        let mut failed = false;
        let started = lines::event(&self.settings, "started", now_ms());
        self.send(&(started + &self.lines(&mut windows)), &mut failed, host);
        let every = Duration::from_secs(self.settings.interval_s);
        let mut next = Instant::now() + every;
        loop {
            let left = next.saturating_duration_since(Instant::now());
            match stopped.recv_timeout(left) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            }
            next += every;
            let text = self.lines(&mut windows);
            self.send(&text, &mut failed, host);
        }
        let ended = lines::event(&self.settings, "ended", now_ms());
        let text = ended + &self.lines(&mut windows);
        self.send(&text, &mut failed, host);
    }

    /// The lines of the interval that ends now.
    fn lines(&self, windows: &mut Windows) -> String {
        let tables: Vec<_> = lock(&self.tables).iter().map(|table| lock(table).take()).collect();
        let sums = windows.take_in(tables, &self.settings);
        let users = *lock(&self.users);
        lines::interval(&self.settings, &sums, windows, users, now_ms())
    }

    /// The first failure in a row is logged.
    fn send(&self, text: &str, failed: &mut bool, host: &dyn Host) {
        match sender::post(&self.settings, text) {
            Ok(()) => *failed = false,
            Err(problem) => {
                if !std::mem::replace(failed, true) {
                    let url = &self.settings.url;
                    host.log(Level::Error, &format!("cannot send metrics to InfluxDB at {url}: {problem}"));
                }
            }
        }
    }
}

fn now_ms() -> i64 {
    swell_net::now_ns().div_euclid(1_000_000)
}
