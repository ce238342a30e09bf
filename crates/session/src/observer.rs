//! The contract between a run and everything that watches it.

use std::cell::OnceCell;
use std::ops::Deref;
use std::sync::Arc;

use swell_results::run_folder::JournalEvent;
use swell_run::TrialControl;
use swell_stats::Interval;

use crate::{Ended, Problem};

/// Watches a run: a terminal, a page, a folder, thresholds, exports.
///
/// A run calls [`begin`](Observer::begin) once, then [`second`](Observer::second) and
/// [`event`](Observer::event) in the order in which things happen, and [`end`](Observer::end) once.
/// All observers share one thread of low priority, so a call that waits delays the others. It never
/// delays the load: seconds that are not taken in time are merged.
pub trait Observer: Send {
    /// The load starts now. Observers that change the run keep the handle.
    fn begin(&mut self, run: &RunHandle) {
        let _ = run;
    }

    /// A second of the run has passed.
    fn second(&mut self, second: &Second);

    /// Something other than a sample happened.
    fn event(&mut self, event: &Event) {
        let _ = event;
    }

    /// The run has finished. Observers end in the order in which they were added: each sees what
    /// those before it left in `ended`. The problems that it returns are shown, and the run counts
    /// as one whose results were lost.
    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        let _ = ended;
        Vec::new()
    }
}

/// A second of a run.
pub struct Second {
    second: Arc<swell_run::Second>,
    interval: OnceCell<Interval>,
}

impl Second {
    pub(crate) fn new(second: Arc<swell_run::Second>) -> Self {
        Self { second, interval: OnceCell::new() }
    }

    /// The figures of each label, added up over the workers once for all observers.
    pub fn interval(&self) -> &Interval {
        self.interval.get_or_init(|| self.second.interval())
    }

    /// The same without the sums of labels.
    pub fn shared(&self) -> &Arc<swell_run::Second> {
        &self.second
    }
}

impl Deref for Second {
    type Target = swell_run::Second;

    fn deref(&self) -> &Self::Target {
        &self.second
    }
}

/// Something that happened during a run, besides samples.
#[derive(Clone, Debug)]
pub enum Event {
    /// A message for the observers of the run.
    Notice(String),
    /// The run itself: a phase begins, a threshold is broken.
    Happened(JournalEvent),
    /// The user changed the run at the terminal.
    Changed(JournalEvent),
    /// The user changed the run on its live page or with `swell ctl`.
    ChangedOnPage(JournalEvent),
}

impl Event {
    /// What the journal of the run says about it; nothing for a notice.
    pub fn journal(&self) -> Option<&JournalEvent> {
        match self {
            Self::Notice(_) => None,
            Self::Happened(event) | Self::Changed(event) | Self::ChangedOnPage(event) => Some(event),
        }
    }
}

/// Receives events, on any thread.
pub type EventSink = Arc<dyn Fn(Event) + Send + Sync>;

/// Shows a line to the user at once.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// A run, for an observer that changes it.
#[derive(Clone)]
pub struct RunHandle {
    pub(crate) control: TrialControl,
    pub(crate) events: EventSink,
    pub(crate) requests: Option<crate::Requests>,
}

impl RunHandle {
    /// Stops the run and changes its load.
    pub fn control(&self) -> &TrialControl {
        &self.control
    }

    /// Where a user's signals go; none in a study, which has its own.
    pub fn requests(&self) -> Option<&crate::Requests> {
        self.requests.as_ref()
    }

    /// Tells all observers what happened.
    pub fn emit(&self, event: Event) {
        (self.events)(event);
    }

    /// Shows a line to the observers of the run.
    pub fn say(&self, text: impl Into<String>) {
        self.emit(Event::Notice(text.into()));
    }
}
