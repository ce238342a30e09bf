//! The schedule of a Throughput Shaping Timer (`kg.apc.jmeter.timers.VariableThroughputTimer`):
//! samples a second over time.

use super::short_seconds;

/// A part of the schedule, from one rate to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    pub(crate) from_per_second: f64,
    pub(crate) to_per_second: f64,
    pub(crate) length_s: i64,
}

/// All parts in order. Sample n is due where the rate's integral is n, so samples are evenly
/// spaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Profile {
    spans: Vec<Span>,
}

impl Span {
    fn rise(&self) -> f64 {
        (self.to_per_second - self.from_per_second) / self.length_s as f64
    }

    /// Samples from its start to a time in it.
    fn samples(&self, at_s: f64) -> f64 {
        self.from_per_second * at_s + self.rise() * at_s * at_s / 2.0
    }

    /// When this number is due, since its start.
    fn time_of(&self, samples: f64) -> f64 {
        if samples <= 0.0 {
            return 0.0;
        }
        let from = self.from_per_second;
        2.0 * samples / (from + (from * from + 2.0 * self.rise() * samples).max(0.0).sqrt())
    }
}

impl Profile {
    /// A schedule of these parts; those of no length are left out, and rates below 0 are 0.
    pub(crate) fn new(spans: impl IntoIterator<Item = Span>) -> Self {
        let kept = spans.into_iter().filter(|span| span.length_s > 0).map(|span| Span {
            from_per_second: span.from_per_second.max(0.0),
            to_per_second: span.to_per_second.max(0.0),
            ..span
        });
        Self { spans: kept.collect() }
    }

    pub(crate) fn length_s(&self) -> i64 {
        self.spans.iter().fold(0, |length_s, span| length_s.saturating_add(span.length_s))
    }

    /// The parts with the time and the number of samples at their starts.
    fn placed(&self) -> impl Iterator<Item = (f64, f64, &Span)> {
        let mut at = (0.0, 0.0);
        self.spans.iter().map(move |span| {
            let (at_s, samples) = at;
            let length_s = span.length_s as f64;
            at = (at_s + length_s, samples + span.samples(length_s));
            (at_s, samples, span)
        })
    }

    /// The rate at a time; `None` after the end of the schedule.
    pub(crate) fn per_second(&self, at_s: f64) -> Option<f64> {
        let (start_s, _, span) =
            self.placed().find(|(start_s, _, span)| at_s <= start_s + span.length_s as f64)?;
        Some(span.from_per_second + span.rise() * (at_s - start_s))
    }

    /// How many samples are due by a time.
    pub(crate) fn samples_by(&self, at_s: f64) -> f64 {
        let part = |(start_s, _, span): (f64, f64, &Span)| {
            span.samples((at_s - start_s).clamp(0.0, span.length_s as f64))
        };
        self.placed().map(part).sum()
    }

    /// When a sample is due, counted from 0; none if the schedule has not that many. One that falls
    /// on a time without samples is due at its end.
    pub(crate) fn time_of(&self, sample: f64) -> Option<f64> {
        let (start_s, before, span) =
            self.placed().find(|(_, before, span)| sample < before + span.samples(span.length_s as f64))?;
        Some(start_s + span.time_of(sample - before))
    }
}

/// The parts of the property `load_profile`, `const(10,60s) line(1,10,1m) step(5,25,5,1h)`, and
/// what is none.
pub(crate) fn spans_of_property(text: &str) -> (Vec<Span>, Vec<String>) {
    let mut spans = Vec::new();
    let mut wrong = Vec::new();
    for chunk in text.split(')').filter(|chunk| !chunk.trim().is_empty()) {
        match spans_of(chunk) {
            Some(found) => spans.extend(found),
            None => wrong.push(format!("{})", chunk.trim())),
        }
    }
    (spans, wrong)
}

/// Steps that one `step(...)` may have: a profile of them takes 2.4 MB.
const MOST_STEPS: usize = 100_000;

fn spans_of(chunk: &str) -> Option<Vec<Span>> {
    let (name, fields) = chunk.split_once('(')?;
    let fields: Vec<_> = fields.split(',').map(str::trim).collect();
    let rate = |place: usize| fields.get(place)?.parse::<i32>().ok();
    let length = |place: usize| fields.get(place).and_then(|text| short_seconds(text));
    let span = |from: i32, to: i32, length_s: i64| Span {
        from_per_second: f64::from(from),
        to_per_second: f64::from(to),
        length_s,
    };
    match name.trim().to_ascii_lowercase().as_str() {
        "const" => Some(vec![span(rate(0)?, rate(0)?, length(1)?)]),
        "line" => Some(vec![span(rate(0)?, rate(1)?, length(2)?)]),
        "step" => {
            let from = rate(0)?;
            let to = rate(1)?;
            let by = rate(2)?;
            let length_s = length(3)?;
            let by = usize::try_from(by).ok().filter(|by| *by > 0)?;
            let flat = |rate: i32| span(rate, rate, length_s);
            if from.abs_diff(to) as usize / by > MOST_STEPS {
                return None;
            }
            // Upwards the last step is in, downwards it is not. So the plug-in counts.
            if from > to {
                Some((to + 1..=from).rev().step_by(by).map(flat).collect())
            } else {
                Some((from..=to).step_by(by).map(flat).collect())
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(spans: &[(f64, f64, i64)]) -> Profile {
        let span =
            |&(from_per_second, to_per_second, length_s)| Span { from_per_second, to_per_second, length_s };
        Profile::new(spans.iter().map(span))
    }

    fn times(spans: &[(f64, f64, i64)]) -> Vec<f64> {
        let profile = profile(spans);
        (0..)
            .map_while(|sample: i32| profile.time_of(f64::from(sample)))
            .map(|at_s| (at_s * 1e6).round() / 1e6)
            .collect()
    }

    #[test]
    fn samples_are_even_within_a_rate() {
        assert_eq!(times(&[(4.0, 4.0, 1), (2.0, 2.0, 1)]), [0.0, 0.25, 0.5, 0.75, 1.0, 1.5]);
        assert_eq!(times(&[(1000.0, 1000.0, 10)]).len(), 10_000);
        assert_eq!(times(&[(0.4, 0.4, 10)]), [0.0, 2.5, 5.0, 7.5]);
    }

    #[test]
    fn samples_follow_a_rate_that_rises_and_falls() {
        // The sum is t * t / 60: one at 0, then at the roots.
        assert_eq!(times(&[(0.0, 2.0, 60)])[..4], [0.0, 7.745_967, 10.954_451, 13.416_408]);
        assert_eq!(times(&[(0.0, 2.0, 60)]).len(), 60);
        let down = times(&[(2.0, 0.0, 4)]);
        assert_eq!(down, [0.0, 0.535_898, 1.171_573, 2.0]);
        assert_eq!(times(&[(0.0, 10.0, 10), (10.0, 10.0, 10), (10.0, 0.0, 10)]).len(), 200);
    }

    #[test]
    fn nothing_is_due_where_the_rate_is_0() {
        assert_eq!(
            times(&[(0.0, 0.0, 3), (2.0, 2.0, 1), (0.0, 0.0, 3), (1.0, 1.0, 2)]),
            [3.0, 3.5, 7.0, 8.0]
        );
        assert_eq!(times(&[(-5.0, -5.0, 3), (1.0, 1.0, 0), (1.0, 1.0, 1)]), [3.0]);
        assert_eq!(times(&[]), [0.0f64; 0]);
    }

    #[test]
    fn rates_and_sums_at_a_time() {
        let profile = profile(&[(0.0, 10.0, 10), (4.0, 4.0, 5)]);
        assert_eq!((profile.per_second(5.0), profile.per_second(12.0)), (Some(5.0), Some(4.0)));
        assert_eq!((profile.per_second(15.0), profile.per_second(15.5)), (Some(4.0), None));
        let sums = [0.0, 5.0, 10.0, 12.5, 99.0].map(|at_s| profile.samples_by(at_s));
        assert_eq!(sums.to_vec(), [0.0, 12.5, 50.0, 60.0, 70.0]);
        assert_eq!(profile.length_s(), 15);
        for sample in 0..70 {
            let at_s = profile.time_of(f64::from(sample)).unwrap();
            assert!((profile.samples_by(at_s) - f64::from(sample)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_profile_longer_than_all_seconds_has_no_negative_length() {
        let (spans, wrong) = spans_of_property("step(25,39,7,9223372036854775807)");
        assert_eq!((spans.len(), wrong.len(), Profile::new(spans).length_s()), (3, 0, i64::MAX));
    }

    #[test]
    fn a_staircase_of_two_billion_steps_is_left_out() {
        for text in ["step(0,2147483647,1,1)", "step(2147483647,-2147483648,1,1)"] {
            assert_eq!(spans_of_property(text), (Vec::new(), vec![text.to_owned()]));
        }
        assert_eq!(spans_of_property("step(0,2147483647,1000000,1)").0.len(), 2148);
    }

    #[test]
    fn a_property_has_constants_lines_and_steps() {
        let (spans, wrong) = spans_of_property(
            "const(10,60s) line(1,10,1m)step(5, 15, 5, 1h) step(3,1,1,5) rise(1) const(x,1)",
        );
        let rates: Vec<_> =
            spans.iter().map(|span| (span.from_per_second, span.to_per_second, span.length_s)).collect();
        let wanted = [
            (10.0, 10.0, 60),
            (1.0, 10.0, 60),
            (5.0, 5.0, 3600),
            (10.0, 10.0, 3600),
            (15.0, 15.0, 3600),
            (3.0, 3.0, 5),
            (2.0, 2.0, 5),
        ];
        assert_eq!(rates, wanted);
        assert_eq!(wrong, ["rise(1)", "const(x,1)"]);
    }
}
