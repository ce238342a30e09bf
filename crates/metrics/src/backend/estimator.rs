//! Estimates percentiles as Commons Math does (`Percentile.EstimationType`).

use swell_expr::Properties;

/// How the position of a percentile among values is found (Hyndman, Fan: Sample Quantiles in
/// Statistical Packages, 1996).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Estimator {
    /// JMeter's default.
    #[default]
    Legacy,
    /// `R_1` to `R_9`.
    R(u8),
}

impl Estimator {
    /// That of the property `backend_metrics_percentile_estimator`.
    pub(super) fn of_run(props: &Properties) -> Self {
        let name = props.get("backend_metrics_percentile_estimator").unwrap_or_default();
        let number = name.strip_prefix("R_").and_then(|number| number.parse().ok());
        number.filter(|number| (1..=9).contains(number)).map_or(Self::Legacy, Self::R)
    }

    /// The percentile of values in their order; not a number if there are none.
    pub(super) fn estimate(self, sorted: &[f64], percent: f64) -> f64 {
        let count = sorted.len() as f64;
        let part = percent / 100.0;
        if sorted.is_empty() {
            return f64::NAN;
        }
        let place = self.place(part, count);
        match self {
            Self::R(1) => at(sorted, (place - 0.5).ceil()),
            Self::R(2) => f64::midpoint(at(sorted, (place - 0.5).ceil()), at(sorted, (place + 0.5).floor())),
            _ => at(sorted, place),
        }
    }

    fn place(self, part: f64, count: f64) -> f64 {
        let third = 1.0 / 3.0;
        // The smallest and the largest part with a separate place, and that place.
        let (least, most, place) = match self {
            Self::Legacy => (f64::MIN_POSITIVE, 1.0, part * (count + 1.0)),
            Self::R(1) => (f64::MIN_POSITIVE, f64::INFINITY, count * part + 0.5),
            Self::R(2) => (f64::MIN_POSITIVE, 1.0, count * part + 0.5),
            Self::R(3) => ((0.5 / count).next_up(), f64::INFINITY, (count * part).round_ties_even()),
            Self::R(4) => (1.0 / count, 1.0, count * part),
            Self::R(5) => (0.5 / count, (count - 0.5) / count, count * part + 0.5),
            Self::R(6) => (1.0 / (count + 1.0), count / (count + 1.0), (count + 1.0) * part),
            Self::R(7) => (f64::MIN_POSITIVE, 1.0, 1.0 + (count - 1.0) * part),
            Self::R(8) => (
                2.0 * third / (count + third),
                (count - third) / (count + third),
                (count + third) * part + third,
            ),
            Self::R(_) => {
                (0.625 / (count + 0.25), (count - 0.375) / (count + 0.25), (count + 0.25) * part + 0.375)
            }
        };
        if part < least {
            0.0
        } else if part >= most {
            count
        } else {
            place
        }
    }
}

/// The value at a place from 1; between two values by its fraction.
fn at(sorted: &[f64], place: f64) -> f64 {
    let last = sorted.len() - 1;
    if place < 1.0 {
        return sorted[0];
    }
    if place >= sorted.len() as f64 {
        return sorted[last];
    }
    let below = sorted[place as usize - 1];
    below + place.fract() * (sorted[place as usize] - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_those_of_commons_math() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        // Made with Commons Math 3.6.1.
        for (estimator, wanted) in TABLE {
            let found = [10.0, 50.0, 75.0, 90.0, 99.0].map(|percent| estimator.estimate(&values, percent));
            let close = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-9);
            assert!(close, "{estimator:?} {found:?}");
        }
        assert!(Estimator::Legacy.estimate(&[], 50.0).is_nan());
    }

    #[test]
    fn a_property_chooses() {
        let props = Properties::default();
        assert_eq!(Estimator::of_run(&props), Estimator::Legacy);
        for (name, wanted) in
            [("R_7", Estimator::R(7)), ("R_10", Estimator::Legacy), ("LEGACY", Estimator::Legacy)]
        {
            props.set("backend_metrics_percentile_estimator", name);
            assert_eq!(Estimator::of_run(&props), wanted);
        }
    }

    const TABLE: [(Estimator, [f64; 5]); 10] = [
        (Estimator::Legacy, [1.0, 4.0, 12.0, 16.0, 16.0]),
        (Estimator::R(1), [1.0, 4.0, 8.0, 16.0, 16.0]),
        (Estimator::R(2), [1.0, 4.0, 8.0, 16.0, 16.0]),
        (Estimator::R(3), [1.0, 2.0, 8.0, 8.0, 16.0]),
        (Estimator::R(4), [1.0, 3.0, 7.0, 12.0, 15.6]),
        (Estimator::R(5), [1.0, 4.0, 10.0, 16.0, 16.0]),
        (Estimator::R(6), [1.0, 4.0, 12.0, 16.0, 16.0]),
        (Estimator::R(7), [1.4, 4.0, 8.0, 12.8, 15.68]),
        (Estimator::R(8), [1.0, 4.0, 32.0 / 3.0, 16.0, 16.0]),
        (Estimator::R(9), [1.0, 4.0, 10.5, 16.0, 16.0]),
    ];
}
