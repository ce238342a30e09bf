//! A trial whose load is made by other processes, which tell here what they count.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use swell_engine::Outcome;
use swell_net::IoInterface;
use swell_results::{ResultFiles, WriteFailure};
use swell_stats::verdict::{Evidence, LostLoad};
use swell_stats::{Load, Snapshot};

use crate::host::Machine;
use crate::monitor::Event;
use crate::{Message, MessageSink};

/// Tells a trial what is counted where its load is made. Dropped without an end, the trial is broken.
pub struct Feed {
    events: Sender<Event>,
    files: ResultFiles,
    host: Arc<Machine>,
    messages: MessageSink,
    ended: bool,
}

/// What a machine knows of itself at the end.
#[derive(Clone, Debug)]
pub struct MachineReport {
    /// The name of the machine.
    pub name: Arc<str>,
    /// What its verdict is made of.
    pub evidence: Evidence,
    /// The script that was not understood and ended the test.
    pub refusal: Option<String>,
}

/// Machines that were lost or stopped during a trial.
#[derive(Clone, Debug)]
pub struct LostMachines {
    /// Their names, in one text.
    pub names: Arc<str>,
    /// The load that is missing.
    pub load: LostLoad,
}

/// The end of a trial whose load was made elsewhere.
#[derive(Clone, Debug, Default)]
pub struct EndElsewhere {
    /// What all machines made.
    pub outcome: Outcome,
    /// Each machine that told.
    pub machines: Vec<MachineReport>,
    /// Addresses that samples connected to.
    pub servers: Vec<SocketAddr>,
    /// The interface of the kernel that event loops used; refusals have the name of their machine.
    pub io: Option<IoInterface>,
    /// Results files that lack rows.
    pub write_failures: Vec<WriteFailure>,
    /// Load that no machine made, with the machines that should have; none if there was none.
    pub lost: Option<LostMachines>,
    /// Why the figures do not hold, if they do not.
    pub invalid: Option<String>,
    /// The third digit of values that were counted with two ([`swell_stats::Snapshot::refine`]).
    pub fine: Option<Arc<Snapshot>>,
}

impl Feed {
    pub(crate) fn new(
        events: Sender<Event>,
        files: ResultFiles,
        host: Arc<Machine>,
        messages: MessageSink,
    ) -> Self {
        Self { events, files, host, messages, ended: false }
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
