//! Documents of JSON and YAML as trees whose values know their place.

mod json;
mod yaml;

use std::fmt::Write as _;

use crate::formats::ReadError;
use crate::source::{Place, SourceText};

/// Larger documents are refused.
const MOST_BYTES: usize = 64 << 20;

/// Values of a document, those that aliases of YAML repeat included.
const MOST_NODES: usize = 2_000_000;

/// Depth of a document.
const MOST_DEPTH: usize = 100;

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// Line, from 1.
    pub(crate) line: u32,
    /// Column, from 1.
    pub(crate) column: u32,
    /// The value.
    pub(crate) value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// A number of JSON, as it is written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// Names are in order and may be there twice: the last one counts.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// Reads JSON, or else YAML. The first of several YAML documents is taken.
    ///
    /// # Errors
    /// What is wrong, with its place.
    pub(crate) fn read(text: &SourceText<'_>) -> Result<Self, ReadError> {
        if text.text.len() > MOST_BYTES {
            let message = format!("the document is larger than {} MiB", MOST_BYTES >> 20);
            return Err(ReadError::new(text.at(0, 0), message));
        }
        if text.text.trim_start().starts_with(['{', '[']) { json::read(text) } else { yaml::read(text) }
    }

    /// The place of the value.
    pub(crate) fn place(&self, text: &SourceText<'_>) -> Place {
        text.at(self.line, self.column)
    }

    /// The value of a name; none if it is not there or null.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let found = self.entries().iter().rev().find(|(known, _)| known == name);
        found.map(|(_, node)| node).filter(|node| node.value != Value::Null)
    }

    /// Names and values of a map; empty for another value.
    pub(crate) fn entries(&self) -> &[(String, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Values of a list; empty for another value.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Values of the list of a name.
    pub(crate) fn list(&self, name: &str) -> &[Self] {
        self.get(name).map_or(&[], Self::items)
    }

    /// A text.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a name; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Self::as_text).unwrap_or_default()
    }

    /// A text, number or boolean as text.
    pub(crate) fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Some(text.clone()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The text, number or boolean of a name.
    pub(crate) fn scalar_of(&self, name: &str) -> Option<String> {
        self.get(name).and_then(Self::scalar)
    }

    /// The number of a name.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        match &self.get(name)?.value {
            Value::Number(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }

    /// Whether the value of a name is `true`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|node| node.value == Value::Bool(true))
    }

    /// Whether it is a map.
    pub(crate) fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// The value as JSON in one line.
    pub(crate) fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    pub(crate) fn write_json(&self, out: &mut String) {
        match &self.value {
            Value::Null => out.push_str("null"),
            Value::Bool(value) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "{value}");
            }
            Value::Number(text) => out.push_str(text),
            Value::Text(text) => out.push_str(&quoted(text)),
            Value::List(items) => {
                out.push('[');
                for (number, item) in items.iter().enumerate() {
                    out.push_str(if number > 0 { "," } else { "" });
                    item.write_json(out);
                }
                out.push(']');
            }
            Value::Map(entries) => {
                out.push('{');
                for (number, (name, value)) in entries.iter().enumerate() {
                    out.push_str(if number > 0 { "," } else { "" });
                    out.push_str(&quoted(name));
                    out.push(':');
                    value.write_json(out);
                }
                out.push('}');
            }
        }
    }
}

/// A text as JSON, with its quotes.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn too_many(text: &SourceText<'_>) -> ReadError {
    ReadError::new(text.at(0, 0), format!("the document has more than {MOST_NODES} values"))
}

fn too_deep(place: Place) -> ReadError {
    ReadError::new(place, format!("the document is nested deeper than {MOST_DEPTH} levels"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn read(text: &str) -> Result<Node, ReadError> {
        Node::read(&Source { name: "d", bytes: text.as_bytes() }.text())
    }

    #[test]
    fn json_and_yaml_give_the_same_values() {
        for (text, wanted) in [
            (r#" {"a": [1, -2.50e3, "x\u00e9\ud83d\ude00\"", true, null], "b": {}} "#, None),
            ("a:\n  - 1\n  - -2.50e3\n  - \"x\\u00e9\u{1f600}\\\"\"\n  - true\n  - ~\nb: {}\n", None),
            ("--- {a: [1, -2.50e3, 'xé\u{1f600}\"', True, null], b: {}}\n--- 2", None),
            (
                "a: 0x1F\nb: 0o17\nc: .5\nd: +3\ne: 1_0\nf: '1'\ng: .inf\nh: 01",
                Some(r#"{"a":31,"b":15,"c":0.5,"d":3,"e":"1_0","f":"1","g":".inf","h":1}"#),
            ),
            (
                "x: &k {a: 1, b: 2}\ny: {<<: *k, b: 3}\nz: [*k]",
                Some(r#"{"x":{"a":1,"b":2},"y":{"a":1,"b":2,"b":3},"z":[{"a":1,"b":2}]}"#),
            ),
            ("a: |\n  one\n  two\nb: >\n  one\n  two\n", Some(r#"{"a":"one\ntwo\n","b":"one two\n"}"#)),
            ("1: a\ntrue: b", Some(r#"{"1":"a","true":"b"}"#)),
        ] {
            let wanted = wanted.unwrap_or("{\"a\":[1,-2.50e3,\"xé\u{1f600}\\\"\",true,null],\"b\":{}}");
            assert_eq!(read(text).map(|node| node.to_json()).as_deref(), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn values_know_their_place() {
        for text in ["{\"a\":\n [{\"b\": 1}, \"e\", 2]}", "a:\n - b: 1\n - \"e\"\n -   2"] {
            let node = read(text).expect("a document");
            let list = node.list("a");
            let places: Vec<_> = list.iter().map(|one| (one.line, one.column)).collect();
            let wanted =
                if text.starts_with('{') { [(2, 3), (2, 13), (2, 18)] } else { [(2, 4), (3, 4), (4, 6)] };
            assert_eq!(places, wanted, "{text}");
            assert_eq!(list[0].number("b"), Some(1.0));
        }
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        let deep_yaml = (0..200).fold(String::new(), |text, depth| text + &" ".repeat(depth) + "a:\n");
        let laughs = (1..12).fold("a0: &a0 [x]\n".to_owned(), |text, n| {
            let one = format!("*a{}", n - 1);
            text + &format!("a{n}: &a{n} [{}]\n", vec![one; 10].join(","))
        });
        for (text, place, wanted) in [
            ("{\"a\": 1,}", "d:1:9", "not JSON"),
            ("{\"a\": \"x", "d:1:8", "cut off"),
            (&deep, "d:1:102", "deeper"),
            ("a: [1", "d:", "not YAML"),
            ("a: *x", "d:1:", "not YAML"),
            (&deep_yaml, "d:10", "deeper"),
            (&laughs, "d", "more than"),
            ("? [a]\n: b", "d:1:3", "name"),
        ] {
            let error = read(text).expect_err("wrong");
            let start: String = text.chars().take(40).collect();
            let message = format!("{} {}", error.message, error.hint);
            assert!(
                error.place.to_string().starts_with(place) && message.contains(wanted),
                "{start}: {error:?}"
            );
        }
    }
}
