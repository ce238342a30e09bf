//! Counts of samples: of workers, intervals and machines together, and what the summary says of
//! them.

use std::collections::{BTreeMap, BTreeSet};

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;
use swell_stats::encoding::{decode, encode};
use swell_stats::{
    Delay, FailureKind, Histogram, LabelStats, Observation, QUANTILES, Recorder, ResponseTimes, Snapshot,
    Summary, SummaryRow,
};

use super::{Checked, equal, must, one_of};

const LABELS: [&str; 4] = ["Home", "Search", "GET /a?b=c", ""];
const CODES: [&str; 6] = ["200", "404", "500", "0", "", "oops"];
const MS: f64 = 1e6;

type Samples = Vec<Observation<'static>>;

fn drawn(draws: &mut SmallRng) -> Observation<'static> {
    let start_ns = 1_700_000_000_000_000_000 + draws.random_range(0..5_000_000_000);
    let most_ns = one_of(draws, &[2_000_000, 900_000_000]);
    let elapsed_ns = draws.random_range(0..most_ns);
    let maybe = |draws: &mut SmallRng, share: f64, most: u64| {
        draws.random_bool(share).then(|| draws.random_range(0..most))
    };
    let success = draws.random_bool(0.8);
    let kinds =
        [FailureKind::Status, FailureKind::Refused, FailureKind::ResponseTimeout, FailureKind::Assertion];
    Observation {
        label: one_of(draws, &LABELS),
        is_transaction: draws.random_bool(0.2),
        success,
        start_ns,
        end_ns: start_ns + elapsed_ns as i64 + draws.random_range(0..3),
        elapsed_ns,
        elapsed_ms: elapsed_ns / 1_000_000 + draws.random_range(0..2),
        read_delay_ns: maybe(draws, 0.9, 300_000),
        start_delay_ns: maybe(draws, 0.9, 200_000),
        send_delay_ns: maybe(draws, 0.3, 40_000),
        response_ns: maybe(draws, 0.5, 1_000_000_000),
        connect_ns: maybe(draws, 0.2, 5_000_000),
        handshake_ns: maybe(draws, 0.1, 5_000_000),
        first_byte_ns: maybe(draws, 0.9, 400_000_000),
        bytes: draws.random_range(0..90_000),
        sent_bytes: draws.random_range(0..900),
        requests: draws.random_range(0..4),
        code: one_of(draws, &CODES),
        message: one_of(draws, &["OK", "no", "not there"]),
        assertion: "",
        kind: one_of(draws, &kinds),
    }
}

/// Samples of some workers over some seconds, whose counts go to others and are merged in any
/// order.
pub(super) fn check(draws: &mut SmallRng, operations: u32) -> Checked {
    let mut workers: Vec<Recorder> = (0..draws.random_range(1..4)).map(|_| Recorder::default()).collect();
    let (mut parts, mut samples) = (Vec::new(), Samples::new());
    for _ in 0..operations * one_of(draws, &[1, 1, 1, 6]) {
        let seen = drawn(draws);
        let worker = draws.random_range(0..workers.len());
        workers[worker].record(&seen);
        samples.push(seen);
        if draws.random_bool(0.03) {
            parts.push(workers[worker].take_interval());
        }
    }
    parts.extend(workers.iter_mut().map(Recorder::take_interval));
    for worker in &mut workers {
        equal("rows of an empty interval", &worker.take_interval().rows.len(), &0)?;
    }
    parts.shuffle(draws);
    let mut all = Snapshot::default();
    for part in parts {
        let sent = decode::<Snapshot>(&encode(&part)).map_err(|error| error.to_string())?;
        must(sent.rows == part.rows, || "rows are others after they were sent".to_owned())?;
        must(sent.errors == part.errors, || "errors are others after they were sent".to_owned())?;
        all.merge(&sent);
    }
    rows(&all, &samples)
}

/// The samples of a label.
fn of(samples: &[Observation<'static>], wanted: impl Fn(&Observation<'_>) -> bool) -> Samples {
    samples.iter().filter(|seen| wanted(seen)).copied().collect()
}

fn rows(all: &Snapshot, samples: &[Observation<'static>]) -> Checked {
    let summary = Summary::of(all);
    let keys: BTreeSet<(&str, bool)> = samples.iter().map(|seen| (seen.label, seen.is_transaction)).collect();
    equal("rows", &all.rows.len(), &keys.len())?;
    equal("rows of the summary", &summary.rows.len(), &keys.len())?;
    for (label, is_transaction) in keys {
        let own = of(samples, |seen| seen.label == label && seen.is_transaction == is_transaction);
        let named = |what: String| format!("label {label:?}, transaction {is_transaction}: {what}");
        let row = all.get(label, is_transaction).ok_or_else(|| named("it has no row".to_owned()))?;
        label_stats(&row.stats, &own).map_err(named)?;
        let figures =
            summary.rows.iter().find(|row| row.label == label && row.is_transaction == is_transaction);
        summary_row(figures.ok_or_else(|| named("no figures".to_owned()))?, &row.stats, &own)
            .map_err(named)?;
    }
    let plain = of(samples, |seen| !seen.is_transaction);
    let named = |what: String| format!("total: {what}");
    label_stats(&all.total(), &plain).map_err(named)?;
    summary_row(&summary.total, &all.total(), &plain).map_err(named)?;
    let requests = samples.iter().map(|seen| u64::from(seen.requests)).sum::<u64>();
    equal("requests", &(all.requests, summary.requests), &(requests, requests))?;
    errors(all, &summary, &plain)
}

fn errors(all: &Snapshot, summary: &Summary, plain: &Samples) -> Checked {
    let failed = of(plain, |seen| !seen.success);
    let mut causes: BTreeMap<(&str, &str), (u64, i64)> = BTreeMap::new();
    for seen in &failed {
        let cause = causes.entry((seen.code, seen.message)).or_insert((0, i64::MAX));
        *cause = (cause.0 + 1, cause.1.min(seen.start_ns));
    }
    let is: BTreeMap<_, _> = summary
        .errors
        .iter()
        .map(|row| ((&*row.code, &*row.message), (row.count, row.first.start_ns)))
        .collect();
    equal("causes of failures", &is, &causes)?;
    equal("causes that are listed", &(summary.errors.len(), summary.other_errors), &(causes.len(), 0))?;
    must(summary.errors.is_sorted_by(|one, other| one.count >= other.count), || {
        "causes are not in the order of their counts".to_owned()
    })?;
    for kind in FailureKind::ALL {
        let count = failed.iter().filter(|seen| seen.kind == kind).count() as u64;
        equal("failures of a kind", &all.errors.of_kind(kind), &count)?;
    }
    Ok(())
}

fn sum(samples: &Samples, of: impl Fn(&Observation<'_>) -> Option<u64>) -> u128 {
    samples.iter().filter_map(of).map(u128::from).sum()
}

fn most(samples: &Samples, of: impl Fn(&Observation<'_>) -> Option<u64>) -> u64 {
    samples.iter().filter_map(of).max().unwrap_or(0)
}

/// Every field of the counts.
fn label_stats(stats: &LabelStats, samples: &Samples) -> Checked {
    let count =
        |wanted: fn(&Observation<'_>) -> bool| samples.iter().filter(|seen| wanted(seen)).count() as u128;
    let least =
        |of: fn(&Observation<'_>) -> u64| u128::from(samples.iter().map(of).min().unwrap_or(u64::MAX));
    let start_ns = samples.iter().map(|seen| seen.start_ns).min().unwrap_or(i64::MAX);
    let end_ns = samples.iter().map(|seen| seen.end_ns).max().unwrap_or(i64::MIN);
    let squares = samples.iter().map(|seen| u128::from(seen.elapsed_ns).pow(2)).sum();
    let elapsed = |seen: &Observation<'_>| Some(seen.elapsed_ns);
    let elapsed_ms = |seen: &Observation<'_>| Some(seen.elapsed_ms);
    for (what, is, truth) in [
        ("samples", u128::from(stats.samples), samples.len() as u128),
        ("errors", u128::from(stats.errors), count(|seen| !seen.success)),
        ("bytes", u128::from(stats.bytes), sum(samples, |seen| Some(seen.bytes))),
        ("sent bytes", u128::from(stats.sent_bytes), sum(samples, |seen| Some(seen.sent_bytes))),
        ("sum", stats.sum_ns, sum(samples, elapsed)),
        ("sum of squares", stats.sum_squares_ns2, squares),
        ("least", u128::from(stats.min_ns), least(|seen| seen.elapsed_ns)),
        ("most", u128::from(stats.max_ns), u128::from(most(samples, elapsed))),
        ("sum of responses", stats.sum_response_ns, sum(samples, |seen| seen.response_ns)),
        (
            "most response",
            u128::from(stats.max_response_ns),
            u128::from(most(samples, |seen| seen.response_ns)),
        ),
        (
            "most read delay",
            u128::from(stats.max_read_delay_ns),
            u128::from(most(samples, |seen| seen.read_delay_ns)),
        ),
        (
            "most send delay",
            u128::from(stats.max_send_delay_ns),
            u128::from(most(samples, |seen| seen.send_delay_ns)),
        ),
        (
            "most start delay",
            u128::from(stats.max_start_delay_ns),
            u128::from(most(samples, |seen| seen.start_delay_ns)),
        ),
        ("sum in ms", u128::from(stats.sum_ms), sum(samples, elapsed_ms)),
        ("least in ms", u128::from(stats.min_ms), least(|seen| seen.elapsed_ms)),
        ("most in ms", u128::from(stats.max_ms), u128::from(most(samples, elapsed_ms))),
    ] {
        equal(what, &is, &truth)?;
    }
    equal("first start and last end", &(stats.first_start_ns, stats.last_end_ns), &(start_ns, end_ns))?;
    let failed = |seen: &Observation<'_>| (!seen.success).then_some(seen.elapsed_ns);
    times("times", &stats.elapsed, samples, elapsed, 1024)?;
    times("times of failures", &stats.failed, samples, failed, 1024)?;
    times("read delays", &stats.read_delay, samples, |seen| seen.read_delay_ns, 128)?;
    times("start delays", &stats.start_delay, samples, |seen| seen.start_delay_ns, 128)?;
    times("send delays", &stats.send_delay, samples, |seen| seen.send_delay_ns, 128)?;
    times("response times", &stats.response, samples, |seen| seen.response_ns, 1024)?;
    times("connects", &stats.connect, samples, |seen| seen.connect_ns, 1024)?;
    times("handshakes", &stats.handshake, samples, |seen| seen.handshake_ns, 1024)?;
    times("first bytes", &stats.first_byte, samples, |seen| seen.first_byte_ns, 1024)?;
    outcomes(stats, samples)
}

fn outcomes(stats: &LabelStats, samples: &Samples) -> Checked {
    let mut codes: BTreeMap<String, u64> = BTreeMap::new();
    for seen in samples {
        let code = match seen.code {
            "" => "no response",
            "oops" => "other",
            number => number,
        };
        *codes.entry(code.to_owned()).or_default() += 1;
    }
    let is = stats.outcomes.codes().into_iter().map(|(code, count)| (code.to_string(), count)).collect();
    equal("codes", &is, &codes)?;
    for (kind, count) in stats.outcomes.failures() {
        let truth = samples.iter().filter(|seen| !seen.success && seen.kind == kind).count() as u64;
        equal("failures of a kind of a label", &count, &truth)?;
    }
    let failures: u64 = stats.outcomes.failures().iter().map(|(_, count)| count).sum();
    equal("failures of all kinds", &failures, &stats.errors)
}

fn sorted(samples: &Samples, of: impl Fn(&Observation<'_>) -> Option<u64>) -> Vec<u64> {
    let mut values: Vec<u64> = samples.iter().filter_map(of).collect();
    values.sort_unstable();
    values
}

/// The value of a quantile: of the rank above.
fn quantile_of(values: &[u64], quantile: f64) -> u64 {
    let rank = ((quantile * values.len() as f64).ceil() as usize).clamp(1, values.len().max(1));
    values.get(rank - 1).copied().unwrap_or(0)
}

fn times(
    what: &str,
    histogram: &Histogram,
    samples: &Samples,
    of: impl Fn(&Observation<'_>) -> Option<u64>,
    parts: u64,
) -> Checked {
    let values = sorted(samples, of);
    equal(&format!("number of {what}"), &histogram.count(), &(values.len() as u64))?;
    for quantile in QUANTILES {
        let (is, truth) = (histogram.quantile(quantile), quantile_of(&values, quantile));
        must((truth..=truth + truth / parts).contains(&is), || {
            format!("{what}: quantile {quantile}: {is}, not {truth}")
        })?;
    }
    Ok(())
}

fn is_near(is: f64, truth: f64) -> bool {
    (is - truth).abs() <= 1e-6 * truth.abs().max(1e-3)
}

/// Every figure of the summary, with its unit.
fn summary_row(row: &SummaryRow, stats: &LabelStats, samples: &Samples) -> Checked {
    let n = samples.len() as f64;
    let elapsed: Vec<f64> = samples.iter().map(|seen| seen.elapsed_ns as f64 / MS).collect();
    let mean = if samples.is_empty() { 0.0 } else { elapsed.iter().sum::<f64>() / n };
    let squares: f64 = elapsed.iter().map(|ms| (ms - mean).powi(2)).sum();
    let sd = if samples.len() < 2 { 0.0 } else { (squares / (n - 1.0)).sqrt() };
    let least = elapsed.iter().copied().fold(f64::INFINITY, f64::min);
    let start_ns = samples.iter().map(|seen| seen.start_ns).min().unwrap_or(0);
    let end_ns = samples.iter().map(|seen| seen.end_ns).max().unwrap_or(0);
    let length_s = (end_ns - start_ns) as f64 / 1e9;
    let rate = |amount: f64| if length_s > 0.0 { amount / length_s } else { 0.0 };
    let bytes = |of: fn(&Observation<'_>) -> u64| samples.iter().map(of).sum::<u64>() as f64 / 1024.0;
    let failed = samples.iter().filter(|seen| !seen.success).count();
    equal("samples", &(row.samples, row.errors), &(samples.len() as u64, failed as u64))?;
    let percent = if samples.is_empty() { 0.0 } else { 100.0 * failed as f64 / n };
    for (what, is, truth) in [
        ("mean", row.mean_ms, mean),
        ("deviation", row.sd_ms, sd),
        ("least", row.min_ms, if samples.is_empty() { 0.0 } else { least }),
        ("most", row.max_ms, elapsed.iter().copied().fold(0.0, f64::max)),
        ("samples a second", row.throughput_per_s, rate(n)),
        ("KB received a second", row.received_kb_per_s, rate(bytes(|seen| seen.bytes))),
        ("KB sent a second", row.sent_kb_per_s, rate(bytes(|seen| seen.sent_bytes))),
        ("percent of errors", row.error_percent(), percent),
    ] {
        must(is_near(is, truth), || format!("{what} of the summary: {is}, not {truth}"))?;
    }
    for (quantile, wanted) in row.quantiles.iter().zip(QUANTILES) {
        let truth =
            stats.elapsed.quantile(wanted).clamp(stats.min_ns.min(stats.max_ns), stats.max_ns) as f64 / MS;
        must(is_near(quantile.quantile, wanted) && is_near(quantile.ms, truth), || {
            format!("quantile {wanted} of the summary: {} ms, not {truth}", quantile.ms)
        })?;
        // The interval of 95 % is within the samples.
        let is_known = n >= 3.84 * wanted / (1.0 - wanted);
        equal("whether a quantile is supported", &quantile.supported, &is_known)?;
    }
    delay("connect", row.connect, &stats.connect, &sorted(samples, |seen| seen.connect_ns))?;
    delay("handshake", row.handshake, &stats.handshake, &sorted(samples, |seen| seen.handshake_ns))?;
    delay("first byte", row.first_byte, &stats.first_byte, &sorted(samples, |seen| seen.first_byte_ns))?;
    delay("read delay", row.read_delay, &stats.read_delay, &sorted(samples, |seen| seen.read_delay_ns))?;
    delay("start delay", row.start_delay, &stats.start_delay, &sorted(samples, |seen| seen.start_delay_ns))?;
    delay("send delay", row.send_delay, &stats.send_delay, &sorted(samples, |seen| seen.send_delay_ns))?;
    response(row.response.as_ref(), &sorted(samples, |seen| seen.response_ns))
}

fn delay(what: &str, is: Delay, histogram: &Histogram, values: &[u64]) -> Checked {
    equal(&format!("samples of {what}"), &is.samples, &(values.len() as u64))?;
    let most = values.last().copied().unwrap_or(0) as f64 / MS;
    for (name, is, truth) in [
        ("median", is.p50_ms, quantile_of(values, 0.5) as f64 / MS),
        ("99th percentile", is.p99_ms, quantile_of(values, 0.99) as f64 / MS),
        ("most", is.max_ms, most),
    ] {
        // Stages have no exact largest value.
        let off = truth / if histogram.precision() == swell_stats::Precision::Two { 128.0 } else { 1024.0 };
        must((is - truth).abs() <= off + 1e-9, || format!("{name} of {what}: {is} ms, not {truth}"))?;
    }
    Ok(())
}

fn response(is: Option<&ResponseTimes>, values: &[u64]) -> Checked {
    let Some(is) = is else { return equal("response times", &0, &values.len()) };
    let truth = values.iter().sum::<u64>() as f64 / values.len() as f64 / MS;
    equal("samples of response times", &is.samples, &(values.len() as u64))?;
    must(is_near(is.mean_ms, truth), || format!("mean of response times: {} ms, not {truth}", is.mean_ms))?;
    let most = values.last().copied().unwrap_or(0) as f64 / MS;
    must(is_near(is.max_ms, most), || format!("most of response times: {} ms, not {most}", is.max_ms))?;
    for (quantile, wanted) in is.quantiles.iter().zip(QUANTILES) {
        let truth = quantile_of(values, wanted) as f64 / MS;
        let is_right = (quantile.ms - truth).abs() <= truth / 1024.0 && quantile.ms <= most + 1e-9;
        must(is_right, || format!("quantile {wanted} of response times: {} ms, not {truth}", quantile.ms))?;
    }
    Ok(())
}
