//! Start tags with their attributes and namespaces.

use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;

use super::entity::Meaning;
use super::fault::Fault;
use super::misc::starts_name;
use super::scanner::Scanner;
use super::scopes::{XML, XMLNS};
use super::{Read, Reader};
use crate::chars::{is_char, plain_value_length};

/// Up to this number, attributes are compared one by one.
const FEW: usize = 12;

/// Borrowed from the document where nothing is resolved in it.
struct Attribute<'t> {
    name: Cow<'t, str>,
    value: Cow<'t, str>,
}

impl Reader {
    /// A start tag, from its name on. Whether the element is open then: not if it is empty.
    pub(super) fn start_element(&mut self, scan: &mut Scanner<'_>) -> Read<bool> {
        let element = self.qualified_name(scan, "null")?;
        let mut attributes = Vec::new();
        let empty = loop {
            let spaced = scan.skip_spaces();
            let next = scan.need()?;
            if scan.skip(">") {
                break false;
            }
            if scan.skip("/") {
                scan.need()?;
                if scan.skip(">") {
                    break true;
                }
                return scan.fault(unterminated(&format!("Element type \"{element}\"")));
            }
            if !starts_name(next) || !spaced {
                return scan.fault(unterminated(&format!("Element type \"{element}\"")));
            }
            let attribute = self.attribute(scan, element)?;
            attributes.push(attribute);
            if !self.options.namespaces && attributes.len() <= FEW {
                check_unique(element, &attributes, scan.at)?;
            }
        };
        check_all_unique(element, &attributes, scan.at)?;
        self.add_defaults(element, &mut attributes);
        if self.options.sorted_attributes {
            attributes.sort_by(|a, b| a.name.cmp(&b.name));
        }
        self.open(element, &attributes, scan.at)?;
        if empty {
            self.close();
        }
        Ok(!empty)
    }

    /// A name, whose colon is looked at if namespaces count. `element`: where it is looked for.
    fn qualified_name<'t>(&self, scan: &mut Scanner<'t>, element: &str) -> Read<&'t str> {
        let nameless = || unterminated(&format!("Element type \"{element}\""));
        if !self.options.namespaces {
            return scan.name().map_or_else(|| scan.fault(nameless()), Ok);
        }
        let start = scan.at;
        if scan.plain_name().is_none() {
            return scan.fault(nameless());
        }
        if scan.skip(":") && scan.plain_name().is_none() {
            let message = "Element or attribute do not match QName production: QName::=(NCName':')?NCName.";
            return scan.fault(message);
        }
        Ok(&scan.text[start..scan.at])
    }

    fn attribute<'t>(&mut self, scan: &mut Scanner<'t>, element: &str) -> Read<Attribute<'t>> {
        let name = self.qualified_name(scan, element)?;
        scan.skip_spaces();
        scan.need()?;
        if !scan.skip("=") {
            return scan.fault(format!(
                "Attribute name \"{name}\" associated with an element type \"{element}\" must be followed by the ' = ' \
                 character."
            ));
        }
        scan.skip_spaces();
        let quote = scan.need()?;
        if !matches!(quote, '"' | '\'') {
            return scan.fault(format!(
                "Open quote is expected for attribute \"{name}\" associated with an  element type  \"{element}\"."
            ));
        }
        scan.at += 1;
        let value = if let Some(plain) = plain_value(scan.rest(), quote) {
            scan.at += plain.len() + 1;
            Cow::Borrowed(plain)
        } else {
            let mut value = String::new();
            self.value(scan, Some(quote), (element, name), &mut value)?;
            Cow::Owned(value)
        };
        if self.options.namespaces {
            check_declaration(name, &value, scan)?;
        }
        Ok(Attribute { name: Cow::Borrowed(name), value })
    }

    /// The value of an attribute up to its quote, or the whole text of an entity in it.
    fn value(
        &mut self,
        scan: &mut Scanner<'_>,
        quote: Option<char>,
        owner: (&str, &str),
        out: &mut String,
    ) -> Read<()> {
        loop {
            let c = match scan.peek() {
                None if quote.is_none() => return Ok(()),
                None => return Err(Fault::cut(scan.text.len())),
                Some(c) => c,
            };
            if Some(c) == quote {
                scan.at += 1;
                return Ok(());
            }
            match c {
                '<' => {
                    let (element, name) = owner;
                    return scan.fault(format!(
                        "The value of attribute \"{name}\" associated with an element type \"{element}\" must not \
                         contain the '<' character."
                    ));
                }
                '&' => {
                    scan.at += 1;
                    self.reference_in_value(scan, owner, out)?;
                    continue;
                }
                '\r' if scan.rest().starts_with("\r\n") => {
                    scan.at += 1;
                    out.push(' ');
                }
                '\t' | '\n' | '\r' => out.push(' '),
                c if is_char(c) => out.push(c),
                c => {
                    let (element, name) = owner;
                    return scan.fault(format!(
                        "An invalid XML character (Unicode: 0x{:x}) was found in the value of attribute \"{name}\" and \
                         element is \"{element}\".",
                        u32::from(c)
                    ));
                }
            }
            scan.at += c.len_utf8();
        }
    }

    fn reference_in_value(
        &mut self,
        scan: &mut Scanner<'_>,
        owner: (&str, &str),
        out: &mut String,
    ) -> Read<()> {
        match self.entities.meaning(scan)? {
            Meaning::Char(c) => out.push(c),
            Meaning::Nothing => {}
            Meaning::External => {
                let message = "An external entity reference is not permitted in an attribute value.";
                return scan.fault(message);
            }
            Meaning::Text(name, text) => {
                let at = scan.at;
                self.entities.enter(&name, text.len(), at)?;
                let read = self.value(&mut Scanner::new(&text), None, owner, out);
                read.map_err(|fault| Fault { at: Some(at), ..fault })?;
                self.entities.leave();
            }
        }
        Ok(())
    }

    /// Adds what the DTD has for attributes that are not written.
    fn add_defaults(&self, element: &str, attributes: &mut Vec<Attribute<'_>>) {
        for (name, value) in self.defaults.get(element).into_iter().flatten() {
            if !attributes.iter().any(|attribute| attribute.name == **name) {
                let name = Cow::Owned(name.clone());
                attributes.push(Attribute { name, value: Cow::Owned(value.clone()) });
            }
        }
    }

    fn open(&mut self, element: &str, attributes: &[Attribute<'_>], at: usize) -> Read<()> {
        if !self.options.namespaces {
            self.builder.open(element, "");
            for Attribute { name, value } in attributes.iter().filter(|a| declared_prefix(&a.name).is_some())
            {
                self.builder.declaration(declared_prefix(name).unwrap_or_default(), value);
            }
            for Attribute { name, value } in attributes.iter().filter(|a| declared_prefix(&a.name).is_none())
            {
                self.builder.attribute(name, "", value);
            }
            return Ok(());
        }
        self.scopes.open();
        for Attribute { name, value } in attributes {
            if let Some(prefix) = declared_prefix(name) {
                self.scopes.declare(prefix, value);
            }
        }
        let Some(namespace) = self.scopes.resolve(prefix(element)) else {
            let message =
                format!("The prefix \"{}\" for element \"{element}\" is not bound.", prefix(element));
            return Err(Fault::new(at, message));
        };
        self.builder.open(element, &namespace);
        for Attribute { name, value } in attributes {
            if let Some(prefix) = declared_prefix(name) {
                self.builder.declaration(prefix, value);
            }
        }
        self.add_qualified(element, attributes, at)
    }

    fn add_qualified(&mut self, element: &str, attributes: &[Attribute<'_>], at: usize) -> Read<()> {
        let mut seen: HashSet<(Rc<str>, &str)> = HashSet::new();
        for Attribute { name, value } in attributes.iter().filter(|a| declared_prefix(&a.name).is_none()) {
            let prefix = prefix(name);
            if prefix.is_empty() {
                self.builder.attribute(name, "", value);
                continue;
            }
            let Some(namespace) = self.scopes.resolve(prefix) else {
                return Err(Fault::new(
                    at,
                    format!(
                        "The prefix \"{prefix}\" for attribute \"{name}\" associated with an element type \
                         \"{element}\" is not bound."
                    ),
                ));
            };
            let local = &name[prefix.len() + 1..];
            self.builder.attribute(name, &namespace, value);
            if !seen.insert((namespace.clone(), local)) {
                return Err(Fault::new(
                    at,
                    format!(
                        "Attribute \"{local}\" bound to namespace \"{namespace}\" was already specified for element \
                         \"{element}\"."
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// The value that a text begins with, up to its quote, where it means what is written: characters of
/// ASCII, none of which ends a line or begins a reference.
fn plain_value(text: &str, quote: char) -> Option<&str> {
    let length = plain_value_length(text, quote as u8);
    text[length..].starts_with(quote).then(|| &text[..length])
}

fn unterminated(what: &str) -> String {
    format!("{what} must be followed by either attribute specifications, \">\" or \"/>\".")
}

fn prefix(name: &str) -> &str {
    name.split_once(':').map_or("", |(prefix, _)| prefix)
}

/// The prefix that an attribute declares, if it is a declaration.
fn declared_prefix(name: &str) -> Option<&str> {
    if name == "xmlns" { Some("") } else { name.strip_prefix("xmlns:") }
}

/// The newest attribute against those before it.
fn check_unique(element: &str, attributes: &[Attribute<'_>], at: usize) -> Read<()> {
    let Some((newest, others)) = attributes.split_last() else { return Ok(()) };
    if others.iter().any(|other| other.name == newest.name) {
        return Err(not_unique(element, &newest.name, at));
    }
    Ok(())
}

fn check_all_unique(element: &str, attributes: &[Attribute<'_>], at: usize) -> Read<()> {
    if attributes.len() <= FEW {
        let is_second = |(at, name): (usize, &Cow<'_, str>)| attributes[..at].iter().any(|a| a.name == *name);
        let mut names = attributes.iter().map(|attribute| &attribute.name).enumerate();
        return match names.find(|named| is_second(*named)) {
            Some((_, second)) => Err(not_unique(element, second, at)),
            None => Ok(()),
        };
    }
    let mut seen = HashSet::with_capacity(attributes.len());
    match attributes.iter().find(|attribute| !seen.insert(&*attribute.name)) {
        Some(second) => Err(not_unique(element, &second.name, at)),
        None => Ok(()),
    }
}

fn not_unique(element: &str, name: &str, at: usize) -> Fault {
    Fault::new(at, format!("Attribute \"{name}\" was already specified for element \"{element}\"."))
}

/// Prefixes that cannot be declared otherwise.
fn check_declaration(name: &str, value: &str, scan: &Scanner<'_>) -> Read<()> {
    let Some(prefix) = declared_prefix(name) else { return Ok(()) };
    match prefix {
        _ if prefix == "xmlns" || value == XMLNS => scan.fault(
            "The prefix \"xmlns\" cannot be bound to any namespace explicitly; neither can the namespace for \"xmlns\" \
             be bound to any prefix explicitly.",
        ),
        _ if (prefix == "xml") != (value == XML) => scan.fault(XML_BOUND),
        _ if !prefix.is_empty() && value.is_empty() => scan.fault(format!(
            "The value of the attribute \"prefix=\"xmlns\",localpart=\"{prefix}\",rawname=\"{name}\"\" is invalid. \
             Prefixed namespace bindings may not be empty."
        )),
        _ => Ok(()),
    }
}

const XML_BOUND: &str = "The prefix \"xml\" cannot be bound to any namespace other than its usual namespace; neither can \
                         the namespace for \"xml\" be bound to any prefix other than \"xml\".";
