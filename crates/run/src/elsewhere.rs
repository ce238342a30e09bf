//! A trial whose load is made by other processes, which report their counts here.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use swell_debug::KeptFailures;
use swell_results::ResultFiles;
use swell_stats::{Load, Snapshot};

use crate::end_elsewhere::EndElsewhere;
use crate::host::Machine;
use crate::monitor::Event;
use crate::{Message, MessageSink};

/// Feeds a trial with the counts of processes that make its load. If it is dropped without an end,
/// the trial fails.
pub struct Feed {
    events: Sender<Event>,
    files: ResultFiles,
    host: Arc<Machine>,
    messages: MessageSink,
    failures: Option<Arc<KeptFailures>>,
    ended: bool,
}

impl Feed {
    pub(crate) fn new(
        events: Sender<Event>,
        files: ResultFiles,
        host: Arc<Machine>,
        messages: MessageSink,
        failures: Option<Arc<KeptFailures>>,
    ) -> Self {
        Self { events, files, host, messages, failures, ended: false }
    }

    /// The run starts: from here on its results files and its log are written.
    ///
    /// # Errors
    /// A results file cannot be made ready.
    pub fn begin(&self) -> Result<(), String> {
        self.host.begin_log();
        self.files.begin().map_err(|error| error.to_string())
    }

    /// What was counted in a second, named by whole seconds since the epoch.
    pub fn counts(&self, at_s: i64, counts: Snapshot) {
        // The monitor is gone only if the trial was abandoned.
        let _ = self.events.send(Event::Counts(at_s, Box::new(counts)));
    }

    /// How busy the busiest machine is.
    pub fn load(&self, load: Load) {
        let _ = self.events.send(Event::Load(load));
    }

    /// A failed sample that a machine of that name kept with the steps before it.
    pub fn failure(&self, machine: &str, packed: &[u8]) {
        let Some(kept) = &self.failures else { return };
        if let Err(why) = kept.keep_of_agent(machine, packed) {
            self.say(&format!("agent {machine}: a failure that it kept cannot be read: {why}"));
        }
    }

    /// A line for who watches.
    pub fn say(&self, text: &str) {
        (self.messages)(Message::Fleet(text));
    }

    /// The results files, for rows that other machines wrote.
    pub fn files(&self) -> &ResultFiles {
        &self.files
    }

    /// The trial has finished.
    pub fn end(mut self, end: EndElsewhere) {
        self.ended = true;
        let _ = self.events.send(Event::OverElsewhere(Box::new(end)));
    }
}

/// Whatever makes the load has failed.
impl Drop for Feed {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.events.send(Event::Broken);
        }
    }
}
