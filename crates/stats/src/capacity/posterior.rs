//! The distribution of the limit, given all trials together.
//!
//! A trial near the limit passes or fails by chance, so no single trial decides. The limit has a
//! distribution: uniform in the logarithm at first, then weighted by the likelihood of each trial's
//! outcome (probabilistic bisection; Waeber, Frazier and Henderson, *Bisection search with noisy
//! responses*, SIAM J. Control Optim. 51, 2013).

use super::binomial::normal;
use super::goal::Goal;
use super::trial::{SearchTrial, TrialOutcome};

/// A trial of a load that the server can handle fails now and then all the same: a neighbour, a
/// pause, a hiccup of the network.
const HICCUPS: f64 = 0.1;

/// A trial of a load far beyond the limit passes.
const LUCK: f64 = 0.0005;

/// By how much the limit differs from trial to trial (standard deviation of its logarithm), and how
/// likely that is.
const SPREADS: [(f64, f64); 3] = [(0.005, 0.2), (0.015, 0.2), (0.03, 0.6)];

/// The rate that an overloaded server reached is close to its limit, or, this often, tells nothing.
const REACHED_TELLS_NOTHING: f64 = 0.7;
const REACHED_SPREAD: f64 = 0.06;

/// Cells within the wanted width.
const CELLS: f64 = 10.0;

/// The limit may lie beyond the loads that can be tried, by this factor.
const BEYOND: f64 = 4.0;

/// The distribution of the limit.
pub(super) struct Posterior {
    /// The logarithm of the first cell's load.
    first_ln: f64,
    step_ln: f64,
    /// The part of each cell; all are 1.
    parts: Vec<f64>,
    /// The parts of all cells before.
    before: Vec<f64>,
}

impl Posterior {
    pub(super) fn of(goal: &Goal, history: &[SearchTrial]) -> Self {
        let first_ln = (goal.least / BEYOND).ln();
        let step_ln = goal.width.ln_1p() / CELLS;
        let cells = (((goal.most * BEYOND).ln() - first_ln) / step_ln).ceil() as usize + 1;
        let mut parts = vec![0.0; cells];
        let grid = Grid { first_ln, step_ln, cells };
        let logs: Vec<_> =
            SPREADS.iter().map(|(spread, prior)| grid.likelihoods(history, *spread, prior.ln())).collect();
        let most = logs.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        for log in &logs {
            parts.iter_mut().zip(log).for_each(|(part, ln)| *part += (ln - most).exp());
        }
        let sum: f64 = parts.iter().sum();
        for part in &mut parts {
            *part /= sum;
        }
        let before = parts.iter().scan(0.0, |sum, part| {
            let before = *sum;
            *sum += part;
            Some(before)
        });
        let before = before.collect();
        Self { first_ln, step_ln, parts, before }
    }

    /// The probability that the limit is below this load.
    pub(super) fn below(&self, load: f64) -> f64 {
        // A cell reaches half a step to each side of its middle.
        let at = (load.ln() - self.first_ln) / self.step_ln + 0.5;
        let whole = at.max(0.0) as usize;
        match self.before.get(whole) {
            Some(before) => before + self.parts[whole] * (at - whole as f64).clamp(0.0, 1.0),
            None => 1.0,
        }
    }

    /// The load below which the limit lies with this probability.
    pub(super) fn quantile(&self, probability: f64) -> f64 {
        let mut sum = 0.0;
        for (at, part) in self.parts.iter().enumerate() {
            if sum + part >= probability {
                let within = if *part > 0.0 { (probability - sum) / part - 0.5 } else { 0.0 };
                return (self.first_ln + (at as f64 + within) * self.step_ln).exp();
            }
            sum += part;
        }
        (self.first_ln + self.parts.len() as f64 * self.step_ln).exp()
    }
}

/// The cells of a distribution.
struct Grid {
    first_ln: f64,
    step_ln: f64,
    cells: usize,
}

/// Beyond this many spreads a trial says the same of all limits.
const FAR: f64 = 6.0;

impl Grid {
    /// The logarithm of how likely the outcomes are, a cell, if the limit lies there.
    fn likelihoods(&self, history: &[SearchTrial], spread: f64, prior_ln: f64) -> Vec<f64> {
        let mut logs = vec![prior_ln; self.cells];
        // What is the same from a cell on is added up in one pass at the end.
        let mut steps = vec![0.0; self.cells + 1];
        for tried in history {
            let load_ln = tried.load.ln();
            let (from, to) = self.window(load_ln, FAR * spread);
            let ln = |bears: f64| chance(tried.outcome, bears).ln();
            let below = ln(0.0);
            let above = ln(1.0);
            steps[0] += below;
            steps[from] -= below;
            steps[to] += above;
            for (at, log) in logs.iter_mut().enumerate().take(to).skip(from) {
                *log += ln(normal((self.ln(at) - load_ln) / spread));
            }
            if let (TrialOutcome::Fail, Some(reached)) = (tried.outcome, tried.reached) {
                self.weigh_reached(&mut logs, reached);
            }
        }
        let mut sum = 0.0;
        for (log, step) in logs.iter_mut().zip(steps) {
            sum += step;
            *log += sum;
        }
        logs
    }

    fn weigh_reached(&self, logs: &mut [f64], reached: f64) {
        let reached_ln = reached.max(f64::MIN_POSITIVE).ln();
        let (from, to) = self.window(reached_ln, FAR * REACHED_SPREAD);
        for (at, log) in logs.iter_mut().enumerate().take(to).skip(from) {
            let off = (self.ln(at) - reached_ln) / REACHED_SPREAD;
            let close = (1.0 - REACHED_TELLS_NOTHING) / REACHED_SPREAD * (-0.5 * off * off).exp();
            *log += (1.0 + close / REACHED_TELLS_NOTHING).ln();
        }
    }

    fn ln(&self, cell: usize) -> f64 {
        self.first_ln + cell as f64 * self.step_ln
    }

    /// The cells within this distance: the first of them, and the first beyond.
    fn window(&self, middle_ln: f64, half_ln: f64) -> (usize, usize) {
        let cell = |ln: f64| ((ln - self.first_ln) / self.step_ln).clamp(0.0, self.cells as f64) as usize;
        (cell(middle_ln - half_ln), cell(middle_ln + half_ln + self.step_ln))
    }
}

/// The probability of the outcome of a trial, given the probability that the server can handle its
/// load.
fn chance(outcome: TrialOutcome, bears: f64) -> f64 {
    let passes = LUCK + (1.0 - HICCUPS - LUCK) * bears;
    match outcome {
        TrialOutcome::Pass => passes,
        TrialOutcome::Fail => 1.0 - passes,
        TrialOutcome::Void | TrialOutcome::Undecided => 1.0,
    }
}
