//! Variables that are read and that nothing sets.

use std::collections::BTreeMap;

use strsim::osa_distance;
use swell_plan::{Edit, PropertyPlace};

use super::context::{Context, finding};
use super::rules::{MISSPELT, NEVER_SET, OTHER_GROUP};
use super::{Finding, Fix};
use crate::outline::Entry;
use crate::property::properties;

/// A variable that is read in a thread group, or outside of all.
type Read<'c> = (&'c str, Option<usize>);

/// For how many names near ones are looked for, so that a plan of nothing else ends in time.
const MOST_COMPARED: usize = 200;

pub(super) fn find(cx: &Context<'_>, all: &mut Vec<Finding>) {
    if !cx.is_whole {
        return;
    }
    let mut compared = 0;
    for ((name, group), places) in reads(cx) {
        if cx.may_be_set(name, group) || !is_plausible(name) {
            continue;
        }
        compared += 1;
        if let Some(right) = (compared <= MOST_COMPARED).then(|| near(cx, name, group)).flatten() {
            for (at, property) in places {
                let element = cx.entries[at].element();
                let message = format!("`${{{name}}}` is read, but nothing sets it; `{right}` is set");
                let remedy = format!("write `${{{right}}}` if that is meant");
                let fix = renamed(&cx.entries[at], name, right);
                all.push(finding(MISSPELT, element, message, remedy).about(property).fixed_by(fix));
            }
            continue;
        }
        all.push(unset(cx, name, &places));
    }
}

/// One finding for all places of a thread group that read the variable.
fn unset(cx: &Context<'_>, name: &str, places: &[(usize, &str)]) -> Finding {
    let (at, property) = places[0];
    let element = cx.entries[at].element();
    let more = match places.len() {
        1 => String::new(),
        2 => " here and in 1 more place".to_owned(),
        count => format!(" here and in {} more places", count - 1),
    };
    if let Some(group) = cx.is_set_in_other_group(name) {
        let message = format!(
            "`${{{name}}}` is read{more}, but only the thread group `{}` sets it",
            group.element().name()
        );
        let remedy = "set it in this thread group, or hand it over with __setProperty and __P";
        return finding(OTHER_GROUP, element, message, remedy).about(property);
    }
    let (message, remedy) = if cx.is_set_by_disabled(name) {
        let message = format!("`${{{name}}}` is read{more}, but only disabled elements set it");
        (message, "enable one of them, or remove what reads it")
    } else {
        let message = format!("`${{{name}}}` is read{more}, but nothing sets it");
        (message, "define it (User Defined Variables, CSV Data Set, an extractor), or correct the name")
    };
    finding(NEVER_SET, element, message, remedy).about(property)
}

/// What enabled elements read by `${…}`, with the places in document order. Programs of the system
/// have variables of the same form.
fn reads<'c>(cx: &'c Context<'_>) -> BTreeMap<Read<'c>, Vec<(usize, &'c str)>> {
    let mut all: BTreeMap<Read<'c>, Vec<(usize, &'c str)>> = BTreeMap::new();
    for (at, (entry, uses)) in cx.entries.iter().zip(&cx.uses).enumerate() {
        if !entry.is_enabled || cx.registry.starts_processes(&entry.element().class) {
            continue;
        }
        for (property, name) in &uses.references {
            let places = all.entry((name.as_str(), entry.group)).or_default();
            if places.last().is_none_or(|(last, _)| *last != at) {
                places.push((at, property));
            }
        }
    }
    all
}

/// Whether a text between the braces is meant as a name: `${7*7}` and `${jndi:…}` are payloads, and
/// `${__name}` is a function, perhaps of a plug-in.
fn is_plausible(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
    let is_function = name.starts_with("__");
    !is_function
        && name.trim().starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(is_part)
}

/// The one variable that is set and whose name differs in one place, in upper and lower case, or in
/// blanks around it.
fn near<'c>(cx: &'c Context<'_>, name: &str, group: Option<usize>) -> Option<&'c str> {
    let is_near = |known: &&str| {
        let is_long = name.chars().count().max(known.chars().count()) > 3;
        known.eq_ignore_ascii_case(name.trim())
            || is_long && osa_distance(known, name) == 1 && !differs_in_digits(known, name)
    };
    let near: Vec<&str> = cx.set_names(group).into_iter().filter(is_near).collect();
    match near[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// `user1` and `user2` are two variables.
fn differs_in_digits(one: &str, other: &str) -> bool {
    let without = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    without(one) == without(other)
}

/// Writes the right name in all texts of an element.
fn renamed(entry: &Entry<'_>, wrong: &str, right: &str) -> Option<Fix> {
    let element = entry.element();
    let old = format!("${{{wrong}}}");
    let new = format!("${{{right}}}");
    let mut edits = Vec::new();
    for found in properties(element) {
        let text = found.value.as_text().unwrap_or_default();
        if let Some(value) =
            text.contains(&old).then(|| found.value.with_text(&text.replace(&old, &new))).flatten()
        {
            edits.push(Edit::Value(PropertyPlace { node: entry.node.id, steps: found.steps }, value));
        }
    }
    if let Some(name) = element.attribute("testname").filter(|name| name.contains(&old)) {
        edits.push(Edit::Attribute(entry.node.id, "testname".to_owned(), name.replace(&old, &new)));
    }
    (!edits.is_empty()).then(|| Fix { does: format!("write `{new}` instead of `{old}`"), edits })
}
