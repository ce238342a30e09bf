//! Matches of an expression one after the other, as ORO's `contains` on a `PatternMatcherInput` finds them.

use std::rc::Rc;

use super::{Exhausted, Regex};

/// A match with its groups, group 0 first; a group that took no part is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups(pub Vec<Option<Rc<str>>>);

impl Groups {
    /// A group's text; none if it took no part or there is no such group.
    pub fn get(&self, group: usize) -> Option<&Rc<str>> {
        self.0.get(group)?.as_ref()
    }
}

/// Matches collected over one text or several.
#[derive(Debug, Default)]
pub struct Found {
    /// Matches so far, kept or not.
    pub count: usize,
    /// What was kept of them: all, or the wanted one.
    pub kept: Vec<Groups>,
}

impl Found {
    /// Looks for matches in a text. `wanted` is JMeter's match number: a positive one stops the search there and keeps
    /// that match alone, any other keeps all.
    pub fn search(&mut self, regex: &Regex, text: &str, wanted: i64) -> Result<(), Exhausted> {
        if self.done(wanted) {
            return Ok(());
        }
        each(regex, text, |groups| {
            self.count += 1;
            if wanted <= 0 || self.done(wanted) {
                let kept = (0..groups.len()).map(|i| groups.get(i).map(|m| Rc::from(m.as_str()))).collect();
                self.kept.push(Groups(kept));
            }
            !self.done(wanted)
        })
    }

    /// Whether the wanted match is found.
    pub fn done(&self, wanted: i64) -> bool {
        wanted > 0 && self.count as i64 >= wanted
    }
}

/// Hands over match after match until told to stop. An empty match right behind another does not count.
pub(super) fn each(
    regex: &Regex,
    text: &str,
    mut take: impl FnMut(&fancy_regex::Captures<'_>) -> bool,
) -> Result<(), Exhausted> {
    let (mut at, mut last_end) = (0, None);
    while at <= text.len() {
        let Some(groups) = regex.inner.captures_from_pos(text, at).map_err(|_| Exhausted)? else { break };
        let whole = groups.get(0).expect("group 0 is the match");
        if whole.start() == whole.end() && last_end == Some(whole.end()) {
            at = next_char(text, whole.end());
            continue;
        }
        (at, last_end) = (whole.end(), Some(whole.end()));
        if !take(&groups) {
            break;
        }
    }
    Ok(())
}

fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}
