//! Accounting: that each message of each agent counts once, and that what is counted is what agents
//! say that they counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Which messages of an agent have come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceivedNumbers {
    /// All before this one.
    next: u64,
    /// Later ones that came before their turn.
    ahead: BTreeSet<u64>,
}

impl ReceivedNumbers {
    /// Notes a message; false if it has come before.
    pub fn note(&mut self, seq: u64) -> bool {
        if seq < self.next || !self.ahead.insert(seq) {
            return false;
        }
        while self.ahead.remove(&self.next) {
            self.next += 1;
        }
        true
    }

    /// Messages that are known to be missing: a later one has come.
    pub fn missing(&self) -> u64 {
        self.ahead.last().map_or(0, |last| last + 1 - self.next - self.ahead.len() as u64)
    }
}

/// Samples of a share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Share {
    counted: u64,
    /// Those of them with three digits.
    fine: u64,
    told: u64,
    ended: bool,
}

impl Share {
    /// It is not in the figures as its agent says that it counted, or counts for less with three
    /// digits at its end.
    fn is_wrong(&self) -> bool {
        let is_whole = self.counted == self.told && self.fine == self.counted;
        (self.ended && !is_whole) || self.counted < self.told || self.fine > self.counted
    }
}

/// The account of a run. Samples are all that agents count, transactions among them.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    seen: BTreeMap<String, ReceivedNumbers>,
    shares: BTreeMap<String, Share>,
    duplicates: u64,
}

/// The account at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Samples that are in the figures.
    pub counted: u64,
    /// Samples that agents say they counted.
    pub told: u64,
    /// Shares whose end was not reported: their machines were lost, and what they did after their
    /// last message is unknown.
    pub lost: Vec<String>,
    /// Shares whose figures are not what their agent counted.
    pub wrong: Vec<String>,
    /// Messages that came twice and counted once.
    pub duplicates: u64,
    /// Samples of lost shares that are known with two digits.
    pub coarse: u64,
}

impl Ledger {
    /// A message of an agent; false if it came before and must not count.
    pub fn message(&mut self, agent: &str, seq: u64) -> bool {
        let is_new = self.seen.entry(agent.to_owned()).or_default().note(seq);
        self.duplicates += u64::from(!is_new);
        is_new
    }

    /// Whether all messages of an agent before this one have come.
    pub fn has_all_before(&self, agent: &str, seq: u64) -> bool {
        seq == 0 || self.seen.get(agent).is_some_and(|seen| seen.next >= seq)
    }

    /// Samples of a share went into the figures.
    pub fn count(&mut self, share: &str, samples: u64) {
        let share = self.share(share);
        share.counted = share.counted.saturating_add(samples);
    }

    /// That many of them are known with three digits.
    pub fn refine(&mut self, share: &str, samples: u64) {
        let share = self.share(share);
        share.fine = share.fine.saturating_add(samples);
    }

    /// An agent reports how many samples it has counted for a share.
    pub fn tell(&mut self, share: &str, samples: u64) {
        let share = self.share(share);
        share.told = share.told.max(samples);
    }

    /// A share has finished, with this many samples.
    pub fn end(&mut self, share: &str, samples: u64) {
        let share = self.share(share);
        (share.told, share.ended) = (samples, true);
    }

    /// Samples of a share that are in the figures.
    pub fn counted(&self, share: &str) -> u64 {
        self.shares.get(share).map_or(0, |share| share.counted)
    }

    /// The account.
    pub fn account(&self) -> Account {
        let named = |wanted: fn(&Share) -> bool| {
            self.shares.iter().filter(|(_, share)| wanted(share)).map(|(name, _)| name.clone()).collect()
        };
        let sum = |of: fn(&Share) -> u64| self.shares.values().map(of).fold(0, u64::saturating_add);
        Account {
            counted: sum(|share| share.counted),
            told: sum(|share| share.told),
            lost: named(|share| !share.ended),
            wrong: named(Share::is_wrong),
            coarse: sum(|share| share.counted.saturating_sub(share.fine)),
            duplicates: self.duplicates,
        }
    }

    fn share(&mut self, name: &str) -> &mut Share {
        self.shares.entry(name.to_owned()).or_default()
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // For a lost share, more may be counted than it last reported.
        let told = self.told.max(if self.lost.is_empty() { 0 } else { self.counted });
        write!(f, "accounted: {} of {} samples", grouped(self.counted), grouped(told))?;
        if !self.wrong.is_empty() {
            write!(f, "; incomplete: {}", self.wrong.join(", "))?;
        }
        if !self.lost.is_empty() {
            write!(f, "; lost, and not counted after their last report: {}", self.lost.join(", "))?;
        }
        if self.coarse > 0 {
            write!(
                f,
                "; {} of them are in percentiles within 1/128, all others within 1/1024",
                grouped(self.coarse)
            )?;
        }
        Ok(())
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_message_counts_once_in_any_order(mut order in proptest::collection::vec(0_u64..40, 1..200)) {
            let mut ledger = Ledger::default();
            let distinct: BTreeSet<_> = order.iter().copied().collect();
            let counted = order.iter().filter(|seq| ledger.message("a", **seq)).count();
            prop_assert_eq!(counted, distinct.len());
            prop_assert_eq!(ledger.account().duplicates as usize, order.len() - distinct.len());
            let last = *distinct.last().expect("one at least");
            prop_assert_eq!(ledger.seen["a"].missing(), last + 1 - distinct.len() as u64);
            order.clear();
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut ledger = Ledger::default();
        for (share, samples) in [("a.0", 1_000_000), ("a.0", 234_567), ("b.0", 5)] {
            ledger.count(share, samples);
            ledger.refine(share, samples);
        }
        ledger.end("a.0", 1_234_567);
        ledger.end("b.0", 5);
        assert_eq!(ledger.account().to_string(), "accounted: 1,234,572 of 1,234,572 samples");
        ledger.count("c.0", 7);
        ledger.tell("c.0", 7);
        let text = ledger.account().to_string();
        assert_eq!(
            text,
            "accounted: 1,234,579 of 1,234,579 samples; lost, and not counted after their last report: c.0; 7 of them are in percentiles within 1/128, all others within 1/1024"
        );
        ledger.refine("c.0", 3);
        assert_eq!(ledger.account().coarse, 4);
        ledger.end("b.0", 6);
        assert_eq!(ledger.account().wrong, ["b.0"]);
        assert!(ledger.account().to_string().contains("; incomplete: b.0"));
        ledger.end("b.0", 5);
        assert_eq!(ledger.account().wrong, [""; 0]);
        ledger.refine("b.0", 1);
        assert_eq!(ledger.account().wrong, ["b.0"], "more with three digits than there are");
        ledger.count("a.0", 1);
        ledger.end("a.0", 1_234_568);
        assert_eq!(ledger.account().wrong, ["a.0", "b.0"], "less, though it has ended");
    }
}
