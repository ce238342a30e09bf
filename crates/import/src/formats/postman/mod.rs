//! Postman: collections 2.0 and 2.1, environments and globals.
//!
//! Folders become transactions. What is inherited (authorization, scripts) is put at each request.
//! There is no engine for JavaScript: the statements of scripts that people write everywhere become
//! assertions and extractors, all others are listed and stay in the plan as comments, switched off.

mod auth;
mod body;
mod dynamic;
mod events;
mod script;
mod url;

use std::collections::BTreeSet;

use super::values::UsedVariables;
use super::{Format, ReadError};
use crate::model::{Document, Exchange, Flow, Folder, FolderKind, Item, Scope, Text, Variable};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source, SourceText};
use crate::tree::{Node, Value};

pub(super) use self::events::{WithScripts, carry_over};

use self::events::Event;

pub(super) const FORMAT: Format =
    Format { name: "postman", title: "Postman collection, environment or globals", fits, read };

/// More requests in a file are a matter for a data file.
const MOST_REQUESTS: usize = 10_000;

fn fits(start: &str) -> bool {
    const MARKS: [&str; 4] =
        ["schema.getpostman.com/", "\"_postman_id\"", "\"_postman_variable_scope\"", "\"_postman_exported_"];
    let start = start.trim_start();
    let has_all = |names: &[&str]| names.iter().all(|name| start.contains(name));
    start.starts_with('{')
        && (MARKS.iter().any(|mark| start.contains(mark))
            || has_all(&["\"info\"", "\"item\""])
            || has_all(&["\"item\"", "\"request\"", "\"url\""])
            // The format before 2.0, which is refused with a hint.
            || has_all(&["\"requests\"", "\"order\"", "\"name\""]))
}

fn read(source: &Source<'_>, _options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let root = Node::read(&text)?;
    // Postman's API wraps what the program exports.
    let wrapped = ["collection", "environment", "globals"].iter().find_map(|name| root.get(name));
    let root = wrapped.filter(|node| node.is_map()).unwrap_or(&root);
    if root.get("item").is_some() || root.get("info").is_some() {
        return collection(root, &text, notes);
    }
    if root.get("requests").is_some() {
        let message = "a collection of Postman's format 1, which cannot be imported";
        return Err(ReadError::new(root.place(&text), message)
            .hint("open it in Postman and export it as Collection v2.1"));
    }
    if root.get("values").is_some() {
        return Ok(environment(root, &text));
    }
    let message = "neither a collection (`item`) nor an environment (`values`) of Postman";
    Err(ReadError::new(root.place(&text), message))
}

/// A file with values only.
fn environment(root: &Node, text: &SourceText<'_>) -> Document {
    let scope =
        if root.text("_postman_variable_scope") == "globals" { Scope::Global } else { Scope::Environment };
    let mut used = UsedVariables::default();
    let mut aside = Notes::default();
    let mut reader = Reader::new(text, &mut aside, &mut used);
    let variables = reader.variables(root.list("values"));
    Document { variables, scope, ..Document::default() }
}

fn collection(root: &Node, text: &SourceText<'_>, notes: &mut Notes) -> Result<Document, ReadError> {
    let mut used = UsedVariables::default();
    let mut reader = Reader::new(text, notes, &mut used);
    let variables = reader.variables(root.list("variable"));
    let items = reader.items(root)?;
    let name = root.get("info").map(|info| info.text("name")).unwrap_or_default();
    let flow = Flow { name: name.to_owned(), items, has_cookie_jar: true, ..Flow::default() };
    let mut used = used.all;
    for variable in &variables {
        let place = root.place(text);
        used.extend(variable.value.variables().map(|name| (name.to_owned(), place.clone())));
    }
    Ok(Document { name: name.to_owned(), flows: vec![flow], variables, used, ..Document::default() })
}

/// What a folder, or the collection, gives to all requests in it.
struct Inherited<'a> {
    auth: Option<&'a Node>,
    events: Vec<Event<'a>>,
    behaviour: Option<&'a Node>,
}

impl<'a> Inherited<'a> {
    fn of(node: &'a Node) -> Self {
        Self {
            auth: node.get("auth"),
            events: events::of(node),
            behaviour: node.get("protocolProfileBehavior"),
        }
    }
}

struct Reader<'a, 'n> {
    text: &'n SourceText<'n>,
    notes: &'n mut Notes,
    used: &'n mut UsedVariables,
    /// From the collection to the innermost folder.
    inherited: Vec<Inherited<'a>>,
    requests: usize,
    /// Places of scripts that are reported.
    reported: BTreeSet<(u32, u32)>,
}

impl<'a, 'n> Reader<'a, 'n> {
    fn new(text: &'n SourceText<'n>, notes: &'n mut Notes, used: &'n mut UsedVariables) -> Self {
        Self { text, notes, used, inherited: Vec::new(), requests: 0, reported: BTreeSet::new() }
    }

    fn place(&self, node: &Node) -> Place {
        node.place(self.text)
    }

    /// A text with what its braces mean.
    fn braces(&mut self, text: &str, place: &Place) -> Text {
        Text::with_braces(text, &mut |name| match name.strip_prefix('$') {
            Some(call) => dynamic::value(call, place, self.notes),
            None => self.used.variable(name, place),
        })
    }

    /// The same of a value of the file: a text, a number or a boolean.
    fn value(&mut self, node: Option<&Node>, place: &Place) -> Text {
        let text = node.and_then(Node::scalar).unwrap_or_default();
        self.braces(&text, place)
    }

    fn variables(&mut self, all: &[Node]) -> Vec<Variable> {
        let mut found = Vec::new();
        for node in all.iter().filter(|node| is_enabled(node)) {
            let name = [node.text("key"), node.text("id"), node.text("name")]
                .into_iter()
                .find(|name| !name.is_empty());
            let Some(name) = name else { continue };
            let place = self.place(node);
            let text = match node.get("value").map(|value| (&value.value, value)) {
                Some((Value::List(_) | Value::Map(_), value)) => value.to_json(),
                Some((_, value)) => value.scalar().unwrap_or_default(),
                None => String::new(),
            };
            let value = Text::with_braces(&text, &mut |name| match name.strip_prefix('$') {
                Some(call) => dynamic::value(call, &place, self.notes),
                None => Some(Text::variable(name)),
            });
            let is_secret = node.text("type") == "secret";
            found.push(Variable { is_secret, ..Variable::new(name, value) });
        }
        found
    }

    /// Requests and folders of a collection or folder.
    fn items(&mut self, node: &'a Node) -> Result<Vec<Item>, ReadError> {
        self.inherited.push(Inherited::of(node));
        let mut found = Vec::new();
        for item in node.list("item") {
            if item.get("item").is_some() {
                let items = self.items(item)?;
                let name = item.text("name").to_owned();
                found.push(Item::Folder(Folder { name, kind: FolderKind::Transaction, items }));
            } else if let Some(request) = item.get("request") {
                self.requests += 1;
                if self.requests > MOST_REQUESTS {
                    let message = format!("more than the {MOST_REQUESTS} requests that fit");
                    return Err(ReadError::new(self.place(item), message));
                }
                found.extend(self.request(item, request).into_items());
            }
        }
        self.inherited.pop();
        Ok(found)
    }

    fn request(&mut self, item: &'a Node, request: &'a Node) -> WithScripts {
        let place = self.place(item);
        // A request may be its URL only.
        let method = request.text("method").trim();
        let method = if method.is_empty() { "GET" } else { method };
        let url = if request.as_text().is_some() { Some(request) } else { request.get("url") };
        let url = self.url(url, &place);
        let mut exchange = Exchange::new(&method.to_ascii_uppercase(), url, place);
        exchange.name = Some(item.text("name").trim().to_owned()).filter(|name| !name.is_empty());
        exchange.follows_redirects = self.behaviour(item, "followRedirects") != Some(false);
        self.headers(&mut exchange, request.get("header"));
        if self.has_body(item, &exchange.method)
            && let Some(body) = request.get("body")
        {
            self.body(&mut exchange, body);
        }
        self.auth(&mut exchange, request.get("auth"));
        if exchange.header("Accept").is_none() {
            exchange.add_header("Accept", "*/*");
        }
        let own = events::of(item);
        let inherited: Vec<Event<'a>> =
            self.inherited.iter().flat_map(|one| one.events.iter().copied()).collect();
        let place = exchange.place.clone();
        let mut all = WithScripts::new(exchange);
        for event in inherited.into_iter().chain(own) {
            self.event(&mut all, event);
        }
        for name in &all.reads {
            self.used.variable(name, &place);
        }
        all
    }

    /// A setting of a request, or of what it is in.
    fn behaviour(&self, item: &Node, name: &str) -> Option<bool> {
        let inherited = self.inherited.iter().rev().filter_map(|one| one.behaviour);
        let own = item.get("protocolProfileBehavior").into_iter();
        let found = own.chain(inherited).find_map(|one| one.get(name))?;
        Some(found.value == Value::Bool(true))
    }

    /// Postman leaves out bodies of requests that have none by RFC 9110, if nothing else is set.
    fn has_body(&self, item: &Node, method: &str) -> bool {
        let is_pruned = matches!(method, "GET" | "COPY" | "HEAD" | "PURGE" | "UNLOCK");
        !is_pruned || self.behaviour(item, "disableBodyPruning") == Some(true)
    }

    /// Headers as a list, or as text with a line for each.
    fn headers(&mut self, exchange: &mut Exchange, headers: Option<&Node>) {
        let place = exchange.place.clone();
        let Some(headers) = headers else { return };
        for line in headers.as_text().unwrap_or_default().lines() {
            if let Some((name, value)) = line.split_once(':') {
                let value = self.braces(value.trim(), &place);
                exchange.add_header(name.trim(), value);
            }
        }
        for header in headers.items().iter().filter(|header| is_enabled(header)) {
            let name = header.text("key").trim();
            if name.is_empty() {
                continue;
            }
            let place = self.place(header);
            if name.contains("{{") {
                let reason = "a variable in the name of a header is not supported";
                self.notes.left_out(&place, format!("header `{name}`"), reason);
                continue;
            }
            let value = self.value(header.get("value"), &place);
            exchange.add_header(name, value);
        }
    }
}

/// Whether a part of a request is switched on.
fn is_enabled(node: &Node) -> bool {
    !node.flag("disabled") && node.get("enabled").is_none_or(|enabled| enabled.value != Value::Bool(false))
}

#[cfg(test)]
mod tests;
