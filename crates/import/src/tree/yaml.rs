//! YAML with places. Nothing in a document is run: tags are not looked at, and aliases are copies
//! that count.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use super::{MOST_DEPTH, MOST_NODES, Node, Value, too_deep, too_many};
use crate::formats::ReadError;
use crate::source::SourceText;

pub(super) fn read(text: &SourceText<'_>) -> Result<Node, ReadError> {
    let mut builder = Builder { text, stack: Vec::new(), anchors: HashMap::new(), nodes: 0, root: None };
    for event in Parser::new_from_str(&text.text) {
        let (event, span) = event.map_err(|error| {
            let place = place(text, error.marker());
            ReadError::new(place, format!("not YAML: {}", error.info()))
        })?;
        builder.event(event, &span.start)?;
        if let Some(root) = builder.root.take() {
            return Ok(root);
        }
    }
    Err(ReadError::new(text.at(0, 0), "not YAML: the document is empty"))
}

fn position(marker: &Marker) -> (u32, u32) {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (number(marker.line()), number(marker.col().saturating_add(1)))
}

fn place(text: &SourceText<'_>, marker: &Marker) -> crate::source::Place {
    let (line, column) = position(marker);
    text.at(line, column)
}

struct Builder<'a> {
    text: &'a SourceText<'a>,
    /// Lists and maps that are not complete.
    stack: Vec<Open>,
    /// Values that aliases repeat, with the number of values in them.
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    root: Option<Node>,
}

struct Open {
    node: Node,
    anchor: usize,
    /// Name of the value that is next in a map.
    name: Option<(String, bool)>,
    /// Values before this one.
    before: usize,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, at: &Marker) -> Result<(), ReadError> {
        let (line, column) = position(at);
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let is_plain = style == ScalarStyle::Plain;
                let value = if is_plain { plain(&text) } else { Value::Text(text.into_owned()) };
                self.count(1)?;
                self.add(Node { line, column, value }, anchor, 1, is_plain)?;
            }
            Event::SequenceStart(anchor, _) => self.open(line, column, anchor, Value::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => self.open(line, column, anchor, Value::Map(Vec::new()))?,
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Open { node, anchor, before, .. }) = self.stack.pop() {
                    let nodes = self.nodes - before;
                    self.add(node, anchor, nodes, false)?;
                }
            }
            Event::Alias(anchor) => {
                // The parser gives an alias to a value that is not complete, too: that is a circle.
                let Some((node, nodes)) = self.anchors.get(&anchor).cloned() else {
                    return Err(ReadError::new(place(self.text, at), "not YAML: an alias of itself"));
                };
                self.count(nodes)?;
                self.add(Node { line, column, ..node }, 0, nodes, false)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize) -> Result<(), ReadError> {
        self.nodes += nodes;
        if self.nodes > MOST_NODES { Err(too_many(self.text)) } else { Ok(()) }
    }

    fn open(&mut self, line: u32, column: u32, anchor: usize, value: Value) -> Result<(), ReadError> {
        if self.stack.len() > MOST_DEPTH {
            return Err(too_deep(self.text.at(line, column)));
        }
        let before = self.nodes;
        self.count(1)?;
        self.stack.push(Open { node: Node { line, column, value }, anchor, name: None, before });
        Ok(())
    }

    /// Adds a complete value where it belongs.
    fn add(&mut self, node: Node, anchor: usize, nodes: usize, is_plain: bool) -> Result<(), ReadError> {
        if anchor > 0 {
            // A copy counts like what it is a copy of, so that anchors in anchors have a limit.
            self.count(nodes)?;
            self.anchors.insert(anchor, (node.clone(), nodes));
        }
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.value {
            Value::List(items) => items.push(node),
            Value::Map(entries) => match open.name.take() {
                Some((name, true)) if name == "<<" => merge(entries, node),
                Some((name, _)) => entries.push((name, node)),
                None => {
                    let Some(name) = node.scalar().or_else(|| (node.value == Value::Null).then(String::new))
                    else {
                        let place = self.text.at(node.line, node.column);
                        return Err(ReadError::new(place, "the name of a value is a list or a map"));
                    };
                    open.name = Some((name, is_plain));
                }
            },
            _ => {}
        }
        Ok(())
    }
}

/// `<<: *map`: values that the map has itself take precedence, so these are before them.
fn merge(entries: &mut Vec<(String, Node)>, node: Node) {
    match node.value {
        Value::Map(others) => {
            entries.splice(0..0, others);
        }
        Value::List(maps) => maps.into_iter().for_each(|map| merge(entries, map)),
        _ => {}
    }
}

/// A text without quotes, by the core schema of YAML 1.2.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let based = |prefix: &str, base| {
        text.strip_prefix(prefix).and_then(|digits| u64::from_str_radix(digits, base).ok())
    };
    if let Some(number) = based("0x", 16).or_else(|| based("0o", 8)) {
        return Value::Number(number.to_string());
    }
    let is_number = text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    match (is_number, serde_json::from_str::<serde_json::Number>(text)) {
        (false, _) => Value::Text(text.to_owned()),
        (true, Ok(_)) => Value::Number(text.to_owned()),
        // `.5`, `+3`, `1.` and `01` are numbers of YAML, and none of JSON.
        (true, Err(_)) => match text.trim_start_matches('+').parse::<f64>() {
            Ok(number) if number.is_finite() => Value::Number(format!("{number}")),
            _ => Value::Text(text.to_owned()),
        },
    }
}
