//! Finds the matches of an expression one after the other, as ORO's `contains` on a
//! `PatternMatcherInput` does.

use std::ops::Range;

use regex_automata::util::primitives::NonMaxUsize;
use swell_budget::Budget;

use super::plain::PlainSearch;
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

    fn keep(&mut self, found: &Match<'_>, budget: &Budget) -> Result<(), Exhausted> {
        let before = self.texts.len();
        let whole = found.whole();
        self.texts.push_str(&found.text[whole.clone()]);
        for group in 0..self.groups {
            let span = match found.group(group) {
                None => NOWHERE,
                Some(part) if part.start >= whole.start && part.end <= whole.end => {
                    span(before + part.start - whole.start, part.len(), budget)?
                }
                // What looks around sees beyond the match.
                Some(part) => {
                    let start = self.texts.len();
                    self.texts.push_str(&found.text[part.clone()]);
                    span(start, part.len(), budget)?
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

/// A match where it is in its text.
pub(super) struct Match<'s> {
    text: &'s str,
    groups: &'s [Option<Range<usize>>],
}

impl Match<'_> {
    /// The range of the whole match.
    pub(super) fn whole(&self) -> Range<usize> {
        self.group(0).expect("group 0 is the match")
    }

    fn group(&self, group: usize) -> Option<Range<usize>> {
        self.groups.get(group)?.clone()
    }
}

/// Looks for matches with what finds them fastest.
struct Search<'r> {
    engine: Engine<'r>,
    groups: Vec<Option<Range<usize>>>,
}

enum Engine<'r> {
    Plain(&'r PlainSearch, Vec<Option<NonMaxUsize>>),
    Fancy(&'r fancy_regex::Regex),
}

impl<'r> Search<'r> {
    fn new(regex: &'r Regex, budget: &Budget) -> Self {
        let engine = match regex.plain() {
            Some(plain) => Engine::Plain(plain, vec![None; plain.slots()]),
            None => Engine::Fancy(regex.engine(budget)),
        };
        Self { engine, groups: Vec::with_capacity(regex.group_count() + 1) }
    }

    /// The first match from a position on.
    fn find<'s>(
        &'s mut self,
        text: &'s str,
        at: usize,
        budget: &Budget,
    ) -> Result<Option<Match<'s>>, Exhausted> {
        self.groups.clear();
        match &mut self.engine {
            Engine::Plain(plain, slots) => {
                if !plain.find(text, at, slots) {
                    return Ok(None);
                }
                let range = |pair: &[Option<NonMaxUsize>]| Some(pair[0]?.get()..pair[1]?.get());
                self.groups.extend(slots.chunks_exact(2).map(range));
            }
            Engine::Fancy(regex) => {
                let found = regex.captures_from_pos(text, at).map_err(|_| budget.give_up())?;
                let Some(groups) = found else { return Ok(None) };
                self.groups.extend(groups.iter().map(|group| group.map(|part| part.range())));
            }
        }
        Ok(Some(Match { text, groups: &self.groups }))
    }
}

/// Passes each match to a closure until it stops. An empty match right after another is skipped.
pub(super) fn each(
    regex: &Regex,
    text: &str,
    budget: &Budget,
    mut take: impl FnMut(&Match<'_>) -> Result<bool, Exhausted>,
) -> Result<(), Exhausted> {
    let mut at = 0;
    let mut last_end = None;
    let mut search = Search::new(regex, budget);
    while at <= text.len() {
        // Whether a match is there may show only at the end of the text.
        budget.work(SEARCH + (text.len() - at) as u64)?;
        let Some(found) = search.find(text, at, budget)? else { break };
        let whole = found.whole();
        if whole.is_empty() && last_end == Some(whole.end) {
            at = next_char(text, whole.end);
            continue;
        }
        budget.charge(BYTE * (whole.end - at) as u64);
        (at, last_end) = (whole.end, Some(whole.end));
        if !take(&found)? {
            break;
        }
    }
    Ok(())
}

fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}
