//! Failed samples by cause, bounded.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::limited::{Admission, Kept};
use crate::{FailureKind, Observation};

/// A text longer than this is cut: messages may hold whole responses.
const LONGEST_TEXT: usize = 300;

/// Counts of failed samples by cause. At most [`ErrorTable::LIMIT`] causes are counted separately,
/// those with the shortest messages; the others are counted together, so that the memory is
/// bounded. Messages that differ only in numbers are one cause, except those that name an address.
/// Counts by kind are exact whatever the messages are.
#[derive(Clone, Debug)]
pub struct ErrorTable {
    causes: HashMap<Box<str>, HashMap<Box<str>, ErrorRow>>,
    kept: Kept<CauseKey>,
    counts: Counts,
}

/// Counts over all failed samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    by_kind: [u64; FailureKind::COUNT],
    unanswered: u64,
    other: u64,
}

/// Same counts, in whatever order they came.
impl PartialEq for ErrorTable {
    fn eq(&self, other: &Self) -> bool {
        self.causes == other.causes && self.counts == other.counts
    }
}

impl Default for ErrorTable {
    fn default() -> Self {
        Self { causes: HashMap::new(), kept: Kept::new(Self::LIMIT), counts: Counts::default() }
    }
}

/// The order of causes: the short ones first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CauseKey {
    length: usize,
    key: Box<str>,
    code: Box<str>,
}

/// One row of the error table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorRow {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// Response code.
    pub code: String,
    /// Message of the first example, cut to 300 bytes.
    pub message: String,
    /// Name of the assertion that failed; empty where none did.
    pub assertion: String,
    /// Failed samples of that cause.
    pub count: u64,
    /// The example that started first.
    pub first: Example,
}

/// A sample that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Example {
    /// Its start, nanoseconds since the epoch.
    pub start_ns: i64,
    /// Its label, cut to 300 bytes.
    pub label: String,
    /// Its service time in nanoseconds.
    pub elapsed_ns: u64,
}

impl ErrorTable {
    /// Number of causes that are counted separately.
    pub const LIMIT: usize = 500;

    /// Counts a failed sample.
    pub fn record(&mut self, seen: &Observation<'_>) {
        let code = cut(seen.code);
        let message = cut(seen.message);
        let label = cut(seen.label);
        let assertion = cut(seen.assertion);
        self.counts.by_kind[seen.kind as usize] += 1;
        self.counts.unanswered += u64::from(seen.kind.is_of_exchange() && seen.first_byte_ns.is_none());
        let key = key(seen.kind, assertion, message);
        if let Some(have) = self.causes.get_mut(code).and_then(|causes| causes.get_mut(&*key)) {
            have.count += 1;
            if (seen.start_ns, label) < (have.first.start_ns, &have.first.label) {
                have.first =
                    Example { start_ns: seen.start_ns, label: label.into(), elapsed_ns: seen.elapsed_ns };
                message.clone_into(&mut have.message);
            }
            return;
        }
        let first = Example { start_ns: seen.start_ns, label: label.into(), elapsed_ns: seen.elapsed_ns };
        let code = code.into();
        let message = message.into();
        let assertion = assertion.into();
        self.add(key, ErrorRow { kind: seen.kind, code, message, assertion, count: 1, first });
    }

    /// Adds what another has counted. Exact in any order and grouping, also beyond the limit.
    pub fn merge(&mut self, other: &Self) {
        let causes = other.causes.values().flatten();
        causes.for_each(|(key, row)| self.add(key.to_string(), row.clone()));
        let Counts { by_kind, unanswered, other } = &other.counts;
        self.counts.by_kind.iter_mut().zip(by_kind).for_each(|(mine, more)| *mine += more);
        self.counts.unanswered += unanswered;
        self.counts.other += other;
    }

    /// A table of these counts and causes.
    pub(crate) fn of(counts: Counts, rows: Vec<ErrorRow>) -> Self {
        let mut table = Self { counts, ..Self::default() };
        for row in rows {
            table.add(key(row.kind, &row.assertion, &row.message), row);
        }
        table
    }

    /// The same counts with other texts; none if `change` borrows them all.
    pub(crate) fn with_texts(&self, change: &dyn Fn(&str) -> Cow<'_, str>) -> Option<Self> {
        let mut is_changed = false;
        let mut other = |text: &str| {
            let changed = change(text);
            is_changed |= matches!(changed, Cow::Owned(_));
            changed.into_owned()
        };
        let rows = self.rows().into_iter().map(|row| ErrorRow {
            code: other(&row.code),
            message: other(&row.message),
            assertion: other(&row.assertion),
            first: Example { label: other(&row.first.label), ..row.first },
            ..row
        });
        let rows: Vec<_> = rows.collect();
        is_changed.then(|| Self::of(self.counts(), rows))
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// Causes by falling count, then by text, kind and assertion: the same table always has the
    /// same order.
    pub fn rows(&self) -> Vec<ErrorRow> {
        let text = |row: &ErrorRow| {
            (row.code.clone(), row.message.clone(), row.kind as usize, row.assertion.clone())
        };
        let mut rows: Vec<_> = self.causes.values().flat_map(HashMap::values).cloned().collect();
        rows.sort_by_cached_key(|row| (std::cmp::Reverse(row.count), text(row)));
        rows
    }

    /// Failed samples whose causes are not told apart.
    pub fn other(&self) -> u64 {
        self.counts.other
    }

    /// Failed samples for which no response of a server began.
    pub fn unanswered(&self) -> u64 {
        self.counts.unanswered
    }

    /// Failed samples of a kind.
    pub fn of_kind(&self, kind: FailureKind) -> u64 {
        self.counts.by_kind[kind as usize]
    }

    /// The kinds that occurred, in the order of the kinds, with the numbers of their samples.
    pub fn kinds(&self) -> impl Iterator<Item = (FailureKind, u64)> {
        let all = FailureKind::ALL.into_iter().map(|kind| (kind, self.of_kind(kind)));
        all.filter(|(_, count)| *count > 0)
    }

    /// Failed samples of all kinds for which this holds.
    pub fn count(&self, wanted: impl Fn(FailureKind) -> bool) -> u64 {
        self.kinds().filter(|(kind, _)| wanted(*kind)).map(|(_, count)| count).sum()
    }

    /// No failed sample.
    pub fn is_empty(&self) -> bool {
        self.counts.by_kind.iter().all(|count| *count == 0)
    }

    fn add(&mut self, key: String, row: ErrorRow) {
        if let Some(have) = self.causes.get_mut(&*row.code).and_then(|causes| causes.get_mut(&*key)) {
            have.count += row.count;
            if (&row.first, &row.message) < (&have.first, &have.message) {
                (have.first, have.message, have.kind) = (row.first, row.message, row.kind);
            }
            return;
        }
        let key = Box::<str>::from(key);
        let code = Box::<str>::from(row.code.as_str());
        match self.kept.offer(CauseKey { length: key.len(), key: key.clone(), code: code.clone() }) {
            Admission::Refused => {
                self.counts.other += row.count;
                return;
            }
            Admission::InPlaceOf(old) => self.forget(&old),
            Admission::Kept => {}
        }
        self.causes.entry(code).or_default().insert(key, row);
    }

    /// A cause is no longer counted separately.
    fn forget(&mut self, old: &CauseKey) {
        let Some(causes) = self.causes.get_mut(&old.code) else { return };
        self.counts.other += causes.remove(&old.key).map_or(0, |row| row.count);
        if causes.is_empty() {
            self.causes.remove(&old.code);
        }
    }
}

const UNKNOWN_NAME: &str = ": Name or service not known";

/// What two failures with one response code have in common if they have one cause.
fn key(kind: FailureKind, assertion: &str, message: &str) -> String {
    let names_address = kind.is_unreached() && kind != FailureKind::Request;
    // Java says why only the first time that it looks a name up; then it remembers that there is
    // none (`InetAddress.NegativeCache`).
    let is_unknown = kind == FailureKind::NameNotFound;
    let message = message.strip_suffix(UNKNOWN_NAME).filter(|_| is_unknown).unwrap_or(message);
    let mut key = String::with_capacity(assertion.len() + message.len() + 1);
    key.push_str(assertion);
    key.push('\n');
    for c in message.chars() {
        let digit = c.is_ascii_digit() && !names_address;
        if !(digit && key.ends_with('#')) {
            key.push(if digit { '#' } else { c });
        }
    }
    key
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed<'a>(code: &'a str, message: &'a str) -> Observation<'a> {
        Observation { kind: FailureKind::Status, code, message, label: "Home", ..Observation::default() }
    }

    fn table(all: &[Observation<'_>]) -> ErrorTable {
        let mut table = ErrorTable::default();
        for seen in all {
            table.record(seen);
        }
        table
    }

    fn counts(table: &ErrorTable) -> Vec<(String, String, u64)> {
        table.rows().into_iter().map(|row| (row.code, row.message, row.count)).collect()
    }

    /// Letters for a number, so that messages differ in more than digits.
    fn letters(number: usize) -> String {
        format!("{number:04}").bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    }

    #[test]
    fn rows_come_by_falling_count() {
        let table = table(&[failed("500", "b"), failed("404", "a"), failed("500", "b"), failed("500", "a")]);
        let row = |code: &str, message: &str, count| (code.to_owned(), message.to_owned(), count);
        assert_eq!(counts(&table), [row("500", "b", 2), row("404", "a", 1), row("500", "a", 1)]);
    }

    #[test]
    fn causes_with_one_message_and_count_have_one_order() {
        let names: Vec<_> = (0..20).map(letters).collect();
        let failed =
            |name| Observation { kind: FailureKind::Assertion, assertion: name, ..failed("200", "no") };
        let forth: Vec<_> = names.iter().map(|name| failed(name)).collect();
        let back: Vec<_> = forth.iter().rev().copied().collect();
        assert_eq!(table(&forth).rows(), table(&back).rows());
    }

    #[test]
    fn messages_that_differ_in_numbers_are_one_cause_but_not_addresses() {
        let orders = table(&[failed("404", "order 17 is gone"), failed("404", "order 4 is gone")]);
        assert_eq!(counts(&orders), [("404".to_owned(), "order 17 is gone".to_owned(), 2)]);
        let refused = |message| Observation { kind: FailureKind::Refused, ..failed("x", message) };
        assert_eq!(table(&[refused("to h:1"), refused("to h:2")]).rows().len(), 2);
        let unknown = |message| Observation { kind: FailureKind::NameNotFound, ..failed("x", message) };
        let names = table(&["h: Name or service not known", "h", "g"].map(unknown));
        assert_eq!(names.rows().iter().map(|row| row.count).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn beyond_the_limit_samples_are_counted_together_and_kinds_stay_exact() {
        let mut table = ErrorTable::default();
        for number in 0..ErrorTable::LIMIT + 7 {
            table.record(&failed("500", &format!("order {}", letters(number))));
        }
        table.record(&failed("500", &format!("order {}", letters(0))));
        assert_eq!((table.rows().len(), table.other()), (ErrorTable::LIMIT, 7));
        let mut sum = table.clone();
        sum.merge(&table);
        let counted = sum.rows().iter().map(|row| row.count).sum::<u64>() + sum.other();
        assert_eq!(counted, 2 * (ErrorTable::LIMIT as u64 + 8));
        assert_eq!((sum.of_kind(FailureKind::Status), sum.count(FailureKind::is_unreached)), (counted, 0));
    }

    #[test]
    fn beyond_the_limit_merging_gives_the_same_in_any_order_and_grouping() {
        let part = |from: usize| {
            let messages: Vec<_> = (from..from + 300).map(letters).collect();
            table(&messages.iter().map(|message| failed("500", message)).collect::<Vec<_>>())
        };
        let parts = [part(0), part(250), part(100), part(500)];
        let merged = |parts: &[&ErrorTable]| {
            let mut sum = ErrorTable::default();
            for part in parts {
                sum.merge(part);
            }
            sum
        };
        let [a, b, c, d] = &parts;
        let forth = merged(&[a, b, c, d]);
        assert_eq!(forth, merged(&[d, c, b, a]));
        assert_eq!(forth, merged(&[&merged(&[c, a]), &merged(&[b, d])]));
        assert_eq!((forth.rows().len(), forth.other()), (ErrorTable::LIMIT, 350));
    }

    #[test]
    fn the_example_is_the_first_in_any_order_of_merging() {
        let at = |start_ns, message, label| Observation { label, start_ns, ..failed("500", message) };
        let parts =
            [at(7, "order 1", "b"), at(5, "order 2", "c"), at(9, "order 3", "a")].map(|seen| table(&[seen]));
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let mut sum = ErrorTable::default();
            for part in order {
                sum.merge(&parts[part]);
            }
            let row = &sum.rows()[0];
            let found = (row.count, row.first.start_ns, row.first.label.as_str(), row.message.as_str());
            assert_eq!(found, (3, 5, "c", "order 2"), "{order:?}");
        }
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        let long = "ä".repeat(400);
        let odd = format!("x{}", "ä".repeat(400));
        let table = table(&[failed("500", &long), failed("500", &odd)]);
        assert_eq!(table.rows().iter().map(|row| row.message.len()).collect::<Vec<_>>(), [299, 300]);
    }
}
