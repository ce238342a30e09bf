//! Maps prefixes to namespaces.

use std::collections::HashMap;
use std::rc::Rc;

/// The namespace of the prefix `xml`.
pub(crate) const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of the prefix `xmlns`.
pub(crate) const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// Declarations of the open elements.
#[derive(Default)]
pub(super) struct Scopes {
    bound: HashMap<String, Vec<Rc<str>>>,
    declared: Vec<String>,
    /// How many were declared before each open element.
    before: Vec<usize>,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.before.push(self.declared.len());
    }

    pub(super) fn close(&mut self) {
        let before = self.before.pop().unwrap_or(0);
        for prefix in self.declared.drain(before..) {
            self.bound.get_mut(&prefix).map(Vec::pop);
        }
    }

    pub(super) fn declare(&mut self, prefix: &str, namespace: &str) {
        self.bound.entry(prefix.to_owned()).or_default().push(namespace.into());
        self.declared.push(prefix.to_owned());
    }

    /// The namespace of a prefix; the empty prefix without declaration has none, which is the empty
    /// text.
    pub(super) fn resolve(&self, prefix: &str) -> Option<Rc<str>> {
        match self.bound.get(prefix).and_then(|all| all.last()) {
            Some(namespace) => Some(namespace.clone()),
            None if prefix.is_empty() => Some("".into()),
            None if prefix == "xml" => Some(XML.into()),
            None => None,
        }
    }
}
