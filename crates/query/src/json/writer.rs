//! Formats values, as `toString` and `toJSONString` of Java and json-smart do.

use std::borrow::Cow;
use std::fmt::Write;

use super::Json;
use super::decimal::double_text;
use super::map_order::hash_order;

impl Json<'_> {
    /// The text of a found value as JMeter's `JSONManager` and `JSONPathAssertion` make it: objects
    /// and arrays as JSON (keys of the outermost object in the order of a `HashMap`), other values
    /// by `toString`. None for null.
    pub fn found_text(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Null => return None,
            Self::Text(text) => Cow::Borrowed(text),
            Self::Object(members) => {
                let mut out = String::from("{");
                for (i, position) in hash_order(members.iter().map(|(key, _)| &**key)).into_iter().enumerate()
                {
                    let (key, value) = &members[position];
                    write_member(&mut out, i, key, value);
                }
                out.push('}');
                Cow::Owned(out)
            }
            other => Cow::Owned(other.java_text()),
        })
    }

    /// `Object.toString`: arrays are JSON, objects are `{key=value, …}`.
    pub fn java_text(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Text(text) => text.clone().into_owned(),
            Self::Double(number) => double_text(*number),
            Self::Object(members) => {
                let shown: Vec<_> =
                    members.iter().map(|(key, value)| format!("{key}={}", value.java_text())).collect();
                format!("{{{}}}", shown.join(", "))
            }
            Self::Keys(keys) => format!("[{}]", keys.join(", ")),
            other => {
                let mut out = String::new();
                other.write_json(&mut out);
                out
            }
        }
    }

    /// JSON as json-smart writes it without compression.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(number) => write!(out, "{number}").expect("writing to a String cannot fail"),
            Self::BigInt(text) | Self::BigDecimal(text) => out.push_str(text),
            Self::Double(number) if number.is_infinite() => out.push_str("null"),
            Self::Double(number) => out.push_str(&double_text(*number)),
            Self::NotANumber => out.push_str("NaN"),
            Self::Text(text) => write_text(out, text),
            Self::Array(members) => {
                out.push('[');
                for (i, member) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    member.write_json(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    write_member(out, i, key, value);
                }
                out.push('}');
            }
            Self::Keys(keys) => {
                Json::Array(keys.iter().map(|key| Json::Text(Cow::Borrowed(key))).collect()).write_json(out);
            }
        }
    }
}

fn write_member(out: &mut String, position: usize, key: &str, value: &Json<'_>) {
    if position > 0 {
        out.push(',');
    }
    write_text(out, key);
    out.push(':');
    value.write_json(out);
}

/// A string in quotes, escaped for use in web pages: slashes too.
fn write_text(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '/' => out.push_str("\\/"),
            '\x08' => out.push_str("\\b"),
            '\x0C' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{2000}'..='\u{20FF}' => {
                write!(out, "\\u{:04X}", c as u32).expect("writing to a String cannot fail");
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
