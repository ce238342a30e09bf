//! Counts since the start of a run, as the series that other systems store. Counts only rise, so a
//! system that missed some of them loses time resolution but no counts.

use std::collections::HashMap;
use std::sync::Arc;

use swell_stats::reading::Figure;
use swell_stats::{FailureKind, FigureName, Figures, Histogram, Interval, LabelStats, OTHER_LABELS, Reading};

use super::definition::{self as metrics, Definition};
use super::durations::Durations;
use super::identity::Identity;
use super::rows::{ALL_LABELS, LABEL_KINDS};
use super::target;

/// Intervals for which a reading counts: an exporter may be asked less often than each second.
const READING_LASTS: u64 = 15;

/// The value of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    /// A counter's value.
    Count(u64),
    /// A gauge's value.
    Level(f64),
    /// A histogram's value.
    Times(&'a Durations),
}

/// A metric with specific labels. Times are milliseconds since the epoch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series<'a> {
    pub(super) definition: &'static Definition,
    /// Names and values, `run` among them.
    pub(super) labels: Vec<(&'static str, &'a str)>,
    /// When it began; before, it was zero.
    pub(super) since_ms: i64,
    /// The number of the interval that changed it last.
    pub(super) changed: u64,
    pub(super) value: Value<'a>,
}

/// Quantiles of custom figures.
const QUANTILES: [(&str, f64); 4] = [("0.5", 0.5), ("0.9", 0.9), ("0.95", 0.95), ("0.99", 0.99)];

/// Counts of one label.
struct Row {
    label: Arc<str>,
    is_transaction: bool,
    since_ms: i64,
    changed: u64,
    samples: u64,
    errors: u64,
    received: u64,
    sent: u64,
    elapsed: Durations,
    response: Durations,
    figures: Figures,
}

/// What is counted of all labels together.
#[derive(Default)]
struct Totals {
    failures: [u64; FailureKind::ALL.len()],
    connections: u64,
    connect: Durations,
    handshake: Durations,
    first_byte: Durations,
    start_delay: Durations,
    send_delay: Durations,
    read_delay: Durations,
    figures: Figures,
}

/// The state of a run.
pub(super) struct Board {
    identity: Identity,
    /// The most labels that are kept apart.
    most_labels: usize,
    rows: Vec<Row>,
    places: HashMap<Arc<str>, [Option<usize>; 2]>,
    totals: Totals,
    /// What the monitor of the target told last of each figure, in the order of the metrics, and
    /// the number of the interval that had it.
    readings: Vec<(u64, Reading)>,
    /// The last interval, without what it counted.
    last: Interval,
    since_ms: i64,
    /// Intervals that were taken.
    pub(super) taken: u64,
}

impl Board {
    pub(super) fn new(identity: Identity, most_labels: usize) -> Self {
        Self {
            identity,
            most_labels,
            rows: Vec::new(),
            places: HashMap::new(),
            totals: Totals::default(),
            readings: Vec::new(),
            last: Interval::default(),
            since_ms: 0,
            taken: 0,
        }
    }

    /// Which run it is.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// When the last interval ended.
    pub(super) fn at_ms(&self) -> i64 {
        self.last.end_ms()
    }

    /// Adds what happened in an interval.
    pub(super) fn add(&mut self, interval: &Interval) {
        if self.taken == 0 {
            self.since_ms = interval.start_ms;
        }
        self.taken += 1;
        for row in &interval.labels.rows {
            let place = self.place(&row.label, row.is_transaction, interval.start_ms);
            self.rows[place].add(&row.stats, self.taken);
            if !row.is_transaction {
                self.totals.add(&row.stats);
            }
        }
        for (count, kind) in self.totals.failures.iter_mut().zip(FailureKind::ALL) {
            *count += interval.labels.errors.of_kind(kind);
        }
        self.read(&interval.readings);
        let Interval { start_ms, length_ms, users, wanted, load, is_paused, .. } = *interval;
        self.last = Interval { start_ms, length_ms, users, wanted, load, is_paused, ..Interval::default() };
    }

    /// Takes what the monitor of the target told, and forgets what it has not told for a while.
    fn read(&mut self, readings: &[Reading]) {
        for reading in readings {
            let is_same = |(_, known): &&mut (u64, Reading)| {
                known.figure == reading.figure && known.source == reading.source
            };
            if let Some(known) = self.readings.iter_mut().find(is_same) {
                *known = (self.taken, reading.clone());
                continue;
            }
            let place = target::place_of(&reading.figure);
            let at = self.readings.partition_point(|(_, known)| target::place_of(&known.figure) <= place);
            self.readings.insert(at, (self.taken, reading.clone()));
        }
        self.readings.retain(|(told, _)| self.taken - told < READING_LASTS);
    }

    /// Whether a label is counted apart from the other labels.
    pub(super) fn keeps(&self, label: &str, is_transaction: bool) -> bool {
        self.places.get(label).is_some_and(|places| places[usize::from(is_transaction)].is_some())
    }

    /// The place of a label's row; of a new label beyond the limit, that of the other labels.
    fn place(&mut self, label: &Arc<str>, is_transaction: bool, since_ms: i64) -> usize {
        if let Some(place) = self.places.get(label).and_then(|places| places[usize::from(is_transaction)]) {
            return place;
        }
        if self.rows.len() >= self.most_labels && &**label != OTHER_LABELS {
            return self.place(&Arc::from(OTHER_LABELS), is_transaction, since_ms);
        }
        let place = self.rows.len();
        self.places.entry(label.clone()).or_default()[usize::from(is_transaction)] = Some(place);
        self.rows.push(Row::new(label.clone(), is_transaction, since_ms));
        place
    }

    /// Shows all series, those of a metric one after the other.
    pub(super) fn each<'a>(&'a self, mut visit: impl FnMut(Series<'a>)) {
        let Identity { plan, version, .. } = &self.identity;
        let since_ms = self.since_ms;
        let changed = self.taken;
        let mut whole = |definition, more: &[(&'static str, &'a str)], value| {
            let labels = [&self.identity.labels(), more].concat();
            visit(Series { definition, labels, since_ms, changed, value });
        };
        whole(&metrics::INFO, &[("plan", plan), ("version", version)], Value::Level(1.0));
        for (kind, count) in FailureKind::ALL.iter().zip(self.totals.failures).filter(|(_, count)| *count > 0)
        {
            whole(&metrics::FAILURES, &[("cause", kind.name())], Value::Count(count));
        }
        for (definition, count) in self.counts() {
            whole(definition, &[], Value::Count(count));
        }
        for (definition, times) in self.totals.times().into_iter().filter(|(_, times)| times.count > 0) {
            whole(definition, &[], Value::Times(times));
        }
        for (definition, level) in self.levels() {
            if let Some(level) = level {
                whole(definition, &[], Value::Level(level));
            }
        }
        self.each_of_labels(&mut visit);
        self.each_figure(&mut visit);
        for (changed, Reading { source, figure, value, .. }) in &self.readings {
            let definition = target::definition_of(figure);
            let mut labels = self.identity.labels();
            labels.push(("source", source));
            if let Figure::Named { name, .. } = figure {
                labels.push(("name", name));
            }
            visit(Series { definition, labels, since_ms, changed: *changed, value: Value::Level(*value) });
        }
    }

    fn counts(&self) -> [(&'static Definition, u64); 3] {
        let users = self.last.users;
        [
            (&metrics::CONNECTIONS, self.totals.connections),
            (&metrics::USERS_STARTED, users.started),
            (&metrics::USERS_FINISHED, users.finished),
        ]
    }

    fn levels(&self) -> [(&'static Definition, Option<f64>); 9] {
        let Interval { users, wanted, load, is_paused, .. } = &self.last;
        [
            (&metrics::USERS, Some(users.active as f64)),
            (&metrics::USERS_WANTED, wanted.users.map(|users| users as f64)),
            (&metrics::WANTED_RATE, wanted.per_s),
            (&metrics::WORKER_BUSY, load.worker_busy),
            (&metrics::WORKER_WAITED, load.worker_waited),
            (&metrics::MACHINE_BUSY, load.machine_busy),
            (&metrics::MACHINE_STEAL, load.steal),
            (&metrics::MEMORY_FREE, load.memory_free),
            (&metrics::PAUSED, Some(f64::from(u8::from(*is_paused)))),
        ]
    }

    fn each_figure<'a>(&'a self, visit: &mut impl FnMut(Series<'a>)) {
        let of_rows = || {
            self.rows.iter().flat_map(|row| {
                let kind = LABEL_KINDS[usize::from(row.is_transaction)];
                let place = (&*row.label, kind, row.since_ms, row.changed);
                row.figures.iter().map(move |figure| (place, figure))
            })
        };
        let mut show = |definition, place: (&'a str, _, _, _), figure: &'a FigureName, more: &[_], value| {
            let (label, kind, since_ms, changed) = place;
            let own = [("figure", figure.as_str()), ("label", label), ("kind", kind)];
            let labels = [&self.identity.labels(), &own[..], more].concat();
            visit(Series { definition, labels, since_ms, changed, value });
        };
        for (place, (name, stats)) in of_rows() {
            show(&metrics::FIGURE_VALUES, place, name, &[], Value::Count(stats.count()));
        }
        for (place, (name, stats)) in of_rows() {
            show(&metrics::FIGURE_SUM, place, name, &[], Value::Level(stats.sum()));
        }
        let total = (ALL_LABELS, "total", self.since_ms, self.taken);
        let of_total = self.totals.figures.iter().map(|figure| (total, figure));
        for (place, (name, stats)) in of_rows().chain(of_total) {
            for (text, quantile) in QUANTILES {
                if let Some(value) = stats.quantile(quantile) {
                    let value = Value::Level(value);
                    show(&metrics::FIGURE_QUANTILE, place, name, &[("quantile", text)], value);
                }
            }
        }
    }

    fn each_of_labels<'a>(&'a self, visit: &mut impl FnMut(Series<'a>)) {
        type Get = for<'r> fn(&'r Row) -> Value<'r>;
        let all: [(&'static Definition, Get); 6] = [
            (&metrics::SAMPLES, |row| Value::Count(row.samples)),
            (&metrics::ERRORS, |row| Value::Count(row.errors)),
            (&metrics::RECEIVED, |row| Value::Count(row.received)),
            (&metrics::SENT, |row| Value::Count(row.sent)),
            (&metrics::DURATION, |row| Value::Times(&row.elapsed)),
            (&metrics::RESPONSE, |row| Value::Times(&row.response)),
        ];
        for (definition, get) in all {
            for row in &self.rows {
                let value = get(row);
                if matches!(value, Value::Times(times) if times.count == 0) {
                    continue;
                }
                let kind = LABEL_KINDS[usize::from(row.is_transaction)];
                let mut labels = self.identity.labels();
                labels.extend([("label", &*row.label), ("kind", kind)]);
                let since_ms = row.since_ms;
                let changed = row.changed;
                visit(Series { definition, labels, since_ms, changed, value });
            }
        }
    }
}

impl Row {
    fn new(label: Arc<str>, is_transaction: bool, since_ms: i64) -> Self {
        Self {
            label,
            is_transaction,
            since_ms,
            changed: 0,
            samples: 0,
            errors: 0,
            received: 0,
            sent: 0,
            elapsed: Durations::default(),
            response: Durations::default(),
            figures: Figures::default(),
        }
    }

    fn add(&mut self, stats: &LabelStats, taken: u64) {
        if stats.samples == 0 {
            return;
        }
        self.changed = taken;
        self.samples += stats.samples;
        self.errors += stats.errors;
        self.received += stats.bytes;
        self.sent += stats.sent_bytes;
        self.elapsed.add(&stats.elapsed, Some(stats.sum_ns));
        self.response.add(&stats.response, Some(stats.sum_response_ns));
        self.figures.merge(&stats.figures);
    }
}

impl Totals {
    fn add(&mut self, stats: &LabelStats) {
        self.connections += stats.connect.count();
        self.figures.merge(&stats.figures);
        let all: [(&mut Durations, &Histogram); 6] = [
            (&mut self.connect, &stats.connect),
            (&mut self.handshake, &stats.handshake),
            (&mut self.first_byte, &stats.first_byte),
            (&mut self.start_delay, &stats.start_delay),
            (&mut self.send_delay, &stats.send_delay),
            (&mut self.read_delay, &stats.read_delay),
        ];
        for (sum, times) in all {
            sum.add(times, None);
        }
    }

    fn times(&self) -> [(&'static Definition, &Durations); 6] {
        [
            (&metrics::CONNECT, &self.connect),
            (&metrics::HANDSHAKE, &self.handshake),
            (&metrics::FIRST_BYTE, &self.first_byte),
            (&metrics::START_DELAY, &self.start_delay),
            (&metrics::SEND_DELAY, &self.send_delay),
            (&metrics::READ_DELAY, &self.read_delay),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{identity, interval, with_figures};
    use super::*;

    /// Counts of a metric by the value of its last label.
    fn counts(board: &Board, name: &str) -> Vec<(String, u64)> {
        let mut all = Vec::new();
        board.each(|series| {
            if let (true, Value::Count(count)) = (series.definition.name() == name, series.value) {
                let (_, last) = series.labels.iter().rev().find(|(name, _)| *name != "kind").expect("labels");
                all.push(((*last).to_owned(), count));
            }
        });
        all
    }

    #[test]
    fn counts_rise_and_say_when_they_changed() {
        let mut board = Board::new(identity(), 10);
        board.add(&interval(1000, &[("a", 3), ("b", 1)]));
        board.add(&interval(2000, &[("a", 2)]));
        assert_eq!(counts(&board, "swell_samples_total"), [("a".to_owned(), 5), ("b".to_owned(), 1)]);
        assert_eq!(counts(&board, "swell_connections_total"), [("nightly".to_owned(), 6)]);
        let mut changed = Vec::new();
        board.each(|series| {
            if std::ptr::eq(series.definition, &raw const metrics::SAMPLES) {
                changed.push((series.since_ms, series.changed));
            }
        });
        assert_eq!((changed, board.at_ms(), board.taken), (vec![(1000, 2), (1000, 1)], 3000, 2));
    }

    #[test]
    fn readings_of_the_target_are_metrics_by_their_names_until_they_are_no_longer_told() {
        use swell_stats::reading::Known;
        let read = |source: &str, known, value| Reading::new(&source.into(), known, value, 1.0);
        let named = Figure::Named { name: "pool_active".into(), is_rate: false };
        let mut first = interval(1000, &[("a", 1)]);
        first.readings = vec![
            read("machine", Known::HeapUsed, 7.0),
            Reading { source: "h:9100".into(), figure: named, value: 3.0, seconds: 1.0 },
            read("machine", Known::MachineIdle, 0.5),
            read("h:9100", Known::MachineIdle, 0.25),
        ];
        let mut board = Board::new(identity(), 10);
        board.add(&first);
        let told = |board: &Board| {
            let mut told = Vec::new();
            board.each(|series| {
                let name = series.definition.name();
                if let (true, Value::Level(level)) = (name.starts_with("swell_target_"), series.value) {
                    let labels: Vec<_> = series.labels.iter().skip(1).map(|(_, value)| *value).collect();
                    told.push(format!("{name} {} {level}", labels.join(" ")));
                }
            });
            told
        };
        assert_eq!(
            told(&board),
            [
                "swell_target_machine_idle_ratio machine 0.5",
                "swell_target_machine_idle_ratio h:9100 0.25",
                "swell_target_heap_used_bytes machine 7",
                "swell_target_other h:9100 pool_active 3",
            ],
            "those of a metric stand together"
        );
        for at in 2..=READING_LASTS as i64 + 1 {
            let mut next = interval(1000 * at, &[("a", 1)]);
            next.readings = vec![read("machine", Known::MachineIdle, 0.75)];
            board.add(&next);
        }
        assert_eq!(told(&board), ["swell_target_machine_idle_ratio machine 0.75"]);
    }

    #[test]
    fn figures_have_counts_sums_and_quantiles() {
        let mut board = Board::new(identity(), 10);
        board.add(&with_figures(interval(0, &[("a", 1), ("b", 1)]), &["-2", "4"]));
        board.add(&with_figures(interval(0, &[("a", 1)]), &["6"]));
        let mut seen = Vec::new();
        board.each(|series| {
            let name = series.definition.name();
            if name.starts_with("swell_figure") {
                let labels: Vec<_> = series.labels.iter().skip(1).map(|(_, value)| *value).collect();
                let value = match series.value {
                    Value::Count(count) => count as f64,
                    Value::Level(level) => level,
                    Value::Times(_) => f64::NAN,
                };
                seen.push(format!("{name} {} {value}", labels.join(" ")));
            }
        });
        assert_eq!(
            seen.iter().filter(|line| !line.contains(" 0.9")).collect::<Vec<_>>(),
            [
                "swell_figure_values_total depth a sample 2",
                "swell_figure_values_total depth b sample 1",
                "swell_figure_sum depth a sample 4",
                "swell_figure_sum depth b sample 4",
                "swell_figure_quantile depth a sample 0.5 -2",
                "swell_figure_quantile depth b sample 0.5 4",
                "swell_figure_quantile depth (all) total 0.5 4",
            ]
        );
    }

    #[test]
    fn failures_are_counted_by_their_cause() {
        let mut board = Board::new(identity(), 10);
        board.add(&interval(0, &[("bad", 2), ("a", 1)]));
        assert_eq!(counts(&board, "swell_failures_total"), [("connection_refused".to_owned(), 2)]);
        assert_eq!(counts(&board, "swell_errors_total"), [("bad".to_owned(), 2), ("a".to_owned(), 0)]);
    }

    #[test]
    fn labels_beyond_the_limit_are_counted_together() {
        let mut board = Board::new(identity(), 2);
        for second in 0..50 {
            board.add(&interval(second * 1000, &[(&format!("label {second}"), 2)]));
        }
        let seen = counts(&board, "swell_samples_total");
        assert_eq!(
            seen.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>(),
            ["label 0", "label 1", OTHER_LABELS]
        );
        assert_eq!(seen.iter().map(|(_, count)| count).sum::<u64>(), 100);
    }

    #[test]
    fn what_is_not_known_is_absent() {
        let mut board = Board::new(identity(), 10);
        board.add(&interval(0, &[("a", 1)]));
        let mut names = Vec::new();
        board.each(|series| names.push(series.definition.name()));
        let has = |name: &str| names.iter().any(|known| known == name);
        assert!(has("swell_users_active") && has("swell_connect_duration_seconds"));
        assert!(
            !has("swell_wanted_rate_per_second")
                && !has("swell_response_duration_seconds")
                && !has("swell_machine_steal_ratio")
        );
    }
}
