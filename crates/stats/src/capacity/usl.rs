//! The Universal Scalability Law (Gunther): throughput of N users is `λN / (1 + σ(N−1) + κN(N−1))`.

/// A law fitted to levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usl {
    /// Throughput of one user, a second.
    pub lambda: f64,
    /// Contention: what users wait for each other.
    pub sigma: f64,
    /// Coherence: what users cost each other.
    pub kappa: f64,
    /// Part of the variance that the law explains.
    pub r_squared: f64,
    /// 95 % bounds of the users with the highest throughput, from fits without one level each
    /// (jackknife); none where throughput does not fall.
    pub peak_bounds: Option<(f64, f64)>,
    most_users: f64,
}

impl Usl {
    /// Throughput of that number of users.
    pub fn throughput(&self, users: f64) -> f64 {
        throughput([self.lambda, self.sigma, self.kappa], users)
    }

    /// The number of users with the highest throughput; infinite where it does not fall.
    pub fn peak(&self) -> f64 {
        peak(self.sigma, self.kappa)
    }

    /// Whether it may be shown: it explains the levels, and does not speak of loads far beyond
    /// them.
    pub fn is_worth_showing(&self) -> bool {
        self.r_squared >= 0.98 && self.peak() <= 2.0 * self.most_users
    }
}

fn peak(sigma: f64, kappa: f64) -> f64 {
    if kappa > 0.0 { ((1.0 - sigma).max(0.0) / kappa).sqrt() } else { f64::INFINITY }
}

fn throughput([lambda, sigma, kappa]: [f64; 3], n: f64) -> f64 {
    lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
}

/// Fits the law to levels (users, throughput a second). None with fewer than six of them, or where
/// it does not fit at all.
pub fn usl(levels: &[(f64, f64)]) -> Option<Usl> {
    const FEWEST: usize = 6;
    let levels: Vec<_> = levels.iter().copied().filter(|(n, x)| *n >= 1.0 && *x > 0.0).collect();
    if levels.len() < FEWEST {
        return None;
    }
    let found @ [lambda, sigma, kappa] = fit(&levels)?;
    let mean = levels.iter().map(|level| level.1).sum::<f64>() / levels.len() as f64;
    let of = |value: fn(f64, f64) -> f64, with: &dyn Fn(f64) -> f64| -> f64 {
        levels.iter().map(|(n, x)| value(*x, with(*n)).powi(2)).sum()
    };
    let rest = of(|x, y| x - y, &|n| throughput(found, n));
    let all = of(|x, y| x - y, &|_| mean);
    let r_squared = if all > 0.0 { 1.0 - rest / all } else { 0.0 };
    let most_users = levels.iter().map(|level| level.0).fold(0.0, f64::max);
    Some(Usl { lambda, sigma, kappa, r_squared, peak_bounds: bounds(&levels, found), most_users })
}

/// By the jackknife, on the logarithm of the peak.
fn bounds(levels: &[(f64, f64)], [_, sigma, kappa]: [f64; 3]) -> Option<(f64, f64)> {
    let whole = Some(peak(sigma, kappa)).filter(|peak| peak.is_finite() && *peak > 0.0)?.ln();
    let without = |left_out: usize| {
        let rest: Vec<_> =
            levels.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, l)| *l).collect();
        let [_, sigma, kappa] = fit(&rest)?;
        Some(peak(sigma, kappa)).filter(|peak| peak.is_finite() && *peak > 0.0).map(f64::ln)
    };
    let peaks: Vec<f64> = (0..levels.len()).map(without).collect::<Option<_>>()?;
    let n = peaks.len() as f64;
    let mean = peaks.iter().sum::<f64>() / n;
    let variance = (n - 1.0) / n * peaks.iter().map(|peak| (peak - mean).powi(2)).sum::<f64>();
    let half = 2.0 * variance.sqrt();
    Some(((whole - half).exp(), (whole + half).exp()))
}

/// Least squares of the relative error: from a linear start, twenty steps of Gauss and Newton, each
/// halved while it makes things worse.
fn fit(levels: &[(f64, f64)]) -> Option<[f64; 3]> {
    const STEPS: usize = 20;
    let mut found = start(levels)?;
    for _ in 0..STEPS {
        let step = step(levels, found)?;
        let before = error(levels, found);
        let mut part = 1.0;
        let taken = loop {
            let next = [found[0] + part * step[0], (found[1] + part * step[1]).clamp(0.0, 1.0), {
                (found[2] + part * step[2]).max(0.0)
            }];
            if next[0] > 0.0 && error(levels, next) <= before {
                break Some(next);
            }
            part /= 2.0;
            if part < 1e-6 {
                break None;
            }
        };
        let Some(next) = taken else { break };
        found = next;
    }
    Some(found)
}

fn error(levels: &[(f64, f64)], law: [f64; 3]) -> f64 {
    levels.iter().map(|(n, x)| ((x - throughput(law, *n)) / x).powi(2)).sum()
}

/// `λN/X − 1 = (N−1)(σ + κN)`: a straight line, given λ of the lightest level.
fn start(levels: &[(f64, f64)]) -> Option<[f64; 3]> {
    let (n1, x1) = levels.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let lambda = x1 / n1;
    let points: Vec<_> = levels
        .iter()
        .filter(|(n, _)| *n > 1.0)
        .map(|(n, x)| (*n, (lambda * n / x - 1.0) / (n - 1.0)))
        .collect();
    let count = points.len() as f64;
    let mx = points.iter().map(|point| point.0).sum::<f64>() / count;
    let my = points.iter().map(|point| point.1).sum::<f64>() / count;
    let xx: f64 = points.iter().map(|(x, _)| (x - mx).powi(2)).sum();
    let xy: f64 = points.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let kappa = if xx > 0.0 { (xy / xx).max(0.0) } else { 0.0 };
    Some([lambda, (my - kappa * mx).clamp(0.0, 1.0), kappa])
}

/// One step, by the normal equations with weights `1/X²`.
fn step(levels: &[(f64, f64)], law: [f64; 3]) -> Option<[f64; 3]> {
    let [lambda, sigma, kappa] = law;
    let mut matrix = [[0.0; 3]; 3];
    let mut right = [0.0; 3];
    for (n, x) in levels {
        let a = n - 1.0;
        let b = n * (n - 1.0);
        let below = 1.0 + sigma * a + kappa * b;
        let slope = [n / below, -lambda * n * a / below.powi(2), -lambda * n * b / below.powi(2)];
        let rest = x - throughput(law, *n);
        for row in 0..3 {
            right[row] += slope[row] * rest / (x * x);
            (0..3).for_each(|column| matrix[row][column] += slope[row] * slope[column] / (x * x));
        }
    }
    solve(matrix, right)
}

/// Three equations, by elimination with the largest pivot.
fn solve(mut matrix: [[f64; 3]; 3], mut right: [f64; 3]) -> Option<[f64; 3]> {
    for at in 0..3 {
        let pivot = (at..3).max_by(|a, b| matrix[*a][at].abs().total_cmp(&matrix[*b][at].abs()))?;
        matrix.swap(at, pivot);
        right.swap(at, pivot);
        if matrix[at][at].abs() < 1e-300 {
            return None;
        }
        for row in at + 1..3 {
            let factor = matrix[row][at] / matrix[at][at];
            let above = matrix[at];
            matrix[row].iter_mut().zip(above).for_each(|(value, above)| *value -= factor * above);
            right[row] -= factor * right[at];
        }
    }
    let mut found = [0.0; 3];
    for at in (0..3).rev() {
        let known: f64 = (at + 1..3).map(|column| matrix[at][column] * found[column]).sum();
        found[at] = (right[at] - known) / matrix[at][at];
    }
    found.iter().all(|value| value.is_finite()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn levels(law: [f64; 3], noise: f64, seed: u64) -> Vec<(f64, f64)> {
        let mut random = SmallRng::seed_from_u64(seed);
        let users = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
        users.map(|n| (n, throughput(law, n) * (1.0 + noise * random.random_range(-1.0..1.0)))).to_vec()
    }

    #[test]
    fn a_law_is_found_again() {
        let law = [100.0, 0.03, 0.0005];
        let found = usl(&levels(law, 0.0, 1)).expect("eight levels");
        for (have, want) in [found.lambda, found.sigma, found.kappa].into_iter().zip(law) {
            assert!((have / want - 1.0).abs() < 1e-4, "{found:?}");
        }
        assert!(found.is_worth_showing() && (found.peak() - (0.97_f64 / 0.0005).sqrt()).abs() < 0.1);
    }

    #[test]
    fn noise_widens_the_bounds_and_they_hold_the_peak() {
        let law = [100.0, 0.03, 0.0005];
        let truth = peak(law[1], law[2]);
        let holds = (0..50).filter(|seed| {
            let (low, high) = usl(&levels(law, 0.03, *seed)).and_then(|law| law.peak_bounds).expect("falls");
            low <= truth && truth <= high
        });
        let count = holds.count();
        assert!(count >= 44, "{count} of 50");
    }

    #[test]
    fn what_does_not_fall_has_no_peak_and_few_levels_no_law() {
        let line: Vec<_> = (1..9).map(|n| (f64::from(n), 10.0 * f64::from(n))).collect();
        let found = usl(&line).expect("it fits");
        assert!(found.peak() > 1e3 && !found.is_worth_showing(), "{found:?}");
        assert_eq!(usl(&line[..5]), None);
    }
}
