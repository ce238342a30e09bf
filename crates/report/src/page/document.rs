//! The data of a page, schema `swell.page/2`: what `web/src/document.ts` reads. Times over which
//! figures are summed are milliseconds since the epoch; numbers are rounded to what a page can
//! show.

use serde::Serialize;
use swell_stats::verdict::{Criterion, Gate, Verdict};
use swell_stats::{ErrorRow, LabelStats, Summary, SummaryRow};

use super::digits::short;
use super::ending::Thresholds;
use super::stages::Details;
use super::study::{PageKind, Table, Tone};
use crate::advice::advice;
use crate::cause::{cause, total_failure};
use crate::earlier::ShownEarlier;
use crate::lead::lead;
use crate::number;
use crate::plain::{plain, plain_lines};
use crate::reason::{self, reason, worst_first};
use crate::windows::PERCENTILES;
use swell_secrets::without_passwords;

/// Name and version of the form.
pub const SCHEMA: &str = "swell.page/2";

/// Labels in the text for readers without scripts, at most.
const MOST_TEXT_ROWS: usize = 20;

/// Errors that are listed one by one.
pub(super) const MOST_ERRORS: usize = 100;

/// All that a page shows.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    pub(super) schema: &'static str,
    pub(super) kind: PageKind,
    pub(super) made_by: String,
    pub(super) title: String,
    pub(super) live: bool,
    pub(super) facts: Vec<(String, String)>,
    pub(super) verdict: Option<Judgement>,
    /// How the site did, in a sentence; none before the first sample of a running test.
    pub(super) headline: Option<String>,
    /// Good or bad news; none where neither thresholds nor failures say so.
    pub(super) headline_tone: Option<Tone>,
    /// How well it was measured: `good`, `doubtful` or `unusable`; none without a verdict.
    pub(super) measurement: Option<&'static str>,
    /// Whether the p95 stands, in a sentence.
    pub(super) p95_stands: Option<String>,
    /// The run of the same plan before this one, and what changed since.
    pub(super) earlier: Option<ShownEarlier>,
    pub(super) warm_up: Option<String>,
    pub(super) start_ms: i64,
    pub(super) duration_s: f64,
    pub(super) apdex_ms: (u64, u64),
    pub(super) total: Row,
    pub(super) labels: Vec<Row>,
    pub(super) transactions: Vec<Transaction>,
    pub(super) time: TimeSeries,
    pub(super) cells: CellColumns,
    pub(super) errors: Vec<Failure>,
    pub(super) other_errors: u64,
    pub(super) slowest: Vec<Slow>,
    pub(super) events: Vec<Event>,
    pub(super) thresholds: Thresholds,
    pub(super) notes: Vec<String>,
    /// Tables of custom figures and of groups of labels.
    pub(super) tables: Vec<Table>,
}

impl Document {
    /// The most important figures as text, for readers without scripts.
    pub(super) fn as_text(&self) -> String {
        let mut lines = vec![self.title.clone()];
        lines.extend(self.headline.clone());
        lines.extend(self.thresholds.as_text());
        let rows = std::iter::once(&self.total).chain(self.labels.iter().take(MOST_TEXT_ROWS));
        lines.extend(rows.map(Row::as_text));
        if let more @ 1.. = self.labels.len().saturating_sub(MOST_TEXT_ROWS) {
            lines.push(format!("and {more} more labels"));
        }
        if let Some((Judgement { reasons, .. }, measurement)) = self.verdict.as_ref().zip(self.measurement) {
            lines.push(format!("Measurement: {measurement}"));
            lines.extend(
                reasons.iter().map(|reason| format!("  {grade}  {}", reason.text, grade = reason.grade)),
            );
        }
        plain_lines(&lines.join("\n")).into_owned()
    }
}

/// A transaction of a plan, and the labels that it is made of. A page shows those that have
/// figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Transaction {
    /// Its label.
    pub label: String,
    /// Its parts, in the order of the plan.
    pub parts: Vec<Part>,
}

/// A part of a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Part {
    /// Its label.
    pub label: String,
    /// It is a transaction itself.
    pub transaction: bool,
}

impl Transaction {
    /// With labels as rows have them.
    pub(super) fn shown(&self) -> Self {
        let shown = |label: &str| plain(label).into_owned();
        let part = |part: &Part| Part { label: shown(&part.label), transaction: part.transaction };
        Self { label: shown(&self.label), parts: self.parts.iter().map(part).collect() }
    }
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Judgement {
    grade: String,
    reasons: Vec<Reason>,
    advice: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Reason {
    grade: String,
    text: String,
}

/// Figures of a label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) label: String,
    transaction: bool,
    samples: u64,
    errors: u64,
    mean_ms: f64,
    sd_ms: f64,
    min_ms: f64,
    max_ms: f64,
    percentiles_ms: Vec<Option<f64>>,
    intervals_ms: Vec<Option<(f64, f64)>>,
    per_s: f64,
    received_per_s: f64,
    sent_per_s: f64,
    apdex: Option<f64>,
    #[serde(flatten)]
    details: Details,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct TimeSeries {
    pub(super) width_ms: i64,
    pub(super) columns: super::columns::Columns,
    pub(super) kinds: serde_json::Map<String, serde_json::Value>,
    pub(super) codes: Vec<(String, Vec<u64>)>,
    pub(super) target: Vec<super::target::TargetSeries>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct CellColumns {
    pub(super) start_ms: i64,
    pub(super) width_ms: i64,
    pub(super) total: Vec<Vec<u64>>,
    pub(super) labels: Vec<Option<Vec<Vec<u64>>>>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Failure {
    /// Which label, how many of its samples, with what.
    lead: String,
    kind: &'static str,
    count: u64,
    expected: String,
    got: String,
    code: String,
    message: String,
    label: String,
    first_ms: i64,
    /// Address of the page with a failure of this cause, and the steps before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

/// Where a failure is shown that the run kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFailure {
    /// Label of the sample.
    pub label: String,
    /// Its response code.
    pub code: String,
    /// Address of its page.
    pub address: String,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Slow {
    pub(super) at_ms: i64,
    pub(super) label: String,
    pub(super) ms: f64,
}

/// Something that happened to the run: a change of its load, a stop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// When, in milliseconds since the epoch.
    pub at_ms: i64,
    /// The source of the change, such as `page`.
    pub who: String,
    /// What it was, in a sentence.
    pub what: String,
}

impl Row {
    pub(super) fn of(row: &SummaryRow, apdex: Option<f64>) -> Self {
        let interval = |(low, high): (f64, f64)| (short(low), short(high));
        Self {
            label: plain(&row.label).into_owned(),
            transaction: row.is_transaction,
            samples: row.samples,
            errors: row.errors,
            mean_ms: short(row.mean_ms),
            sd_ms: short(row.sd_ms),
            min_ms: short(row.min_ms),
            max_ms: short(row.max_ms),
            percentiles_ms: row.quantiles.iter().map(|q| q.supported.then(|| short(q.ms))).collect(),
            intervals_ms: row.quantiles.iter().map(|q| q.interval_ms.map(interval)).collect(),
            per_s: short(row.throughput_per_s),
            received_per_s: short(row.received_kb_per_s * 1024.0),
            sent_per_s: short(row.sent_kb_per_s * 1024.0),
            apdex: apdex.map(short),
            details: Details::default(),
        }
    }

    /// With what the counts of the row say besides.
    pub(super) fn detailed(self, stats: &LabelStats) -> Self {
        let details = Details::of(stats, self.transaction);
        Self { details, ..self }
    }
}

impl Row {
    fn as_text(&self) -> String {
        let ms = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{} ms", number::ms(value)))
        };
        let [p50, p95, p99] = [0, 2, 3].map(|at| ms(self.percentiles_ms.get(at).copied().flatten()));
        format!(
            "{}: {} samples, {} failed, {}/s, p50 {p50}, p95 {p95}, p99 {p99}, max {}",
            self.label,
            number::count(self.samples),
            number::count(self.errors),
            number::rate(self.per_s),
            ms((self.samples > 0).then_some(self.max_ms))
        )
    }

    /// With percentiles of JMeter's report instead of those of all samples.
    pub(super) fn windowed(mut self, percentiles: Option<[f64; PERCENTILES.len()]>) -> Self {
        if let Some([median, p90, p95, p99]) = percentiles {
            self.percentiles_ms =
                [median, p90, p95, p99].map(|ms| Some(short(ms))).into_iter().chain([None]).collect();
            self.intervals_ms = vec![None; self.percentiles_ms.len()];
        }
        self
    }
}

impl Judgement {
    pub(super) fn of(verdict: &Verdict, summary: &Summary) -> Self {
        let is_said = total_failure(summary).is_some();
        let said = |gate: &&Gate| is_said && gate.criterion == Criterion::Unreached;
        let refusal =
            verdict.refusal.iter().map(|why| Reason { grade: verdict.grade.to_string(), text: why.clone() });
        let gates = worst_first(verdict).into_iter().filter(|gate| !said(gate));
        let gates = gates.map(|gate| Reason { grade: gate.grade().to_string(), text: reason(gate) });
        Self {
            grade: verdict.grade.to_string(),
            reasons: refusal.chain(gates).collect(),
            advice: advice(verdict).into_iter().chain(verdict.scripts.iter().map(reason::scripts)).collect(),
        }
    }
}

impl Failure {
    /// A cause of the summary, with its example.
    pub(super) fn of(summary: &Summary, row: &ErrorRow, all: &[KeptFailure]) -> Self {
        let cause = cause(row);
        // What is kept in a file is masked.
        let label = without_passwords(&row.first.label);
        let is_same = |kept: &&KeptFailure| without_passwords(&kept.label) == label && kept.code == row.code;
        let kept = all.iter().find(is_same).map(|kept| kept.address.clone());
        Self {
            kept,
            lead: lead(summary, row).text,
            kind: cause.kind,
            count: row.count,
            expected: cause.expected,
            got: cause.got,
            code: plain(&row.code).into_owned(),
            message: plain(&row.message).into_owned(),
            label: plain(&row.first.label).into_owned(),
            first_ms: row.first.start_ns.div_euclid(1_000_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_kept() {
        for (value, kept) in [
            (0.0, 0.0),
            (1.234_567, 1.235),
            (123_456.0, 123_500.0),
            (965_812_345.0, 965_800_000.0),
            (0.000_123_456, 0.000_123_5),
            (f64::NAN, 0.0),
        ] {
            assert!((short(value) - kept).abs() < 1e-12, "{value}");
        }
    }
}
