//! A server on which an overload has a lasting effect: afterwards it can handle less than before.

use super::trial::{SearchTrial, TrialOutcome};

/// What a server can handle with rising and with falling load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// The highest load that passed before any load was too much.
    pub before: f64,
    /// The least load below that which was too much afterwards.
    pub after: f64,
}

/// A limit differs from trial to trial, and now and then a trial fails for no reason. A server that
/// forgets hardly fails this far below what it bore, this often, without passing once.
const FAR_BELOW: f64 = 0.9;
const TIMES: usize = 2;

/// Whether trials, in their order, tell of a server that remembers an overload.
pub fn memory(trials: &[SearchTrial]) -> Option<Memory> {
    let highest = |trials: &[SearchTrial]| {
        let passed = trials.iter().filter(|tried| tried.outcome == TrialOutcome::Pass);
        passed.map(|tried| tried.load).reduce(f64::max)
    };
    let first_fail = trials.iter().position(|tried| tried.outcome == TrialOutcome::Fail)?;
    let before = highest(&trials[..first_fail])?;
    let later = &trials[first_fail..];
    let still = highest(later).unwrap_or(0.0);
    let fails = later.iter().filter(|tried| tried.outcome == TrialOutcome::Fail);
    let lost: Vec<f64> =
        fails.map(|tried| tried.load).filter(|load| *load > still && *load <= FAR_BELOW * before).collect();
    let after = lost.iter().copied().reduce(f64::min)?;
    (lost.len() >= TIMES).then_some(Memory { before, after })
}

/// The trials that show what a server can handle in the long run: after a lasting effect of an
/// overload, those from the first overload on.
pub(super) fn lasting(trials: Vec<SearchTrial>) -> Vec<SearchTrial> {
    match memory(&trials) {
        Some(_) => trials.into_iter().skip_while(|tried| tried.outcome != TrialOutcome::Fail).collect(),
        None => trials,
    }
}

#[cfg(test)]
mod tests {
    use super::TrialOutcome::{Fail, Pass, Void};
    use super::*;

    fn told(trials: &[(f64, TrialOutcome)]) -> Option<(f64, f64)> {
        let tried = |(load, outcome): &(f64, TrialOutcome)| SearchTrial {
            load: *load,
            seconds: 5.0,
            outcome: *outcome,
            reached: None,
        };
        let trials: Vec<_> = trials.iter().map(tried).collect();
        memory(&trials).map(|memory| (memory.before, memory.after))
    }

    #[test]
    fn a_server_remembers_if_it_fails_twice_far_below_what_it_bore() {
        for (trials, both) in [
            (&[][..], None),
            (&[(400.0, Pass), (800.0, Fail)], None),
            (&[(800.0, Fail), (400.0, Fail), (200.0, Fail)], None),
            (&[(400.0, Pass), (800.0, Fail), (350.0, Fail)], None),
            (&[(400.0, Pass), (800.0, Fail), (350.0, Fail), (300.0, Fail)], Some((400.0, 300.0))),
            (&[(400.0, Pass), (800.0, Fail), (390.0, Fail), (380.0, Fail)], None),
            (&[(400.0, Pass), (800.0, Fail), (350.0, Void), (300.0, Void)], None),
            (&[(400.0, Pass), (800.0, Fail), (350.0, Fail), (300.0, Fail), (380.0, Pass)], None),
            (
                &[(400.0, Pass), (800.0, Fail), (350.0, Fail), (300.0, Fail), (200.0, Pass)],
                Some((400.0, 300.0)),
            ),
        ] {
            assert_eq!(told(trials), both, "{trials:?}");
        }
    }
}
