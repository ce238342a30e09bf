//! JSON with places: serde_json says whether a text is JSON, so the walk that finds the places
//! meets no error but a limit.

use serde::de::IgnoredAny;

use super::{MOST_DEPTH, MOST_NODES, Node, Value, too_deep, too_many};
use crate::formats::ReadError;
use crate::source::SourceText;

pub(super) fn read(text: &SourceText<'_>) -> Result<Node, ReadError> {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(&text.text) {
        return Err(not_json(text, &error));
    }
    let mut reader = Reader { text, at: 0, line: 1, line_start: 0, nodes: 0 };
    reader.node(0)
}

fn not_json(text: &SourceText<'_>, error: &serde_json::Error) -> ReadError {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let place = text.at(number(error.line()), number(error.column().max(1)));
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let failure = ReadError::new(place, format!("not JSON: {message}"));
    if error.is_eof() { failure.hint("the file was cut off: save or copy it again") } else { failure }
}

struct Reader<'a> {
    text: &'a SourceText<'a>,
    at: usize,
    line: u32,
    /// Where the line begins.
    line_start: usize,
    nodes: usize,
}

impl Reader<'_> {
    fn bytes(&self) -> &[u8] {
        self.text.text.as_bytes()
    }

    /// Skips white space; the next byte, or 0 at the end.
    fn next(&mut self) -> u8 {
        while let Some(byte) = self.bytes().get(self.at).copied() {
            match byte {
                b'\n' => {
                    self.line = self.line.saturating_add(1);
                    self.line_start = self.at + 1;
                }
                b' ' | b'\t' | b'\r' => {}
                other => return other,
            }
            self.at += 1;
        }
        0
    }

    fn node(&mut self, depth: usize) -> Result<Node, ReadError> {
        let first = self.next();
        // Bytes, since a document in one line would be counted again and again.
        let column = u32::try_from(self.at - self.line_start + 1).unwrap_or(u32::MAX);
        let line = self.line;
        self.nodes += 1;
        if depth > MOST_DEPTH {
            return Err(too_deep(self.text.at(line, column)));
        }
        if self.nodes > MOST_NODES {
            return Err(too_many(self.text));
        }
        let value = match first {
            b'{' => self.map(depth)?,
            b'[' => self.list(depth)?,
            b'"' => Value::Text(self.string()),
            _ => self.word(),
        };
        Ok(Node { line, column, value })
    }

    fn map(&mut self, depth: usize) -> Result<Value, ReadError> {
        let mut entries = Vec::new();
        self.at += 1;
        while self.next() != b'}' {
            if self.next() == b',' {
                self.at += 1;
                continue;
            }
            let name = self.string();
            // The colon.
            self.next();
            self.at += 1;
            entries.push((name, self.node(depth + 1)?));
        }
        self.at += 1;
        Ok(Value::Map(entries))
    }

    fn list(&mut self, depth: usize) -> Result<Value, ReadError> {
        let mut items = Vec::new();
        self.at += 1;
        while self.next() != b']' {
            if self.next() == b',' {
                self.at += 1;
                continue;
            }
            items.push(self.node(depth + 1)?);
        }
        self.at += 1;
        Ok(Value::List(items))
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.bytes().get(self.at).copied().filter(|byte| *byte != b'"') {
            self.at += if byte == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        let end = self.at.min(self.bytes().len());
        // Half a surrogate pair is no text; serde_json has refused it before.
        serde_json::from_str(&self.text.text[start..end]).unwrap_or_default()
    }

    fn word(&mut self) -> Value {
        let start = self.at;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        while self.bytes().get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        // A byte that cannot be here would be met for ever.
        if self.at == start {
            self.at = self.bytes().len();
        }
        match &self.text.text[start..self.at] {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            number => Value::Number(number.to_owned()),
        }
    }
}
