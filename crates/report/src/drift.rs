//! Sentences about figures that drift.

use swell_stats::{Drift, DriftFigure};

use crate::number::ms;

/// One sentence without its full stop: `p99 rises by 1.20 ms an hour over 8 h (0.90 to 1.50)`.
pub(crate) fn sentence(drift: &Drift) -> String {
    let (unit, length, to_unit) = match drift.hours {
        hours if hours >= 1.0 => ("an hour", format!("{} h", rounded(hours)), 1.0),
        hours => ("a minute", format!("{} min", rounded(hours * 60.0)), 1.0 / 60.0),
    };
    let (name, shown): (_, fn(f64) -> String) = match drift.what {
        DriftFigure::P50 => ("p50", |change| ms(change)),
        DriftFigure::P99 => ("p99", |change| ms(change)),
        DriftFigure::ErrorShare => ("the error rate", |change| format!("{:.3}", 100.0 * change)),
        DriftFigure::OwnMemory => ("the tool's own memory", |change| format!("{change:.1}")),
        DriftFigure::OwnDescriptors => {
            ("the tool's number of open files and connections", |change| format!("{change:.0}"))
        }
    };
    let of = match drift.what {
        DriftFigure::P50 | DriftFigure::P99 => "ms ",
        DriftFigure::ErrorShare => "percentage points ",
        DriftFigure::OwnMemory => "MiB ",
        DriftFigure::OwnDescriptors => "",
    };
    let verb = if drift.per_hour > 0.0 { "rises" } else { "falls" };
    let amount = |per_hour: f64| shown((per_hour * to_unit).abs());
    let (a, b) = drift.interval;
    let (low, high) = if a.abs() <= b.abs() { (a, b) } else { (b, a) };
    format!(
        "{name} {verb} by {} {of}{unit} over {length} ({} to {})",
        amount(drift.per_hour),
        amount(low),
        amount(high)
    )
}

/// The same as a note of a page.
pub(crate) fn note(sentence: &str) -> String {
    format!("Over the run, {sentence}.")
}

fn rounded(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sentence_says_how_much_and_how_sure() {
        let rising = Drift { what: DriftFigure::P99, per_hour: 1.2, interval: (0.9, 1.5), hours: 8.0 };
        assert_eq!(sentence(&rising), "p99 rises by 1.20 ms an hour over 8 h (0.90 to 1.50)");
        let falling =
            Drift { what: DriftFigure::ErrorShare, per_hour: -0.6, interval: (-0.9, -0.3), hours: 0.25 };
        let said = "the error rate falls by 1.000 percentage points a minute over 15 min (0.500 to 1.500)";
        assert_eq!(sentence(&falling), said);
        let own =
            Drift { what: DriftFigure::OwnMemory, per_hour: 14.06, interval: (14.0, 14.1), hours: 168.0 };
        assert_eq!(
            sentence(&own),
            "the tool's own memory rises by 14.1 MiB an hour over 168 h (14.0 to 14.1)"
        );
        let own =
            Drift { what: DriftFigure::OwnDescriptors, per_hour: 30.0, interval: (20.0, 40.0), hours: 2.0 };
        let said = "the tool's number of open files and connections rises by 30 an hour over 2 h (20 to 40)";
        assert_eq!(sentence(&own), said);
    }
}
