//! Insomnia: exports of format 4 (JSON or YAML) and collections of format 5 (YAML).
//!
//! Format 4 is a list of resources that name their parent, format 5 a tree. Requests look alike in
//! both.

mod request;
mod templates;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::values::UsedVariables;
use super::{Format, ReadError};
use crate::model::{Capture, Document, Exchange, Flow, Folder, FolderKind, Item, Text, Variable};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source, SourceText};
use crate::tree::{Node, Value};

pub(super) const FORMAT: Format =
    Format { name: "insomnia", title: "Insomnia export (format 4 or 5)", fits, read };

/// More requests in a file are a matter for a data file.
const MOST_REQUESTS: usize = 10_000;

/// Depth of folders.
const MOST_DEPTH: usize = 50;

fn fits(start: &str) -> bool {
    let is_old = start.contains("__export_format") && start.contains("resources");
    is_old || start.contains("collection.insomnia.rest/")
}

fn read(source: &Source<'_>, _options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let root = Node::read(&text)?;
    let is_new = root.text("type").starts_with("collection.insomnia.rest/");
    if !is_new && root.get("resources").is_none() {
        let message =
            "neither an export of Insomnia (`resources`) nor a collection (`collection.insomnia.rest`)";
        return Err(ReadError::new(root.place(&text), message));
    }
    let mut reader = Reader {
        text: &text,
        notes,
        used: UsedVariables::default(),
        children: HashMap::new(),
        captures: Vec::new(),
        folders: Vec::new(),
        requests: 0,
        unsupported: BTreeSet::new(),
    };
    let mut variables = Vec::new();
    let (name, mut items) = if is_new {
        let environments = root.get("environments");
        let subs = environments.map_or(&[][..], |base| base.list("subEnvironments"));
        reader.environments(environments.into_iter().chain(subs), &mut variables);
        (root.text("name").to_owned(), reader.tree(root.list("collection"))?)
    } else {
        reader.resources(&root, &mut variables)?
    };
    reader.add_captures(&mut items);
    let used = reader.used.all;
    let flow = Flow { name: name.clone(), items, has_cookie_jar: true, ..Flow::default() };
    Ok(Document { name, flows: vec![flow], variables, used, ..Document::default() })
}

struct Reader<'a, 'n> {
    text: &'a SourceText<'a>,
    notes: &'n mut Notes,
    used: UsedVariables,
    /// Resources of format 4 by their parent.
    children: HashMap<&'a str, Vec<&'a Node>>,
    /// Values that templates take of responses, with the id of their request.
    captures: Vec<(String, Capture)>,
    /// Folders around a request.
    folders: Vec<&'a Node>,
    requests: usize,
    /// Kinds of resources that are reported.
    unsupported: BTreeSet<&'a str>,
}

impl<'a> Reader<'a, '_> {
    fn place(&self, node: &Node) -> Place {
        node.place(self.text)
    }

    fn count(&mut self, node: &Node) -> Result<(), ReadError> {
        self.requests += 1;
        if self.requests > MOST_REQUESTS || self.folders.len() > MOST_DEPTH {
            let message = format!("more than the {MOST_REQUESTS} requests, or {MOST_DEPTH} levels, that fit");
            return Err(ReadError::new(self.place(node), message));
        }
        Ok(())
    }

    /// Requests and folders of format 5.
    fn tree(&mut self, nodes: &'a [Node]) -> Result<Vec<Item>, ReadError> {
        let mut found = Vec::new();
        for node in nodes {
            self.count(node)?;
            if node.get("children").is_some() {
                self.folders.push(node);
                let items = self.tree(node.list("children"))?;
                self.folders.pop();
                found.push(folder(node, items));
            } else {
                let id = node.get("meta").map(|meta| meta.text("id")).unwrap_or_default();
                found.extend(self.checked(node, id));
            }
        }
        Ok(found)
    }

    /// A request with those of its scripts; none, with a note, if it is of another protocol.
    fn checked(&mut self, node: &'a Node, id: &str) -> Vec<Item> {
        let url = node.text("url");
        let is_socket = url.starts_with("ws://") || url.starts_with("wss://");
        if node.get("method").is_none() || is_socket || node.get("protoFileId").is_some() {
            let what = format!("request `{}`", node.text("name"));
            let place = self.place(node);
            self.notes.left_out(&place, what, "only requests of HTTP can be imported");
            return Vec::new();
        }
        self.request(node, id).into_items().collect()
    }

    /// All of format 4.
    fn resources(
        &mut self,
        root: &'a Node,
        variables: &mut Vec<Variable>,
    ) -> Result<(String, Vec<Item>), ReadError> {
        let all = root.list("resources");
        let mut ids = BTreeSet::new();
        for node in all {
            ids.insert(node.text("_id"));
        }
        let mut bases = Vec::new();
        let mut name = String::new();
        let mut roots = Vec::new();
        for node in all {
            match node.text("_type") {
                "workspace" if name.is_empty() => node.text("name").clone_into(&mut name),
                "environment" => bases.push(node),
                kind @ ("grpc_request" | "websocket_request") if self.unsupported.insert(kind) => {
                    let place = self.place(node);
                    let reason = "only requests of HTTP can be imported";
                    self.notes.left_out(&place, format!("`{kind}`"), reason);
                }
                // Requests and groups are read later; cookies, specifications, tests of Insomnia.
                _ => {}
            }
            let parent = node.text("parentId");
            self.children.entry(parent).or_default().push(node);
            if !ids.contains(parent) {
                roots.push(node);
            }
        }
        for list in self.children.values_mut() {
            list.sort_by(|a, b| sort_key(a).total_cmp(&sort_key(b)));
        }
        // A base environment is a child of the workspace, others are its children.
        bases.sort_by_key(|node| bases_first(node));
        self.environments(bases.into_iter(), variables);
        roots.sort_by(|a, b| sort_key(a).total_cmp(&sort_key(b)));
        let mut items = Vec::new();
        for node in roots {
            items.extend(self.resource(node)?);
        }
        Ok((name, items))
    }

    fn resource(&mut self, node: &'a Node) -> Result<Vec<Item>, ReadError> {
        match node.text("_type") {
            "request" => {
                self.count(node)?;
                Ok(self.checked(node, node.text("_id")))
            }
            kind @ ("request_group" | "workspace") => {
                self.count(node)?;
                let children = self.children.remove(node.text("_id")).unwrap_or_default();
                self.folders.push(node);
                let mut items = Vec::new();
                for child in children {
                    items.extend(self.resource(child)?);
                }
                self.folders.pop();
                Ok(if kind == "workspace" { items } else { vec![folder(node, items)] })
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The base environment, and the first of the others, which has precedence.
    fn environments(&mut self, all: impl Iterator<Item = &'a Node>, variables: &mut Vec<Variable>) {
        for (number, environment) in all.enumerate() {
            let place = self.place(environment);
            if number > 1 {
                let how = "the first environment is taken: give other values with --variable";
                self.notes.dropped(&place, format!("environment `{}`", environment.text("name")), how);
                continue;
            }
            if let Some(data) = environment.get("data") {
                self.flatten("", data, variables);
            }
        }
        // Folders have values, too, which are for all here.
    }

    /// Values in values have names with dots.
    fn flatten(&mut self, start: &str, data: &Node, variables: &mut Vec<Variable>) {
        for (name, node) in data.entries() {
            let name = if start.is_empty() { name.clone() } else { format!("{start}.{name}") };
            match &node.value {
                Value::Map(_) => self.flatten(&name, node, variables),
                Value::List(_) => variables.push(Variable::new(&name, Text::literal(node.to_json()))),
                _ => {
                    let place = self.place(node);
                    let text = node.scalar().unwrap_or_default();
                    let value = self.template(&text, &place);
                    variables.push(Variable::new(&name, value));
                }
            }
        }
    }

    /// Puts what templates take of responses at their requests.
    fn add_captures(&mut self, items: &mut [Item]) {
        let captures = std::mem::take(&mut self.captures);
        let mut by_id: BTreeMap<String, Vec<Capture>> = BTreeMap::new();
        for (id, capture) in captures {
            by_id.entry(id).or_default().push(capture);
        }
        put(items, &mut by_id);
        for (id, _) in by_id {
            let place = self.text.at(0, 0);
            self.notes.left_out(
                &place,
                format!("value of the response of `{id}`"),
                "the file has no such request",
            );
        }
    }
}

/// The id of a request is in its page until then.
fn put(items: &mut [Item], by_id: &mut BTreeMap<String, Vec<Capture>>) {
    for item in items {
        match item {
            Item::Folder(folder) => put(&mut folder.items, by_id),
            Item::Exchange(exchange) => {
                let id = exchange.page.take().map(|page| page.id).unwrap_or_default();
                exchange.captures.extend(by_id.remove(&id).unwrap_or_default());
            }
        }
    }
}

fn folder(node: &Node, items: Vec<Item>) -> Item {
    Item::Folder(Folder { name: node.text("name").to_owned(), kind: FolderKind::Transaction, items })
}

fn sort_key(node: &Node) -> f64 {
    node.number("metaSortKey").unwrap_or(0.0)
}

/// Workspaces have ids that begin with `wrk_`.
fn bases_first(node: &Node) -> bool {
    !node.text("parentId").starts_with("wrk_")
}

/// Whether a part of a request is switched on.
fn is_enabled(node: &Node) -> bool {
    !node.flag("disabled")
}

/// The label of a request.
fn named(exchange: &mut Exchange, node: &Node) {
    exchange.name = Some(node.text("name").trim().to_owned()).filter(|name| !name.is_empty());
}

#[cfg(test)]
mod tests;
