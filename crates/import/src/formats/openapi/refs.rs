//! `$ref` in the same document.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;

use crate::tree::{Node, Value};

/// References that refer to references; also what ends a circle.
const MOST_STEPS: usize = 32;

/// Parts of a document by their pointer. Schemas are looked up over and over, and maps are lists
/// here.
pub(super) struct References<'a> {
    root: &'a Node,
    known: HashMap<&'a str, Option<&'a Node>>,
}

impl<'a> References<'a> {
    pub(super) fn new(root: &'a Node) -> Self {
        Self { root, known: HashMap::new() }
    }

    /// The node, or what its `$ref` refers to; none if there is no such part.
    pub(super) fn resolved(&mut self, mut node: &'a Node) -> Option<&'a Node> {
        for _ in 0..MOST_STEPS {
            let Some(pointer) = node.get("$ref").and_then(Node::as_text) else { return Some(node) };
            let root = self.root;
            node = (*self.known.entry(pointer).or_insert_with(|| part(root, pointer)))?;
        }
        None
    }
}

/// The part of a document that a JSON pointer in a fragment names (RFC 6901).
fn part<'a>(root: &'a Node, pointer: &str) -> Option<&'a Node> {
    let pointer = pointer.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut node = root;
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = percent_decode_str(step).decode_utf8().ok()?.replace("~1", "/").replace("~0", "~");
        node = match &node.value {
            Value::List(items) => items.get(step.parse::<usize>().ok()?)?,
            _ => node.get(&step)?,
        };
    }
    Some(node)
}
