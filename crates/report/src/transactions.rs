//! Transactions with their parts, for the table of the terminal. `web/src/transactions.ts` does the
//! same for the page.

use std::collections::{HashMap, HashSet};

use swell_stats::SummaryRow;

use crate::page::{Part, Transaction};

/// Parts that a table lists; a plan may have thousands.
const MOST_PARTS: usize = 60;

/// Transactions of a table in its order, each with its parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TransactionLines {
    /// Places of rows, and whether the row is a part of the transaction above.
    pub(crate) lines: Vec<(usize, bool)>,
    /// Parts that are left out.
    pub(crate) left_out: usize,
    /// A listed part belongs to several transactions, so its figures are not of one of them.
    pub(crate) shares_parts: bool,
}

impl TransactionLines {
    /// Lines for the rows that are transactions; `plan` says which labels are their parts.
    pub(crate) fn of(rows: &[SummaryRow], plan: &[Transaction]) -> Self {
        let places: HashMap<_, _> = rows
            .iter()
            .enumerate()
            .map(|(place, row)| ((row.label.as_str(), row.is_transaction), place))
            .collect();
        let place_of = |part: &Part| places.get(&(part.label.as_str(), part.transaction)).copied();
        let owners = owners(plan);
        let mut all = Self::default();
        let mut listed = 0;
        for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.is_transaction) {
            all.lines.push((place, false));
            let mut seen = HashSet::new();
            let of_label = plan.iter().filter(|transaction| transaction.label == row.label);
            let parts = of_label.flat_map(|transaction| &transaction.parts);
            for (part, place) in parts.filter_map(|part| Some((part, place_of(part)?))) {
                if !seen.insert(place) {
                    continue;
                }
                if listed == MOST_PARTS {
                    all.left_out += 1;
                    continue;
                }
                listed += 1;
                all.lines.push((place, true));
                all.shares_parts |= owners[part].len() > 1;
            }
        }
        all
    }
}

/// The labels of the transactions that each part belongs to.
fn owners(plan: &[Transaction]) -> HashMap<&Part, HashSet<&str>> {
    let mut owners: HashMap<_, HashSet<_>> = HashMap::new();
    for Transaction { label, parts } in plan {
        for part in parts {
            owners.entry(part).or_default().insert(label.as_str());
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder, Summary};

    fn rows(labels: &[(&str, bool)]) -> Vec<SummaryRow> {
        let mut recorder = Recorder::default();
        for (label, is_transaction) in labels {
            let is_transaction = *is_transaction;
            recorder.record(&Observation { label, is_transaction, success: true, ..Observation::default() });
        }
        Summary::of(&recorder.take_interval()).rows
    }

    fn transaction(label: &str, parts: &[(&str, bool)]) -> Transaction {
        let part = |part: &(&str, bool)| Part { label: part.0.to_owned(), transaction: part.1 };
        Transaction { label: label.to_owned(), parts: parts.iter().map(part).collect() }
    }

    fn shown(rows: &[SummaryRow], plan: &[Transaction]) -> Vec<String> {
        let line = |(place, is_part): &(usize, bool)| {
            let indent = if *is_part { "  " } else { "" };
            format!("{indent}{}", rows[*place].label)
        };
        TransactionLines::of(rows, plan).lines.iter().map(line).collect()
    }

    #[test]
    fn parts_are_below_their_transaction_in_the_order_of_the_plan() {
        let rows = rows(&[("card", false), ("Buy", true), ("cart", false), ("home", false), ("Pay", true)]);
        let plan = [
            transaction("Buy", &[("cart", false), ("Pay", true), ("never ran", false)]),
            transaction("Pay", &[("card", false)]),
        ];
        assert_eq!(shown(&rows, &plan), ["Buy", "  cart", "  Pay", "Pay", "  card"]);
        assert!(!TransactionLines::of(&rows, &plan).shares_parts);
        assert_eq!(shown(&rows, &[]), ["Buy", "Pay"], "nothing is known of parts");
    }

    #[test]
    fn transactions_of_one_label_are_one_row_and_a_part_of_two_transactions_is_named() {
        let rows = rows(&[("Buy", true), ("a", false), ("b", false), ("Sell", true)]);
        let twice = [transaction("Buy", &[("a", false)]), transaction("Buy", &[("a", false), ("b", false)])];
        assert_eq!(shown(&rows, &twice), ["Buy", "  a", "  b", "Sell"]);
        assert!(!TransactionLines::of(&rows, &twice).shares_parts, "both are one row");
        let shared = [transaction("Buy", &[("a", false)]), transaction("Sell", &[("a", false)])];
        assert!(TransactionLines::of(&rows, &shared).shares_parts);
    }

    #[test]
    fn parts_are_bounded() {
        let labels: Vec<_> = (0..MOST_PARTS + 5).map(|number| format!("part {number}")).collect();
        let parts: Vec<_> = labels.iter().map(|label| (label.as_str(), false)).collect();
        let rows = rows(&[&[("Buy", true)], &parts[..]].concat());
        let lines = TransactionLines::of(&rows, &[transaction("Buy", &parts)]);
        assert_eq!((lines.lines.len(), lines.left_out), (1 + MOST_PARTS, 5));
    }
}
