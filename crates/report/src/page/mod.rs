//! The page of a run: what it shows, as data, and the file that holds it. `web/` has its script and
//! style; the live view and the report are the same page.

mod assets;
mod cell;
mod columns;
mod digits;
mod document;
mod ending;
mod grid;
mod html;
mod own_tables;
mod point;
mod slowest;
mod stages;
mod study;
mod target;
mod tick;
mod trace;

use std::collections::BTreeMap;

use swell_stats::threshold::{Group, Judge};
use swell_stats::verdict::Verdict;
use swell_stats::{Code, Drift, Interval, LabelStats, Outcomes, Run, Snapshot, Summary};

pub use assets::{RUNS_SCRIPT, RUNS_STYLE, SCRIPT, STYLE, TRACE_SCRIPT, TRACE_STYLE};
pub use cell::Apdex;
pub use document::{Document, Event, KeptFailure, Part, SCHEMA, Transaction};
pub use ending::{Ending, Intervals, Rule};
pub use html::{SHELL_SECURITY, escaped, file, head, live_shell, study_file};
pub use study::{
    Answer, Bar, BarChart, Block, HeatMap, HeatRow, Line, LineChart, PageKind, Section, StudyPage, Table,
    TableCell, Tone, Unit,
};
pub use trace::{TRACE_SECURITY, trace_file, trace_shell};

use self::cell::Cells;
use self::columns::Columns;
use self::document::{CellColumns, Failure, Judgement, MOST_ERRORS, Row, TimeSeries};
use self::ending::Thresholds;
use self::grid::Grid;
use self::point::Point;
use self::slowest::Slowest;
use self::tick::ChangedLabels;
pub use self::tick::Tick;
use crate::cause::{kind_words, total_failure};
use crate::earlier::Earlier;
use crate::headline::{headline, headline_role};
use crate::number::ms;
use crate::plain::plain;
use crate::requests;
use crate::standing;
use crate::windows::Windows;

/// Points of a chart over time.
const MOST_POINTS: usize = 2000;

/// The fact of [`About::facts`] that says what was tested.
pub const TARGET: &str = "Target";

/// The fact of [`About::facts`] that says which machine made the load.
pub const LOAD_GENERATOR: &str = "Load generator";

/// Servers that a page names; a test may reach thousands.
const MOST_SERVERS: usize = 8;

/// What a page says besides figures.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Mostly the name of the plan.
    pub title: String,
    /// The tool and its version.
    pub made_by: String,
    /// What was run against what: names with their values, in order.
    pub facts: Vec<(String, String)>,
    /// Thresholds of the APDEX.
    pub apdex: Apdex,
    /// The transactions of the plan, as far as it names them and their parts.
    pub transactions: Vec<Transaction>,
    /// Labels that are shown together.
    pub groups: Vec<Group>,
}

/// A run as its page shows it, put together from its intervals. Memory does not grow with the
/// length of the run.
#[derive(Clone, Debug)]
pub struct RunPage {
    about: About,
    run: Run,
    points: Grid<Point>,
    cells: Cells,
    slowest: Slowest,
    events: Vec<Event>,
    /// Failures that the run kept.
    failures: Vec<KeptFailure>,
    notes: Vec<String>,
    windows: Option<Windows>,
    changed: Option<ChangedLabels>,
    /// Judges the thresholds during the run.
    judge: Option<Judge>,
    /// Results of the thresholds at the end.
    rules: Vec<Rule>,
    intervals: Intervals,
    earlier: Option<Earlier>,
    /// First beginning and last end of an interval, in milliseconds since the epoch.
    ends_ms: Option<(i64, i64)>,
}

impl RunPage {
    /// The page of a run that has not begun.
    pub fn new(about: About) -> Self {
        Self {
            run: Run::default(),
            points: Grid::new(MOST_POINTS),
            cells: Cells::new(about.apdex),
            slowest: Slowest::default(),
            events: Vec::new(),
            failures: Vec::new(),
            notes: Vec::new(),
            windows: None,
            changed: None,
            judge: None,
            rules: Vec::new(),
            intervals: Intervals::default(),
            earlier: None,
            ends_ms: None,
            about,
        }
    }

    /// Adds what happened in an interval; they may come in any order.
    pub fn add(&mut self, interval: &Interval) {
        let middle_ms = i64::midpoint(interval.start_ms, interval.end_ms());
        let total = self.run.add(middle_ms.div_euclid(1000), &interval.labels, interval.users);
        self.points.at(middle_ms).add(interval, &total);
        self.cells.add(middle_ms, &interval.labels, &total);
        self.slowest.add(interval);
        if let Some(changed) = &mut self.changed {
            changed.add(interval, &total);
        }
        if let Some(judge) = &mut self.judge {
            // The recorder of the run ends it if a rule requires that; this only shows it.
            let _ = judge.take(interval);
        }
        let (first, last) = self.ends_ms.unwrap_or((interval.start_ms, interval.end_ms()));
        self.ends_ms = Some((first.min(interval.start_ms), last.max(interval.end_ms())));
    }

    /// Gives figures of the whole run that came with two digits their third
    /// ([`swell_stats::Snapshot::refine`]).
    pub fn refine(&mut self, fine: &Snapshot) {
        // What contradicts stays at two digits; the verdict of the run tells it.
        let _ = self.run.refine(fine);
    }

    /// The same with [`RunPage::tick`].
    #[must_use]
    pub fn followed(mut self) -> Self {
        self.changed = Some(ChangedLabels::default());
        self
    }

    /// Adds something that happened to the run.
    pub fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Links errors to failures that the run kept.
    pub fn link_failures(&mut self, failures: Vec<KeptFailure>) {
        self.failures = failures;
    }

    /// Adds a sentence on what the figures leave out.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Shows the state of these thresholds during the run.
    #[must_use]
    pub fn judged_by(mut self, judge: Option<Judge>) -> Self {
        self.judge = judge;
        self
    }

    /// Adds what no interval tells: the page says what the tool took where that drifts.
    pub fn end(&mut self, ending: Ending) {
        self.run.own = ending.own;
        self.judge = None;
        self.rules = ending.thresholds;
        self.intervals = ending.intervals;
        self.earlier = ending.earlier;
        self.add_problems(&ending.problems);
        let facts = &mut self.about.facts;
        if !ending.servers.is_empty() && facts.iter().all(|(name, _)| name != TARGET) {
            // The load generator comes after the label.
            let at = facts.iter().position(|(name, _)| name == LOAD_GENERATOR).unwrap_or(facts.len());
            facts.insert(at, (TARGET.to_owned(), named(&ending.servers)));
        }
    }

    /// What went wrong, except what the headline says.
    fn add_problems(&mut self, problems: &[String]) {
        let failure = total_failure(&self.run.summary());
        let texts = problems.iter().map(|text| text.strip_prefix("error: ").unwrap_or(text));
        self.notes.extend(texts.filter(|text| Some(*text) != failure.as_deref()).map(str::to_owned));
    }

    fn thresholds(&self) -> Thresholds {
        match &self.judge {
            Some(judge) => Thresholds::of(judge.finish().iter().map(Rule::so_far).collect()),
            None => Thresholds::of(self.rules.clone()),
        }
    }

    /// Percentiles of the whole run are those of JMeter's report from now on.
    pub fn use_windows(&mut self, windows: Windows) {
        self.windows = Some(windows);
    }

    /// JMeter's percentiles, if those are shown.
    pub fn windows(&self) -> Option<&Windows> {
        self.windows.as_ref()
    }

    /// A results file did not say how many users there were, which is known only when all of it was
    /// read.
    pub fn users_are_unknown(&mut self) {
        self.points.spans_mut().for_each(|point| point.users = None);
    }

    /// What was counted.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Everything that the page shows. `live`: the run has not finished.
    pub fn document(&self, verdict: Option<&Verdict>, live: bool) -> Document {
        let mut summary = self.run.summary();
        self.intervals.fill(&mut summary);
        let (listed, other_errors) = summary.causes(MOST_ERRORS);
        let (start_ms, end_ms) = self.ends_ms.unwrap_or_default();
        let thresholds = self.thresholds();
        let total = self.run.total();
        let (headline, headline_tone) = said_first(&summary, &thresholds, live).unzip();
        Document {
            schema: SCHEMA,
            kind: PageKind::Run,
            made_by: self.about.made_by.clone(),
            title: self.about.title.clone(),
            live,
            facts: self.about.facts.clone(),
            verdict: verdict.map(|verdict| Judgement::of(verdict, &summary)),
            headline,
            headline_tone: headline_tone.flatten(),
            measurement: verdict.map(|verdict| verdict.grade.measurement()),
            p95_stands: verdict.and_then(|verdict| standing::p95(verdict, &summary)),
            earlier: self.earlier.as_ref().map(|earlier| earlier.shown(&summary)),
            warm_up: warm_up(&summary),
            start_ms: if self.ends_ms.is_some() { self.points.start_ms() } else { 0 },
            duration_s: (end_ms - start_ms) as f64 / 1e3,
            apdex_ms: (self.about.apdex.satisfied_ms, self.about.apdex.tolerated_ms),
            total: self.total_row(&summary, &total),
            labels: self.rows(&summary),
            transactions: self.about.transactions.iter().map(Transaction::shown).collect(),
            time: self.time(),
            cells: self.cell_columns(),
            errors: listed.iter().map(|row| Failure::of(&summary, row, &self.failures)).collect(),
            other_errors,
            slowest: self.slow(),
            events: self.events.clone(),
            thresholds,
            notes: self.all_notes(&summary),
            tables: own_tables::tables(&self.run.snapshot, &total, &self.about.groups),
        }
    }

    fn all_notes(&self, summary: &Summary) -> Vec<String> {
        let drifts = summary.drifts.iter().map(drift_note);
        drifts.chain(requests::sentence(summary)).chain(self.notes.iter().cloned()).collect()
    }

    fn rows(&self, summary: &Summary) -> Vec<Row> {
        let rows = summary.rows.iter().zip(&self.run.snapshot.rows).map(|(row, counted)| {
            let windowed = self.windows.as_ref().and_then(|windows| windows.label(&row.label));
            Row::of(row, self.about.apdex.of(&counted.stats)).detailed(&counted.stats).windowed(windowed)
        });
        rows.collect()
    }

    fn total_row(&self, summary: &Summary, total: &LabelStats) -> Row {
        let windowed = self.windows.as_ref().and_then(Windows::total);
        Row::of(&summary.total, self.about.apdex.of(total)).detailed(total).windowed(windowed)
    }

    fn time(&self) -> TimeSeries {
        let mut columns = Columns::default();
        self.points.spans().for_each(|point| columns.push(point));
        let seen = self.run.snapshot.errors.kinds();
        let kinds: BTreeMap<_, _> = seen
            .map(|(kind, _)| {
                let times: Vec<_> = self.points.spans().map(|point| point.of_kind(kind)).collect();
                (kind_words(kind).to_owned(), times.into())
            })
            .collect();
        TimeSeries {
            width_ms: self.points.width_ms(),
            columns,
            kinds: kinds.into_iter().collect(),
            codes: self.codes(),
            target: target::series(self.points.spans()),
        }
    }

    /// Samples of each response code over time.
    fn codes(&self) -> Vec<(String, Vec<u64>)> {
        let mut all = Outcomes::default();
        self.points.spans().for_each(|point| all.merge(&point.outcomes));
        let mut by_code: Vec<(Code, Vec<u64>)> =
            all.codes().into_iter().map(|(code, _)| (code, vec![0; self.points.spans().len()])).collect();
        for (at, point) in self.points.spans().enumerate() {
            for (code, times) in point.outcomes.codes() {
                if let Ok(place) = by_code.binary_search_by_key(&code, |(code, _)| *code) {
                    by_code[place].1[at] = times;
                }
            }
        }
        by_code.into_iter().map(|(code, times)| (code.to_string(), times)).collect()
    }

    fn cell_columns(&self) -> CellColumns {
        let rows = self.run.snapshot.rows.iter();
        CellColumns {
            start_ms: self.cells.start_ms(),
            width_ms: self.cells.width_ms(),
            total: self.cells.total(),
            labels: rows.map(|row| self.cells.label(&row.label, row.is_transaction)).collect(),
        }
    }

    /// Merges cells in pairs; none if there is nothing more to merge.
    fn coarser(&self) -> Option<Self> {
        let spans = self.cells.spans();
        (spans > 10).then(|| {
            let mut coarse = self.clone();
            coarse.cells.shrink_to(spans / 2);
            coarse
        })
    }
}

/// The headline with its tone; none before the first sample of a running test.
fn said_first(summary: &Summary, thresholds: &Thresholds, live: bool) -> Option<(String, Option<Tone>)> {
    let counts = thresholds.counts();
    let tone = headline_role(summary, counts).and_then(Tone::of);
    (!live || summary.total.samples > 0).then(|| (plain(&headline(summary, counts)).into_owned(), tone))
}

fn named(servers: &[String]) -> String {
    let (listed, more) = servers.split_at(servers.len().min(MOST_SERVERS));
    let listed = listed.join(", ");
    if more.is_empty() { listed } else { format!("{listed} and {} more", more.len()) }
}

fn drift_note(drift: &Drift) -> String {
    crate::drift::note(&crate::drift::sentence(drift))
}

fn warm_up(summary: &Summary) -> Option<String> {
    let warm_up = summary.warm_up?;
    Some(format!(
        "The first {} s differ from the rest, which has a median of {} ms and a p99 of {} ms.",
        warm_up.seconds,
        ms(warm_up.p50_ms),
        ms(warm_up.p99_ms)
    ))
}

#[cfg(test)]
mod tests;
