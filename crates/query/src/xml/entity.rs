//! References: characters by number, the five predefined entities, and entities declared in the
//! DTD.

use std::collections::HashMap;
use std::rc::Rc;

use super::Read;
use super::fault::Fault;
use super::scanner::Scanner;
use crate::chars::is_char;

/// Limit of Xerces when it processes securely.
const MOST_EXPANSIONS: usize = 100_000;
/// Bytes that all entities of a document may add.
const MOST_BYTES: usize = 64 << 20;
/// Entities in entities.
const DEEPEST: usize = 64;

/// The value of a reference.
pub(super) enum Meaning {
    Char(char),
    /// The name and the text of an entity.
    Text(Rc<str>, Rc<str>),
    /// Declared elsewhere: nothing, for nothing is fetched.
    External,
    /// Not declared here, perhaps elsewhere.
    Nothing,
}

#[derive(Default)]
pub(super) struct Entities {
    /// Text by name; none for what is elsewhere.
    declared: HashMap<String, Option<Rc<str>>>,
    /// Whether there may be declarations elsewhere.
    pub(super) incomplete: bool,
    open: Vec<Rc<str>>,
    expansions: usize,
    bytes: usize,
}

impl Entities {
    /// Declares an entity; the first declaration counts.
    pub(super) fn declare(&mut self, name: &str, text: Option<&str>) {
        self.declared.entry(name.to_owned()).or_insert_with(|| text.map(Into::into));
    }

    /// The value of a reference, starting after `&`.
    pub(super) fn meaning(&self, scan: &mut Scanner<'_>) -> Read<Meaning> {
        scan.need()?;
        if scan.skip("#") {
            return char_reference(scan).map(Meaning::Char);
        }
        let Some(name) = scan.name() else {
            return scan.fault("The entity name must immediately follow the '&' in the entity reference.");
        };
        scan.need()?;
        if !scan.skip(";") {
            return scan
                .fault(format!("The reference to entity \"{name}\" must end with the ';' delimiter."));
        }
        let known = match name {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => None,
        };
        if let Some(c) = known {
            return Ok(Meaning::Char(c));
        }
        match self.declared.get(name) {
            Some(Some(text)) => Ok(Meaning::Text(name.into(), text.clone())),
            Some(None) => Ok(Meaning::External),
            None if self.incomplete => Ok(Meaning::Nothing),
            None => scan.fault(format!("The entity \"{name}\" was referenced, but not declared.")),
        }
    }

    /// Goes into the text of an entity.
    pub(super) fn enter(&mut self, name: &Rc<str>, bytes: usize, at: usize) -> Read<()> {
        if let Some(first) = self.open.iter().position(|open| open == name) {
            let path = self.open[first..].join(" -> ");
            let message = format!(
                "Recursive entity reference \"{name}\". (Reference path: {name} -> {path} -> {name}),"
            );
            return Err(Fault::new(at, message));
        }
        self.expansions += 1;
        self.bytes += bytes;
        let limit = |message: String| Err(Fault::new(at, message));
        if self.expansions > MOST_EXPANSIONS {
            return limit(
                "The parser has encountered more than \"100,000\" entity expansions in this document; this is the limit \
                 imposed by the application."
                    .to_owned(),
            );
        }
        if self.bytes > MOST_BYTES || self.open.len() >= DEEPEST {
            return limit("The entities of this document are too large or too deep.".to_owned());
        }
        self.open.push(name.clone());
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }
}

/// A character by its number, starting after `&#`.
pub(super) fn char_reference(scan: &mut Scanner<'_>) -> Read<char> {
    let (base, what, marker) =
        if scan.skip("x") { (16, "A hexadecimal", "&#x") } else { (10, "A decimal", "&#") };
    let rest = scan.rest();
    let length = rest.find(|c: char| !c.is_digit(base)).unwrap_or(rest.len());
    let digits = &rest[..length];
    scan.at += length;
    scan.need()?;
    if digits.is_empty() {
        return scan.fault(format!(
            "{what} representation must immediately follow the \"{marker}\" in a character reference."
        ));
    }
    if !scan.skip(";") {
        return scan.fault("The character reference must end with the ';' delimiter.");
    }
    let c = u32::from_str_radix(digits, base).ok().and_then(char::from_u32).filter(|&c| is_char(c));
    if let Some(c) = c {
        return Ok(c);
    }
    let x = if base == 16 { "x" } else { "" };
    scan.fault(format!("Character reference \"&#{x}{digits}\" is an invalid XML character."))
}
