//! Detects a growing queue: arrivals exceed the server's throughput, even if its times are still
//! good.

/// The trend of the number of requests in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// By how many it grows each second.
    pub per_s: f64,
    /// Standard error of that.
    pub error_per_s: f64,
    /// It grows beyond chance.
    pub grows: bool,
}

/// Relative to the rate: less growth does not matter.
const LEAST_OF_RATE: f64 = 0.01;

/// Looks at the requests in flight at the end of each second of a trial with this rate of arrivals:
/// a straight line is fitted. A queue that only fluctuates has no slope of three standard errors
/// and no end that is far above its begin. None with fewer than five seconds.
pub fn growth(in_flight: &[f64], rate_per_s: f64) -> Option<Growth> {
    const FEWEST: usize = 5;
    if in_flight.len() < FEWEST {
        return None;
    }
    let n = in_flight.len() as f64;
    let middle_t = (n - 1.0) / 2.0;
    let middle_b = in_flight.iter().sum::<f64>() / n;
    let mut tt = 0.0;
    let mut tb = 0.0;
    for (at, b) in in_flight.iter().enumerate() {
        let t = at as f64 - middle_t;
        tt += t * t;
        tb += t * (b - middle_b);
    }
    let per_s = tb / tt;
    let off = |(at, b): (usize, &f64)| (b - middle_b - per_s * (at as f64 - middle_t)).powi(2);
    let rest: f64 = in_flight.iter().enumerate().map(off).sum();
    let error_per_s = (rest / (n - 2.0) / tt).sqrt();
    // The ends by the line, since single seconds fluctuate.
    let begin = middle_b - per_s * middle_t;
    let end = middle_b + per_s * middle_t;
    let grows = per_s > LEAST_OF_RATE * rate_per_s
        && per_s > 3.0 * error_per_s
        && end > begin.max(0.0) + 3.0 * begin.max(1.0).sqrt();
    Some(Growth { per_s, error_per_s, grows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    /// Requests in flight of a server with this capacity, a second at a time.
    fn queue(rate: f64, capacity: f64, seed: u64) -> Vec<f64> {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut waiting = 0.0_f64;
        (0..20)
            .map(|_| {
                let noise = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
                waiting = (waiting + rate + rate.sqrt() * noise - capacity).max(0.0);
                waiting + 0.02 * rate
            })
            .collect()
    }

    #[test]
    fn over_capacity_it_grows_and_below_it_does_not() {
        let grown = |rate: f64| {
            let found = (0..50).map(|seed| growth(&queue(rate, 1250.0, seed), rate).expect("20 seconds"));
            found.filter(|growth| growth.grows).count()
        };
        assert!(grown(1350.0) >= 48, "{}", grown(1350.0));
        assert!(grown(1100.0) <= 1, "{}", grown(1100.0));
    }

    #[test]
    fn a_constant_queue_and_a_short_trial_say_nothing() {
        assert!(growth(&[5.0; 4], 1.0).is_none());
        let still = growth(&[25.0; 10], 1000.0).expect("enough");
        assert!(!still.grows && still.per_s.abs() < 1e-9);
        assert!(!growth(&[100.0, 80.0, 60.0, 40.0, 20.0], 10.0).expect("enough").grows);
    }
}
