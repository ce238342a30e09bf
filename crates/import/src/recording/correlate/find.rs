//! Where a value was in the responses before a request.

use super::places::variable_name;
use super::{json, markup};
use crate::model::{CaptureFrom, Exchange, Response};
use std::fmt::Write as _;

/// A value of the first recording, and of the second if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) first: String,
    pub(super) second: Option<String>,
}

/// Where a value was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Index of the request whose response has it.
    pub(super) at: usize,
    pub(super) from: CaptureFrom,
    pub(super) is_in_redirects: bool,
}

impl Found {
    /// A name of a variable for it.
    pub(super) fn name(&self) -> Option<String> {
        match &self.from {
            CaptureFrom::JsonPath(path) => {
                let names = path
                    .split(['.', '[', ']', '\''])
                    .filter(|part| part.chars().any(|c| c.is_ascii_alphabetic()));
                let names: Vec<&str> = names.collect();
                variable_name(&names[names.len().saturating_sub(2)..].join("_"))
            }
            CaptureFrom::Css { selector, .. } => {
                variable_name(selector.split_once("=\"").map_or(&**selector, |(_, name)| name))
            }
            CaptureFrom::Header(name) | CaptureFrom::Cookie(name) => variable_name(name),
            _ => None,
        }
    }
}

/// The nearest response before a request that has the value, at the same place of both recordings.
pub(super) fn nearest<'e>(
    index: usize,
    pair: &Pair,
    all: &[Exchange],
    other: &dyn Fn(usize) -> Option<&'e Exchange>,
) -> Option<Found> {
    for at in (0..index).rev() {
        let Some(first) = &all[at].response else { continue };
        let second = match &pair.second {
            None => None,
            Some(value) => match other(at).and_then(|exchange| exchange.response.as_ref()) {
                Some(response) => Some((response, value.as_str())),
                None => continue,
            },
        };
        let one = (first, pair.first.as_str());
        if let Some((from, is_in_redirects)) = in_response(one, second) {
            return Some(Found { at, from, is_in_redirects });
        }
    }
    None
}

/// A response and the value in it.
type Side<'a> = (&'a Response, &'a str);

fn in_response(one: Side<'_>, two: Option<Side<'_>>) -> Option<(CaptureFrom, bool)> {
    if ![Some(one), two].into_iter().flatten().all(may_have) {
        return None;
    }
    if let Some(path) = common(one, two, &json_paths) {
        return Some((CaptureFrom::JsonPath(path), false));
    }
    if let Some((selector, attribute)) =
        common(one, two, &|(response, value): Side<'_>| markup::selectors(&response.text, value))
    {
        return Some((CaptureFrom::Css { selector, attribute }, false));
    }
    if let Some((name, is_in_redirects)) = common(one, two, &header_names) {
        return Some((CaptureFrom::Header(name), is_in_redirects));
    }
    if let Some((name, is_in_redirects)) = common(one, two, &cookie_names) {
        return Some((CaptureFrom::Cookie(name), is_in_redirects));
    }
    for is_in_redirects in [false, true] {
        let text = |(response, value): Side<'_>| (header_text(response, is_in_redirects), value.to_owned());
        let found = between(&text(one), two.map(text).as_ref());
        if let Some((left, right)) = found {
            return Some((CaptureFrom::HeaderBetween(left, right), is_in_redirects));
        }
    }
    let text = |(response, value): Side<'_>| (response.text.clone(), value.to_owned());
    let (left, right) = between(&text(one), two.map(text).as_ref())?;
    Some((CaptureFrom::Between(left, right), false))
}

/// Whether a response can have a value in any form: it has its longest part without special
/// characters.
fn may_have((response, value): Side<'_>) -> bool {
    let pieces = value.split(|c: char| !c.is_ascii_alphanumeric());
    let piece = pieces.max_by_key(|piece| piece.len()).unwrap_or_default();
    response.text.contains(piece) || response.headers.iter().any(|(_, known)| known.contains(piece))
}

/// The first place that both sides have.
fn common<T: PartialEq>(
    one: Side<'_>,
    two: Option<Side<'_>>,
    places: &dyn Fn(Side<'_>) -> Vec<T>,
) -> Option<T> {
    let first = places(one);
    if first.is_empty() {
        return None;
    }
    let second = two.map(places);
    first.into_iter().find(|place| second.as_ref().is_none_or(|all| all.contains(place)))
}

/// Paths to a value, the shortest first.
fn json_paths((response, value): Side<'_>) -> Vec<String> {
    let leaves = json::leaves(&response.text).unwrap_or_default();
    let mut paths: Vec<String> =
        leaves.into_iter().filter(|leaf| leaf.value == value).map(|leaf| leaf.path).collect();
    paths.sort_by_key(|path| (path.matches('[').count(), path.len()));
    paths
}

/// Headers that carry no value for later requests.
const DULL: [&str; 8] =
    ["set-cookie", "date", "expires", "last-modified", "content-length", "age", "server", "vary"];

/// Headers with this value, and whether a redirect has them.
fn header_names((response, value): Side<'_>) -> Vec<(String, bool)> {
    let all = response.headers.iter().enumerate();
    let fitting = all.filter(|(_, (name, known))| {
        known == value && !DULL.iter().any(|dull| name.eq_ignore_ascii_case(dull))
    });
    fitting.map(|(index, (name, _))| (name.to_ascii_lowercase(), index < response.redirect_headers)).collect()
}

/// Cookies with this value.
fn cookie_names((response, value): Side<'_>) -> Vec<(String, bool)> {
    let mut names = Vec::new();
    for (index, (name, text)) in response.headers.iter().enumerate() {
        if !name.eq_ignore_ascii_case("set-cookie") {
            continue;
        }
        for line in text.split('\n') {
            let pair = line.split(';').next().unwrap_or_default();
            if let Some((cookie, known)) = pair.split_once('=')
                && known.trim() == value
            {
                names.push((cookie.trim().to_owned(), index < response.redirect_headers));
            }
        }
    }
    names
}

/// Headers as JMeter shows them: of redirects, or of the last response.
fn header_text(response: &Response, of_redirects: bool) -> String {
    let mut out = String::new();
    for (index, (name, value)) in response.headers.iter().enumerate() {
        let is_dull = DULL.iter().any(|dull| name.eq_ignore_ascii_case(dull));
        if (index < response.redirect_headers) == of_redirects && !is_dull {
            let _ = writeln!(out, "{name}: {value}");
        }
    }
    out
}

/// Shorter values are in a text by chance.
const SHORTEST: usize = 4;

/// Places in a text that are tried.
const MOST_TRIED: usize = 20;

/// A shorter text before a value says nothing.
const SHORTEST_LEFT: usize = 3;

/// A text of this length is taken where there is one, even if a shorter one would do in the
/// recordings.
const ENOUGH_LEFT: usize = 8;

const LONGEST_LEFT: usize = 24;
const LONGEST_RIGHT: usize = 8;

/// Texts around a value, equal in both, of which the first match is the value.
fn between(one: &(String, String), two: Option<&(String, String)>) -> Option<(String, String)> {
    let (text, value) = one;
    if value.len() < SHORTEST {
        return None;
    }
    for (at, _) in text.match_indices(&**value).take(MOST_TRIED) {
        let Some((other, twin)) = two else {
            if let Some(found) = around(text, at, value, None) {
                return Some(found);
            }
            continue;
        };
        if twin.len() < SHORTEST {
            return None;
        }
        for (place, _) in other.match_indices(&**twin).take(MOST_TRIED) {
            if let Some(found) = around(text, at, value, Some((other, place, twin))) {
                return Some(found);
            }
        }
    }
    None
}

fn around(
    text: &str,
    at: usize,
    value: &str,
    other: Option<(&str, usize, &str)>,
) -> Option<(String, String)> {
    let before: Vec<char> = text[..at].chars().rev().take(LONGEST_LEFT).collect();
    let after: Vec<char> = text[at + value.len()..].chars().take(LONGEST_RIGHT).collect();
    let (before, after) = match other {
        None => (before, after),
        Some((other, place, twin)) => {
            let left = other[..place].chars().rev();
            let right = other[place + twin.len()..].chars();
            (shared(&before, left), shared(&after, right))
        }
    };
    // A line end on the left would tie it to what is before.
    let length = before.iter().position(|c| *c == '\n').unwrap_or(before.len());
    let end = after.iter().position(|c| "\"'<>&;,)}] \n".contains(*c)).map_or(after.len(), |at| at + 1);
    let right: String = after[..end].iter().collect();
    if right.is_empty() || length < SHORTEST_LEFT {
        return None;
    }
    for taken in ENOUGH_LEFT.min(length)..=length {
        let left: String = before[..taken].iter().rev().collect();
        let fits = |text: &str, at: usize, value: &str| {
            !left.is_empty()
                && text.find(&*left).is_some_and(|found| found + left.len() == at)
                && text[at..].find(&*right) == Some(value.len())
        };
        if fits(text, at, value) && other.is_none_or(|(text, at, value)| fits(text, at, value)) {
            return Some((left, right));
        }
    }
    None
}

fn shared(one: &[char], two: impl Iterator<Item = char>) -> Vec<char> {
    one.iter().zip(two).take_while(|(one, two)| **one == *two).map(|(one, _)| *one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_between_texts_that_both_have() {
        let side = |text: &str, value: &str| (text.to_owned(), value.to_owned());
        for (one, two, wanted) in [
            (side("var t = 'abcd';", "abcd"), side("var t = 'efgh';", "efgh"), Some(("ar t = '", "'"))),
            (side("a='x1x1' b='abcd'", "abcd"), side("a='x2x2' b='efgh'", "efgh"), Some(("' b='", "'"))),
            (side("abc", "abc"), side("abd", "abd"), None),
            (side("k:abcd,", "abcd"), side("m:efgh,", "efgh"), None),
            (side("x abcd", "abcd"), side("x efgh", "efgh"), None),
        ] {
            let found = between(&one, Some(&two));
            let wanted = wanted.map(|(left, right)| (left.to_owned(), right.to_owned()));
            assert_eq!(found, wanted, "{one:?}");
        }
    }
}
