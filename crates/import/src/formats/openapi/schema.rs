//! Values that fit a schema.

use std::collections::HashMap;

use super::made;
use super::pattern;
use super::refs::References;
use crate::tree::{Node, Value};

/// Depth of a value that is made; properties that are not required end earlier.
const MOST_DEPTH: usize = 12;

/// Properties that are not required are made down to this depth.
const MOST_OPTIONAL_DEPTH: usize = 4;

/// Values that are made for one value.
const MOST_VALUES: usize = 2_000;

/// Values that are made for one document.
pub(super) const MOST_VALUES_OF_ALL: usize = 500_000;

/// Schemas that are joined in one.
const MOST_PARTS: usize = 64;

/// Makes values of schemas.
pub(super) struct Maker<'r, 'a> {
    references: &'r mut References<'a>,
    /// Schemas with a name that are being made, to end circles.
    open: Vec<&'a Node>,
    left: usize,
    room: &'r mut usize,
}

/// A schema with all that is joined to it: what it refers to, `allOf`, the first of `oneOf` and
/// `anyOf`.
struct Parts<'a> {
    all: Vec<&'a Node>,
    /// The outermost reference by which the parts were found.
    name: Option<&'a str>,
    /// The reference of the alternative that was taken.
    choice: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// The value of a keyword in the first part that has it.
    fn get(&self, keyword: &str) -> Option<&'a Node> {
        self.all.iter().find_map(|part| part.get(keyword))
    }

    fn size(&self, keyword: &str) -> Option<usize> {
        self.number(keyword).filter(|number| *number >= 0.0 && *number <= 1e9).map(|number| number as usize)
    }

    fn number(&self, keyword: &str) -> Option<f64> {
        self.all.iter().find_map(|part| part.number(keyword))
    }

    /// Properties of all parts, each once.
    fn properties(&self) -> Vec<(&'a str, &'a Node)> {
        let mut found: Vec<(&str, &Node)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (name, schema) in
            self.all.iter().filter_map(|part| part.get("properties")).flat_map(Node::entries)
        {
            if !places.contains_key(&**name) {
                places.insert(name, found.len());
                found.push((name, schema));
            }
        }
        found
    }

    fn required(&self) -> Vec<&'a str> {
        let lists = self.all.iter().filter_map(|part| part.get("required"));
        lists.flat_map(Node::items).filter_map(Node::as_text).collect()
    }

    /// The type, or what the keywords say about it.
    fn kind(&self) -> &'a str {
        let named = self.all.iter().filter_map(|part| part.get("type")).find_map(|kind| {
            let list = kind.items().iter().filter_map(Node::as_text).find(|kind| *kind != "null");
            kind.as_text().or(list)
        });
        if let Some(kind) = named {
            return kind;
        }
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| self.get(keyword).is_some());
        if has(&["properties", "additionalProperties", "required"]) {
            "object"
        } else if has(&["items", "prefixItems", "minItems"]) {
            "array"
        } else if has(&["minimum", "maximum", "multipleOf", "exclusiveMinimum"]) {
            "number"
        } else {
            "string"
        }
    }
}

impl<'r, 'a> Maker<'r, 'a> {
    /// `room`: values that may be made for the document.
    pub(super) fn new(references: &'r mut References<'a>, room: &'r mut usize) -> Self {
        Self { references, open: Vec::new(), left: MOST_VALUES, room }
    }

    /// A value of a schema; none where a circle does not end or the schema allows none.
    pub(super) fn value(&mut self, schema: &'a Node, depth: usize) -> Option<Node> {
        if depth > MOST_DEPTH || self.left == 0 || *self.room == 0 {
            return None;
        }
        self.left -= 1;
        *self.room -= 1;
        let before = self.open.len();
        let mut parts = Parts { all: Vec::new(), name: None, choice: None };
        let made = if self.join(schema, &mut parts) { self.of_parts(&parts, depth) } else { None };
        self.open.truncate(before);
        made
    }

    /// Adds a schema and what is joined to it. False: it is being made already.
    fn join(&mut self, schema: &'a Node, parts: &mut Parts<'a>) -> bool {
        if parts.all.len() >= MOST_PARTS {
            return true;
        }
        let Some(resolved) = self.references.resolved(schema) else { return false };
        if let Some(name) = schema.get("$ref").and_then(Node::as_text) {
            if self.open.iter().any(|open| std::ptr::eq(*open, resolved)) {
                return false;
            }
            self.open.push(resolved);
            parts.name.get_or_insert(name);
            // What is written next to a reference counts in 3.1.
            parts.all.push(schema);
        }
        parts.all.push(resolved);
        // A value that the schema itself has needs nothing else.
        if given(resolved).is_some() {
            return true;
        }
        for part in resolved.list("allOf") {
            if !self.join(part, parts) {
                return false;
            }
        }
        for keyword in ["oneOf", "anyOf"] {
            let alternatives = resolved.list(keyword);
            if alternatives.is_empty() || alternatives.iter().all(|one| one.text("type") == "null") {
                continue;
            }
            let length = parts.all.len();
            let open = self.open.len();
            let is_joined = alternatives.iter().filter(|one| one.text("type") != "null").any(|one| {
                parts.all.truncate(length);
                self.open.truncate(open);
                parts.choice = one.get("$ref").and_then(Node::as_text);
                self.join(one, parts)
            });
            if !is_joined {
                return false;
            }
        }
        true
    }

    fn of_parts(&mut self, parts: &Parts<'a>, depth: usize) -> Option<Node> {
        if let Some(given) = parts.all.iter().find_map(|part| given(part)) {
            return Some(given.clone());
        }
        match parts.kind() {
            "object" => self.object(parts, depth),
            "array" => self.array(parts, depth),
            "integer" | "number" => Some(number(parts)),
            "boolean" => Some(made::node(Value::Bool(true))),
            "null" => Some(made::node(Value::Null)),
            _ => Some(made::text(string(parts))),
        }
    }

    fn object(&mut self, parts: &Parts<'a>, depth: usize) -> Option<Node> {
        let required = parts.required();
        let mut entries: Vec<(String, Node)> = Vec::new();
        for (name, schema) in parts.properties() {
            let is_required = required.contains(&name);
            if !is_required && depth >= MOST_OPTIONAL_DEPTH || self.is_read_only(schema) {
                continue;
            }
            match self.value(schema, depth + 1) {
                Some(value) => entries.push((name.to_owned(), value)),
                None if is_required => return None,
                None => {}
            }
        }
        for name in required.iter().filter(|name| !parts.properties().iter().any(|(known, _)| known == *name))
        {
            if !entries.iter().any(|(known, _)| known == name) {
                entries.push(((*name).to_owned(), made::text("text")));
            }
        }
        if entries.is_empty()
            && let Some(others) = parts.get("additionalProperties").filter(|others| others.is_map())
            && let Some(value) = self.value(others, depth + 1)
        {
            entries.push(("key".to_owned(), value));
        }
        Self::discriminate(parts, &mut entries);
        Some(made::node(Value::Map(entries)))
    }

    /// Only responses have it.
    fn is_read_only(&mut self, schema: &'a Node) -> bool {
        schema.flag("readOnly")
            || self.references.resolved(schema).is_some_and(|schema| schema.flag("readOnly"))
    }

    /// The property that says which of several schemas it is.
    fn discriminate(parts: &Parts<'a>, entries: &mut [(String, Node)]) {
        let Some(discriminator) = parts.get("discriminator") else { return };
        let property = discriminator.text("propertyName");
        let Some(name) = parts.choice.or(parts.name) else { return };
        let last = name.rsplit('/').next().unwrap_or_default();
        let mapping = discriminator.get("mapping").map_or(&[][..], Node::entries);
        let mapped = mapping.iter().find(|(_, target)| {
            let target = target.as_text().unwrap_or_default();
            target == name || target == last
        });
        let value = mapped.map_or(last, |(key, _)| key);
        for (_, node) in entries.iter_mut().filter(|(name, _)| name == property) {
            *node = made::text(value);
        }
    }

    fn array(&mut self, parts: &Parts<'a>, depth: usize) -> Option<Node> {
        let least = parts.size("minItems").unwrap_or(0);
        let most = parts.size("maxItems").unwrap_or(usize::MAX);
        let wanted = least.max(1).min(most).min(20);
        let mut items = Vec::new();
        for schema in parts.get("prefixItems").map_or(&[][..], Node::items) {
            items.push(self.value(schema, depth + 1)?);
        }
        while items.len() < wanted
            && let Some(schema) = parts.get("items").filter(|schema| schema.is_map())
        {
            match self.value(schema, depth + 1) {
                Some(item) => items.push(item),
                None if items.len() >= least => break,
                None => return None,
            }
        }
        Some(made::node(Value::List(items)))
    }
}

/// A value that a schema has in it. An example or default that its own `enum` does not have is
/// none.
pub(super) fn given(schema: &Node) -> Option<&Node> {
    let first = |name: &str| schema.list(name).iter().find(|one| one.value != Value::Null);
    let values = schema.list("enum");
    let is_allowed = |node: &&Node| values.is_empty() || values.iter().any(|one| one.value == node.value);
    let found = schema.get("const").or_else(|| schema.get("example").filter(is_allowed));
    let found = found.or_else(|| first("examples").filter(is_allowed));
    found.or_else(|| schema.get("default").filter(is_allowed)).or_else(|| first("enum"))
}

fn number(parts: &Parts<'_>) -> Node {
    let is_flag = |keyword: &str| parts.get(keyword).is_some_and(|node| node.value == Value::Bool(true));
    let step = parts.number("multipleOf").filter(|step| *step > 0.0).unwrap_or(1.0);
    // 3.0 has a flag for the limit, 3.1 another limit.
    let after = |limit: f64| (limit / step).floor() * step + step;
    let before = |limit: f64| (limit / step).ceil() * step - step;
    let least = match (parts.number("minimum"), parts.number("exclusiveMinimum")) {
        (_, Some(limit)) => Some(after(limit)),
        (Some(limit), None) if is_flag("exclusiveMinimum") => Some(after(limit)),
        (Some(limit), None) => Some((limit / step).ceil() * step),
        (None, None) => None,
    };
    let most = match (parts.number("maximum"), parts.number("exclusiveMaximum")) {
        (_, Some(limit)) => Some(before(limit)),
        (Some(limit), None) if is_flag("exclusiveMaximum") => Some(before(limit)),
        (Some(limit), None) => Some((limit / step).floor() * step),
        (None, None) => None,
    };
    let wanted = match (least, most) {
        (Some(least), Some(most)) if least > most && parts.kind() == "number" => {
            // Between two numbers that are nearer than a step.
            let start = parts.number("minimum").or_else(|| parts.number("exclusiveMinimum")).unwrap_or(0.0);
            let end = parts.number("maximum").or_else(|| parts.number("exclusiveMaximum")).unwrap_or(start);
            start.midpoint(end)
        }
        (Some(least), _) => least.max(step.min(most.unwrap_or(step))),
        (None, Some(most)) => step.min(most),
        (None, None) => step,
    };
    made::number(wanted)
}

fn string(parts: &Parts<'_>) -> String {
    let least = parts.size("minLength").unwrap_or(0).min(10_000);
    let most = parts.size("maxLength").unwrap_or(usize::MAX);
    let format = parts.get("format").and_then(Node::as_text).unwrap_or_default();
    if let Some(pattern) = parts.get("pattern").and_then(Node::as_text)
        && let Some(text) = pattern::matching(pattern, least, most)
    {
        return text;
    }
    let known = match format {
        "date" => "2025-01-15",
        "date-time" => "2025-01-15T10:00:00Z",
        "time" => "10:00:00Z",
        "duration" => "P1D",
        "email" | "idn-email" => "user@example.com",
        "uuid" => "3fa85f64-5717-4562-b3fc-2c963f66afa6",
        "uri" | "url" | "iri" | "uri-reference" => "https://example.com/",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "byte" => "dGV4dA==",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let word = "text".chars().cycle();
    let length = 4.max(least).min(most);
    word.take(length).collect()
}
