//! A page as a document, as JTidy hands it on (`Tidy.parseDOM`).

use super::node::{Id, Kind};
use super::page::Page;
use super::tags::Tag;
use swell_query::{Builder, Document};

/// What JTidy says of itself in each page.
const GENERATOR: &str = "HTML Tidy for Java (vers. 2009-12-01), see jtidy.sourceforge.net";

impl Page {
    /// Says in the head that JTidy made the page (`addGenerator`).
    pub(super) fn sign(&mut self, root: Id) {
        let html = self.tree.child(root, Tag::Html);
        let Some(head) = html.and_then(|html| self.tree.child(html, Tag::Head)) else { return };
        let is_own = |page: &Self, id: Id| {
            let value = |name| page.tree[id].attribute(name).and_then(|attribute| attribute.value.as_deref());
            let begins =
                |text: &str| text.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("HTML Tidy"));
            page.is_tag(id, Tag::Meta)
                && value("name").is_some_and(|name| name.eq_ignore_ascii_case("generator"))
                && value("content").is_some_and(begins)
        };
        let own = self.tree.siblings(self.tree[head].first).find(|&id| is_own(self, id));
        if let Some(own) = own {
            let mut attributes = self.tree[own].attributes.iter_mut();
            if let Some(content) = attributes.find(|attribute| attribute.is_named("content")) {
                content.value = Some(GENERATOR.to_owned());
            }
            return;
        }
        let meta = self.inferred(Tag::Meta);
        self.tree[meta].add_attribute("content", Some(GENERATOR));
        self.tree[meta].add_attribute("name", Some("generator"));
        self.tree.prepend(head, meta);
    }

    /// Whether there is a node that a DOM has no kind for: a section, a script of the server, an XML declaration.
    pub(super) fn has_foreign_nodes(&self, root: Id) -> bool {
        let nodes = self.in_order(root);
        nodes.into_iter().any(|node| {
            let kind = self.tree[node].kind;
            matches!(kind, Kind::Section | Kind::Asp | Kind::Jste | Kind::Php | Kind::Declaration)
        })
    }

    /// The tree as a document. What a DOM has no kind for is left out.
    pub(super) fn document(&self, root: Id) -> Document {
        let mut builder = Builder::of_jtidy();
        let mut open = vec![self.tree[root].first];
        while let Some(next) = open.last_mut() {
            let Some(node) = *next else {
                open.pop();
                if !open.is_empty() {
                    builder.close();
                }
                continue;
            };
            *next = self.tree[node].next;
            if self.tree[node].is_start() {
                self.open_element(&mut builder, node);
                open.push(self.tree[node].first);
            } else {
                self.leaf(&mut builder, node);
            }
        }
        builder.finish()
    }

    fn open_element(&self, builder: &mut Builder, node: Id) {
        let node = &self.tree[node];
        builder.open(node.name.as_deref().unwrap_or_default(), "");
        let pairs = node.attributes.iter().filter_map(|attribute| {
            let name = attribute.name.as_deref()?;
            Some((name, attribute.value.as_deref().unwrap_or(name)))
        });
        let (declarations, attributes): (Vec<_>, Vec<_>) =
            pairs.partition(|(name, _)| *name == "xmlns" || name.starts_with("xmlns:"));
        for (name, value) in declarations {
            builder.declaration(name.strip_prefix("xmlns:").unwrap_or_default(), value);
        }
        for (name, value) in attributes {
            builder.attribute(name, "", value);
        }
    }

    fn leaf(&self, builder: &mut Builder, node: Id) {
        let text = self.text_of(node);
        match self.tree[node].kind {
            Kind::Text => builder.text_apart(&text),
            Kind::Cdata => builder.cdata(&text),
            Kind::Comment => builder.comment(&text),
            Kind::Instruction => builder.instruction("", &text),
            _ => {}
        }
    }

    fn text_of(&self, node: Id) -> String {
        let (start, end) = (self.tree[node].start, self.tree[node].end);
        let length = end.saturating_sub(start);
        match &self.tree[node].own {
            Some(own) => String::from_utf8_lossy(own.get(start..end).unwrap_or_default()).into_owned(),
            None => self.buffer.text(start, length).into_owned(),
        }
    }
}
