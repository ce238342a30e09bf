//! A part of an open model with arrivals.

use super::parse::Arrival;

/// A step of the schedule with the rates at its start and end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slope {
    pub(super) arrival: Arrival,
    pub(super) offset_s: f64,
    pub(super) length_s: f64,
    pub(super) from_per_second: f64,
    pub(super) to_per_second: f64,
}

impl Slope {
    /// The rate at a time of the schedule that is in it.
    pub(super) fn per_second_at(&self, at_s: f64) -> Option<f64> {
        let part = (at_s - self.offset_s) / self.length_s;
        let rise = self.to_per_second - self.from_per_second;
        (0.0..1.0).contains(&part).then_some(self.from_per_second + rise * part)
    }

    /// How many arrivals it has: parts of one do not count.
    pub(super) fn count(&self) -> u64 {
        (f64::midpoint(self.from_per_second, self.to_per_second) * self.length_s) as u64
    }
}
