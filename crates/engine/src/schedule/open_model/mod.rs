//! Open Model Thread Group (`org.apache.jmeter.threads.openmodel`): users arrive on a schedule,
//! regardless of earlier ones, and each stays for one iteration.

mod even;
mod parse;
mod random;
mod slope;
mod tokens;

use rand::rngs::SmallRng;
use rand::{RngCore, SeedableRng};
use swell_java::JavaRandom;

use super::{S, Schedule, ScheduleMode, Start};
use even::Even;
use parse::{Arrival, Step};
use random::InOrder;
use slope::Slope;

/// Up to this number of random arrivals of a seed are JMeter's: drawn beforehand, 8 bytes each.
const MOST_DRAWN: u64 = 5_000_000;

/// The schedule of a group that starts at a given time.
#[derive(Clone, Debug)]
pub(crate) struct OpenModel {
    parts: Vec<Part>,
    slopes: Vec<Slope>,
    users: u32,
    start_ns: i64,
    end_ns: i64,
}

/// The arrivals of a step.
#[derive(Clone, Debug)]
struct Part {
    offset_s: f64,
    times: Times,
}

#[derive(Clone, Debug)]
enum Times {
    Even(Even),
    /// Those that JMeter draws from a seed: seconds, sorted.
    Drawn(Vec<f64>),
    /// Others with the same distribution.
    InOrder(InOrder),
}

impl OpenModel {
    /// Reads a schedule. A seed of 0 gives other random arrivals each time, any other those that
    /// JMeter gives, or, where they are more than [`MOST_DRAWN`], others that are the same each
    /// time.
    ///
    /// # Errors
    /// The text is not a schedule, or it has too many arrivals.
    pub(crate) fn new(text: &str, seed: i64, start_ns: i64) -> Result<Self, String> {
        let steps = parse::schedule(text)?;
        let slopes = slopes(&steps);
        // A count can be the largest number there is.
        let total = |counts: &mut dyn Iterator<Item = u64>| counts.fold(0, u64::saturating_add);
        let random = slopes.iter().filter(|slope| slope.arrival == Arrival::Random);
        let drawn = total(&mut random.map(Slope::count));
        let users = total(&mut slopes.iter().map(Slope::count));
        if users > u64::from(u32::MAX) {
            return Err(format!(
                "the schedule has {users} arrivals; more than 4 billion are too many for one thread group"
            ));
        }
        let mut random = JavaRandom::new(seed);
        let mut seeds = SmallRng::seed_from_u64(if seed == 0 { rand::rng().next_u64() } else { seed as u64 });
        let is_of_jmeter = seed != 0 && drawn <= MOST_DRAWN;
        let parts = slopes.iter().map(|slope| Part {
            offset_s: slope.offset_s,
            times: match slope.arrival {
                Arrival::Even => Times::Even(Even::new(slope)),
                Arrival::Random if is_of_jmeter => Times::Drawn(random::draw(slope, &mut random)),
                Arrival::Random => Times::InOrder(InOrder::new(slope, seeds.next_u64() as i64)),
            },
        });
        let length_s: f64 = slopes.iter().map(|slope| slope.length_s).sum();
        let end_ns = start_ns.saturating_add(in_ns(length_s));
        let parts = parts.collect();
        let users = users as u32;
        Ok(Self { parts, slopes, users, start_ns, end_ns })
    }
}

impl Schedule for OpenModel {
    fn starts(&self) -> Box<dyn Iterator<Item = Start> + '_> {
        let times = self.parts.iter().flat_map(Part::seconds);
        let start = |(user, at_s)| Start {
            user,
            start_ns: self.start_ns.saturating_add(in_ns(at_s)),
            // Users do not look at the clock: those that are left are cut at the end.
            end_ns: i64::MAX,
        };
        Box::new((0..).zip(times).map(start))
    }

    fn users(&self) -> u32 {
        self.users
    }

    fn end_ns(&self) -> Option<i64> {
        Some(self.end_ns)
    }

    fn per_second_at(&self, at_ns: i64) -> Option<f64> {
        let at_s = (at_ns - self.start_ns) as f64 / S as f64;
        Some(self.slopes.iter().find_map(|slope| slope.per_second_at(at_s)).unwrap_or(0.0))
    }

    fn mode(&self) -> ScheduleMode<'_> {
        ScheduleMode::OneShot
    }
}

fn in_ns(seconds: f64) -> i64 {
    (seconds * S as f64).round() as i64
}

impl Part {
    fn seconds(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        let offset_s = self.offset_s;
        match &self.times {
            Times::Even(even) => Box::new(even.seconds().map(move |at_s| offset_s + at_s)),
            Times::InOrder(all) => Box::new(all.seconds().map(move |at_s| offset_s + at_s)),
            Times::Drawn(all) => Box::new(all.iter().map(move |at_s| offset_s + at_s)),
        }
    }
}

/// Where each arrivals step begins, and at which rates (`ThreadScheduleProcessGenerator`). A rate
/// that follows a step is the one at its end.
fn slopes(steps: &[Step]) -> Vec<Slope> {
    let mut per_second = 0.0;
    let mut offset_s = 0.0;
    let mut slopes = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        match *step {
            Step::Rate(rate) => per_second = rate,
            Step::Arrivals(arrival, length_s) => {
                let to_per_second = match steps.get(place + 1) {
                    Some(Step::Rate(rate)) => *rate,
                    _ => per_second,
                };
                let from_per_second = per_second;
                slopes.push(Slope { arrival, offset_s, length_s, from_per_second, to_per_second });
                offset_s += length_s;
            }
        }
    }
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str, seed: i64) -> Vec<f64> {
        let schedule = OpenModel::new(text, seed, 0).unwrap();
        schedule.starts().map(|start| start.start_ns as f64 / 1e9).collect()
    }

    #[test]
    fn even_arrivals_follow_the_rates() {
        assert_eq!(seconds("rate(4/s) even_arrivals(1 s) pause(1 s)", 0), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(
            OpenModel::new("rate(4/s) even_arrivals(1 s) pause(1 s)", 0, 5).unwrap().end_ns(),
            Some(2 * S + 5)
        );
        assert_eq!(
            seconds("rate(1/s) even_arrivals(2 s) rate(2/s) even_arrivals(1 s)", 0),
            [0.0, 0.828_427_125, 1.464_101_615, 2.0, 2.5]
        );
        assert_eq!(
            seconds("rate(2/s) even_arrivals(1 s) pause(3 s) even_arrivals(1 s)", 0),
            [0.0, 0.5, 4.0, 4.5]
        );
        assert_eq!(
            seconds("rate(0) even_arrivals(3 s) rate(4/s)", 0),
            [0.0, 1.224_744_871, 1.732_050_808, 2.121_320_344, 2.449_489_743, 2.738_612_788]
        );
        assert_eq!(seconds("3", 0), [0.0, 0.333_333_333, 0.666_666_667]);
        assert_eq!(seconds("", 0), [0.0f64; 0]);
    }

    #[test]
    fn arrivals_without_measure_are_refused_though_their_sum_runs_over() {
        let huge = "even_arrivals(4294967296 h) rate(9223372036854775808/days)";
        let text = format!("rate(10/s) random_arrivals(2 min) pause(30 s) rate(1/ms) {huge}");
        let words = OpenModel::new(&text, 1, 0).unwrap_err();
        assert!(words.contains("too many for one thread group"), "{words}");
    }

    #[test]
    fn random_arrivals_are_those_of_jmeter_for_the_same_seed() {
        // Printed by JMeter 5.6.3's generator.
        let text =
            "rate(2/s) random_arrivals(3 s) rate(4/s) even_arrivals(1 s) random_arrivals(2 s) rate(1/s)";
        assert_eq!(seconds(text, 42), JMETER_SEED_42);
        assert_eq!(OpenModel::new(text, 42, 0).unwrap().users(), JMETER_SEED_42.len() as u32);
    }

    /// See `random_arrivals_are_those_of_jmeter_for_the_same_seed`.
    const JMETER_SEED_42: [f64; 18] = [
        0.831_235_470,
        0.926_158_366,
        1.575_351_588,
        1.821_824_970,
        1.996_646_855,
        2.042_763_369,
        2.049_670_415,
        2.182_691_040,
        2.710_116_794,
        3.0,
        3.25,
        3.5,
        3.75,
        4.268_057_528,
        4.678_650_728,
        4.756_509_953,
        5.565_803_558,
        5.838_655_566,
    ];

    #[test]
    fn without_a_seed_every_run_is_another() {
        let text = "rate(100/s) random_arrivals(1 s)";
        assert_ne!(seconds(text, 0), seconds(text, 0));
        assert_eq!(seconds(text, 7), seconds(text, 7));
    }

    #[test]
    fn many_random_arrivals_are_not_held() {
        let message = OpenModel::new("rate(100000/s) random_arrivals(1 d)", 1, 0).unwrap_err();
        assert!(message.contains("8640000000 arrivals"), "{message}");
        for seed in [0, 7] {
            let model = OpenModel::new("rate(20000/s) random_arrivals(1 d) rate(60000/s)", seed, 0).unwrap();
            assert_eq!(model.users(), 3_456_000_000);
            let first: Vec<_> = model.starts().take(40_000).map(|start| start.start_ns).collect();
            assert!(first.is_sorted());
            // 200 are the deviation of a Poisson process.
            assert!((first[39_999] - 2 * S).abs() < S / 20, "{}", first[39_999]);
            assert!(model.starts().take(40_000).map(|start| start.start_ns).eq(first), "the same each time");
        }
        let day = OpenModel::new("rate(10000/s) even_arrivals(1 d)", 1, 0).unwrap();
        assert_eq!((day.users(), day.starts().nth(10_000).unwrap().start_ns), (864_000_000, S));
    }

    /// Arrivals of a Poisson process in a window are independent and uniform in it.
    #[test]
    fn random_arrivals_at_a_steady_rate_are_uniform_over_the_step() {
        let all = seconds("rate(1000/s) random_arrivals(20 s)", 3);
        assert_eq!(all.len(), 20_000);
        assert!(all.is_sorted());
        // The largest distance to the uniform law (Kolmogorov): 1.95 / sqrt(n) is exceeded once in
        // a thousand.
        let distance = (1..).zip(&all).map(|(rank, at_s)| (f64::from(rank) / 20_000.0 - at_s / 20.0).abs());
        assert!(distance.fold(0.0, f64::max) < 1.95 / 20_000_f64.sqrt());
        // Intervals are exponential: one in e is longer than the mean, and their deviation is the
        // mean.
        let gaps: Vec<_> = all.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let long = gaps.iter().filter(|gap| **gap > 0.001).count() as f64 / gaps.len() as f64;
        assert!((long - (-1.0_f64).exp()).abs() < 0.015, "{long}");
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
        assert!((deviation / mean - 1.0).abs() < 0.03, "{deviation} {mean}");
    }

    #[test]
    fn random_arrivals_on_a_slope_rise_and_fall_with_it() {
        for (text, law) in [
            ("rate(0) random_arrivals(10 s) rate(2000/s)", (|x| x * x) as fn(f64) -> f64),
            ("rate(2000/s) random_arrivals(10 s) rate(0)", |x| 2.0 * x - x * x),
            ("rate(500/s) random_arrivals(10 s) rate(1500/s)", |x| f64::midpoint(x, x * x)),
        ] {
            let all = seconds(text, 11);
            assert_eq!(all.len(), 10_000, "{text}");
            let distance =
                (1..).zip(&all).map(|(rank, at_s)| (f64::from(rank) / 1e4 - law(at_s / 10.0)).abs());
            assert!(distance.fold(0.0, f64::max) < 1.95 / 100.0, "{text}");
        }
    }
}
