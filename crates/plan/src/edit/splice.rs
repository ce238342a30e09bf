//! Replacements of parts of a text.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{EditError, SAVE_AGAIN};
use crate::element::{Element, Property, PropertyValue};
use crate::read::is_hash_tree;
use crate::tag_kind::TagKind;
use crate::write::{element, plain_property};
use crate::xml::{Document, Index, escape_attribute, escape_text};

/// A part of a text and what comes there.
pub(super) struct Splice {
    span: Range<usize>,
    /// Between these two comes what is added there; several additions are joined.
    before: String,
    text: String,
    after: String,
    joins: bool,
}

/// Replacements in the order of their places.
#[derive(Default)]
pub(super) struct Splices(BTreeMap<(usize, usize), Splice>);

impl Splice {
    fn replaces(span: Range<usize>, text: String) -> Self {
        Self { span, text, before: String::new(), after: String::new(), joins: false }
    }

    fn inserts(at: usize, text: String) -> Self {
        Self { joins: true, ..Self::replaces(at..at, text) }
    }
}

impl Splices {
    /// Adds one. The last replacement of a place counts.
    pub(super) fn add(&mut self, new: Splice) {
        let key = (new.span.start, new.span.end);
        match self.0.get_mut(&key) {
            Some(known) if known.joins && new.joins => known.text.push_str(&new.text),
            _ => _ = self.0.insert(key, new),
        }
    }

    /// The text with all replacements. One inside another is dropped.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for splice in self.0.values().filter(|splice| splice.span.start <= splice.span.end) {
            if splice.span.start < at {
                continue;
            }
            out.extend([&text[at..splice.span.start], &splice.before, &splice.text, &splice.after]);
            at = splice.span.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

/// Gives a simple property another value.
pub(super) fn value(
    document: &Document<'_>,
    index: Index,
    value: &PropertyValue,
) -> Result<Splice, EditError> {
    let Some(new) = value.as_text() else {
        return Err(EditError::new("a list or an element cannot be set as one value", SAVE_AGAIN));
    };
    let is_same_kind = TagKind::of_tag(document.tag(index)) == Some(TagKind::of_value(value));
    let is_plain = is_same_kind && document.attribute(index, "reference").is_none();
    let inner = match document.children(index).next() {
        None => Some(index),
        Some(_) => document.child(index, "value"),
    };
    match inner.filter(|_| is_plain) {
        Some(holder) => Ok(text(document, holder, new)),
        None => Ok(Splice::replaces(document.span(index), rewritten(document, index, value))),
    }
}

/// The property in JMeter's form for another kind of value, under the name that the file has.
fn rewritten(document: &Document<'_>, index: Index, value: &PropertyValue) -> String {
    let of_tag = document.attribute(index, "name");
    let name = of_tag.or_else(|| document.child(index, "name").map(|name| document.text(name)));
    let property = Property::new(name.unwrap_or_default(), value.clone());
    let mut out = String::new();
    plain_property(&mut out, &property, depth(document, index));
    with_line_ends(document, &out)
}

fn depth(document: &Document<'_>, index: Index) -> usize {
    std::iter::successors(document.parent(index), |at| document.parent(*at)).count()
}

/// Replaces what is between the tags of an element.
fn text(document: &Document<'_>, index: Index, new: &str) -> Splice {
    let mut escaped = String::new();
    escape_text(&mut escaped, new);
    let escaped = with_line_ends(document, &escaped);
    let span = document.span(index);
    if document.text(index) == new {
        // It may be escaped in another way.
        return Splice::replaces(span, document.raw(index).to_owned());
    }
    let start = start_tag(document, index);
    if document.raw(index)[..start.len()].ends_with("/>") {
        let tag = document.raw(index)[..start.len() - 2].trim_end();
        return Splice::replaces(span, format!("{tag}>{escaped}</{}>", document.tag(index)));
    }
    let end = span.start + document.raw(index).rfind("</").unwrap_or_default();
    Splice::replaces(start.end..end, escaped)
}

/// Adds a property at the end of an element.
pub(super) fn added(document: &Document<'_>, index: Index, property: &Property) -> Splice {
    let source = document.source();
    let span = document.span(index);
    let line_end = line_end(source);
    let mut written = String::new();
    let last = document.children(index).last();
    let outer = indentation(source, span.start);
    let indent =
        last.map_or_else(|| format!("{outer}  "), |last| indentation(source, document.span(last).start));
    plain_property(&mut written, property, indent.len() / 2);
    let written = with_line_ends(document, &written);
    if let Some(last) = last {
        return Splice::inserts(document.span(last).end, format!("{line_end}{indent}{written}"));
    }
    let tag = document.raw(index)[..start_tag(document, index).len()].trim_end_matches('>');
    let inside = tag.trim_end_matches('/').trim_end().len();
    Splice {
        span: span.start + inside..span.end,
        before: ">".to_owned(),
        text: format!("{line_end}{indent}{written}"),
        after: format!("{line_end}{outer}</{}>", document.tag(index)),
        joins: true,
    }
}

/// Adds an element of the tree below another one, after those that are there.
pub(super) fn below(document: &Document<'_>, index: Index, added: &Element) -> Splice {
    let source = document.source();
    let line_end = line_end(source);
    let outer = indentation(source, document.span(index).start);
    let beside = document.parent(index).into_iter().flat_map(|tree| document.children(tree));
    let next = beside.skip_while(|beside| *beside != index).nth(1);
    let tree = next.filter(|next| is_hash_tree(document, *next));
    let last = tree.and_then(|tree| document.children(tree).last());
    let indent =
        last.map_or_else(|| format!("{outer}  "), |last| indentation(source, document.span(last).start));
    let mut written = String::new();
    element(&mut written, added, indent.len() / 2);
    let written = with_line_ends(document, &written);
    let text = format!("{line_end}{indent}{written}{line_end}{indent}<hashTree/>");
    if let Some(last) = last {
        return Splice::inserts(document.span(last).end, text);
    }
    // There is an empty one, or none.
    let (span, before) = if let Some(tree) = tree {
        (document.span(tree), String::new())
    } else {
        let end = document.span(index).end;
        (end..end, format!("{line_end}{outer}"))
    };
    let before = format!("{before}<hashTree>");
    Splice { span, before, text, after: format!("{line_end}{outer}</hashTree>"), joins: true }
}

/// Sets an attribute, or adds it after the others.
pub(super) fn attribute(document: &Document<'_>, index: Index, name: &str, value: &str) -> Splice {
    let start = start_tag(document, index);
    let tag = &document.source()[start.clone()];
    let mut escaped = String::new();
    escape_attribute(&mut escaped, value);
    for (key, inside) in attributes(tag, document.tag(index).len()) {
        if &tag[key] == name {
            let span = start.start + inside.start..start.start + inside.end;
            // The quotes of the file stay: both kinds are escaped.
            return Splice::replaces(span, escaped);
        }
    }
    let end = start.start + tag.trim_end_matches('>').trim_end_matches('/').trim_end().len();
    Splice::inserts(end, format!(" {name}=\"{escaped}\""))
}

/// Names and values of the attributes of a start tag, as places in it; quotes are left out.
fn attributes(tag: &str, name_length: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 1 + name_length;
    loop {
        let rest = &tag[at..];
        let key = at + rest.len() - rest.trim_start().len();
        let Some(equals) = tag[key..].find('=').map(|length| key + length) else { return found };
        let after = &tag[equals + 1..];
        let open = equals + 1 + after.len() - after.trim_start().len();
        let Some(quote) = tag[open..].chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return found;
        };
        let Some(length) = tag[open + 1..].find(quote) else { return found };
        let inside = open + 1..open + 1 + length;
        at = inside.end + 1;
        found.push((key..key + tag[key..equals].trim_end().len(), inside));
    }
}

/// The start tag of an element in the source, from `<` to `>`.
fn start_tag(document: &Document<'_>, index: Index) -> Range<usize> {
    let raw = document.raw(index);
    let mut quote = None;
    let end = raw.bytes().position(|byte| {
        match quote {
            Some(open) if byte == open => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            _ => {}
        }
        quote.is_none() && byte == b'>'
    });
    let start = document.span(index).start;
    start..start + end.map_or(raw.len(), |end| end + 1)
}

/// The blanks before a place, if nothing else is before it in its line.
fn indentation(source: &str, at: usize) -> String {
    let line = source[..at].rsplit('\n').next().unwrap_or_default();
    if line.trim().is_empty() { line.to_owned() } else { String::new() }
}

fn line_end(source: &str) -> &'static str {
    let first = source.find('\n').unwrap_or_default();
    if source[..first].ends_with('\r') { "\r\n" } else { "\n" }
}

/// A text with the line ends of the file.
fn with_line_ends(document: &Document<'_>, text: &str) -> String {
    match line_end(document.source()) {
        "\n" => text.to_owned(),
        end => text.replace('\n', end),
    }
}
