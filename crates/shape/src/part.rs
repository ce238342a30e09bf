//! The parts of load profiles: levels over time with their sums.

use std::f64::consts::{PI, TAU};

use serde::{Deserialize, Serialize};

/// A part of a profile. Levels are users, or arrivals per second; times are seconds since the start
/// of the part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ShapePart {
    /// From one level to another.
    Line {
        /// The level at the start.
        from: f64,
        /// The level at the end.
        to: f64,
        /// Its length.
        length_s: f64,
    },
    /// A wave around a mean.
    Sine {
        /// The mean level.
        mean: f64,
        /// Its distance from the mean; at most the mean.
        amplitude: f64,
        /// The period of the wave.
        period_s: f64,
        /// The phase at which it starts, in waves: 0 at the mean and rising, 0.25 at the highest
        /// level.
        phase: f64,
        /// Its length.
        length_s: f64,
    },
    /// This many arrivals, most of them in the middle: an approximation of Heaviside's step by the
    /// error function, like Gatling's `stressPeakUsers` (`HeavisideInjection`).
    Rise {
        /// Arrivals.
        count: f64,
        /// Its length.
        length_s: f64,
    },
    /// This many arrivals at once.
    Burst {
        /// Arrivals.
        count: f64,
    },
}

impl ShapePart {
    /// Its length in seconds.
    pub fn length_s(&self) -> f64 {
        match *self {
            Self::Line { length_s, .. } | Self::Sine { length_s, .. } | Self::Rise { length_s, .. } => {
                length_s
            }
            Self::Burst { .. } => 0.0,
        }
    }

    /// The level at a time.
    pub fn level(&self, at_s: f64) -> f64 {
        match *self {
            Self::Line { from, to, length_s } if length_s > 0.0 => from + (to - from) * at_s / length_s,
            Self::Line { to, .. } => to,
            Self::Sine { mean, amplitude, period_s, phase, .. } => {
                (mean + amplitude * (TAU * (at_s / period_s + phase)).sin()).max(0.0)
            }
            Self::Rise { count, length_s } => {
                let edge = rise_edge(count);
                let x = edge * (2.0 * at_s / length_s - 1.0);
                (count + 2.0) / PI.sqrt() * (-x * x).exp() * 2.0 * edge / length_s
            }
            Self::Burst { .. } => 0.0,
        }
    }

    /// Its lowest and highest level.
    pub fn range(&self) -> (f64, f64) {
        let ends = [self.level(0.0), self.level(self.length_s())];
        let mut inside = ends.to_vec();
        match *self {
            Self::Sine { period_s, phase, length_s, .. } => {
                // Its turning points within the part.
                for turn in [0.25, 0.75] {
                    let at_s = (turn - phase).rem_euclid(1.0) * period_s;
                    if at_s <= length_s {
                        inside.push(self.level(at_s));
                    }
                }
            }
            Self::Rise { length_s, .. } => inside.push(self.level(length_s / 2.0)),
            Self::Line { .. } | Self::Burst { .. } => {}
        }
        let least = inside.iter().copied().fold(f64::INFINITY, f64::min);
        (least, inside.into_iter().fold(0.0, f64::max))
    }

    /// The sum of the level from the start to a time: arrivals, if the level is a rate.
    pub fn sum(&self, at_s: f64) -> f64 {
        match *self {
            Self::Line { from, to, length_s } if length_s > 0.0 => {
                from * at_s + (to - from) * at_s * at_s / (2.0 * length_s)
            }
            Self::Line { .. } => 0.0,
            Self::Sine { mean, amplitude, period_s, phase, .. } => {
                let turned = (TAU * phase).cos() - (TAU * (at_s / period_s + phase)).cos();
                mean * at_s + amplitude * period_s / TAU * turned
            }
            Self::Rise { count, length_s } => {
                let edge = rise_edge(count);
                let x = edge * (2.0 * at_s / length_s - 1.0);
                (0.5 * (count + 2.0) * (1.0 + erf(x)) - 1.0).clamp(0.0, count)
            }
            Self::Burst { count } => count,
        }
    }

    /// The sum of the whole part.
    pub fn total(&self) -> f64 {
        self.sum(self.length_s())
    }

    /// The first time at which the sum is at least that much; the part must have that much.
    pub fn time_of(&self, sum: f64) -> f64 {
        match *self {
            Self::Burst { .. } => 0.0,
            Self::Line { from, to, length_s } => {
                if sum <= 0.0 && from > 0.0 || length_s <= 0.0 {
                    return 0.0;
                }
                let rise = (to - from) / length_s;
                let root = (from * from + 2.0 * rise * sum).max(0.0).sqrt();
                let both = from + root;
                if both > 0.0 { (2.0 * sum / both).clamp(0.0, length_s) } else { 0.0 }
            }
            Self::Sine { .. } | Self::Rise { .. } => self.search(sum),
        }
    }

    /// Newton's method within a narrowing interval.
    fn search(&self, sum: f64) -> f64 {
        let mut low = 0.0;
        let mut high = self.length_s();
        let mut at_s = high * (sum / self.total().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        for _ in 0..100 {
            let over = self.sum(at_s) - sum;
            if over > 0.0 {
                high = at_s;
            } else {
                low = at_s;
            }
            let level = self.level(at_s);
            let next = at_s - over / level;
            let next = if next > low && next < high { next } else { f64::midpoint(low, high) };
            if (next - at_s).abs() <= 1e-10 * self.length_s() {
                return next;
            }
            at_s = next;
        }
        at_s
    }

    /// With levels multiplied by a factor.
    #[must_use]
    pub fn scaled(self, by: f64) -> Self {
        match self {
            Self::Line { from, to, length_s } => Self::Line { from: from * by, to: to * by, length_s },
            Self::Sine { mean, amplitude, period_s, phase, length_s } => {
                Self::Sine { mean: mean * by, amplitude: amplitude * by, period_s, phase, length_s }
            }
            Self::Rise { count, length_s } => Self::Rise { count: count * by, length_s },
            Self::Burst { count } => Self::Burst { count: count * by },
        }
    }

    /// With the same levels over a time that is multiplied by a factor.
    #[must_use]
    pub fn stretched(self, by: f64) -> Self {
        match self {
            Self::Line { from, to, length_s } => Self::Line { from, to, length_s: length_s * by },
            Self::Sine { mean, amplitude, period_s, phase, length_s } => {
                Self::Sine { mean, amplitude, period_s: period_s * by, phase, length_s: length_s * by }
            }
            // Its level is its count divided by its length.
            Self::Rise { count, length_s } => Self::Rise { count: count * by, length_s: length_s * by },
            Self::Burst { count } => Self::Burst { count },
        }
    }
}

/// How far from the middle the first of this many arrivals is, in the units of the error function.
fn rise_edge(count: f64) -> f64 {
    inverse_erf(count / (count + 2.0))
}

/// The error function by its series, which is accurate to about 1e-10 here.
fn erf(x: f64) -> f64 {
    if x.abs() > 4.0 {
        return x.signum();
    }
    let mut term = x;
    let mut sum = x;
    for n in 1..100 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    2.0 / PI.sqrt() * sum
}

fn inverse_erf(y: f64) -> f64 {
    let mut low = 0.0;
    let mut high = 4.0;
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if erf(middle) < y { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts() -> impl Strategy<Value = ShapePart> {
        let level = 0.0..3000.0_f64;
        prop_oneof![
            (level.clone(), level.clone(), 0.5..4000.0_f64)
                .prop_map(|(from, to, length_s)| ShapePart::Line { from, to, length_s }),
            (1.0..3000.0_f64, 0.0..=1.0_f64, 100.0..1000.0_f64, -2.0..2.0_f64, 1.0..1000.0_f64).prop_map(
                |(mean, part, period_s, phase, length_s)| ShapePart::Sine {
                    mean,
                    amplitude: mean * part,
                    period_s,
                    phase,
                    length_s
                }
            ),
            (1.0..100_000.0_f64, 1.0..4000.0_f64)
                .prop_map(|(count, length_s)| ShapePart::Rise { count: count.round(), length_s }),
        ]
    }

    proptest! {
        #[test]
        fn sums_are_the_integral_of_levels(part in parts(), from in 0.0..1.0_f64, to in 0.0..1.0_f64) {
            let (from, to) = (from.min(to) * part.length_s(), from.max(to) * part.length_s());
            // Simpson's rule over enough points for each wave.
            let steps = 2000;
            let width = (to - from) / f64::from(steps);
            let at = |step: i32| part.level(from + width * f64::from(step));
            let inner: f64 = (1..steps).map(|step| at(step) * if step % 2 == 1 { 4.0 } else { 2.0 }).sum();
            let integral = width / 3.0 * (at(0) + inner + at(steps));
            let sum = part.sum(to) - part.sum(from);
            prop_assert!((sum - integral).abs() <= 1e-6 * part.total().max(1.0), "{} {}", sum, integral);
        }

        #[test]
        fn the_time_of_a_sum_is_where_the_sum_is_that(part in parts(), share in 0.0..1.0_f64) {
            let sum = part.total() * share;
            let at_s = part.time_of(sum);
            prop_assert!((0.0..=part.length_s()).contains(&at_s));
            prop_assert!((part.sum(at_s) - sum).abs() <= 1e-6 * part.total().max(1.0), "{} at {}", sum, at_s);
        }

        #[test]
        fn scaling_and_stretching_keep_the_form(part in parts(), by in 0.1..10.0_f64, share in 0.0..1.0_f64) {
            let at_s = share * part.length_s();
            prop_assert!((part.scaled(by).total() - part.total() * by).abs() <= 1e-6 * part.total().max(1.0) * by.max(1.0));
            // The form of a rise depends on how many there are.
            if !matches!(part, ShapePart::Rise { .. }) {
                prop_assert!((part.scaled(by).level(at_s) - part.level(at_s) * by).abs() <= 1e-6 * part.range().1.max(1.0) * by);
                prop_assert!((part.stretched(by).level(at_s * by) - part.level(at_s)).abs() <= 1e-6 * part.range().1.max(1.0));
            }
        }
    }

    #[test]
    fn a_rise_is_gatlings() {
        // `HeavisideInjection(users, duration)`: k * (inverse_erf(2u / (users + 2) - 1) + t0),
        // where t0 belongs to u = 1.
        let rise = ShapePart::Rise { count: 100.0, length_s: 10.0 };
        let t0 = inverse_erf(1.0 - 2.0 / 102.0);
        for u in [1_u32, 20, 51, 80, 100] {
            let x = 2.0 * f64::from(u) / 102.0 - 1.0;
            let scheduled = 10.0 / (2.0 * t0) * (x.signum() * inverse_erf(x.abs()) + t0);
            assert!((rise.time_of(f64::from(u) - 1.0) - scheduled).abs() < 1e-6, "{u}");
        }
        assert!((rise.total() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn ranges_hold_turning_points() {
        let sine = ShapePart::Sine {
            mean: 1010.0,
            amplitude: 990.0,
            period_s: 600.0,
            phase: -0.25,
            length_s: 600.0,
        };
        let (least, most) = sine.range();
        assert!((least - 20.0).abs() < 1e-9 && (most - 2000.0).abs() < 1e-9);
        assert_eq!(ShapePart::Line { from: 5.0, to: 1.0, length_s: 2.0 }.range(), (1.0, 5.0));
    }
}
