//! What the full-screen view shows: the figures of a run as they grow, and where its reader is.

use std::collections::VecDeque;
use std::sync::Arc;

use swell_engine::GroupStatus;
use swell_run::{Second, evidence_so_far};
use swell_stats::verdict::Verdict;
use swell_stats::{LabelStats, Reading, Snapshot};

use crate::run::recent::Recent;

/// Seconds whose times the present percentiles are of.
const RECENT: usize = 10;
/// Points of the lines over time; of a longer run, the last ones.
const PAST: usize = 400;

/// A second of the past.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Past {
    pub(super) per_s: f64,
    pub(super) p99_ns: u64,
}

/// What has to be confirmed before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Stop,
    StopNow,
}

/// All that is shown.
pub(super) struct Figures {
    /// Name of the plan.
    pub(super) title: String,
    pub(super) in_colours: bool,
    /// What was counted since the start.
    pub(super) counted: Snapshot,
    pub(super) total: LabelStats,
    pub(super) recent: Recent,
    pub(super) past: VecDeque<Past>,
    pub(super) last: Option<Arc<Second>>,
    /// What the monitor of the target told last.
    pub(super) readings: Vec<Reading>,
    pub(super) verdict: Option<Verdict>,
    /// The group whose load keys change, by its place.
    pub(super) group: usize,
    /// Labels above the first one that is shown.
    pub(super) scrolled: usize,
    pub(super) question: Option<Question>,
    /// What was done last, or could not be done.
    pub(super) word: String,
}

impl Figures {
    pub(super) fn new(title: String, in_colours: bool) -> Self {
        Self {
            title,
            in_colours,
            counted: Snapshot::default(),
            total: LabelStats::default(),
            recent: Recent::of_seconds(RECENT),
            past: VecDeque::new(),
            last: None,
            readings: Vec::new(),
            verdict: None,
            group: 0,
            scrolled: 0,
            question: None,
            word: String::new(),
        }
    }

    /// Takes a second.
    pub(super) fn add(&mut self, second: &Arc<Second>) {
        self.counted.merge(&second.labels());
        self.total.merge(&second.total);
        self.recent.add(&second.total);
        if self.past.len() >= PAST {
            self.past.pop_front();
        }
        let seconds = (second.at_ns - second.from_ns) as f64 / 1e9;
        self.past.push_back(Past {
            per_s: if seconds > 0.0 { second.total.samples as f64 / seconds } else { 0.0 },
            p99_ns: second.total.elapsed.quantile(0.99),
        });
        let evidence = evidence_so_far(&self.counted, &self.total, &second.resources);
        self.verdict = (self.total.samples > 0).then(|| swell_stats::verdict(&evidence));
        if self.group >= self.groups().len() {
            self.group = 0;
        }
        if !second.readings.is_empty() {
            self.readings.clone_from(&second.readings);
        }
        self.last = Some(second.clone());
    }

    /// The groups of the plan.
    pub(super) fn groups(&self) -> &[GroupStatus] {
        let status = self.last.as_ref().and_then(|second| second.status.as_ref());
        status.map_or(&[], |status| &status.groups)
    }

    /// The group whose load keys change.
    pub(super) fn chosen(&self) -> Option<&GroupStatus> {
        self.groups().get(self.group)
    }

    pub(super) fn is_paused(&self) -> bool {
        self.last.as_ref().and_then(|second| second.status.as_ref()).is_some_and(|status| status.is_paused)
    }

    pub(super) fn choose_next_group(&mut self) {
        self.group = (self.group + 1) % self.groups().len().max(1);
    }

    /// Moves the table of labels by a number of rows: down where it is positive.
    pub(super) fn scroll(&mut self, rows: isize) {
        let last = self.counted.rows.len().saturating_sub(1);
        self.scrolled = self.scrolled.saturating_add_signed(rows).min(last);
    }
}
