//! Load that was wanted and that no agent made: agents were lost or stopped.
//!
//! Each slice is the same part of the load. An agent reports each share that it makes every
//! interval; the seconds that it never reported are seconds in which it made nothing, or in which
//! what it made is not in the figures.

use std::collections::BTreeSet;

use swell_run::LostMachines;
use swell_stats::verdict::LostLoad;

use super::{RunCoordinator, S, Share, Slice};
use crate::wire::ShareStatus;

/// Reports that are this much late are those of a busy machine.
const SLACK_S: i64 = 2;
/// A slice that moves on purpose may rest for this long without counting as a loss.
const MOVE_NS: i64 = 3 * S;

/// Times in nanoseconds, from and until.
type Span = (i64, i64);

/// The seconds of a share that its agent reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ReportedSeconds {
    /// In order, and apart from each other.
    seconds: Vec<(i64, i64)>,
}

impl ReportedSeconds {
    /// A report of the interval before that second. Reports may come in any order.
    pub(super) fn add(&mut self, through_s: i64, interval_s: u32) {
        let mut new = (through_s.saturating_sub(i64::from(interval_s)), through_s);
        let first_s = new.0.saturating_sub(SLACK_S);
        let last_s = new.1.saturating_add(SLACK_S);
        for old in self.seconds.extract_if(.., |old| old.0 <= last_s && old.1 >= first_s) {
            new = (new.0.min(old.0), new.1.max(old.1));
        }
        let place = self.seconds.partition_point(|old| old.0 < new.0);
        self.seconds.insert(place, new);
    }
}

/// Time in which a slice was not made.
struct Gap {
    span: Span,
    /// The agent that should have made it.
    agent: String,
}

impl RunCoordinator {
    /// The load that is missing, and whose; none where all was made.
    pub(super) fn lost_load(&self) -> Option<LostMachines> {
        let window = self.window()?;
        let gaps: Vec<Gap> = self.slices.iter().flat_map(|slice| self.gaps(slice, window)).collect();
        if gaps.is_empty() {
            return None;
        }
        let agents: BTreeSet<String> = gaps.iter().map(|gap| self.name_of(&gap.agent)).collect();
        let missing_ns: f64 = gaps.iter().map(|gap| length(gap.span)).sum();
        let spans_ns: f64 = union(gaps.iter().map(|gap| gap.span).collect()).into_iter().map(length).sum();
        let slices = self.slices.len().max(1) as f64;
        let part = |of_ns: f64| (missing_ns / (slices * of_ns).max(1.0)).min(1.0);
        let undone = self.slices.iter().any(|slice| !self.is_made_to_its_end(slice));
        let load = LostLoad {
            part: part(length(window)),
            seconds: spans_ns / 1e9,
            part_then: part(spans_ns),
            none_left: undone
                && self.agents.values().filter(|agent| agent.takes_part).all(|agent| agent.lost),
        };
        Some(LostMachines { names: agents.into_iter().collect::<Vec<_>>().join(", ").into(), load })
    }

    /// Whether a share made nothing in the interval before that second: it still waited for a phase
    /// that had begun before, because the message had not reached its agent.
    pub(super) fn waits_for_what_has_begun(&self, status: &ShareStatus, through_s: i64) -> bool {
        let phase = status.phase.filter(|_| status.is_held);
        let start_ns = phase.and_then(|phase| self.released.get(&phase));
        start_ns.is_some_and(|start_ns| through_s.saturating_mul(S) > start_ns.saturating_add(S))
    }

    /// From the first start until the end, or until the plan's end if that is earlier; none where
    /// nothing has started.
    fn window(&self) -> Option<Span> {
        let from_ns = *self.released.values().min()?;
        let until_ns = self.stopped_ns.or(self.done_ns).unwrap_or(self.now_ns);
        let planned_ns = self.shares.values().filter_map(|share| share.status.expected_end_ns).max();
        let until_ns = planned_ns.map_or(until_ns, |planned_ns| until_ns.min(planned_ns));
        (until_ns > from_ns).then_some((from_ns, until_ns))
    }

    fn is_made_to_its_end(&self, slice: &Slice) -> bool {
        let last = slice.owners.last().and_then(|(name, _)| self.shares.get(name));
        last.is_some_and(has_ended)
    }

    /// When a slice was not made.
    fn gaps(&self, slice: &Slice, (from_ns, until_ns): Span) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let mut made_ns = from_ns;
        let mut missing = |span: Span, agent: &str, is_lost: bool| {
            // What an agent did in the interval in which it was lost is not known.
            let least_ns = if is_lost { i64::from(self.options.interval_s) * S } else { 0 };
            let span = (span.0.min(span.1.saturating_sub(least_ns)).max(from_ns), span.1);
            if span.1 > span.0 && (is_lost || span.1.saturating_sub(span.0) > MOVE_NS) {
                gaps.push(Gap { span, agent: agent.to_owned() });
            }
        };
        let mut owners = slice.owners.iter().peekable();
        let mut before: Option<(&str, bool)> = None;
        while let Some((name, since_ns)) = owners.next() {
            let Some(share) = self.shares.get(name) else { continue };
            let left_ns = owners.peek().map_or(until_ns, |(_, next_ns)| (*next_ns).min(until_ns));
            for (from_ns, to_ns) in made_by(share, *since_ns, left_ns) {
                let from_ns = from_ns.min(until_ns);
                if from_ns > made_ns {
                    let (agent, is_lost) = before.unwrap_or((&share.agent, false));
                    missing((made_ns, from_ns), agent, is_lost);
                }
                made_ns = made_ns.max(to_ns);
                // One that was lost and came back did not rest on purpose.
                before = Some((&share.agent, share.was_lost));
            }
            before = Some((&share.agent, share.end.is_none()));
        }
        if !self.is_made_to_its_end(slice) {
            let (agent, is_lost) = before.unwrap_or(("an agent", true));
            missing((made_ns.min(until_ns), until_ns), agent, is_lost);
        }
        gaps
    }
}

/// A share that its agent made to the end of the plan, or to that of the test.
fn has_ended(share: &Share) -> bool {
    share.end.as_ref().is_some_and(|end| end.given_up.is_none())
}

/// When a share was made, up to the time at which it was left to another.
fn made_by(share: &Share, since_ns: i64, left_ns: i64) -> Vec<Span> {
    let reported = share
        .reported
        .seconds
        .iter()
        .map(|(from_s, to_s)| (from_s.saturating_mul(S), to_s.saturating_mul(S)));
    let mut made: Vec<Span> = reported.filter(|(from_ns, _)| *from_ns < left_ns).collect();
    // Its users had ended before it told of anything.
    if made.is_empty() && has_ended(share) && since_ns > 0 {
        return vec![(since_ns, left_ns)];
    }
    if let Some(first) =
        made.first_mut().filter(|first| since_ns > 0 && first.0.saturating_sub(since_ns) <= MOVE_NS)
    {
        first.0 = first.0.min(since_ns);
    }
    if let Some(last) = made.last_mut().filter(|_| has_ended(share)) {
        last.1 = left_ns;
    }
    for span in &mut made {
        *span = (span.0.max(since_ns), span.1.min(left_ns));
    }
    made
}

fn length((from_ns, to_ns): Span) -> f64 {
    to_ns.saturating_sub(from_ns).max(0) as f64
}

/// The same times, each once.
fn union(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut apart: Vec<Span> = Vec::new();
    for span in spans {
        match apart.last_mut().filter(|last| last.1 >= span.0) {
            Some(last) => last.1 = last.1.max(span.1),
            None => apart.push(span),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_no_clock_has_do_not_overflow() {
        assert!((length((i64::MIN, i64::MAX)) - i64::MAX as f64).abs() < 1.0);
        assert!(length((i64::MAX, i64::MIN)).abs() < 1.0);
    }

    #[test]
    fn reported_seconds_are_the_same_in_any_order() {
        let of = |order: &[i64]| {
            let mut reported = ReportedSeconds::default();
            for through_s in order {
                reported.add(*through_s, 1);
            }
            reported.seconds
        };
        assert_eq!(of(&[10, 11, 12, 30, 31]), [(9, 12), (29, 31)]);
        assert_eq!(of(&[31, 12, 10, 30, 11]), [(9, 12), (29, 31)]);
        assert_eq!(of(&[10, 13, 16]), [(9, 16)], "those of a busy machine are late");
        assert_eq!(of(&[10, 30, 20, 12, 15, 18, 23, 26, 28]), [(9, 30)]);
    }
}
