//! The samples of an interval as rows, for systems that keep percentiles instead of distributions.
//! All of them share the names of the values, which `docs/reference/exports.md` lists.

use std::borrow::Cow;

use swell_stats::{FigureStats, Interval, LabelStats, OTHER_LABELS};

use super::board::Board;

/// The label of the row of all samples.
pub(super) const ALL_LABELS: &str = "(all)";

/// The kinds of labels: of samplers, and of transactions.
pub(super) const LABEL_KINDS: [&str; 2] = ["sample", "transaction"];

/// Samples of one label that ended in an interval.
pub(super) struct Row<'a> {
    pub(super) label: &'a str,
    /// `sample` or `transaction`; `total` of all samples.
    pub(super) kind: &'static str,
    pub(super) stats: Cow<'a, LabelStats>,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Count(u64),
    Level(f64),
}

/// Names of the values of a row, in their order. Those of response times come last: a row has them
/// only if the plan sets a rate.
pub(super) const NAMES: [&str; 17] = [
    "samples",
    "errors",
    "received_bytes",
    "sent_bytes",
    "mean_ms",
    "min_ms",
    "p50_ms",
    "p90_ms",
    "p95_ms",
    "p99_ms",
    "max_ms",
    "response_mean_ms",
    "response_p50_ms",
    "response_p90_ms",
    "response_p95_ms",
    "response_p99_ms",
    "response_max_ms",
];

/// Names of the values of a custom figure, in their order and its unit.
pub(super) const FIGURE_NAMES: [&str; 9] = ["count", "sum", "mean", "min", "p50", "p90", "p95", "p99", "max"];

const PERCENTILES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];
const NS_OF_MS: f64 = 1e6;

/// The rows of an interval that the board has taken: labels that had samples, and all samples
/// together.
pub(super) fn rows_of<'a>(board: &Board, interval: &'a Interval) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let mut others = [LabelStats::default(), LabelStats::default()];
    for row in interval.labels.rows.iter().filter(|row| row.stats.samples > 0) {
        let kind = usize::from(row.is_transaction);
        if board.keeps(&row.label, row.is_transaction) {
            rows.push(Row { label: &row.label, kind: LABEL_KINDS[kind], stats: Cow::Borrowed(&row.stats) });
        } else {
            others[kind].merge(&row.stats);
        }
    }
    for (stats, kind) in others.into_iter().zip(LABEL_KINDS).filter(|(stats, _)| stats.samples > 0) {
        rows.push(Row { label: OTHER_LABELS, kind, stats: Cow::Owned(stats) });
    }
    let total = interval.labels.total();
    if total.samples > 0 {
        rows.push(Row { label: ALL_LABELS, kind: "total", stats: Cow::Owned(total) });
    }
    rows
}

/// The values of a custom figure with their names; nothing if it has no values.
pub(super) fn values_of(figure: &FigureStats) -> impl Iterator<Item = (&'static str, Number)> {
    let [p50, p90, p95, p99] = PERCENTILES.map(|share| figure.quantile(share));
    let levels = [Some(figure.sum()), figure.mean(), figure.min(), p50, p90, p95, p99, figure.max()];
    let levels = levels.into_iter().flatten().map(Number::Level);
    let values: Vec<_> = [Number::Count(figure.count())].into_iter().chain(levels).collect();
    FIGURE_NAMES.into_iter().zip(values).filter(move |_| figure.count() > 0)
}

impl Row<'_> {
    /// The values with their names.
    pub(super) fn values(&self) -> impl Iterator<Item = (&'static str, Number)> {
        let stats = &self.stats;
        let mut values = vec![
            Number::Count(stats.samples),
            Number::Count(stats.errors),
            Number::Count(stats.bytes),
            Number::Count(stats.sent_bytes),
            Number::Level(stats.sum_ns as f64 / stats.samples as f64 / NS_OF_MS),
            Number::Level(stats.min_ns as f64 / NS_OF_MS),
        ];
        let level = |ns: u64| Number::Level(ns as f64 / NS_OF_MS);
        let most_ns = stats.max_ns;
        values.extend(PERCENTILES.map(|share| level(stats.elapsed.quantile(share).min(most_ns))));
        values.push(level(most_ns));
        let responses = stats.response.count();
        if responses > 0 {
            let most_ns = stats.max_response_ns;
            values.push(Number::Level(stats.sum_response_ns as f64 / responses as f64 / NS_OF_MS));
            values.extend(PERCENTILES.map(|share| level(stats.response.quantile(share).min(most_ns))));
            values.push(level(most_ns));
        }
        NAMES.into_iter().zip(values)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{identity, interval};
    use super::*;

    fn seen(board: &Board, interval: &Interval) -> Vec<(String, &'static str, u64)> {
        let rows = rows_of(board, interval);
        rows.iter().map(|row| (row.label.to_owned(), row.kind, row.stats.samples)).collect()
    }

    #[test]
    fn labels_beyond_the_limit_share_a_row_and_nothing_is_lost() {
        let mut board = Board::new(identity(), 2);
        let second = interval(0, &[("a", 3), ("b", 1), ("c", 2), ("d", 4)]);
        board.add(&second);
        let others = OTHER_LABELS.to_owned();
        let all = ALL_LABELS.to_owned();
        assert_eq!(
            seen(&board, &second),
            [
                ("a".to_owned(), "sample", 3),
                ("b".to_owned(), "sample", 1),
                (others, "sample", 6),
                (all, "total", 10)
            ]
        );
        assert_eq!(seen(&board, &interval(1000, &[])), []);
    }

    #[test]
    fn values_have_their_names_and_response_times_are_absent_without_a_rate() {
        let mut board = Board::new(identity(), 2);
        let second = interval(0, &[("bad", 2)]);
        board.add(&second);
        let values: Vec<_> = rows_of(&board, &second)[0].values().collect();
        assert_eq!(values.len(), 11);
        assert_eq!(values[1], ("errors", Number::Count(2)));
        assert_eq!(
            (values[4], values[10]),
            (("mean_ms", Number::Level(5.0)), ("max_ms", Number::Level(5.0)))
        );
    }
}
