//! JSON that does not fit a message.

use std::error::Error;
use std::fmt;

use serde_json::Value;

/// Longest part of a value that is shown, in characters.
const SHOWN_MAX: usize = 40;

/// Why a text is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonError {
    /// It is not valid JSON: what is wrong and where.
    Syntax(String),
    /// There are several messages for this method, which takes one.
    Several(String),
    /// A value does not fit its field.
    Value {
        /// The field, such as `items[2].name`; empty for the message itself.
        field: String,
        /// What was expected.
        wanted: String,
        /// What is there.
        got: String,
    },
}

impl JsonError {
    pub(super) fn value(wanted: impl Into<String>, got: &Value) -> Self {
        Self::Value { field: String::new(), wanted: wanted.into(), got: shown(got) }
    }

    /// The same of a field, whose name comes before.
    pub(super) fn in_field(self, name: &str) -> Self {
        match self {
            Self::Value { field, wanted, got } => {
                let dot = if field.is_empty() || field.starts_with('[') { "" } else { "." };
                Self::Value { field: format!("{name}{dot}{field}"), wanted, got }
            }
            other => other,
        }
    }

    pub(super) fn in_item(self, number: usize) -> Self {
        self.in_field(&format!("[{number}]"))
    }

    /// The same of one message of several, counted from 0.
    pub(crate) fn in_message(self, number: usize) -> Self {
        self.in_item(number)
    }
}

/// A value in an error, such as `text "abc"`.
fn shown(value: &Value) -> String {
    let (kind, text) = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(value) => return value.to_string(),
        Value::Number(_) => ("number", value.to_string()),
        Value::String(_) => ("text", value.to_string()),
        Value::Array(list) => return format!("an array of {} values", list.len()),
        Value::Object(fields) => return format!("an object with {} fields", fields.len()),
    };
    let short: String = text.chars().take(SHOWN_MAX).collect();
    let rest = if short.len() < text.len() { "…" } else { "" };
    format!("{kind} {short}{rest}")
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(why) => write!(f, "invalid JSON: {why}"),
            Self::Several(path) => write!(f, "several messages for `{path}`, which takes one"),
            Self::Value { field, wanted, got } if field.is_empty() => {
                write!(f, "expected {wanted}, got {got}")
            }
            Self::Value { field, wanted, got } => write!(f, "field `{field}`: expected {wanted}, got {got}"),
        }
    }
}

impl Error for JsonError {}
