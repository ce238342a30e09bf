//! The result of a rule as a sentence.

use super::metric::{FigurePart, Statistic, Times, Unit};
use super::{Limit, Metric, Threshold};

/// The name of a figure, such as `p(99)` or `errors`.
pub(super) fn name(metric: Metric) -> String {
    let statistic = |statistic| match statistic {
        Statistic::Quantile(quantile) => format!("p({})", rounded(quantile * 100.0)),
        Statistic::Mean => "mean".to_owned(),
        Statistic::Min => "min".to_owned(),
        Statistic::Max => "max".to_owned(),
    };
    let prefix = |times| match times {
        Times::Elapsed => "",
        Times::Response => "response.",
        Times::Latency => "latency.",
        Times::Connect => "connect.",
        Times::Handshake => "handshake.",
    };
    match metric {
        Metric::Time(times, which) => format!("{}{}", prefix(times), statistic(which)),
        Metric::ErrorPercent | Metric::Errors => "errors".to_owned(),
        Metric::Rate => "rps".to_owned(),
        Metric::Samples => "samples".to_owned(),
        Metric::Apdex { satisfied_ms, tolerated_ms } => format!("apdex({satisfied_ms},{tolerated_ms})"),
        Metric::Figure(name, part) => {
            let part = match part {
                FigurePart::Statistic(which) => statistic(which),
                FigurePart::Count => "count".to_owned(),
                FigurePart::Sum => "sum".to_owned(),
            };
            format!("figure({name}).{part}")
        }
    }
}

/// A figure with its unit, such as `612.3 ms`.
pub(super) fn figure(value: f64, unit: Unit) -> String {
    let digits = match (unit, value.abs()) {
        (Unit::Count, _) => 0,
        (Unit::Index, _) => 3,
        (Unit::Own, _) if value.fract() == 0.0 => 0,
        (_, size) if size >= 1000.0 => 0,
        (_, size) if size >= 100.0 => 1,
        (_, size) if size >= 1.0 => 2,
        _ => 4,
    };
    let number = format!("{value:.digits$}");
    match unit {
        Unit::Count | Unit::Index | Unit::Own => number,
        Unit::PerSecond => format!("{number}/s"),
        Unit::Percent => format!("{number} %"),
        Unit::Milliseconds => format!("{number} ms"),
    }
}

/// `limit 800.0 ms`, with the baseline that it is made of.
pub(super) fn limit(rule: &Threshold, limit: f64, baseline: Option<f64>) -> String {
    let unit = rule.metric.unit();
    match (rule.limit, baseline) {
        (Limit::Baseline { .. }, Some(baseline)) => {
            format!("limit {}; the baseline has {}", figure(limit, unit), figure(baseline, unit))
        }
        _ => format!("limit {}", figure(limit, unit)),
    }
}

fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_as_many_digits_as_say_something() {
        for (value, unit, wanted) in [
            (612.34, Unit::Milliseconds, "612.3 ms"),
            (12_345.6, Unit::Milliseconds, "12346 ms"),
            (0.05, Unit::Milliseconds, "0.0500 ms"),
            (1.0, Unit::Percent, "1.00 %"),
            (199.96, Unit::PerSecond, "200.0/s"),
            (7.0, Unit::Count, "7"),
            (0.9236, Unit::Index, "0.924"),
        ] {
            assert_eq!(figure(value, unit), wanted);
        }
        assert_eq!(name(Metric::Time(Times::Latency, Statistic::Quantile(0.999))), "latency.p(99.9)");
    }
}
