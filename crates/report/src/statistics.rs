//! `statistics.json` as JMeter's report writes it: one object a label and `Total`, with the fields
//! and units of `SamplingStatistic`. Times are whole milliseconds where JMeter's are.

use serde_json::{Map, Value, json};
use swell_stats::{LabelStats, Run};

use crate::windows::{PERCENTILES, Windows};

/// The text of the file. Percentiles are those of all samples, or of `windows`.
pub fn text(run: &Run, windows: Option<&Windows>) -> String {
    let mut all = Map::new();
    let reported = run.snapshot.as_reported();
    let total = reported.total();
    all.insert("Total".to_owned(), figures("Total", &total, windows.and_then(Windows::total)));
    for row in &reported.rows {
        let windowed = windows.and_then(|windows| windows.label(&row.label));
        // As in JMeter, a label is one row, whatever made its samples; a sampler comes before a
        // transaction of its name.
        all.entry(&*row.label).or_insert_with(|| figures(&row.label, &row.stats, windowed));
    }
    crate::json::indented(&all)
}

fn figures(name: &str, stats: &LabelStats, windowed: Option<[f64; PERCENTILES.len()]>) -> Value {
    // `(last end - first start) / 1000` of whole milliseconds, which JMeter divides by.
    let span_s =
        (stats.last_end_ns.div_euclid(1_000_000) - stats.first_start_ns.div_euclid(1_000_000)) as f64 / 1e3;
    let has_samples = stats.samples > 0;
    let rate = |amount: f64| if has_samples && span_s > 0.0 { amount / span_s } else { 0.0 };
    let exact = PERCENTILES.map(|percentile| (stats.quantile_ns(percentile / 100.0) as f64 / 1e6).round());
    let [median, first, second, third] = windowed.unwrap_or(exact);
    json!({
        "transaction": name,
        "sampleCount": stats.samples,
        "errorCount": stats.errors,
        "errorPct": if has_samples { f64::from(100.0_f32 * stats.errors as f32 / stats.samples as f32) } else { 0.0 },
        "meanResTime": if has_samples { stats.sum_ms as f64 / stats.samples as f64 } else { 0.0 },
        "medianResTime": median,
        "minResTime": if has_samples { stats.min_ms as f64 } else { 0.0 },
        "maxResTime": stats.max_ms as f64,
        "pct1ResTime": first,
        "pct2ResTime": second,
        "pct3ResTime": third,
        "throughput": rate(stats.samples as f64),
        "receivedKBytesPerSec": rate(stats.bytes as f64 / 1024.0),
        "sentKBytesPerSec": rate(stats.sent_bytes as f64 / 1024.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn fields_and_units_are_jmeters() {
        let run = testing::small_run();
        let all: Value = serde_json::from_str(&text(&run, None)).expect("JSON");
        let names: Vec<_> = all["Home"].as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "transaction",
                "sampleCount",
                "errorCount",
                "errorPct",
                "meanResTime",
                "medianResTime",
                "minResTime",
                "maxResTime",
                "pct1ResTime",
                "pct2ResTime",
                "pct3ResTime",
                "throughput",
                "receivedKBytesPerSec",
                "sentKBytesPerSec",
            ]
        );
        assert_eq!(
            (&all["Total"]["sampleCount"], &all["Home"]["medianResTime"], &all["Home"]["pct1ResTime"]),
            (&10.into(), &5.0.into(), &9.0.into())
        );
        let mut windows = Windows::default();
        (1..=10).for_each(|ms| windows.add("Home", false, ms));
        let all: Value = serde_json::from_str(&text(&run, Some(&windows))).expect("JSON");
        assert_eq!((&all["Home"]["medianResTime"], &all["Total"]["pct1ResTime"]), (&5.5.into(), &9.9.into()));
    }
}
