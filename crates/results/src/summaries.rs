//! Counts of Generate Summary Results elements, by name: elements with one name share their totals.
//! The run prints their lines.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_plan::NodeId;
use swell_stats::Tally;

/// Counts of all workers, by the names of the elements.
#[derive(Default)]
pub(crate) struct Summaries(Mutex<HashMap<String, Named>>);

/// Counts of a name, and the first element that has it.
struct Named {
    first: NodeId,
    tallies: Vec<Arc<Mutex<Tally>>>,
}

impl Summaries {
    /// Counts of a worker for an element of a name.
    pub(crate) fn tally(&self, element: NodeId, name: String) -> Arc<Mutex<Tally>> {
        let tally = Arc::new(Mutex::new(Tally::default()));
        let mut all = self.0.lock();
        let named = all.entry(name).or_insert_with(|| Named { first: element, tallies: Vec::new() });
        named.first = named.first.min(element);
        named.tallies.push(tally.clone());
        tally
    }

    /// What was counted since the last call: all names, also those without samples, in the order of
    /// the plan.
    pub(crate) fn take(&self) -> Vec<(String, Tally)> {
        let merged = |tallies: &Vec<Arc<Mutex<Tally>>>| {
            let mut all = Tally::default();
            for tally in tallies {
                all.merge(&std::mem::take(&mut *tally.lock()));
            }
            all
        };
        let all = self.0.lock();
        let mut names: Vec<_> = all.iter().collect();
        names.sort_by_key(|(_, named)| named.first);
        names.into_iter().map(|(name, named)| (name.clone(), merged(&named.tallies))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_shares_its_counts_and_they_are_taken_once() {
        let summaries = Summaries::default();
        let nodes = [1, 2, 3].map(NodeId);
        let b = summaries.tally(nodes[2], "b".into());
        let again = summaries.tally(nodes[1], "a".into());
        let a = summaries.tally(nodes[0], "a".into());
        a.lock().record(5, true);
        again.lock().record(7, false);
        let counts = |all: Vec<(String, Tally)>| -> Vec<(String, u64, u64)> {
            all.into_iter().map(|(name, tally)| (name, tally.samples, tally.sum_ms)).collect()
        };
        assert_eq!(counts(summaries.take()), [("a".to_owned(), 2, 12), ("b".to_owned(), 0, 0)]);
        b.lock().record(1, true);
        assert_eq!(counts(summaries.take()), [("a".to_owned(), 0, 0), ("b".to_owned(), 1, 1)]);
    }
}
