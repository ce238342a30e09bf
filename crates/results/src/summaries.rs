//! Generate Summary Results elements: the samples in the scope of each, counted for the lines of its name
//! (`org.apache.jmeter.reporters.Summariser`). Elements of one name share their totals. Who makes the lines takes the counts.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use swell_api::{Listener, ListenerMaker, Needs, SampleEvent};
use swell_plan::NodeId;
use swell_stats::Tally;

use crate::ResultFiles;
use crate::collectors::name_at_start;
use crate::files::lock;

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
    fn tally(&self, element: NodeId, name: String) -> Arc<Mutex<Tally>> {
        let tally = Arc::new(Mutex::new(Tally::default()));
        let mut all = lock(&self.0);
        let named = all.entry(name).or_insert_with(|| Named { first: element, tallies: Vec::new() });
        named.first = named.first.min(element);
        named.tallies.push(tally.clone());
        tally
    }

    /// What was counted since the last call: all names, also those without samples, in the order of the plan.
    pub(crate) fn take(&self) -> Vec<(String, Tally)> {
        let merged = |tallies: &Vec<Arc<Mutex<Tally>>>| {
            let mut all = Tally::default();
            for tally in tallies {
                all.merge(&std::mem::take(&mut *lock(tally)));
            }
            all
        };
        let all = lock(&self.0);
        let mut names: Vec<_> = all.iter().collect();
        names.sort_by_key(|(_, named)| named.first);
        names.into_iter().map(|(name, named)| (name.clone(), merged(&named.tallies))).collect()
    }
}

/// Makes the listeners of Generate Summary Results elements.
pub fn summariser_factory(files: &ResultFiles) -> ListenerMaker {
    let files = files.clone();
    Arc::new(move |node, compile| {
        if files.options().dry_run {
            return None;
        }
        let name = name_at_start(&node.element, &files, compile);
        let ignore = "summariser.ignore_transaction_controller_sample_result";
        let with_transactions = !compile.props.flag(ignore, true);
        let tally = files.summaries().tally(node.id, name);
        Some(Rc::new(Summarising { tally, with_transactions }) as Rc<dyn Listener>)
    })
}

struct Summarising {
    /// Of this worker alone, so nobody waits for it but the desk for a moment.
    tally: Arc<Mutex<Tally>>,
    with_transactions: bool,
}

impl Listener for Summarising {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        let sample = event.sample;
        if self.with_transactions || !sample.is_transaction {
            lock(&self.tally).record(sample.timing.elapsed_ms() as u64, sample.success);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_shares_its_counts_and_they_are_taken_once() {
        let summaries = Summaries::default();
        let nodes = [1, 2, 3].map(NodeId);
        let (b, again) = (summaries.tally(nodes[2], "b".into()), summaries.tally(nodes[1], "a".into()));
        let a = summaries.tally(nodes[0], "a".into());
        lock(&a).record(5, true);
        lock(&again).record(7, false);
        let counts = |all: Vec<(String, Tally)>| -> Vec<(String, u64, u64)> {
            all.into_iter().map(|(name, tally)| (name, tally.samples, tally.sum_ms)).collect()
        };
        assert_eq!(counts(summaries.take()), [("a".to_owned(), 2, 12), ("b".to_owned(), 0, 0)]);
        lock(&b).record(1, true);
        assert_eq!(counts(summaries.take()), [("a".to_owned(), 0, 0), ("b".to_owned(), 1, 1)]);
    }
}
