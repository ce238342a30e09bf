//! The documents of a schema: the file, and what it includes and imports.

use std::collections::HashMap;
use std::io;

use super::schema::{Name, XSD};
use super::{Severity, ValidationError};
use swell_query::xml::{Placed, XmlOptions, decode, parse_placed};
use swell_query::{Document, NodeId, NodeKind};

/// Gives the bytes of a file by its path.
pub type ReadFile<'r> = &'r dyn Fn(&str) -> io::Result<Vec<u8>>;

/// A document of a schema.
pub(super) struct Source {
    pub(super) document: Document,
    places: HashMap<NodeId, (usize, usize)>,
    path: String,
    pub(super) target: String,
    /// It has no namespace of its own, and takes that of the document that includes it.
    chameleon: bool,
    pub(super) elements_qualified: bool,
    pub(super) attributes_qualified: bool,
}

/// Spaces of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Element,
    Type,
    Attribute,
    Group,
    AttributeGroup,
}

/// A place in one of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub(super) source: usize,
    pub(super) node: NodeId,
}

/// All documents, and what they declare at their top.
#[derive(Default)]
pub(super) struct Sources {
    pub(super) all: Vec<Source>,
    pub(super) globals: HashMap<(Space, Name), At>,
    /// Top-level declarations in order.
    pub(super) order: Vec<(Space, At)>,
}

/// Most documents of a schema.
const MOST: usize = 1000;

impl Sources {
    /// Reads a schema; none if its file is not there.
    pub(super) fn read(path: &str, read: ReadFile<'_>) -> Result<Option<Self>, ValidationError> {
        let mut sources = Self::default();
        let Ok(bytes) = read(path) else { return Ok(None) };
        sources.add(path, &bytes, None, read)?;
        Ok(Some(sources))
    }

    /// `target` is the namespace of the document that includes it.
    fn add(
        &mut self,
        path: &str,
        bytes: &[u8],
        target: Option<&str>,
        read: ReadFile<'_>,
    ) -> Result<(), ValidationError> {
        let (source, root) = Source::read(path, bytes, target)?;
        let known = self.all.iter().any(|known| known.path == source.path && known.target == source.target);
        if known || self.all.len() >= MOST {
            return Ok(());
        }
        let number = self.all.len();
        self.all.push(source);
        let children: Vec<NodeId> = self.all[number].elements(root).collect();
        for node in children {
            self.top_level(At { source: number, node }, read)?;
        }
        Ok(())
    }

    fn top_level(&mut self, at: At, read: ReadFile<'_>) -> Result<(), ValidationError> {
        let source = &self.all[at.source];
        let space = match source.document.local_name(at.node) {
            "include" | "redefine" => return self.include(at, read),
            "import" => return self.import(at, read),
            "element" => Space::Element,
            "simpleType" | "complexType" => Space::Type,
            "attribute" => Space::Attribute,
            "group" => Space::Group,
            "attributeGroup" => Space::AttributeGroup,
            _ => return Ok(()),
        };
        let local = source.attribute(at.node, "name").unwrap_or_default();
        let name = Name::new(&source.target, local);
        if self.globals.contains_key(&(space, name.clone())) {
            let shown = format!("{},{}", name.namespace, name.local);
            let message = format!(
                "sch-props-correct.2: A schema cannot contain two global components with the same name; this schema \
                 contains two occurrences of '{shown}'."
            );
            return Err(source.fault(at.node, message));
        }
        self.globals.insert((space, name), at);
        self.order.push((space, at));
        Ok(())
    }

    /// A document that is not there is a warning, which nobody sees.
    fn include(&mut self, at: At, read: ReadFile<'_>) -> Result<(), ValidationError> {
        let source = &self.all[at.source];
        let location = source.attribute(at.node, "schemaLocation").unwrap_or_default();
        let (path, target) = (beside(&source.path, location), source.target.clone());
        read(&path).map_or(Ok(()), |bytes| self.add(&path, &bytes, Some(&target), read))
    }

    /// A document that is not there is a warning, which nobody sees.
    fn import(&mut self, at: At, read: ReadFile<'_>) -> Result<(), ValidationError> {
        let source = &self.all[at.source];
        let Some(location) = source.attribute(at.node, "schemaLocation") else { return Ok(()) };
        let path = beside(&source.path, location);
        if let Ok(bytes) = read(&path) {
            self.add(&path, &bytes, None, read)?;
        }
        Ok(())
    }
}

/// A location that is relative to a file.
fn beside(file: &str, location: &str) -> String {
    let location = location.strip_prefix("file://").unwrap_or(location);
    let location = location.strip_prefix("./").unwrap_or(location);
    match file.rsplit_once('/') {
        Some((folder, _)) if !location.starts_with('/') && !location.contains("://") => {
            format!("{folder}/{location}")
        }
        _ => location.to_owned(),
    }
}

impl Source {
    fn read(path: &str, bytes: &[u8], target: Option<&str>) -> Result<(Self, NodeId), ValidationError> {
        let fatal = |error: swell_query::xml::XmlError| ValidationError {
            severity: Severity::Fatal,
            message: error.message,
            place: error.place,
        };
        let text = decode(bytes).map_err(fatal)?;
        let options = XmlOptions { sorted_attributes: false, ..XmlOptions::dom(true) };
        let Placed { document, places, fault } = parse_placed(&text, options);
        if let Some(error) = fault {
            return Err(fatal(error));
        }
        let root = document.document_element().unwrap_or_default();
        let own = document.attribute(root, "targetNamespace").unwrap_or_default();
        let qualified = |name: &str| document.attribute(root, name) == Some("qualified");
        let chameleon = own.is_empty() && target.is_some_and(|target| !target.is_empty());
        let source = Self {
            target: if chameleon { target.unwrap_or_default() } else { own }.to_owned(),
            chameleon,
            elements_qualified: qualified("elementFormDefault"),
            attributes_qualified: qualified("attributeFormDefault"),
            places: places
                .iter()
                .map(|place| (place.node, place.started))
                .map(|(node, at)| (node, swell_query::xml::place(&text, at)))
                .collect(),
            path: path.to_owned(),
            document,
        };
        if source.document.namespace(root) == XSD && source.document.local_name(root) == "schema" {
            return Ok((source, root));
        }
        let message = format!(
            "s4s-elt-schema-ns: The namespace of element '{}' must be from the schema namespace, '{XSD}'.",
            source.document.name(root)
        );
        Err(source.fault(root, message))
    }

    pub(super) fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        self.document.attribute(node, name)
    }

    /// Elements of schemas in a node, annotations left out.
    pub(super) fn elements(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        self.document.children(node).filter(|&child| {
            self.document.kind(child) == NodeKind::Element
                && self.document.namespace(child) == XSD
                && self.document.local_name(child) != "annotation"
        })
    }

    /// The first of them with that name.
    pub(super) fn child(&self, node: NodeId, name: &str) -> Option<NodeId> {
        self.elements(node).find(|&child| self.document.local_name(child) == name)
    }

    /// The namespace of a prefix where a node stands.
    pub(super) fn namespace(&self, node: NodeId, prefix: &str) -> Option<String> {
        if prefix == "xml" {
            return Some(XML.to_owned());
        }
        let mut at = node;
        loop {
            let declared = self.document.declarations(at).find(|&one| self.document.name(one) == prefix);
            if let Some(one) = declared {
                return Some(self.document.value(one).to_owned());
            }
            if at == 0 {
                return prefix.is_empty().then(String::new);
            }
            at = self.document.parent(at);
        }
    }

    /// The name that a text stands for.
    pub(super) fn name(&self, node: NodeId, text: &str) -> Name {
        let (prefix, local) = text.trim().split_once(':').unwrap_or(("", text.trim()));
        let namespace = self.namespace(node, prefix).unwrap_or_default();
        let namespace = if namespace.is_empty() && self.chameleon { self.target.clone() } else { namespace };
        Name { namespace, local: local.to_owned() }
    }

    /// The name of a type that has none (`genAnonTypeName`).
    pub(super) fn anonymous(&self, node: NodeId) -> String {
        let mut name = "#AnonType_".to_owned();
        let mut at = self.document.parent(node);
        while at != 0 && self.document.parent(at) != 0 {
            name.push_str(self.attribute(at, "name").unwrap_or_default());
            at = self.document.parent(at);
        }
        name
    }

    pub(super) fn fault(&self, node: NodeId, message: String) -> ValidationError {
        ValidationError { severity: Severity::Error, message, place: self.places.get(&node).copied() }
    }
}

/// The namespace of `xml:lang` and its like.
pub(super) const XML: &str = "http://www.w3.org/XML/1998/namespace";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_relative_to_the_file_that_has_them() {
        assert_eq!(beside("a/b.xsd", "c.xsd"), "a/c.xsd");
        assert_eq!(beside("b.xsd", "./c.xsd"), "c.xsd");
        assert_eq!(beside("a/b.xsd", "/c.xsd"), "/c.xsd");
        assert_eq!(beside("a/b.xsd", "file:///d/c.xsd"), "/d/c.xsd");
        assert_eq!(beside("a/b.xsd", "http://x/c.xsd"), "http://x/c.xsd");
    }
}
