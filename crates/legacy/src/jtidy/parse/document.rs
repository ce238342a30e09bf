//! The page as a whole.

use super::super::node::{Id, Kind, Node};
use super::super::page::{Mode, Page};
use super::super::tags::{Rule, Tag};
use super::super::words::Finding;

impl Page {
    /// Reads a page of HTML; gives its root.
    pub(in super::super) fn read_html(&mut self) -> Id {
        let document = self.add(Node::new(Kind::Root, 0, 0));
        self.root = Some(document);
        let mut has_doctype = false;
        while let Some(node) = self.token(Mode::IgnoreWhite) {
            if self.take_misc(document, node) {
                continue;
            }
            match self.tree[node].kind {
                Kind::Doctype if !has_doctype => {
                    self.tree.append(document, node);
                    has_doctype = true;
                }
                Kind::Doctype | Kind::End => self.warn(Finding::Discarding, document, node),
                _ => {
                    self.read_page(document, node);
                    break;
                }
            }
        }
        if self.tree.child(document, Tag::Html).is_none() {
            let html = self.inferred(Tag::Html);
            self.tree.append(document, html);
            self.run(Rule::Html, html, Mode::IgnoreWhite);
        }
        self.ensure_title(document);
        document
    }

    fn read_page(&mut self, document: Id, node: Id) {
        let is_html = self.tree[node].kind == Kind::Start && self.is_tag(node, Tag::Html);
        let html = if is_html {
            node
        } else {
            self.give_back();
            self.inferred(Tag::Html)
        };
        if self.find_doctype(document).is_none() {
            self.warn(Finding::MissingDoctype, None, None);
        }
        self.tree.append(document, html);
        self.run(Rule::Html, html, Mode::IgnoreWhite);
    }

    pub(in super::super) fn find_doctype(&self, document: Id) -> Option<Id> {
        let first = self.tree[document].first;
        self.tree.siblings(first).find(|&child| self.tree[child].kind == Kind::Doctype)
    }

    fn ensure_title(&mut self, document: Id) {
        if self.stop.is_some() {
            return;
        }
        let head = self.tree.child(document, Tag::Html).and_then(|html| self.tree.child(html, Tag::Head));
        if head.is_some_and(|head| self.tree.child(head, Tag::Title).is_some()) {
            return;
        }
        self.warn(Finding::MissingTitle, head, None);
        let title = self.inferred(Tag::Title);
        match head {
            Some(head) => self.tree.append(head, title),
            None => self.fail(),
        }
    }
}
