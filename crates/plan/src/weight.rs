//! Estimates the memory of an element.

use crate::element::{Element, Property, PropertyValue};

/// Bytes of an element with all its properties, about.
pub(crate) fn weight(element: &Element) -> usize {
    let names = [&element.class, &element.gui_class, &element.tag, &element.path];
    let attributes = element
        .attributes
        .iter()
        .map(|(name, value)| size_of::<(String, String)>() + name.len() + value.len());
    size_of::<Element>()
        + names.iter().map(|name| name.len()).sum::<usize>()
        + attributes.sum::<usize>()
        + of_all(&element.properties)
}

fn of_all(properties: &[Property]) -> usize {
    properties.iter().map(of_property).sum()
}

/// Its depth is bounded by that of the XML that it came from.
fn of_property(property: &Property) -> usize {
    let written = property.written.as_ref().map_or(0, |written| written.len());
    let value = match &property.value {
        PropertyValue::Text(text)
        | PropertyValue::Int(text)
        | PropertyValue::Long(text)
        | PropertyValue::Float(text)
        | PropertyValue::Double(text)
        | PropertyValue::Bool(text)
        | PropertyValue::Xml(text) => text.len(),
        PropertyValue::Element(element) => weight(element),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => of_all(members),
    };
    size_of::<Property>() + property.name.len() + written + value
}
