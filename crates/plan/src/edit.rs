//! Edits the text of a plan where elements and properties are; every other byte stays.

mod place;
mod splice;

use std::fmt;

use crate::element::{Element, NodeId, Property, PropertyValue};
use crate::xml::{Document, decode, parse};
use place::Places;
use splice::{Splice, Splices};

/// A property of an element of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PropertyPlace {
    /// The element.
    pub node: NodeId,
    /// Positions among [`crate::Element::properties`]: of the property itself, or of the property
    /// that contains it, then of the member of that one, and so on. Empty: the element itself.
    pub steps: Vec<usize>,
}

/// A change of a plan's text.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Gives a property with a simple value another one. The tag changes only if the kind of the
    /// value does.
    Value(PropertyPlace, PropertyValue),
    /// Adds a property at the end of an element: of the tree, or in a property.
    Add(PropertyPlace, Property),
    /// Sets an attribute of an element of the tree.
    Attribute(NodeId, String, String),
    /// Adds an element of the tree below another one, as its last.
    Element(NodeId, Element),
}

/// Why a text cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: &'static str,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  hint: {}", self.message, self.hint)
    }
}

impl EditError {
    fn new(message: impl Into<String>, hint: &'static str) -> Self {
        Self { message: message.into(), hint }
    }
}

const SAVE_AGAIN: &str = "open the plan in JMeter and save it again";

/// Applies edits to the bytes of a plan that [`crate::read`] could read. The last edit of
/// a place counts. What no edit names keeps its bytes.
///
/// # Errors
/// The file is in an encoding or a format that cannot be edited in place, or a place is not in it.
pub fn edit(bytes: &[u8], edits: &[Edit]) -> Result<Vec<u8>, EditError> {
    let decoded = decode(bytes);
    if decoded.broken.is_some() || decoded.encode(&decoded.text, bytes) != bytes {
        let message = "the file contains bytes that are invalid in its encoding";
        return Err(EditError::new(message, "save it in UTF-8, the only encoding that JMeter reads"));
    }
    let document = parse(&decoded.text)
        .map_err(|error| EditError::new(format!("not well-formed XML: {}", error.message), SAVE_AGAIN))?;
    if document.attribute(document.root(), "version") == Some("1.0") {
        let message = "the file has the encoded texts of JMeter 2.1 and older";
        return Err(EditError::new(message, SAVE_AGAIN));
    }
    let places = Places::of(&document);
    let mut splices = Splices::default();
    for change in edits {
        splices.add(splice_of(change, &document, &places)?);
    }
    Ok(decoded.encode(&splices.apply(&decoded.text), bytes))
}

fn splice_of(change: &Edit, document: &Document<'_>, places: &Places) -> Result<Splice, EditError> {
    match change {
        Edit::Value(place, value) => splice::value(document, places.property(document, place)?, value),
        Edit::Add(place, property) => Ok(splice::added(document, places.owner(document, place)?, property)),
        Edit::Attribute(node, name, value) => {
            Ok(splice::attribute(document, places.element(*node)?, name, value))
        }
        Edit::Element(node, element) => Ok(splice::below(document, places.element(*node)?, element)),
    }
}

#[cfg(test)]
mod tests;
