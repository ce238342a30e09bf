//! Writes the text of rules.

use super::form::Part;
use super::{Grammar, Outside, is_of_elements};
use crate::fuzz::rng::ChoiceRng;

/// The meaning of a name up to the end of a form.
#[derive(Clone)]
enum Meaning<'a> {
    Text(String),
    Rule(&'a str),
}

/// Writes one text.
pub(super) struct Writer<'a, 'r> {
    grammar: &'a Grammar,
    rng: &'r mut ChoiceRng,
    outside: Outside<'r>,
    /// Names with their meanings; later ones hide earlier ones.
    names: Vec<(&'a str, Meaning<'a>)>,
    /// The enclosing rules of the current place.
    around: Vec<&'a str>,
}

impl<'a, 'r> Writer<'a, 'r> {
    pub(super) fn new(grammar: &'a Grammar, rng: &'r mut ChoiceRng, outside: Outside<'r>) -> Self {
        Self { grammar, rng, outside, names: Vec::new(), around: Vec::new() }
    }

    pub(super) fn rule(&mut self, name: &str) -> String {
        let meaning = self.names.iter().rev().find(|(known, _)| *known == name);
        match meaning.map(|(_, meaning)| meaning.clone()) {
            Some(Meaning::Text(text)) => text,
            Some(Meaning::Rule(rule)) => self.own(rule),
            None => self.own(name),
        }
    }

    /// Writes a rule of the files.
    fn own(&mut self, name: &str) -> String {
        let grammar = self.grammar;
        let Some((name, rule)) = grammar.rules.get_key_value(name) else {
            return (self.outside)(name, self.rng);
        };
        let within = self.around.iter().filter(|around| *around == name).count();
        if let Some((_, other)) = rule.limit.as_ref().filter(|(limit, _)| within >= *limit) {
            return self.rule(other);
        }
        let parts = self.rng.weighted(&rule.forms);
        let known = self.names.len();
        self.around.push(name);
        let text = self.parts(parts, is_of_elements(name));
        self.around.pop();
        self.names.truncate(known);
        text
    }

    fn parts(&mut self, parts: &'a [Part], is_xml: bool) -> String {
        parts.iter().map(|part| self.part(part, is_xml)).collect()
    }

    fn part(&mut self, part: &'a Part, is_xml: bool) -> String {
        match part {
            Part::Text(text) => text.clone(),
            Part::Rule { name, encoded: true } => percent(&self.rule(name)),
            Part::Rule { name, encoded: false } => self.shown(name, is_xml),
            Part::Times { name, least, most, between } => {
                let count = self.rng.range(*least, *most);
                (0..count).map(|_| self.shown(name, is_xml)).collect::<Vec<_>>().join(between)
            }
            Part::Word { name, text } => {
                self.names.push((name, Meaning::Text(text.clone())));
                String::new()
            }
            Part::Named { name, rule, shown } => {
                let text = self.rule(rule);
                self.names.push((name, Meaning::Text(text)));
                if *shown { self.shown(name, is_xml) } else { String::new() }
            }
            Part::Instead { name, rule } => {
                self.names.push((name, Meaning::Rule(rule)));
                String::new()
            }
            Part::Range(first, last) => self.rng.range(*first, *last).to_string(),
            Part::Flag(percent) => self.rng.chance(*percent).to_string(),
            Part::Number { taken: true } => self.rng.number().to_string(),
            Part::Number { taken: false } => self.rng.next_number().to_string(),
            Part::Maybe(percent, parts) if self.rng.chance(*percent) => self.parts(parts, is_xml),
            Part::Maybe(..) => String::new(),
        }
    }

    /// Returns the text of a rule, in text or among elements.
    fn shown(&mut self, name: &str, is_xml: bool) -> String {
        let text = self.rule(name);
        if is_xml && !is_of_elements(name) { escaped(&text) } else { text }
    }
}

/// Escapes text for XML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    text.replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;")
}

/// Percent-encodes all but letters, digits and `-._~/:$`. References stay, because they are
/// replaced before the text is sent.
fn percent(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let reference = rest.strip_prefix("${").and_then(|inside| inside.find('}')).map(|at| at + 3);
        let (here, after) = rest.split_at(reference.unwrap_or(c.len_utf8()));
        if reference.is_some() || c.is_ascii_alphanumeric() || "-._~/:$".contains(c) {
            out.push_str(here);
        } else {
            out.extend(here.bytes().map(|byte| format!("%{byte:02X}")));
        }
        rest = after;
    }
    out
}
