//! Evenly spaced arrivals (`EvenArrivalsRamp`).

use super::slope::Slope;

/// The arrivals of one step: the first is immediate, and the n-th is where the rate's integral is
/// n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Even {
    count: u64,
    from_per_second: f64,
    mean_per_second: f64,
    /// Change of the rate, a second; 0 if it is too small to matter.
    rise: f64,
}

impl Even {
    pub(super) fn new(slope: &Slope) -> Self {
        let from = slope.from_per_second;
        let to = slope.to_per_second;
        let mean_per_second = f64::midpoint(from, to);
        let is_flat = (to - from).abs() < 0.0001 * mean_per_second;
        let rise = if is_flat { 0.0 } else { (to - from) / slope.length_s };
        Self { count: slope.count(), from_per_second: from, mean_per_second, rise }
    }

    /// Seconds from the start of the step.
    pub(super) fn seconds(self) -> impl Iterator<Item = f64> {
        (0..self.count).map(move |n| self.second(n as f64))
    }

    fn second(&self, n: f64) -> f64 {
        if n == 0.0 {
            0.0
        } else if self.rise == 0.0 {
            n / self.mean_per_second
        } else {
            let from = self.from_per_second;
            ((from * from + 2.0 * self.rise * n).sqrt() - from) / self.rise
        }
    }
}
