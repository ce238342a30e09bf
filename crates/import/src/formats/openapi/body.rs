//! Bodies of requests.

use super::Reader;
use super::operation::best_type;
use super::parameters::plain;
use crate::model::{Body, Exchange, Field, Part, PartValue, Text};
use crate::tree::{Node, Value};

impl<'a> Reader<'a, '_> {
    pub(super) fn body(&mut self, exchange: &mut Exchange, body: &'a Node) {
        let content = body.get("content").map_or(&[][..], Node::entries);
        let Some(mime) = best_type(content) else { return };
        let Some((_, media)) = content.iter().find(|(known, _)| known == mime) else { return };
        let kind = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_binary = !kind.contains("json")
            && !kind.starts_with("text/")
            && !kind.contains("xml")
            && kind.contains('/');
        match &*kind {
            "application/x-www-form-urlencoded" => {
                if let Some(value) = self.made(exchange, media) {
                    exchange.body = Body::Form(fields(&value));
                }
            }
            "multipart/form-data" => {
                if let Some(value) = self.made(exchange, media) {
                    let parts =
                        value.entries().iter().map(|(name, value)| self.part(media, name, value)).collect();
                    exchange.body = Body::Multipart(parts);
                    return;
                }
            }
            _ if kind.contains("xml") => {
                let Some(text) = self.media_value(media).and_then(|value| value.as_text().map(str::to_owned))
                else {
                    let reason = "its XML cannot be made from a schema: add an example to the document";
                    self.notes.left_out(&exchange.place, format!("body of {}", shown(exchange)), reason);
                    return;
                };
                exchange.body = Body::Text(Text::literal(text));
            }
            _ if is_binary => exchange.body = Body::Bytes(CONTENT.to_vec()),
            _ => {
                let Some(value) = self.made(exchange, media) else { return };
                let is_json = kind.contains("json");
                // An example of JSON may be written as a text of JSON.
                let text = match value.as_text() {
                    Some(text) if !is_json => text.to_owned(),
                    Some(text) if text.trim_start().starts_with(['{', '[']) && self.is_structure(media) => {
                        text.to_owned()
                    }
                    _ if is_json => value.to_json(),
                    _ => plain(&value),
                };
                exchange.body = Body::Text(Text::literal(text));
            }
        }
        if exchange.body != Body::None && exchange.header("Content-Type").is_none() {
            let mime = if kind == "*/*" { "application/json" } else { mime };
            exchange.add_header("Content-Type", mime);
        }
    }

    /// The value of a body; a note if there is none.
    fn made(&mut self, exchange: &Exchange, media: &'a Node) -> Option<Node> {
        let value = self.media_value(media);
        if value.is_none() {
            let reason =
                "no value can be made from its schema: it has a circle of required parts, or is too large";
            self.notes.left_out(&exchange.place, format!("body of {}", shown(exchange)), reason);
        }
        value
    }

    /// Whether a schema wants an object or a list.
    fn is_structure(&mut self, media: &'a Node) -> bool {
        let schema = media.get("schema").and_then(|schema| self.references.resolved(schema));
        schema.is_some_and(|schema| {
            let is_named = matches!(schema.text("type"), "object" | "array");
            is_named || ["properties", "allOf", "items"].iter().any(|name| schema.get(name).is_some())
        })
    }

    /// A part. A text with the format `binary` is a file.
    fn part(&mut self, media: &'a Node, name: &str, value: &Node) -> Part {
        let schema = media.get("schema").and_then(|schema| self.references.resolved(schema));
        let property = schema.and_then(|schema| schema.get("properties")?.get(name));
        let property = property.and_then(|property| self.references.resolved(property));
        let has_format = |schema: &Node| {
            schema.text("format") == "binary"
                || schema.get("contentMediaType").is_some() && schema.get("contentEncoding").is_none()
        };
        let item = property
            .and_then(|property| property.get("items"))
            .and_then(|item| self.references.resolved(item));
        let is_file = property.is_some_and(has_format) || item.is_some_and(has_format);
        let encoding = media.get("encoding").and_then(|all| all.get(name));
        let mime = encoding.map(|one| one.text("contentType")).unwrap_or_default();
        let mime = mime.split(',').next().unwrap_or_default().trim();
        if is_file {
            let mime = if mime.is_empty() || mime.contains('*') { "application/octet-stream" } else { mime };
            let value = PartValue::Bytes("file.bin".to_owned(), CONTENT.to_vec());
            return Part { name: name.to_owned(), value, mime: mime.to_owned() };
        }
        let is_json = matches!(value.value, Value::List(_) | Value::Map(_));
        let mime = if is_json && mime.is_empty() { "application/json" } else { mime };
        Part {
            name: name.to_owned(),
            value: PartValue::Text(Text::literal(plain(value))),
            mime: mime.to_owned(),
        }
    }
}

/// What a file of a contract has; replace it.
const CONTENT: &[u8] = b"content of a file\n";

fn shown(exchange: &Exchange) -> &str {
    exchange.name.as_deref().unwrap_or_default()
}

/// Lists have a field for each value.
fn fields(value: &Node) -> Vec<Field> {
    let mut all = Vec::new();
    for (name, value) in value.entries() {
        let mut add = |value: &Node| {
            let value = Text::literal(plain(value));
            all.push(Field { name: Text::literal(name), value, is_plain: true });
        };
        match &value.value {
            Value::List(items) => items.iter().for_each(&mut add),
            _ => add(value),
        }
    }
    all
}
