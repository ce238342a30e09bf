//! Chooses the next trial of a search, or its end.

use super::class::{Class, Needs, classify};
use super::goal::Goal;
use super::memory::{Memory, lasting, memory};
use super::posterior::Posterior;
use super::trial::{SearchTrial, TrialOutcome};

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A trial.
    Try {
        /// With this load.
        load: f64,
        /// So long, in seconds.
        seconds: f64,
        /// It is the last one of its load that may be undecided: the figure itself decides.
        decide: bool,
    },
    /// Nothing: the search has finished.
    End(End),
}

/// Why a search has finished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// The limit is known as well as was wanted.
    Found,
    /// The server can handle the largest load that may be tried.
    BearsAll,
    /// It does not bear the least one.
    BearsNone,
    /// The tool could not make this load, twice.
    Generator(f64),
    /// Trials contradict each other: the limit is not one number.
    Unsteady,
}

/// The known bounds of the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The highest load that the server can handle with sufficient certainty; none if it cannot
    /// handle even the lowest.
    pub holds: Option<f64>,
    /// The lowest load of which it is sure enough that the server does not bear it; none if there
    /// is none up to the most.
    pub fails: Option<f64>,
    /// The most probable limit.
    pub likely: f64,
    /// The probability that the limit lies between both.
    pub probability: f64,
}

/// Each longer than the last.
const MOST_LENGTHENED: u32 = 3;

/// A search that is not over after this many trials does not end by itself.
const MOST_TRIALS: usize = 60;

/// Below this the way is known and trials are long.
const CLOSE: f64 = 0.25;

impl Goal {
    /// A search between two loads that begins with the lower one.
    pub fn between(least: f64, most: f64) -> Self {
        Self {
            first: least,
            least,
            most,
            width: 0.05,
            whole: false,
            short_s: 5.0,
            long_s: 10.0,
            confidence: 0.97,
        }
    }

    /// What it takes to classify one load by its own trials (RFC 9971): two good long trials of
    /// three, or two bad ones. With a sum of two trials, one good one would be enough.
    pub fn needs(&self) -> Needs {
        Needs { long_s: self.long_s, sum_s: 3.0 * self.long_s, exceed_ratio: 0.5 }
    }

    /// What the trials of one load say of it by themselves.
    pub fn class_of(&self, history: &[SearchTrial], load: f64) -> Class {
        let of_load = history.iter().filter(|tried| same(tried.load, load));
        let told = of_load.filter_map(|tried| match tried.outcome {
            TrialOutcome::Pass => Some((tried.seconds, true)),
            TrialOutcome::Fail => Some((tried.seconds, false)),
            TrialOutcome::Void | TrialOutcome::Undecided => None,
        });
        classify(told, self.needs())
    }

    /// What comes after these trials. The same trials are always followed by the same.
    pub fn next(&self, history: &[SearchTrial]) -> Step {
        if let Some(step) = Self::again(history) {
            return step;
        }
        let told = told(history);
        if told.len() >= MOST_TRIALS {
            return Step::End(End::Unsteady);
        }
        let told = lasting(told);
        let posterior = Posterior::of(self, &told);
        let known = self.known(&posterior);
        let ends = if known.probability >= self.confidence {
            Self::unconfirmed(&told, &known)
        } else {
            Some(self.most_telling(&told, &posterior))
        };
        let Some(load) = ends else { return Step::End(known.end()) };
        let [low, high] = [0.025, 0.975].map(|probability| posterior.quantile(probability));
        let seconds = if high / low - 1.0 > CLOSE { self.short_s } else { self.long_s };
        Step::Try { load, seconds, decide: false }
    }

    /// If the server can handle less after an overload than before: both loads. [`Goal::estimate`]
    /// is then what it can handle afterwards.
    pub fn memory(&self, history: &[SearchTrial]) -> Option<Memory> {
        memory(&told(history))
    }

    /// What is known of the limit after these trials, also where the search was cut short.
    pub fn estimate(&self, history: &[SearchTrial]) -> Estimate {
        let told = lasting(told(history));
        let posterior = Posterior::of(self, &told);
        let known = self.known(&posterior);
        if known.probability >= self.confidence {
            return known;
        }
        // Wider than wanted, but as sure.
        let doubt = (1.0 - self.confidence) / 2.0;
        let low = posterior.quantile(doubt);
        let high = posterior.quantile(1.0 - doubt);
        let loads = self.loads();
        let holds = loads.iter().rev().find(|load| **load <= low && told.iter().any(|t| t.passes_at(**load)));
        let fails = loads.iter().find(|load| **load >= high && told.iter().any(|t| t.fails_at(**load)));
        let holds = holds.copied();
        let fails = fails.copied();
        let probability =
            fails.map_or(1.0, |load| posterior.below(load)) - holds.map_or(0.0, |load| posterior.below(load));
        Estimate { holds, fails, likely: posterior.quantile(0.5), probability }
    }

    /// After a trial that told nothing: the same load again, longer if need be, or the end.
    fn again(history: &[SearchTrial]) -> Option<Step> {
        let last = history.last()?;
        let same_load = history.iter().rev().take_while(|tried| same(tried.load, last.load));
        let in_a_row = same_load.take_while(|tried| tried.outcome == last.outcome).count() as u32;
        match last.outcome {
            TrialOutcome::Pass | TrialOutcome::Fail => None,
            TrialOutcome::Void if in_a_row >= 2 => Some(Step::End(End::Generator(last.load))),
            TrialOutcome::Void => Some(Step::Try { load: last.load, seconds: last.seconds, decide: false }),
            // The last one was to be decided by its figure, and there was none.
            TrialOutcome::Undecided if in_a_row > MOST_LENGTHENED + 1 => Some(Step::End(End::Unsteady)),
            TrialOutcome::Undecided => Some(Step::Try {
                load: last.load,
                seconds: 2.0 * last.seconds,
                decide: in_a_row >= MOST_LENGTHENED,
            }),
        }
    }

    /// The narrowest pair of loads that holds the limit as surely as it can: of all pairs within
    /// the wanted width the most probable.
    fn known(&self, posterior: &Posterior) -> Estimate {
        let loads = self.loads();
        let below: Vec<f64> = loads.iter().map(|load| posterior.below(*load)).collect();
        let likely = posterior.quantile(0.5);
        let mut best = Estimate { holds: None, fails: loads.first().copied(), likely, probability: below[0] };
        let last = below.len() - 1;
        if 1.0 - below[last] > best.probability {
            best = Estimate { holds: Some(loads[last]), fails: None, likely, probability: 1.0 - below[last] };
        }
        for low in 0..last {
            let within =
                |high: &usize| *high == low + 1 || loads[*high] / loads[low] - 1.0 <= self.width * 1.001;
            let Some(high) = (low + 1..=last).take_while(within).last() else { continue };
            let probability = below[high] - below[low];
            if probability > best.probability {
                best = Estimate { holds: Some(loads[low]), fails: Some(loads[high]), likely, probability };
            }
        }
        best
    }

    /// An end of the interval without a trial. The load that holds must have passed after another
    /// load failed, since an overload may have a lasting effect.
    fn unconfirmed(told: &[SearchTrial], known: &Estimate) -> Option<f64> {
        let first_fail = told.iter().position(|tried| tried.outcome == TrialOutcome::Fail);
        let after = &told[first_fail.unwrap_or(0)..];
        if let Some(load) = known.holds.filter(|load| !after.iter().any(|tried| tried.passes_at(*load))) {
            return Some(load);
        }
        known.fails.filter(|load| !told.iter().any(|tried| tried.fails_at(*load)))
    }

    /// Where the outcome is most open; never more than twice what the server bore, and never less
    /// than half of what it did not.
    fn most_telling(&self, told: &[SearchTrial], posterior: &Posterior) -> f64 {
        let of = |outcome| told.iter().filter(move |tried| tried.outcome == outcome).map(|tried| tried.load);
        let passed = of(TrialOutcome::Pass).fold(f64::NEG_INFINITY, f64::max);
        let failed = of(TrialOutcome::Fail).fold(f64::INFINITY, f64::min);
        let most = if passed.is_finite() { 2.0 * passed } else { self.first };
        let least = if passed.is_finite() || !failed.is_finite() { self.least } else { failed / 2.0 };
        let wanted = posterior.quantile(0.5).clamp(least.min(most), most);
        let distance = |load: &f64| (load / wanted).ln().abs();
        let loads = self.loads();
        loads.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(self.first)
    }

    /// The loads that may be tried: steps of a quarter of the width, up and down from the first,
    /// with both ends.
    fn loads(&self) -> Vec<f64> {
        let step = (1.0 + self.width).powf(0.25);
        let rounded = |load: f64| if self.whole { load.round() } else { load };
        let mut loads = vec![rounded(self.least), rounded(self.first), rounded(self.most)];
        let mut load = self.first;
        while load < self.most {
            load = if self.whole { (load * step).max(load.round() + 1.0) } else { load * step };
            loads.push(rounded(load).min(self.most));
        }
        load = self.first;
        while load > self.least {
            load = if self.whole { (load / step).min(load.round() - 1.0) } else { load / step };
            loads.push(rounded(load).max(self.least));
        }
        loads.retain(|load| *load > 0.0);
        loads.sort_unstable_by(f64::total_cmp);
        loads.dedup_by(|a, b| same(*a, *b));
        loads
    }
}

/// The trials that tell something.
fn told(history: &[SearchTrial]) -> Vec<SearchTrial> {
    history.iter().copied().filter(SearchTrial::is_told).collect()
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}

impl SearchTrial {
    fn is_told(&self) -> bool {
        matches!(self.outcome, TrialOutcome::Pass | TrialOutcome::Fail)
    }

    fn passes_at(&self, load: f64) -> bool {
        self.outcome == TrialOutcome::Pass && self.load >= load * (1.0 - 1e-9)
    }

    fn fails_at(&self, load: f64) -> bool {
        self.outcome == TrialOutcome::Fail && self.load <= load * (1.0 + 1e-9)
    }
}

impl Estimate {
    fn end(&self) -> End {
        match (self.holds, self.fails) {
            (Some(_), Some(_)) => End::Found,
            (Some(_), None) => End::BearsAll,
            (None, _) => End::BearsNone,
        }
    }
}

#[cfg(test)]
mod tests;
