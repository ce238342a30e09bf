//! Parameters of paths, queries, headers and cookies, with their styles.

use super::Reader;
use super::made;
use super::operation::encoded;
use super::schema::Maker;
use crate::tree::{Node, Value};

/// A parameter with its value.
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    /// `path`, `query`, `header` or `cookie`.
    pub(super) place: &'a str,
    style: &'a str,
    explodes: bool,
    /// Reserved characters are sent as they are.
    keeps_reserved: bool,
    value: Node,
}

impl<'a> Reader<'a, '_> {
    /// Parameters that a request needs: those of its path, and those that are required.
    pub(super) fn parameters(&mut self, item: &'a Node, operation: &'a Node) -> Vec<Parameter<'a>> {
        let mut all: Vec<&'a Node> = Vec::new();
        for parameter in item.list("parameters").iter().chain(operation.list("parameters")) {
            let Some(parameter) = self.resolved(parameter) else { continue };
            let is_same = |known: &&mut &Node| {
                known.text("name") == parameter.text("name") && known.text("in") == parameter.text("in")
            };
            match all.iter_mut().find(is_same) {
                Some(known) => *known = parameter,
                None => all.push(parameter),
            }
        }
        let is_needed = |parameter: &&Node| parameter.flag("required") || parameter.text("in") == "path";
        let needed: Vec<&'a Node> = all.into_iter().filter(is_needed).collect();
        needed.into_iter().map(|parameter| self.parameter(parameter)).collect()
    }

    fn parameter(&mut self, parameter: &'a Node) -> Parameter<'a> {
        let place = parameter.text("in");
        let default_style = if matches!(place, "query" | "cookie") { "form" } else { "simple" };
        let style = Some(parameter.text("style")).filter(|style| !style.is_empty()).unwrap_or(default_style);
        let explodes =
            parameter.get("explode").map_or(style == "form", |node| node.value == Value::Bool(true));
        let content = parameter.get("content").and_then(|content| content.entries().first());
        let value = match content {
            Some((_, media)) => {
                made::text(self.media_value(media).map_or_else(String::new, |value| value.to_json()))
            }
            None => self.media_value(parameter).unwrap_or_else(|| made::text("text")),
        };
        let keeps_reserved = parameter.flag("allowReserved");
        Parameter { name: parameter.text("name"), place, style, explodes, keeps_reserved, value }
    }

    /// The value of a parameter or a body: its example, the first of its examples, or one made of
    /// its schema.
    pub(super) fn media_value(&mut self, media: &'a Node) -> Option<Node> {
        if let Some(example) = media.get("example") {
            return Some(example.clone());
        }
        if let Some((_, example)) = media.get("examples").and_then(|all| all.entries().first())
            && let Some(value) = self.resolved(example).and_then(|example| example.get("value"))
        {
            return Some(value.clone());
        }
        let schema = media.get("schema")?;
        Maker::new(&mut self.references, &mut self.room).value(schema, 0)
    }
}

/// A value as text; JSON for a list or a map in it.
pub(super) fn plain(node: &Node) -> String {
    node.scalar().unwrap_or_else(|| if node.value == Value::Null { String::new() } else { node.to_json() })
}

impl Parameter<'_> {
    fn pairs(&self) -> Vec<(String, String)> {
        self.value.entries().iter().map(|(name, value)| (name.clone(), plain(value))).collect()
    }

    fn encode(&self, text: &str) -> String {
        if self.keeps_reserved { text.replace(' ', "%20") } else { encoded(text) }
    }

    /// Values with a separator between them, encoded or not.
    fn joined(&self, separator: &str, encode: &dyn Fn(&str) -> String) -> String {
        let between = if self.explodes { "=" } else { separator };
        match &self.value.value {
            Value::List(items) => {
                items.iter().map(|item| encode(&plain(item))).collect::<Vec<_>>().join(separator)
            }
            Value::Map(_) => {
                let pair =
                    |(name, value): (String, String)| format!("{}{between}{}", encode(&name), encode(&value));
                self.pairs().into_iter().map(pair).collect::<Vec<_>>().join(separator)
            }
            _ => encode(&plain(&self.value)),
        }
    }

    /// As a header or cookie has it.
    pub(super) fn simple(&self) -> String {
        self.joined(",", &str::to_owned)
    }

    /// As a path has it.
    pub(super) fn path(&self) -> String {
        let encode = |text: &str| self.encode(text);
        match self.style {
            "label" => format!(".{}", self.joined(if self.explodes { "." } else { "," }, &encode)),
            "matrix" => match &self.value.value {
                Value::List(items) if self.explodes => {
                    let pairs =
                        items.iter().map(|item| [";", self.name, "=", &encode(&plain(item))].concat());
                    pairs.collect()
                }
                Value::Map(_) if self.explodes => format!(";{}", self.joined(";", &encode)),
                _ => format!(";{}={}", self.name, self.joined(",", &encode)),
            },
            _ => self.joined(",", &encode),
        }
    }

    /// As a query has it.
    pub(super) fn query(&self) -> String {
        let name = encoded(self.name);
        let encode = |text: &str| self.encode(text);
        match (&self.value.value, self.style) {
            (Value::Map(_), "deepObject") => {
                let pair =
                    |(key, value): (String, String)| format!("{name}[{}]={}", encode(&key), encode(&value));
                self.pairs().into_iter().map(pair).collect::<Vec<_>>().join("&")
            }
            (Value::Map(_), _) if self.explodes => self.joined("&", &encode),
            (Value::List(items), _) if self.explodes => items
                .iter()
                .map(|item| format!("{name}={}", encode(&plain(item))))
                .collect::<Vec<_>>()
                .join("&"),
            (_, "spaceDelimited") => format!("{name}={}", self.joined("%20", &encode)),
            (_, "pipeDelimited") => format!("{name}={}", self.joined("%7C", &encode)),
            _ => format!("{name}={}", self.joined(",", &encode)),
        }
    }
}
