//! What changed in a page since the last tick: small enough to be sent each second.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use serde::Serialize;
use swell_stats::{FailedLabels, Interval, LabelStats, Snapshot, Summary, SummaryRow};

use super::RunPage;
use super::columns::Columns;
use super::digits::short;
use super::document::{Failure, Row, Slow};
use super::ending::Thresholds;
use super::own_tables::tables;
use super::stages::codes;
use super::study::{Table, Tone};
use super::target::{self, TargetSeries};

/// Rows of labels in a tick; others wait for the next.
const MOST_ROWS: usize = 60;

/// Failed samples that are listed in a tick.
const MOST_ERRORS: usize = 20;

/// Slowest samples, failed samples and thresholds are sent once in this number of ticks.
const LISTS_EVERY: u64 = 5;

/// Where points and cells stand. A page whose own is another one asks for everything again.
#[expect(clippy::struct_field_names, reason = "units stand last in a name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Layout {
    start_ms: i64,
    width_ms: i64,
    cells_start_ms: i64,
    cells_width_ms: i64,
}

/// The difference of a page to that of the tick before. All figures are those of now, not sums, so
/// a tick that comes twice does no harm.
#[derive(Clone, Debug, Serialize)]
pub struct Tick {
    layout: Layout,
    duration_s: f64,
    /// The headline of the page, as often as the thresholds.
    headline: Option<String>,
    headline_tone: Option<Tone>,
    /// The place of the last point, and its columns.
    place: usize,
    point: Columns,
    kinds: serde_json::Map<String, serde_json::Value>,
    codes: Vec<(String, u64)>,
    /// Figures of the target at the last point, each with one value.
    target: Vec<TargetSeries>,
    total: Row,
    total_cell: Option<Vec<u64>>,
    /// Labels by their places, with their last cell.
    rows: Vec<(usize, Row, Option<Vec<u64>>)>,
    errors: Option<Vec<Failure>>,
    other_errors: u64,
    slowest: Option<Vec<Slow>>,
    thresholds: Option<Thresholds>,
    tables: Option<Vec<Table>>,
}

/// Labels whose figures changed and were not sent yet.
#[derive(Clone, Debug, Default)]
pub(super) struct ChangedLabels {
    waiting: VecDeque<(Arc<str>, bool)>,
    known: HashSet<(Arc<str>, bool)>,
    ticks: u64,
    total: LabelStats,
    /// Failed samples beyond the causes that were sent last.
    other_errors: u64,
}

impl ChangedLabels {
    pub(super) fn add(&mut self, interval: &Interval, total: &LabelStats) {
        self.total.merge(total);
        for row in interval.labels.rows.iter().filter(|row| row.stats.samples > 0) {
            let key = (row.label.clone(), row.is_transaction);
            if self.known.insert(key.clone()) {
                self.waiting.push_back(key);
            }
        }
    }

    fn next(&mut self) -> Option<(Arc<str>, bool)> {
        let key = self.waiting.pop_front()?;
        self.known.remove(&key);
        Some(key)
    }
}

impl RunPage {
    /// What changed since the last call, after intervals were added; none if the page is not
    /// followed ([`RunPage::followed`]) or nothing happened yet.
    pub fn tick(&mut self) -> Option<Tick> {
        let mut changed = self.changed.take()?;
        let tick = self.tick_of(&mut changed);
        self.changed = Some(changed);
        tick
    }

    fn tick_of(&self, changed: &mut ChangedLabels) -> Option<Tick> {
        let (first_ms, last_ms) = self.ends_ms?;
        let point = self.points.last()?;
        let mut columns = Columns::default();
        columns.push(point);
        changed.ticks += 1;
        let with_lists = changed.ticks % LISTS_EVERY == 1;
        let mut rows = Vec::new();
        while rows.len() < MOST_ROWS
            && let Some((label, is_transaction)) = changed.next()
        {
            rows.extend(self.changed_row(&label, is_transaction));
        }
        let thresholds = with_lists.then(|| self.thresholds());
        let so_far = with_lists.then(|| self.so_far(&changed.total));
        let said = so_far.as_ref().zip(thresholds.as_ref());
        let (headline, headline_tone) =
            said.and_then(|(so_far, thresholds)| super::said_first(so_far, thresholds, true)).unzip();
        let errors = so_far.as_ref().map(|so_far| {
            let (listed, others) = so_far.causes(MOST_ERRORS);
            changed.other_errors = others;
            listed.iter().map(|row| Failure::of(so_far, row, &self.failures)).collect()
        });
        let total = &changed.total;
        Some(Tick {
            layout: Layout {
                start_ms: self.points.start_ms(),
                width_ms: self.points.width_ms(),
                cells_start_ms: self.cells.start_ms(),
                cells_width_ms: self.cells.width_ms(),
            },
            duration_s: (last_ms - first_ms) as f64 / 1e3,
            headline,
            headline_tone: headline_tone.flatten(),
            place: self.points.spans().len() - 1,
            point: columns,
            kinds: point
                .kinds
                .iter()
                .map(|(kind, times)| (crate::cause::kind_words(*kind).to_owned(), (*times).into()))
                .collect(),
            codes: codes(&point.outcomes),
            target: target::series(std::iter::once(point)),
            total: Row::of(&SummaryRow::of("TOTAL", false, total), self.about.apdex.of(total))
                .detailed(total),
            total_cell: self.cells.last_of_total(),
            rows,
            errors,
            other_errors: changed.other_errors,
            slowest: with_lists.then(|| self.slow()),
            thresholds: thresholds.filter(|_| self.judge.is_some()),
            tables: with_lists.then(|| tables(&self.run.snapshot, total, &self.about.groups)),
        })
    }

    /// The summary without the figures of each label, which headline and lists do not need.
    fn so_far(&self, total: &LabelStats) -> Summary {
        let errors = &self.run.snapshot.errors;
        Summary {
            total: SummaryRow::of("TOTAL", false, total),
            errors: errors.rows(),
            other_errors: errors.other(),
            failed_labels: FailedLabels::of(&self.run.snapshot),
            unanswered: errors.unanswered(),
            duration_s: total.span_s(),
            ..Summary::of(&Snapshot::default())
        }
    }

    fn changed_row(&self, label: &Arc<str>, is_transaction: bool) -> Option<(usize, Row, Option<Vec<u64>>)> {
        let snapshot = &self.run.snapshot;
        // Labels beyond the limit are counted together, under another name.
        let row = snapshot.get(label, is_transaction)?;
        let place = snapshot.place_of(label, is_transaction)?;
        let figures = SummaryRow::of(&row.label, is_transaction, &row.stats);
        let figures = Row::of(&figures, self.about.apdex.of(&row.stats)).detailed(&row.stats);
        Some((place, figures, self.cells.last_of(label, is_transaction)))
    }

    pub(super) fn slow(&self) -> Vec<Slow> {
        let slow = |(ns, at_ms, label): &(u64, i64, Arc<str>)| Slow {
            at_ms: *at_ms,
            label: crate::plain::plain(label).into_owned(),
            ms: short(*ns as f64 / 1e6),
        };
        self.slowest.sorted().into_iter().map(slow).collect()
    }
}
