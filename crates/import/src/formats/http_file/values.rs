//! `{{…}}` in texts: variables of the file, values that the editors make, and parts of earlier
//! responses.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::values::made_by_clients;
use crate::model::{Capture, CaptureFrom, Text, TextPart, free_name};
use crate::notes::Notes;
use crate::source::Place;

/// Depth of variables in values of variables; also what ends a circle.
const MOST_NESTED: usize = 16;

/// What names in braces mean.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// Variables of the file, with values.
    pub(super) known: BTreeMap<String, Text>,
    /// Names of all variables of the file.
    pub(super) defined: BTreeSet<String>,
    /// Variables that scripts set.
    pub(super) set_by_scripts: Vec<String>,
    /// Names that have no value in the file.
    pub(super) unknown: Vec<String>,
    /// Values to take from responses, with the name of the request.
    pub(super) captures: Vec<(String, Capture)>,
}

impl Values {
    /// A text with what its braces mean.
    pub(super) fn text(&mut self, text: &str, place: &Place, notes: &mut Notes) -> Text {
        Text::with_braces(text, &mut |name| self.value(name, place, notes))
    }

    fn value(&mut self, name: &str, place: &Place, notes: &mut Notes) -> Option<Text> {
        if let Some(call) = name.strip_prefix('$') {
            let made = dynamic(call, place, notes);
            if made.is_none() {
                notes.left_out(place, format!("value `{{{{{name}}}}}`"), "no function of JMeter gives it");
            }
            return made;
        }
        if let Some(variable) = self.of_response(name) {
            return Some(Text::variable(variable));
        }
        // An editor's `%name` is the value in URL encoding.
        let (name, is_encoded) = name.strip_prefix('%').map_or((name, false), |name| (name, true));
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
        if !is_name {
            return None;
        }
        if let Some(value) = self.known.get(name).filter(|value| self.is_of_response(value)) {
            return Some(value.clone());
        }
        if !self.defined.contains(name) && !self.is_set_by_response(name) {
            self.add_unknown(name);
        }
        if is_encoded {
            return Some(Text::function(format!("${{__urlencode(${{{name}}})}}")));
        }
        Some(Text::variable(name))
    }

    /// Whether a response sets this variable during the test.
    fn is_set_by_response(&self, name: &str) -> bool {
        let is_captured = self.captures.iter().any(|(_, capture)| capture.variable == name);
        is_captured || self.set_by_scripts.iter().any(|set| set == name)
    }

    /// Whether a value has a part of a response. The editors evaluate it when it is used.
    pub(super) fn is_of_response(&self, value: &Text) -> bool {
        value.variables().any(|name| self.is_set_by_response(name))
    }

    /// A value with those of other variables in it: JMeter does not look into variables of the same
    /// list. `room`: bytes that all values may get by this.
    pub(super) fn inlined(&self, value: &Text, room: &mut usize) -> Text {
        self.inlined_to(value, MOST_NESTED, room)
    }

    fn inlined_to(&self, value: &Text, depth: usize, room: &mut usize) -> Text {
        let mut out = Text::default();
        for part in value.parts() {
            out.push(match part {
                TextPart::Variable(name) if self.is_set_by_response(name) => Text::variable(name),
                TextPart::Variable(name) => match self.known.get(name) {
                    Some(value) if depth > 0 && *room > 0 => self.inlined_to(value, depth - 1, room),
                    _ => Text::property(name, ""),
                },
                part => Text::from(part),
            });
            *room = room.saturating_sub(1 + out.leading().len());
        }
        out
    }

    fn add_unknown(&mut self, name: &str) {
        if !self.unknown.iter().any(|known| known == name) {
            self.unknown.push(name.to_owned());
        }
    }

    /// `login.response.body.$.token`: the variable that gets it, and a capture at its request.
    fn of_response(&mut self, reference: &str) -> Option<String> {
        let (request, part) = reference.split_once(".response.")?;
        let from = if let Some(header) = part.strip_prefix("headers.") {
            CaptureFrom::Header(header.to_owned())
        } else {
            match part.strip_prefix("body.")? {
                "*" => CaptureFrom::Body,
                path if path.starts_with('$') => CaptureFrom::JsonPath(path.to_owned()),
                path if path.starts_with('/') => CaptureFrom::XPath { path: path.to_owned(), is_html: false },
                // Some editors leave `$.` out.
                path if path.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c)) => {
                    CaptureFrom::JsonPath(format!("$.{path}"))
                }
                _ => return None,
            }
        };
        let same = |(of, capture): &&(String, Capture)| of == request && capture.from == from;
        if let Some((_, known)) = self.captures.iter().find(same) {
            return Some(known.variable.clone());
        }
        let field: String =
            part.rsplit(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !word.is_empty())?.to_owned();
        let is_taken = |name: &str| self.captures.iter().any(|(_, known)| known.variable == name);
        let variable = free_name(&format!("{request}_{field}"), is_taken);
        self.captures.push((request.to_owned(), Capture::new(&variable, from)));
        Some(variable)
    }
}

/// Values that an editor makes for each request.
fn dynamic(call: &str, place: &Place, notes: &mut Notes) -> Option<Text> {
    let mut words = call.split_whitespace();
    let name = words.next()?;
    let rest: Vec<&str> = words.collect();
    match (name, &rest[..]) {
        (_, []) if made_by_clients(name).is_some() => made_by_clients(name),
        ("randomInt", [from, to]) => random(from, to),
        ("datetime" | "localDatetime", ["iso8601"]) => made_by_clients("isoTimestamp"),
        ("processEnv" | "dotenv", [variable]) => Some(of_environment(variable, place, notes)),
        _ => name
            .strip_prefix("env.")
            .map(|variable| of_environment(variable, place, notes))
            .or_else(|| of_generator(call)),
    }
}

/// A variable of the environment: the plan asks for a property, since an import must not copy what
/// may be a secret.
fn of_environment(variable: &str, place: &Place, notes: &mut Notes) -> Text {
    let name = variable.trim_start_matches('%');
    let how = format!("it is a property: set -J{name}=…");
    notes.changed(place, format!("environment variable {name}"), how);
    Text::property(name, "")
}

fn random(from: &str, to: &str) -> Option<Text> {
    let from: i64 = from.trim().parse().ok()?;
    let to: i64 = to.trim().parse().ok()?;
    // The editors leave the upper end out, JMeter does not.
    Some(Text::function(format!("${{__Random({from},{})}}", to.checked_sub(1)?.max(from))))
}

/// `random.integer(1, 9)` and its kin, as JetBrains has them.
fn of_generator(call: &str) -> Option<Text> {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let (name, arguments) = call
        .strip_prefix("random.")?
        .split_once('(')
        .unwrap_or((call.strip_prefix("random.").unwrap_or_default(), ""));
    let arguments: Vec<&str> =
        arguments.trim_end_matches(')').split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let text = |length: &str, letters: &str| {
        let length: u32 = length.parse().ok()?;
        Some(Text::function(format!("${{__RandomString({length},{letters})}}")))
    };
    match (name, &arguments[..]) {
        ("integer", []) => random("0", "1000"),
        ("integer", [to]) => random("0", to),
        ("integer", [from, to]) => random(from, to),
        ("alphabetic", [length]) => text(length, LETTERS),
        ("alphanumeric", [length]) => text(length, &format!("{LETTERS}0123456789_")),
        ("hexadecimal", [length]) => text(length, "0123456789abcdef"),
        ("email", []) => Some(Text::function("${__RandomString(10,abcdefghijklmnopqrstuvwxyz)}@example.com")),
        _ => None,
    }
}
