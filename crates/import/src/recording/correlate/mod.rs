//! Correlation: values that a server made, and that later requests send back, become variables.
//!
//! If there are two recordings of the same steps, what differs is looked for in the responses
//! before it, the nearest first. It has to be at the same place of both, so nothing is found by
//! chance. What differs and is in no response is explained or listed. If there is one recording,
//! only values that look random are looked for, and each is marked as a guess.

mod align;
mod find;
pub(super) mod json;
mod markup;
mod places;
mod shapes;

use swell_secrets::is_secret;

use self::find::{Found, Pair};
use self::places::{Slot, Value};
use crate::model::{Capture, Exchange, Text, free_name};
use crate::notes::Notes;

pub(super) use align::pairs;
pub(super) use places::variable_name;
pub(super) use shapes::is_made;

/// Correlates the first recording with the second, or with itself alone; `other` has the index of
/// the same request in the second.
pub(super) fn correlate(
    first: &mut [Exchange],
    second: &[Exchange],
    other: &[Option<usize>],
    keeps_secrets: bool,
    notes: &mut Notes,
) {
    let mut work = Work { rules: Vec::new(), names: Vec::new(), keeps_secrets, notes };
    let mut changes = Vec::with_capacity(first.len());
    for (index, same) in other.iter().enumerate() {
        changes.push(match same {
            Some(same) if !second.is_empty() => {
                work.compared(index, first, &second[*same], &|at| other[at].map(|at| &second[at]))
            }
            None if second.is_empty() => work.guessed(index, first),
            _ => Vec::new(),
        });
    }
    let rules = work.rules;
    for (exchange, changes) in first.iter_mut().zip(changes) {
        places::replace(exchange, changes);
    }
    for rule in rules {
        first[rule.found.at].captures.push(rule.capture);
    }
}

/// A value that became a variable.
struct Rule {
    value: Pair,
    found: Found,
    capture: Capture,
}

struct Work<'a> {
    rules: Vec<Rule>,
    names: Vec<String>,
    keeps_secrets: bool,
    notes: &'a mut Notes,
}

impl Work<'_> {
    /// What differs in a request of two recordings.
    fn compared<'e>(
        &mut self,
        index: usize,
        all: &[Exchange],
        same: &Exchange,
        other: &dyn Fn(usize) -> Option<&'e Exchange>,
    ) -> Vec<(Slot, Text)> {
        let mut changes = Vec::new();
        let second = places::values(same);
        for Value { slot, raw, decoded: value } in places::values(&all[index]) {
            let Some(twin) = second.iter().find(|twin| twin.slot.is_same_place(&slot)) else { continue };
            if twin.decoded == value || value.is_empty() {
                continue;
            }
            let pair = Pair { first: value, second: Some(twin.decoded.clone()) };
            match self.variable(index, &pair, &slot, all, other) {
                Some(name) => changes.push((slot.clone(), slot.reference(&raw, &pair.first, &name))),
                None => match shapes::explain(&pair, &all[index], same) {
                    shapes::Shape::Made(call, reason) => {
                        self.notes.changed(&all[index].place, slot.shown(&all[index]), reason);
                        changes.push((slot, Text::function(call)));
                    }
                    shapes::Shape::Unknown(reason) => {
                        self.notes.left_out(&all[index].place, slot.shown(&all[index]), reason);
                    }
                },
            }
        }
        changes
    }

    /// What looks random in a request of one recording, and was in a response before it.
    fn guessed(&mut self, index: usize, all: &[Exchange]) -> Vec<(Slot, Text)> {
        let mut changes = Vec::new();
        for Value { slot, raw, decoded: value } in places::values(&all[index]) {
            if !shapes::looks_random(&value) {
                continue;
            }
            let pair = Pair { first: value, second: None };
            if let Some(name) = self.variable(index, &pair, &slot, all, &|_| None) {
                let reason = format!(
                    "it is the variable {name} now, from a response before it: a guess, as there is one recording only"
                );
                self.notes.changed(&all[index].place, slot.shown(&all[index]), reason);
                changes.push((slot.clone(), slot.reference(&raw, &pair.first, &name)));
            }
        }
        changes
    }

    /// The variable for a value, if a response before the request has it.
    fn variable<'e>(
        &mut self,
        index: usize,
        pair: &Pair,
        slot: &Slot,
        all: &[Exchange],
        other: &dyn Fn(usize) -> Option<&'e Exchange>,
    ) -> Option<String> {
        let known = self.rules.iter().rev().find(|rule| rule.value == *pair && rule.found.at < index);
        if let Some(known) = known {
            return Some(known.capture.variable.clone());
        }
        let found = find::nearest(index, pair, all, other)?;
        let base = slot.field_name().or_else(|| found.name()).unwrap_or_else(|| "value".to_owned());
        let name = free_name(&base, |name| self.names.iter().any(|known| known == name));
        self.names.push(name.clone());
        let mut capture = Capture::new(&name, found.from.clone());
        capture.in_redirects = found.is_in_redirects;
        if pair.second.is_none() {
            "guess: it looked random in the only recording".clone_into(&mut capture.comment);
            // A wrong guess does no harm then: what was recorded is sent.
            if self.keeps_secrets || !is_secret(&name) {
                capture.default.clone_from(&pair.first);
            }
        }
        self.rules.push(Rule { value: pair.clone(), found, capture });
        Some(name)
    }
}

#[cfg(test)]
mod tests;
