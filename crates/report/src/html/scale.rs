//! Axes: round steps, and places of values.

/// A linear axis from 0 to a round end.
pub(super) struct Scale {
    /// Highest value of the axis.
    pub(super) end: f64,
    /// Distance of its ticks.
    pub(super) step: f64,
}

impl Scale {
    /// An axis that holds `largest`, with about `ticks` ticks at 1, 2 or 5 times a power of ten.
    pub(super) fn new(largest: f64, ticks: u32) -> Self {
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let rough = largest / f64::from(ticks);
        let power = 10_f64.powf(rough.log10().floor());
        let step = power
            * [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| power * times >= rough * 0.999).unwrap_or(10.0);
        Self { end: (largest / step).ceil() * step, step }
    }

    /// An axis of seconds: ticks at whole seconds, minutes or hours.
    pub(super) fn of_time(seconds: f64, ticks: u32) -> Self {
        const STEPS: [f64; 14] =
            [1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0];
        let seconds = seconds.max(1.0);
        let rough = seconds / f64::from(ticks);
        let step = STEPS.into_iter().find(|step| *step >= rough).unwrap_or((rough / 7200.0).ceil() * 7200.0);
        Self { end: seconds, step }
    }

    /// Values of the ticks, ends included.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        (0..=(self.end / self.step + 1e-9) as u32).map(|number| f64::from(number) * self.step)
    }

    /// Where a value lies, 0 at the start and 1 at the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        (value / self.end).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_steps_are_round() {
        for (largest, end, step) in
            [(87.0, 100.0, 20.0), (100.0, 100.0, 20.0), (0.033, 0.04, 0.01), (4.1, 5.0, 1.0)]
        {
            let scale = Scale::new(largest, 5);
            assert!(
                (scale.end - end).abs() < 1e-9 && (scale.step - step).abs() < 1e-9,
                "{largest}: {} {}",
                scale.end,
                scale.step
            );
        }
        let empty = Scale::new(0.0, 5);
        assert!(empty.end >= 1.0 && empty.place(2.0) >= 1.0);
    }

    #[test]
    fn time_has_ticks_of_the_clock() {
        for (seconds, step) in [(0.2, 1.0), (59.0, 10.0), (120.0, 15.0), (3600.0, 600.0), (1e6, 129_600.0)] {
            assert!((Scale::of_time(seconds, 8).step - step).abs() < 1e-9, "{seconds}");
        }
        assert_eq!(Scale::of_time(120.0, 8).ticks().count(), 9);
    }
}
