//! Whether a text is a value of a property.

use swell_api::{Property, Values};
use swell_plan::PropertyValue;

/// A value that a property may have.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) value: PropertyValue,
    pub(super) warning: Option<String>,
}

/// A text as the value of a property. A text with `${` may stand for any value: JMeter reads it
/// from a text property only.
///
/// # Errors
/// What is expected.
pub(super) fn checked(
    text: &str,
    before: &PropertyValue,
    documented: Option<&Property>,
) -> Result<Checked, String> {
    let plain = |value| Ok(Checked { value, warning: None });
    if text.contains("${") {
        return plain(PropertyValue::Text(text.to_owned()));
    }
    let value = before.with_text(text);
    let expected = match before {
        PropertyValue::Bool(_) => "`true` or `false`",
        PropertyValue::Int(_) | PropertyValue::Long(_) => "a whole number, or a text with ${…}",
        PropertyValue::Float(_) | PropertyValue::Double(_) => "a number, or a text with ${…}",
        _ => return by_documentation(text, before, documented),
    };
    match value {
        Some(value) => plain(value),
        None => Err(expected.to_owned()),
    }
}

fn by_documentation(
    text: &str,
    before: &PropertyValue,
    documented: Option<&Property>,
) -> Result<Checked, String> {
    let is_new = before.as_text() == Some("");
    let as_text = PropertyValue::Text(text.to_owned());
    let mut warning = None;
    match documented.map(|property| &property.values) {
        Some(Values::Kind(kind)) if kind == "flag" => {
            flag(text)?;
            if is_new {
                return Ok(Checked { value: PropertyValue::Bool(text.to_owned()), warning });
            }
        }
        Some(Values::Kind(kind))
            if is_number(kind) && !text.is_empty() && text.trim().parse::<f64>().is_err() =>
        {
            return Err(format!("a {kind}, or a text with ${{…}}"));
        }
        Some(Values::Choice(choices)) if !choices.iter().any(|choice| choice == text) => {
            warning = Some(format!("`{text}` is not one of {}", choices.join(", ")));
        }
        _ => {}
    }
    Ok(Checked { value: as_text, warning })
}

fn is_number(kind: &str) -> bool {
    kind.starts_with("whole number") || kind.starts_with("number")
}

/// Whether a text is a flag.
///
/// # Errors
/// What is expected.
pub(super) fn flag(text: &str) -> Result<(), String> {
    let is_flag = text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false");
    if is_flag || text.contains("${") { Ok(()) } else { Err("`true` or `false`".to_owned()) }
}
