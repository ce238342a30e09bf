//! Tags of properties.

use crate::element::PropertyValue;
use crate::names::{alias_of, class_of};

/// The meaning of a property tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagKind {
    Text,
    Int,
    Long,
    Float,
    Double,
    Bool,
    Element,
    Collection,
    Map,
}

impl TagKind {
    /// By alias or full class name; none for tags that are kept as XML.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        Self::of_alias(tag).or_else(|| Self::of_alias(alias_of(class_of(tag))))
    }

    fn of_alias(alias: &str) -> Option<Self> {
        Some(match alias {
            "stringProp" => Self::Text,
            "intProp" => Self::Int,
            "longProp" => Self::Long,
            // JMeter never gave this one an alias of the usual form.
            "FloatProperty" | "floatProp" => Self::Float,
            "doubleProp" => Self::Double,
            "boolProp" => Self::Bool,
            "elementProp" => Self::Element,
            "collectionProp" => Self::Collection,
            "mapProp" => Self::Map,
            _ => return None,
        })
    }

    /// Whether properties are in it: an element, a collection or a map.
    pub(crate) fn has_members(self) -> bool {
        matches!(self, Self::Element | Self::Collection | Self::Map)
    }

    /// A simple value of this kind; none for elements, collections and maps.
    pub(crate) fn simple(self, text: String) -> Option<PropertyValue> {
        Some(match self {
            Self::Text => PropertyValue::Text(text),
            Self::Int => PropertyValue::Int(text),
            Self::Long => PropertyValue::Long(text),
            Self::Float => PropertyValue::Float(text),
            Self::Double => PropertyValue::Double(text),
            Self::Bool => PropertyValue::Bool(text),
            Self::Element | Self::Collection | Self::Map => return None,
        })
    }

    /// The kind of a value; XML that is kept as it is counts as text.
    pub(crate) fn of_value(value: &PropertyValue) -> Self {
        match value {
            PropertyValue::Text(_) | PropertyValue::Xml(_) => Self::Text,
            PropertyValue::Int(_) => Self::Int,
            PropertyValue::Long(_) => Self::Long,
            PropertyValue::Float(_) => Self::Float,
            PropertyValue::Double(_) => Self::Double,
            PropertyValue::Bool(_) => Self::Bool,
            PropertyValue::Element(_) => Self::Element,
            PropertyValue::Collection(_) => Self::Collection,
            PropertyValue::Map(_) => Self::Map,
        }
    }

    /// Whether JMeter can read this text in a tag of this kind.
    pub(crate) fn accepts(self, text: &str) -> bool {
        match self {
            Self::Int => text.parse::<i32>().is_ok(),
            Self::Long => text.parse::<i64>().is_ok(),
            Self::Float | Self::Double => text.trim().parse::<f64>().is_ok(),
            Self::Bool => text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false"),
            Self::Text | Self::Element | Self::Collection | Self::Map => true,
        }
    }
}
