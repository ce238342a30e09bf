//! OpenAPI 3.0 and 3.1: a request for each operation, with values from examples or made from
//! schemas.

mod body;
mod made;
mod operation;
mod parameters;
mod pattern;
mod refs;
mod schema;
mod security;

use std::collections::{BTreeMap, BTreeSet};

use super::{Format, ReadError};
use crate::model::{Document, Flow, Folder, FolderKind, Item, Text, Variable};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source, SourceText};
use crate::tree::Node;

use self::refs::References;

pub(super) const FORMAT: Format = Format { name: "openapi", title: "OpenAPI 3.0 and 3.1", fits, read };

/// More operations are a matter for several plans.
const MOST_OPERATIONS: usize = 10_000;

/// In the order in which one user would send them: what is made first is removed last.
const METHODS: [&str; 9] = ["post", "get", "put", "patch", "head", "options", "trace", "query", "delete"];

/// In a document with sorted names, `openapi` is after all schemas, and what is looked at ends
/// before it.
fn fits(start: &str) -> bool {
    let trimmed = start.trim_start();
    if trimmed.starts_with('{') {
        let has = |name: &str| trimmed.contains(name);
        let has_schemas = has("\"components\"") && has("\"schemas\"");
        return has("\"openapi\"")
            || has("\"swagger\"")
            || has("\"paths\"") && has("\"info\"")
            || has_schemas;
    }
    let has_line = |wanted: &str| start.lines().any(|line| line.trim_end() == wanted);
    if has_line("components:") && has_line("  schemas:") {
        return true;
    }
    start.lines().any(|line| {
        let name = line.split_once(':').map_or("", |(name, _)| name.trim_matches(['"', '\'']));
        (name == "openapi" || name == "swagger") && !line.starts_with([' ', '\t'])
    })
}

fn read(source: &Source<'_>, options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let root = Node::read(&text)?;
    let version = root.scalar_of("openapi").unwrap_or_default();
    if !version.starts_with("3.") {
        let message = match root.scalar_of("swagger") {
            Some(version) => format!("Swagger {version} is not supported"),
            None => "not an OpenAPI document: it has no `openapi: 3…`".to_owned(),
        };
        return Err(ReadError::new(root.place(&text), message)
            .hint("convert it to OpenAPI 3 first, as editor.swagger.io and swagger2openapi do"));
    }
    let mut reader = Reader::new(&text, &root, notes);
    let items = reader.operations(&wanted_tags(options))?;
    if root.get("webhooks").is_some() {
        let place = reader.place(&root);
        reader.notes.dropped(&place, "webhooks", "the server sends them");
    }
    let title = root.get("info").map(|info| info.text("title").trim().to_owned()).unwrap_or_default();
    let variables = reader.variables.into_iter().map(|(name, value)| Variable::new(&name, value)).collect();
    let flow = Flow { name: title.clone(), items, has_cookie_jar: true, ..Flow::default() };
    Ok(Document { name: title, flows: vec![flow], variables, ..Document::default() })
}

/// Tags of the option; empty: all.
fn wanted_tags(options: &Options) -> Vec<&str> {
    let tags = options.settings.get("tag").map_or("", |tags| tags);
    tags.split(',').map(str::trim).filter(|tag| !tag.is_empty()).collect()
}

struct Reader<'a, 'n> {
    text: &'a SourceText<'a>,
    root: &'a Node,
    references: References<'a>,
    notes: &'n mut Notes,
    /// Parameters of paths with their values.
    variables: BTreeMap<String, Text>,
    /// What has been reported once.
    reported: BTreeSet<String>,
    /// Values that may still be made.
    room: usize,
}

impl<'a, 'n> Reader<'a, 'n> {
    fn new(text: &'a SourceText<'a>, root: &'a Node, notes: &'n mut Notes) -> Self {
        let references = References::new(root);
        let room = schema::MOST_VALUES_OF_ALL;
        Self { text, root, references, notes, variables: BTreeMap::new(), reported: BTreeSet::new(), room }
    }

    fn place(&self, node: &Node) -> Place {
        node.place(self.text)
    }

    /// Whether this is said for the first time.
    fn is_first(&mut self, what: &str) -> bool {
        self.reported.insert(what.to_owned())
    }

    /// What a node refers to, or the node itself. A reference to another file is reported.
    fn resolved(&mut self, node: &'a Node) -> Option<&'a Node> {
        let found = self.references.resolved(node);
        if found.is_none() && self.is_first(node.text("$ref")) {
            let place = self.place(node);
            let reason = if node.text("$ref").starts_with('#') {
                "the document has no such part"
            } else {
                "other files are not read: join them into one first, as `redocly bundle` does"
            };
            self.notes.left_out(&place, format!("reference `{}`", node.text("$ref")), reason);
        }
        found
    }

    /// Requests in folders by their first tag, in the order of the document.
    fn operations(&mut self, wanted: &[&str]) -> Result<Vec<Item>, ReadError> {
        let mut folders: Vec<(String, Vec<Item>)> = Vec::new();
        let mut count = 0;
        let root = self.root;
        for (path, item) in root.get("paths").map_or(&[][..], Node::entries) {
            let Some(item) = self.resolved(item) else { continue };
            for method in METHODS {
                let Some(operation) = item.get(method).filter(|operation| operation.is_map()) else {
                    continue;
                };
                let tags = operation.list("tags");
                let is_wanted = wanted.is_empty()
                    || tags.iter().filter_map(Node::as_text).any(|tag| wanted.contains(&tag));
                if !is_wanted {
                    let what = format!("{} {path}", method.to_uppercase());
                    let place = self.place(operation);
                    self.notes.dropped(&place, what, "it has none of the tags of --tag");
                    continue;
                }
                count += 1;
                if count > MOST_OPERATIONS {
                    let message = format!("more than the {MOST_OPERATIONS} operations that fit");
                    return Err(ReadError::new(self.place(operation), message));
                }
                let exchange = Item::Exchange(Box::new(self.operation(method, path, item, operation)));
                let tag = tags.first().and_then(Node::as_text).unwrap_or_default();
                match folders.iter_mut().find(|(name, _)| name == tag) {
                    Some((_, items)) => items.push(exchange),
                    None => folders.push((tag.to_owned(), vec![exchange])),
                }
            }
        }
        let in_folder = |(name, items): (String, Vec<Item>)| {
            if name.is_empty() {
                return items;
            }
            vec![Item::Folder(Folder { name, kind: FolderKind::Group, items })]
        };
        Ok(folders.into_iter().flat_map(in_folder).collect())
    }
}

#[cfg(test)]
mod tests;
