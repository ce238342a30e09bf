//! Failed samples by code and message, bounded.

use std::collections::HashMap;

/// A text longer than this is cut: messages may hold whole responses.
const LONGEST_TEXT: usize = 300;

/// Counts of failed samples by code and message. At most [`ErrorTable::LIMIT`] pairs are told apart; what comes later
/// is counted together, so that messages which hold a number or a time do not fill the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorTable {
    pairs: HashMap<Box<str>, HashMap<Box<str>, u64>>,
    distinct: usize,
    other: u64,
}

/// One row of the table of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorRow {
    /// Response code.
    pub code: String,
    /// Message, cut to 300 bytes.
    pub message: String,
    /// Failed samples with both.
    pub count: u64,
}

impl ErrorTable {
    /// Number of pairs that are told apart.
    pub const LIMIT: usize = 500;

    /// Counts a failed sample.
    pub fn record(&mut self, code: &str, message: &str) {
        self.add(cut(code), cut(message), 1);
    }

    /// Adds what another has counted. Counts stay exact in sum; which pairs are told apart beyond the limit depends on
    /// the order.
    pub fn merge(&mut self, other: &Self) {
        for row in other.rows() {
            self.add(&row.code, &row.message, row.count);
        }
        self.other += other.other;
    }

    /// Pairs by falling count, then by text.
    pub fn rows(&self) -> Vec<ErrorRow> {
        let pairs = self.pairs.iter().flat_map(|(code, messages)| messages.iter().map(move |m| (code, m)));
        let mut rows: Vec<_> = pairs
            .map(|(code, (message, &count))| ErrorRow {
                code: code.to_string(),
                message: message.to_string(),
                count,
            })
            .collect();
        rows.sort_by(|a, b| (b.count, &a.code, &a.message).cmp(&(a.count, &b.code, &b.message)));
        rows
    }

    /// Failed samples whose pairs are not told apart.
    pub fn other(&self) -> u64 {
        self.other
    }

    /// No failed sample.
    pub fn is_empty(&self) -> bool {
        self.distinct == 0 && self.other == 0
    }

    fn add(&mut self, code: &str, message: &str, count: u64) {
        if let Some(have) = self.pairs.get_mut(code).and_then(|messages| messages.get_mut(message)) {
            *have += count;
        } else if self.distinct < Self::LIMIT {
            self.distinct += 1;
            self.pairs.entry(code.into()).or_default().insert(message.into(), count);
        } else {
            self.other += count;
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(code: &str, message: &str, count: u64) -> ErrorRow {
        ErrorRow { code: code.into(), message: message.into(), count }
    }

    #[test]
    fn rows_come_by_falling_count() {
        let mut table = ErrorTable::default();
        for (code, message) in [("500", "b"), ("404", "a"), ("500", "b"), ("500", "a")] {
            table.record(code, message);
        }
        assert_eq!(table.rows(), [row("500", "b", 2), row("404", "a", 1), row("500", "a", 1)]);
    }

    #[test]
    fn beyond_the_limit_samples_are_counted_together() {
        let mut table = ErrorTable::default();
        for number in 0..ErrorTable::LIMIT + 7 {
            table.record("500", &format!("order {number}"));
        }
        table.record("500", "order 0");
        assert_eq!((table.rows().len(), table.other()), (ErrorTable::LIMIT, 7));
        let mut sum = table.clone();
        sum.merge(&table);
        let counted = sum.rows().iter().map(|row| row.count).sum::<u64>() + sum.other();
        assert_eq!(counted, 2 * (ErrorTable::LIMIT as u64 + 8));
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        let mut table = ErrorTable::default();
        table.record("500", &"ä".repeat(400));
        table.record("500", &format!("x{}", "ä".repeat(400)));
        assert_eq!(table.rows().iter().map(|row| row.message.len()).collect::<Vec<_>>(), [299, 300]);
    }
}
