//! The file that GitLab's load-performance widget reads: the summary of k6 (`--summary-export`), as
//! far as the widget shows it.

use serde_json::{Value, json};
use swell_stats::{LabelStats, Summary};

/// The file. GitLab shows checks, the 90th and 95th percentile of the time to the first byte, and
/// requests a second (`app/assets/javascripts/ci/reports/.../load_performance`).
pub fn json(summary: &Summary, total: &LabelStats) -> Value {
    let row = &summary.total;
    let ms = |quantile| total.first_byte.quantile(quantile) as f64 / 1e6;
    let waiting = if total.first_byte.is_empty() {
        Value::Null
    } else {
        json!({ "p(90)": ms(0.9), "p(95)": ms(0.95), "med": ms(0.5) })
    };
    let [p50, p90, p95] = [0, 1, 2].map(|place| row.quantiles[place].ms);
    let passed = row.samples - row.errors;
    let share = if row.samples == 0 { 0.0 } else { passed as f64 / row.samples as f64 };
    json!({ "metrics": {
        "checks": { "fails": row.errors, "passes": passed, "value": share },
        "http_req_waiting": waiting,
        "http_req_duration": {
            "avg": row.mean_ms, "min": row.min_ms, "med": p50, "max": row.max_ms, "p(90)": p90, "p(95)": p95,
        },
        "http_reqs": { "count": row.samples, "rate": row.throughput_per_s },
        "http_req_failed": { "fails": passed, "passes": row.errors, "value": 1.0 - share },
        "data_received": { "count": total.bytes, "rate": row.received_kb_per_s * 1024.0 },
        "data_sent": { "count": total.sent_bytes, "rate": row.sent_kb_per_s * 1024.0 },
    }})
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    #[test]
    fn what_the_widget_shows_is_there() {
        let mut recorder = Recorder::default();
        for number in 1..=100_u64 {
            let elapsed_ns = number * 1_000_000;
            let first_byte_ns = Some(number * 500_000);
            recorder.record(&Observation {
                success: number > 2,
                elapsed_ns,
                first_byte_ns,
                ..Observation::default()
            });
        }
        let snapshot = recorder.take_interval();
        let file = json(&Summary::of(&snapshot), &snapshot.total());
        let metrics = &file["metrics"];
        assert_eq!((&metrics["checks"]["passes"], &metrics["checks"]["fails"]), (&json!(98), &json!(2)));
        assert_eq!(metrics["http_reqs"]["count"], 100);
        let p95 = metrics["http_req_waiting"]["p(95)"].as_f64().expect("a number");
        assert!((p95 - 47.5).abs() < 0.1, "{p95}");
    }
}
