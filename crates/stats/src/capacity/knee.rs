//! Where throughput stops following the load.

/// The knee of a curve of throughput over load (Kneedle; Satopää and others, *Finding a "Kneedle" in a Haystack*, 2011, with
/// sensitivity 1, for a concave curve that rises). Points by rising load; none with fewer than five of them, or without a knee.
pub fn knee(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    const FEWEST: usize = 5;
    if points.len() < FEWEST {
        return None;
    }
    let range = |value: fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(value);
        (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (low, high)) = (range(|point| point.0), range(|point| point.1));
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

/// Whether a server with a fixed number of users is saturated between two levels (users, throughput): more users bring less than a
/// tenth of what they would bring a server without a limit.
pub fn is_saturated(fewer: (f64, f64), more: (f64, f64)) -> bool {
    const LEAST_GAIN: f64 = 0.1;
    let (users, rate) = ((more.0 / fewer.0).ln(), (more.1 / fewer.1).ln());
    users > 0.0 && rate / users < LEAST_GAIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_has_its_knee_where_all_its_threads_are_busy() {
        let curve = |users: f64| (users, (users / 0.0205).min(25.0 / 0.0205));
        let points: Vec<_> = [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 50.0, 80.0, 120.0].map(curve).to_vec();
        assert_eq!(knee(&points).map(|point| point.0), Some(25.0));
        assert!(is_saturated(points[5], points[6]) && !is_saturated(points[0], points[1]));
    }

    #[test]
    fn a_straight_line_has_none_and_a_few_points_neither() {
        let line: Vec<_> = (1..10).map(|x| (f64::from(x), 2.0 * f64::from(x))).collect();
        assert_eq!(knee(&line), None);
        assert_eq!(knee(&line[..4]), None);
        assert_eq!(knee(&[(1.0, 5.0); 6]), None);
    }
}
