//! Sends a client's sums of each interval.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use swell_api::{Listener, Needs, SampleEvent};

use super::metering::Metering;
use super::table::Table;
use super::windows::{Interval, Windows};
use super::{Complaints, Export, Pause, Sending, SharedHost, Users, now_ms};

/// A client that sends sums.
pub(super) trait Client: Send + Sync {
    /// What is summed up for it.
    fn metering(&self) -> &Metering;
    /// Seconds between two sendings.
    fn interval_s(&self) -> u64;
    /// What is sent as soon as the test starts, before the lines of the interval that was just
    /// begun; none if nothing is sent then.
    fn started(&self, now_ms: i64) -> Option<String>;
    /// What is sent at the end, before the lines of the last interval.
    fn ended(&self, now_ms: i64) -> String;
    /// The lines of an interval.
    fn lines(&self, sums: &Interval, windows: &Windows, users: Users, now_ms: i64) -> String;
    /// Sends lines.
    ///
    /// # Errors
    /// What went wrong; the lines are lost.
    fn send(&self, lines: &str) -> Result<(), String>;
    /// The receiver, for messages.
    fn to(&self) -> String;
}

/// The state that workers and the sending thread share.
pub(super) struct SumsExport {
    shared: Arc<Shared>,
    sending: Sending,
}

struct Shared {
    client: Box<dyn Client>,
    tables: Mutex<Vec<Arc<Mutex<Table>>>>,
    users: Mutex<Users>,
}

impl SumsExport {
    /// Starts sending.
    pub(super) fn start(client: Box<dyn Client>, host: SharedHost) -> Self {
        let shared = Arc::new(Shared { client, tables: Mutex::default(), users: Mutex::default() });
        let sending = Sending::default();
        let job = shared.clone();
        sending.start("backend", move |pause| {
            let complaints = Complaints::new(&*host, format!("cannot send metrics to {}", job.client.to()));
            job.run(pause, complaints);
        });
        Self { shared, sending }
    }
}

impl Export for SumsExport {
    fn listener(&self) -> Rc<dyn Listener> {
        let table = Arc::new(Mutex::new(Table::new(self.shared.client.metering())));
        self.shared.tables.lock().push(table.clone());
        Rc::new(Summing { table })
    }

    fn set_users(&self, users: Users) {
        *self.shared.users.lock() = users;
    }

    fn finish(&self) {
        self.sending.finish();
    }
}

impl Shared {
    fn run(&self, pause: &Pause, mut complaints: Complaints<'_>) {
        let mut windows = Windows::default();
        if let Some(started) = self.client.started(now_ms()) {
            complaints.take(self.client.send(&(started + &self.lines(&mut windows))));
        }
        for () in pause.ticks(Duration::from_secs(self.client.interval_s())) {
            complaints.take(self.client.send(&self.lines(&mut windows)));
        }
        let ended = self.client.ended(now_ms());
        complaints.take(self.client.send(&(ended + &self.lines(&mut windows))));
    }

    /// The lines of the interval that ends now.
    fn lines(&self, windows: &mut Windows) -> String {
        let tables: Vec<_> = self.tables.lock().iter().map(|table| table.lock().take()).collect();
        let sums = windows.take_in(tables, self.client.metering());
        let users = *self.users.lock();
        self.client.lines(&sums, windows, users, now_ms())
    }
}

/// The listener of a worker.
struct Summing {
    table: Arc<Mutex<Table>>,
}

impl Listener for Summing {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.table.lock().add(event.sample);
    }
}
