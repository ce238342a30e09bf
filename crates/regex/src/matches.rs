//! Finds the matches of an expression one after the other, as ORO's `contains` on a
//! `PatternMatcherInput` does.

use swell_budget::Budget;

use super::{Exhausted, Regex};

/// What a group takes as a variable, bytes: it counts in the limit of what results take.
const VARIABLE: usize = 100;

/// What a search for a match costs at least, in units of work.
pub(super) const SEARCH: u64 = 500;

/// What a byte of a match costs, in units of work.
const BYTE: u64 = 4;

/// Where a group is in the texts of [`Found`]; [`NOWHERE`] if it took no part.
type Span = (u32, u32);

const NOWHERE: Span = (u32::MAX, u32::MAX);

/// A match with its groups, group 0 first; a group without a match is `None`.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'f> {
    texts: &'f str,
    spans: &'f [Span],
}

impl<'f> Groups<'f> {
    /// A group's text; `None` if it did not take part or does not exist.
    pub fn get(self, group: usize) -> Option<&'f str> {
        let &(start, end) = self.spans.get(group).filter(|span| **span != NOWHERE)?;
        Some(&self.texts[start as usize..end as usize])
    }

    /// All groups.
    pub fn iter(self) -> impl Iterator<Item = Option<&'f str>> {
        (0..self.spans.len()).map(move |group| self.get(group))
    }

    /// How many groups there are, the whole match counted.
    #[expect(clippy::len_without_is_empty, reason = "the whole match always exists")]
    pub fn len(self) -> usize {
        self.spans.len()
    }
}

/// Matches collected over one or several texts of one expression. Millions of matches take little
/// memory: their texts are stored one after the other, groups inside their match.
#[derive(Debug, Default)]
pub struct Found {
    /// Matches so far, kept or not.
    pub count: usize,
    texts: String,
    /// The ranges of all groups of all kept matches.
    spans: Vec<Span>,
    /// Groups a match.
    groups: usize,
}

impl Found {
    /// Looks for matches in a text. `wanted` is JMeter's match number: a positive one stops the
    /// search there and keeps that match alone, any other keeps all.
    ///
    /// # Errors
    /// A match, or all of them, cost more than they may.
    pub fn search(
        &mut self,
        regex: &Regex,
        text: &str,
        wanted: i64,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        if self.done(wanted) {
            return Ok(());
        }
        self.groups = regex.group_count() + 1;
        each(regex, text, budget, |groups| {
            self.count += 1;
            if wanted <= 0 || self.done(wanted) {
                self.keep(groups, budget)?;
            }
            Ok(!self.done(wanted))
        })
    }

    fn keep(&mut self, groups: &fancy_regex::Captures<'_>, budget: &Budget) -> Result<(), Exhausted> {
        let before = self.texts.len();
        let whole = groups.get(0).expect("group 0 is the match");
        self.texts.push_str(whole.as_str());
        for group in 0..self.groups {
            let span = match groups.get(group) {
                None => NOWHERE,
                Some(part) if part.start() >= whole.start() && part.end() <= whole.end() => {
                    span(before + part.start() - whole.start(), part.as_str().len(), budget)?
                }
                // What looks around sees beyond the match.
                Some(part) => {
                    let start = self.texts.len();
                    self.texts.push_str(part.as_str());
                    span(start, part.as_str().len(), budget)?
                }
            };
            self.spans.push(span);
        }
        budget.keep(self.texts.len() - before + VARIABLE * (self.groups + 2))?;
        Ok(())
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Matches that were kept.
    pub fn len(&self) -> usize {
        self.spans.len().checked_div(self.groups).unwrap_or(0)
    }

    /// Whether none was kept.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// A kept match.
    pub fn get(&self, at: usize) -> Option<Groups<'_>> {
        let spans =
            self.spans.get(at * self.groups..(at + 1) * self.groups).filter(|spans| !spans.is_empty())?;
        Some(Groups { texts: &self.texts, spans })
    }

    /// Kept matches.
    pub fn iter(&self) -> impl Iterator<Item = Groups<'_>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// Whether the wanted match is found.
    pub fn done(&self, wanted: i64) -> bool {
        wanted > 0 && self.count as i64 >= wanted
    }
}

fn span(start: usize, length: usize, budget: &Budget) -> Result<Span, Exhausted> {
    match (u32::try_from(start), u32::try_from(start + length)) {
        (Ok(start), Ok(end)) if end < u32::MAX => Ok((start, end)),
        _ => Err(budget.give_up().into()),
    }
}

/// Passes each match to a closure until it stops. An empty match right after another is skipped.
pub(super) fn each(
    regex: &Regex,
    text: &str,
    budget: &Budget,
    mut take: impl FnMut(&fancy_regex::Captures<'_>) -> Result<bool, Exhausted>,
) -> Result<(), Exhausted> {
    let mut at = 0;
    let mut last_end = None;
    let engine = regex.engine(budget);
    while at <= text.len() {
        // Whether a match is there may show only at the end of the text.
        budget.work(SEARCH + (text.len() - at) as u64)?;
        let found = engine.captures_from_pos(text, at).map_err(|_| budget.give_up())?;
        let Some(groups) = found else { break };
        let whole = groups.get(0).expect("group 0 is the match");
        if whole.start() == whole.end() && last_end == Some(whole.end()) {
            at = next_char(text, whole.end());
            continue;
        }
        budget.charge(BYTE * (whole.end() - at) as u64);
        (at, last_end) = (whole.end(), Some(whole.end()));
        if !take(&groups)? {
            break;
        }
    }
    Ok(())
}

fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}
