//! Bodies of all modes.

use super::{Reader, is_enabled};
use crate::formats::values::graphql_body;
use crate::inside::inside_path;
use crate::model::{Body, Exchange, Field, Part, PartValue, Text};
use crate::source::Place;
use crate::tree::{Node, Value};

impl Reader<'_, '_> {
    pub(super) fn body(&mut self, exchange: &mut Exchange, body: &Node) {
        if body.flag("disabled") {
            return;
        }
        let place = self.place(body);
        let mode = body.text("mode");
        let Some(content) = body.get(mode) else { return };
        match mode {
            "raw" => self.raw(exchange, body, content, &place),
            "urlencoded" => self.form(exchange, content, &place),
            "formdata" => {
                let parts = content.items().iter().filter(|part| is_enabled(part));
                let parts: Vec<Part> = parts.filter_map(|part| self.part(part)).collect();
                if !parts.is_empty() {
                    exchange.body = Body::Multipart(parts);
                }
            }
            "file" => self.whole_file(exchange, content, &place),
            "graphql" => self.graphql(exchange, content, &place),
            _ => self.notes.left_out(&place, "a body", format!("its mode `{mode}` is not supported")),
        }
    }

    fn raw(&mut self, exchange: &mut Exchange, body: &Node, content: &Node, place: &Place) {
        let text = content.as_text().map_or_else(|| content.to_json(), str::to_owned);
        if text.is_empty() {
            return;
        }
        let raw = body.get("options").and_then(|options| options.get("raw"));
        let mime = match raw.map(|raw| raw.text("language")).unwrap_or_default() {
            "json" => "application/json",
            "xml" => "application/xml",
            "html" => "text/html",
            "javascript" => "application/javascript",
            _ => "text/plain",
        };
        with_type(exchange, mime);
        exchange.body = Body::Text(self.braces(&text, place));
    }

    /// Fields, or the text of a form.
    fn form(&mut self, exchange: &mut Exchange, content: &Node, place: &Place) {
        const FORM: &str = "application/x-www-form-urlencoded";
        if let Some(text) = content.as_text() {
            with_type(exchange, FORM);
            exchange.body = Body::Text(self.braces(text, place));
            return;
        }
        let mut fields: Vec<Field> = Vec::new();
        for field in content.items().iter().filter(|field| is_enabled(field)) {
            let place = self.place(field);
            let name = self.value(field.get("key"), &place);
            let value = self.value(field.get("value"), &place);
            // Postman sends fields of the same name together.
            let last = fields.iter().rposition(|known| known.name == name);
            let field = Field { name, value, is_plain: true };
            fields.insert(last.map_or(fields.len(), |at| at + 1), field);
        }
        if !fields.is_empty() {
            with_type(exchange, FORM);
            exchange.body = Body::Form(fields);
        }
    }

    fn part(&mut self, part: &Node) -> Option<Part> {
        let place = self.place(part);
        let name = part.text("key").to_owned();
        let mime = part.text("contentType").to_owned();
        if part.text("type") != "file" {
            let value = match part.get("value") {
                Some(value) if matches!(value.value, Value::List(_) | Value::Map(_)) => {
                    Text::literal(value.to_json())
                }
                value => self.value(value, &place),
            };
            return Some(Part { name, value: PartValue::Text(value), mime });
        }
        let path = self.file(part.get("src"), &place, &format!("part `{name}`"))?;
        let mime = if mime.is_empty() { type_of(&path).to_owned() } else { mime };
        Some(Part { name, value: PartValue::File(path), mime })
    }

    /// The file of a body. Postman has the paths of the machine where the collection was made, so
    /// only a path in the folder of the plan is taken as it is.
    fn file(&mut self, source: Option<&Node>, place: &Place, what: &str) -> Option<String> {
        let source = source.map(|node| node.items().first().unwrap_or(node)).and_then(Node::as_text);
        let Some(path) = source.filter(|path| !path.is_empty()) else {
            self.notes.left_out(place, what, "the collection does not name its file");
            return None;
        };
        if let Ok(path) = inside_path(path) {
            return Some(path);
        }
        let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
        match inside_path(last) {
            Ok(name) => {
                let how = format!("`{path}` is taken from the folder of the plan: put `{name}` there");
                self.notes.changed(place, what, how);
                Some(name)
            }
            Err(reason) => {
                self.notes.left_out(place, what, reason);
                None
            }
        }
    }

    fn whole_file(&mut self, exchange: &mut Exchange, content: &Node, place: &Place) {
        if let Some(text) = content.get("content").and_then(Node::as_text) {
            with_type(exchange, "text/plain");
            exchange.body = Body::Text(self.braces(text, place));
            return;
        }
        let source = if content.as_text().is_some() { Some(content) } else { content.get("src") };
        if let Some(path) = self.file(source, place, "the body") {
            with_type(exchange, type_of(&path));
            exchange.body = Body::File { path, mime: String::new() };
        }
    }

    fn graphql(&mut self, exchange: &mut Exchange, content: &Node, place: &Place) {
        with_type(exchange, "application/json");
        let query = self.braces(content.text("query"), place);
        let variables = match content.get("variables") {
            Some(node) => node.as_text().map_or_else(|| node.to_json(), str::to_owned),
            None => String::new(),
        };
        let variables = self.braces(variables.trim(), place);
        exchange.body = Body::Text(graphql_body(&query, content.text("operationName"), &variables));
    }
}

fn with_type(exchange: &mut Exchange, mime: &str) {
    if exchange.header("Content-Type").is_none() {
        exchange.add_header("Content-Type", mime);
    }
}

/// The type of a file by its ending, for the usual ones.
fn type_of(path: &str) -> &'static str {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match &*ending {
        "json" => "application/json",
        "txt" => "text/plain",
        "csv" => "text/csv",
        "xml" => "application/xml",
        "html" | "htm" => "text/html",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "mp4" => "video/mp4",
        _ => "application/octet-stream",
    }
}
