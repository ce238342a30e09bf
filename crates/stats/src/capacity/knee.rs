//! Finds the load at which throughput stops following.

/// Fewer loads have no knee.
const FEWEST: usize = 5;

/// The knee of a curve of throughput over load: load and throughput there. Where the curve is a
/// straight line from nothing and then level, as that of a pool, the knee is where both lines meet,
/// which may be between two loads; else it is the load that Kneedle finds. Points by rising load;
/// none with fewer than five of them, or without a knee.
pub fn knee(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    bounds(points).or_else(|| kneedle(points))
}

/// Where the bounds of throughput meet, `load / cycle` and `most` (Denning and Buzen, *The
/// Operational Analysis of Queueing Network Models*, 1978). None unless each point is within a
/// tenth of the lower one, two at least lie on each, and the last load is well beyond.
fn bounds(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    const FAR: f64 = 0.1;
    const BEYOND: f64 = 1.25;
    if points.len() < FEWEST || points.iter().any(|(load, per_s)| *load <= 0.0 || *per_s <= 0.0) {
        return None;
    }
    let mean = |points: &[(f64, f64)], figure: fn(&(f64, f64)) -> f64| {
        (points.iter().map(|point| figure(point).ln()).sum::<f64>() / points.len() as f64).exp()
    };
    let tried = (2..=points.len() - 2).map(|split| {
        let (rising, level) = points.split_at(split);
        let cycle = mean(rising, |(load, per_s)| load / per_s);
        let most = mean(level, |(_, per_s)| *per_s);
        let off = points.iter().map(|(load, per_s)| (per_s / most.min(load / cycle)).ln().abs());
        (off.fold(0.0, f64::max), (cycle * most, most))
    });
    let (off, knee) = tried.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let last = points.last()?.0;
    (off <= FAR && last >= BEYOND * knee.0).then_some(knee)
}

/// The load at which the curve is farthest above the straight line between its ends (Satopää and
/// others, *Finding a "Kneedle" in a Haystack*, 2011, with sensitivity 1, for a concave curve that
/// rises).
fn kneedle(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    if points.len() < FEWEST {
        return None;
    }
    let range = |value: fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(value);
        (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
    };
    let (left, right) = range(|point| point.0);
    let (low, high) = range(|point| point.1);
    if right <= left || high <= low {
        return None;
    }
    let above: Vec<f64> =
        points.iter().map(|(x, y)| (y - low) / (high - low) - (x - left) / (right - left)).collect();
    let step = 1.0 / (points.len() - 1) as f64;
    let mut best: Option<usize> = None;
    for at in 1..above.len() - 1 {
        if above[at] < above[at - 1] || above[at] <= above[at + 1] {
            continue;
        }
        // It is one only if the curve falls below a threshold before the next maximum.
        let threshold = above[at] - step;
        let next =
            (at + 1..above.len()).take_while(|next| *next == at + 1 || above[*next] <= above[next - 1]);
        if next.into_iter().any(|next| above[next] < threshold)
            && best.is_none_or(|best| above[best] < above[at])
        {
            best = Some(at);
        }
    }
    best.map(|at| points[at])
}

/// Whether a server with a fixed number of users is saturated between two levels (users,
/// throughput): more users bring less than a tenth of what they would bring a server without a
/// limit.
pub fn is_saturated(fewer: (f64, f64), more: (f64, f64)) -> bool {
    const LEAST_GAIN: f64 = 0.1;
    let users = (more.0 / fewer.0).ln();
    let rate = (more.1 / fewer.1).ln();
    users > 0.0 && rate / users < LEAST_GAIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_has_its_knee_where_all_its_threads_are_busy() {
        let curve = |users: f64| (users, (users / 0.0205).min(25.0 / 0.0205));
        let points: Vec<_> = [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 50.0, 80.0, 120.0].map(curve).to_vec();
        assert_eq!(kneedle(&points).map(|point| point.0), Some(25.0));
        assert!(
            knee(&points)
                .is_some_and(|(load, per_s)| (load - 25.0).abs() < 1e-6 && (per_s - 1219.5).abs() < 0.1)
        );
        assert!(is_saturated(points[5], points[6]) && !is_saturated(points[0], points[1]));
    }

    #[test]
    fn a_knee_may_be_between_two_loads() {
        // Measured on a Tomcat with 25 threads of 20.4 ms.
        let tomcat = [
            (10.0, 484.0),
            (25.0, 1148.0),
            (50.0, 1213.0),
            (100.0, 1225.0),
            (200.0, 1221.0),
            (400.0, 1218.0),
            (800.0, 1209.0),
        ];
        assert_eq!(kneedle(&tomcat).map(|point| point.0), Some(50.0), "it knows loads only");
        let found = knee(&tomcat).expect("there is one").0;
        assert!((24.0..26.5).contains(&found), "{found}");
        // None of the loads is near.
        let pool = |threads: f64| {
            [10.0, 20.0, 40.0, 80.0, 160.0].map(|users: f64| (users, users.min(threads) / 0.02))
        };
        for threads in [25.0, 30.0, 57.0] {
            let found = knee(&pool(threads)).expect("there is one").0;
            assert!((found / threads - 1.0).abs() < 0.01, "{threads}: {found}");
        }
    }

    #[test]
    fn a_curve_that_bends_slowly_has_its_knee_at_a_load() {
        let slowly =
            [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(|users: f64| (users, 1000.0 * users / (users + 6.0)));
        assert_eq!(bounds(&slowly), None);
        assert_eq!(knee(&slowly), kneedle(&slowly));
        assert!(knee(&slowly).is_some());
    }

    #[test]
    fn a_straight_line_has_none_and_a_few_points_neither() {
        let line: Vec<_> = (1..10).map(|x| (f64::from(x), 2.0 * f64::from(x))).collect();
        assert_eq!(knee(&line), None);
        let close: Vec<_> = [10.0, 20.0, 30.0, 31.0, 32.0].map(|x| (x, 2.0 * x)).to_vec();
        assert_eq!(knee(&close), None);
        assert_eq!(knee(&line[..4]), None);
        assert_eq!(knee(&[(1.0, 5.0); 6]), None);
    }
}
