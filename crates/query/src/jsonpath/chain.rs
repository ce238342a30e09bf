//! Paths that only name members: they are evaluated on the text, without building a tree of other
//! members.

use crate::json::scan::{MOST_CHAINS, Step, values_of};
use crate::json::{self, Json};

use super::JsonPath;
use super::path::Token;

/// The steps of a path that is nothing but names and indexes from the front; none for all others.
pub(super) fn of(tokens: &[Token]) -> Option<Vec<Step>> {
    let step = |token: &Token| match token {
        Token::Property { names, .. } => match &names[..] {
            [name] => Some(Step::Name(name.clone())),
            _ => None,
        },
        Token::Index(indexes) => match indexes[..] {
            [index] => usize::try_from(index).ok().map(Step::Index),
            _ => None,
        },
        _ => None,
    };
    if tokens.is_empty() { None } else { tokens.iter().map(step).collect() }
}

/// What each path finds in a JSON text, all in one walk over it: the same as in the tree of
/// [`json::parse`], which costs four times as much. None where only the tree can tell: a path has
/// more than names and indexes, or its value is not there; there are more than eight paths; or the
/// text is not JSON as RFC 8259 has it (json-smart takes more).
pub fn find_all<'d>(paths: &[&JsonPath], text: &'d str) -> Option<Vec<Json<'d>>> {
    let values = places(paths, text)?;
    values[..paths.len()].iter().map(|value| json::parse(value).ok()).collect()
}

/// [`find_all`] of one path.
pub fn find<'d>(path: &JsonPath, text: &'d str) -> Option<Json<'d>> {
    json::parse(places(&[path], text)?[0]).ok()
}

fn places<'d>(paths: &[&JsonPath], text: &'d str) -> Option<[&'d str; MOST_CHAINS]> {
    let mut chains: [&[Step]; MOST_CHAINS] = [&[]; MOST_CHAINS];
    if paths.is_empty() || paths.len() > MOST_CHAINS {
        return None;
    }
    for (chain, path) in chains.iter_mut().zip(paths) {
        *chain = path.chain.as_deref()?;
    }
    values_of(text, &chains[..paths.len()])
}
