//! The figures of a run: one row per label, and a total.

use crate::threshold::Group;
use crate::{
    Drift, ErrorRow, FailedLabels, FailureKind, FigureName, FigureStats, Histogram, LabelStats, Snapshot,
    Users,
};

pub(crate) const MS: f64 = 1e6;

/// The quantiles that a summary shows.
pub const QUANTILES: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 0.999];

/// Whether the number of samples is enough for a quantile: its 95 % confidence interval lies within
/// the samples, `n >= 1.96² q / (1 − q)`.
pub fn supports(samples: u64, quantile: f64) -> bool {
    samples as f64 >= least_samples(quantile)
}

/// Samples that a quantile needs at least; see [`supports`].
pub fn least_samples(quantile: f64) -> f64 {
    3.84 * quantile / (1.0 - quantile)
}

/// A quantile of service times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// In 0..1.
    pub quantile: f64,
    /// Service time in milliseconds.
    pub ms: f64,
    /// There are enough samples to state it; see [`supports`].
    pub supported: bool,
    /// The 95 % confidence interval in milliseconds, corrected for the alikeness of neighbouring
    /// samples; for the total and the first hundred labels of a run that is long enough.
    pub interval_ms: Option<(f64, f64)>,
}

/// A stage of samples, or a delay of the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delay {
    /// Samples in which it was measured.
    pub samples: u64,
    /// Median in milliseconds.
    pub p50_ms: f64,
    /// 99th percentile in milliseconds.
    pub p99_ms: f64,
    /// Largest in milliseconds.
    pub max_ms: f64,
}

/// Response times in milliseconds, from the start that a rate or arrivals planned.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseTimes {
    /// Samples whose start a rate or arrivals set.
    pub samples: u64,
    /// Mean.
    pub mean_ms: f64,
    /// [`QUANTILES`] in their order.
    pub quantiles: [Quantile; QUANTILES.len()],
    /// Largest.
    pub max_ms: f64,
}

/// Figures of one label, or of all.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// Label; `TOTAL` for the total.
    pub label: String,
    /// Made by a Transaction Controller: not part of the total.
    pub is_transaction: bool,
    /// Number of samples.
    pub samples: u64,
    /// Number of samples that failed.
    pub errors: u64,
    /// Mean service time in milliseconds.
    pub mean_ms: f64,
    /// Standard deviation in milliseconds.
    pub sd_ms: f64,
    /// Smallest in milliseconds.
    pub min_ms: f64,
    /// Largest in milliseconds.
    pub max_ms: f64,
    /// [`QUANTILES`] in their order.
    pub quantiles: [Quantile; QUANTILES.len()],
    /// Samples a second: samples over the time from the first start to the last end.
    pub throughput_per_s: f64,
    /// Received, in units of 1,024 bytes a second.
    pub received_kb_per_s: f64,
    /// Sent, in units of 1,024 bytes a second.
    pub sent_kb_per_s: f64,
    /// Response times, where the plan sets a rate or arrivals.
    pub response: Option<ResponseTimes>,
    /// Start to connection, TLS included, of samples that made one.
    pub connect: Delay,
    /// The TLS handshake, of samples that made one.
    pub handshake: Delay,
    /// Start to first byte.
    pub first_byte: Delay,
    /// Delay between the arrival of a response and its read.
    pub read_delay: Delay,
    /// Delay between when a sample could start and its start.
    pub start_delay: Delay,
    /// Delay between start and the kernel's send, of some hundred samples a second and worker; part
    /// of the times.
    pub send_delay: Delay,
}

impl SummaryRow {
    /// Whether there are samples, and all of them failed: their times are times of failures.
    pub fn all_failed(&self) -> bool {
        self.samples > 0 && self.errors == self.samples
    }

    /// Failed samples of a hundred.
    pub fn error_percent(&self) -> f64 {
        if self.samples == 0 { 0.0 } else { 100.0 * self.errors as f64 / self.samples as f64 }
    }

    /// The figures of groups of labels, without groups to which no label belongs.
    pub fn of_groups(groups: &[Group], snapshot: &Snapshot) -> Vec<Self> {
        let of_group = |group: &Group| Some(Self::of(&group.name, false, &group.stats(snapshot)?));
        groups.iter().filter_map(of_group).collect()
    }

    /// The figures of counts.
    pub fn of(label: &str, is_transaction: bool, stats: &LabelStats) -> Self {
        let rate = |amount: f64| if stats.span_s() > 0.0 { amount / stats.span_s() } else { 0.0 };
        Self {
            label: label.to_owned(),
            is_transaction,
            samples: stats.samples,
            errors: stats.errors,
            mean_ms: stats.mean_ns() / MS,
            sd_ms: stats.sd_ns() / MS,
            min_ms: if stats.samples == 0 { 0.0 } else { stats.min_ns as f64 / MS },
            max_ms: stats.max_ns as f64 / MS,
            quantiles: quantiles(stats.samples, |quantile| stats.quantile_ns(quantile)),
            response: response_times(stats),
            throughput_per_s: rate(stats.samples as f64),
            received_kb_per_s: rate(stats.bytes as f64 / 1024.0),
            sent_kb_per_s: rate(stats.sent_bytes as f64 / 1024.0),
            connect: stage(&stats.connect),
            handshake: stage(&stats.handshake),
            first_byte: stage(&stats.first_byte),
            read_delay: delay_of(&stats.read_delay, stats.max_read_delay_ns),
            start_delay: delay_of(&stats.start_delay, stats.max_start_delay_ns),
            send_delay: delay_of(&stats.send_delay, stats.max_send_delay_ns),
        }
    }
}

fn quantiles(samples: u64, value_ns: impl Fn(f64) -> u64) -> [Quantile; QUANTILES.len()] {
    QUANTILES.map(|quantile| Quantile {
        quantile,
        ms: value_ns(quantile) as f64 / MS,
        supported: supports(samples, quantile),
        interval_ms: None,
    })
}

fn response_times(stats: &LabelStats) -> Option<ResponseTimes> {
    let samples = stats.response.count();
    let max_ns = stats.max_response_ns;
    (samples > 0).then(|| ResponseTimes {
        samples,
        mean_ms: stats.sum_response_ns as f64 / samples as f64 / MS,
        quantiles: quantiles(samples, |quantile| stats.response.quantile(quantile).min(max_ns)),
        max_ms: max_ns as f64 / MS,
    })
}

/// A stage without an exact largest value: the upper end of its last bucket is used.
fn stage(times: &Histogram) -> Delay {
    delay_of(times, times.quantile(1.0))
}

fn delay_of(delays: &Histogram, max_ns: u64) -> Delay {
    let quantile_ms = |quantile| delays.quantile(quantile).min(max_ns) as f64 / MS;
    let p50_ms = quantile_ms(0.5);
    let p99_ms = quantile_ms(0.99);
    let max_ms = max_ns as f64 / MS;
    Delay { samples: delays.count(), p50_ms, p99_ms, max_ms }
}

/// A custom figure of one label, or of all.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureRow {
    /// Its name.
    pub name: FigureName,
    /// The label; none: all samples.
    pub label: Option<String>,
    /// It is of a transaction.
    pub is_transaction: bool,
    /// Its values.
    pub stats: FigureStats,
}

impl FigureRow {
    /// All figures by their names: those of all samples, then of each label. `total`: the counts of
    /// all samples.
    pub fn all<'a>(snapshot: &'a Snapshot, total: &'a LabelStats) -> impl Iterator<Item = Self> {
        let of_total = total.figures.iter().map(|figure| (figure, None));
        let of_labels = snapshot
            .rows
            .iter()
            .flat_map(|row| row.stats.figures.iter().map(move |figure| (figure, Some(row))));
        let mut rows: Vec<_> = of_total.chain(of_labels).collect();
        rows.sort_by_key(|((name, _), row)| (**name, row.is_some()));
        // Histograms are copied only for rows that are taken.
        rows.into_iter().map(|((name, stats), row)| Self {
            name: *name,
            label: row.map(|row| row.label.to_string()),
            is_transaction: row.is_some_and(|row| row.is_transaction),
            stats: stats.clone(),
        })
    }
}

/// The beginning of a run if it differs from the rest (MSER-5); it is counted nevertheless.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUp {
    /// Its length in seconds from the first sample.
    pub seconds: u64,
    /// Median service time of the rest, in milliseconds.
    pub p50_ms: f64,
    /// 99th percentile of the service times of the rest, in milliseconds.
    pub p99_ms: f64,
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One row a label in the order in which labels first came.
    pub rows: Vec<SummaryRow>,
    /// All samples, mostly without those of Transaction Controllers.
    pub total: SummaryRow,
    /// Failed samples by cause, most frequent first.
    pub errors: Vec<ErrorRow>,
    /// Failed samples whose causes are not told apart any more.
    pub other_errors: u64,
    /// The labels of the causes.
    pub failed_labels: FailedLabels,
    /// Failed samples that never reached a server ([`FailureKind::is_unreached`]).
    pub unreached: u64,
    /// Failed samples for which no response of a server began, those among them.
    pub unanswered: u64,
    /// Samples counted under a common label because there were too many labels.
    pub beyond_label_limit: u64,
    /// Virtual users.
    pub users: Users,
    /// Start of the first sample, nanoseconds since the epoch; none if there was no sample.
    pub start_ns: Option<i64>,
    /// Requests that went out, as [`Snapshot::requests`].
    pub requests: u64,
    /// From the start of the first sample to the end of the last in seconds.
    pub duration_s: f64,
    /// A beginning that looks unlike the rest.
    pub warm_up: Option<WarmUp>,
    /// Figures that drift, of a run that is long enough.
    pub drifts: Vec<Drift>,
    /// Custom figures, those of a name together.
    pub figures: Vec<FigureRow>,
    /// Groups of labels, each with the name of the group; filled by the caller that knows the
    /// groups ([`Summary::add_groups`]).
    pub groups: Vec<SummaryRow>,
}

impl Summary {
    /// Whether nothing was sampled at all.
    pub fn is_empty(&self) -> bool {
        self.total.samples == 0 && self.rows.is_empty()
    }

    /// The causes of the most failed samples, at most this many, and the number of failed samples
    /// with other causes.
    pub fn causes(&self, most: usize) -> (&[ErrorRow], u64) {
        let (listed, more) = self.errors.split_at(self.errors.len().min(most));
        (listed, more.iter().map(|row| row.count).sum::<u64>() + self.other_errors)
    }

    /// Adds the figures of groups of labels.
    pub fn add_groups(&mut self, groups: &[Group], snapshot: &Snapshot) {
        self.groups = SummaryRow::of_groups(groups, snapshot);
    }

    /// The figures of what was counted, transactions left out of the total.
    pub fn of(snapshot: &Snapshot) -> Self {
        Self::with_total(snapshot, &snapshot.total())
    }

    /// The figures of what was counted with a total of the caller's.
    pub(crate) fn with_total(snapshot: &Snapshot, total: &LabelStats) -> Self {
        let rows = snapshot.rows.iter();
        Self {
            rows: rows.map(|row| SummaryRow::of(&row.label, row.is_transaction, &row.stats)).collect(),
            total: SummaryRow::of("TOTAL", false, total),
            errors: snapshot.errors.rows(),
            other_errors: snapshot.errors.other(),
            failed_labels: FailedLabels::of(snapshot),
            unreached: snapshot.errors.count(FailureKind::is_unreached),
            unanswered: snapshot.errors.unanswered(),
            beyond_label_limit: snapshot.beyond_limit(),
            users: snapshot.users,
            start_ns: (total.samples > 0).then_some(total.first_start_ns),
            requests: snapshot.requests,
            duration_s: total.span_s(),
            warm_up: None,
            drifts: Vec::new(),
            figures: FigureRow::all(snapshot, total).collect(),
            groups: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Observation, Recorder};

    #[test]
    fn a_quantile_needs_the_samples_of_its_confidence_interval() {
        let table = [
            (0.99, 381, true),
            (0.99, 380, false),
            (0.999, 3837, true),
            (0.999, 3836, false),
            (0.5, 4, true),
        ];
        for (quantile, samples, enough) in table {
            assert_eq!(supports(samples, quantile), enough, "{samples} for {quantile}");
        }
    }

    #[test]
    fn figures_of_a_known_run() {
        let mut recorder = Recorder::default();
        for step in 0..10_i64 {
            let start_ns = step * 1_000_000_000;
            let elapsed_ns = (step as u64 + 1) * 100_000_000;
            recorder.record(&Observation {
                label: "a",
                success: step > 1,
                start_ns,
                end_ns: start_ns + elapsed_ns as i64,
                elapsed_ns,
                bytes: 1024,
                sent_bytes: 512,
                read_delay_ns: Some(1000 * (step as u64 + 1)),
                code: "500",
                message: "no",
                ..Observation::default()
            });
        }
        let summary = Summary::of(&recorder.take_interval());
        let row = &summary.rows[0];
        assert_eq!(
            (row.samples, row.errors, row.min_ms, row.max_ms, row.mean_ms),
            (10, 2, 100.0, 1000.0, 550.0)
        );
        assert!((row.throughput_per_s - 1.0).abs() < 1e-9 && (row.sent_kb_per_s - 0.5).abs() < 1e-9);
        assert!((row.sd_ms - 302.765).abs() < 0.001);
        assert!((row.quantiles[0].ms - 500.0).abs() < 0.5 && row.quantiles[0].supported);
        assert!(!row.quantiles[3].supported);
        assert_eq!((row.read_delay.samples, row.read_delay.max_ms), (10, 0.01));
        assert_eq!(row.start_delay, Delay::default());
        assert_eq!((summary.duration_s, summary.start_ns, summary.errors[0].count), (10.0, Some(0), 2));
        assert_eq!((summary.total.samples, &summary.total.response), (10, &None));
    }

    #[test]
    fn response_times_are_shown_where_a_rate_was_set() {
        let mut recorder = Recorder::default();
        for step in 1..=10 {
            let response_ns = Some(step * 10_000_000);
            recorder.record(&Observation { label: "a", response_ns, ..Observation::default() });
        }
        let response = Summary::of(&recorder.take_interval()).total.response.expect("a rate was set");
        assert_eq!((response.samples, response.mean_ms, response.max_ms), (10, 55.0, 100.0));
        assert!((response.quantiles[0].ms - 50.0).abs() < 0.1, "{response:?}");
    }

    #[test]
    fn an_empty_run_has_figures_of_zero() {
        let summary = Summary::of(&Snapshot::new(10));
        assert_eq!((summary.rows.len(), summary.total.samples, summary.start_ns), (0, 0, None));
        assert!(summary.total.throughput_per_s == 0.0 && summary.total.min_ms == 0.0);
    }
}
