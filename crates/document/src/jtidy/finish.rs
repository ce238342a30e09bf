//! What JTidy does when a page is read: elements are simplified, the DOCTYPE is judged, and the counts are told.

use super::Format;
use super::node::Id;
use super::page::Page;
use super::tags::{Rule, Tag};
use super::versions::{FRAMESET, HTML20, HTML32, HTML40_LOOSE, HTML40_STRICT, NAMED, UNKNOWN, XHTML11};
use super::words::Finding;

const XHTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";
/// How the page is called in the lines.
const PAGE_NAME: &str = "InputStream";

impl Page {
    /// Reads the page and judges it.
    pub(super) fn judge(&mut self, format: Format) {
        let root = if format == Format::Xml { self.read_xml() } else { self.read_html() };
        if self.stop.is_some() {
            return;
        }
        if !self.tree.is_whole(root) {
            return self.give_up();
        }
        if format != Format::Xml {
            self.simplify(root);
            if !self.tree.is_whole(root) {
                return self.give_up();
            }
            self.judge_doctype(root);
        }
        if self.stop.is_none() {
            self.report.tell_counts();
        }
    }

    /// The tree is broken: JTidy has counted nothing then.
    fn give_up(&mut self) {
        self.report.write("Error: Panic - tree has lost its integrity");
        (self.report.errors, self.report.warnings) = (0, 0);
    }

    /// Emphasis in emphasis, lists that only indent.
    fn simplify(&mut self, root: Id) {
        self.nested_emphasis(root);
        for node in self.in_order(root).into_iter().rev() {
            self.list_to_quote(node);
        }
        for node in self.in_order(root) {
            self.quote_to_block(node);
        }
    }

    /// All nodes, those in a node behind it.
    fn in_order(&self, root: Id) -> Vec<Id> {
        let mut nodes = Vec::with_capacity(self.tree.len());
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            nodes.push(node);
            waiting.extend(self.tree[node].next);
            waiting.extend(self.tree[node].first);
        }
        nodes
    }

    fn nested_emphasis(&mut self, root: Id) {
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let tag = self.tree[node].tag;
            let parent = self.tree[node].parent.and_then(|parent| self.tree[parent].tag);
            if matches!(tag, Some(Tag::B | Tag::I)) && parent == tag {
                waiting.extend(self.tree.discard_container(node));
                continue;
            }
            waiting.extend(self.tree[node].next);
            waiting.extend(self.tree[node].first);
        }
    }

    fn only_child(&self, node: Id) -> Option<Id> {
        self.tree[node].first.filter(|&first| self.tree[first].next.is_none())
    }

    /// A list with nothing but an item that nobody wrote.
    fn list_to_quote(&mut self, node: Id) {
        let is_list = self.tree[node].tag.is_some_and(|tag| tag.entry().rule == Rule::List);
        let Some(child) = self.only_child(node).filter(|_| is_list) else { return };
        if self.tree[child].implicit {
            self.tree.strip_only_child(node);
            self.rename(node, Tag::Blockquote);
            self.tree[node].implicit = true;
        }
    }

    fn quote_to_block(&mut self, node: Id) {
        if !self.is_tag(node, Tag::Blockquote) || !self.tree[node].implicit {
            return;
        }
        while self.only_child(node).is_some_and(|child| self.is_tag(child, Tag::Blockquote)) {
            self.tree.strip_only_child(node);
        }
        self.rename(node, Tag::Div);
    }

    fn rename(&mut self, node: Id, tag: Tag) {
        self.tree[node].tag = Some(tag);
        self.tree[node].name = Some(tag.entry().name.into());
    }

    fn judge_doctype(&mut self, root: Id) {
        let given = self.find_doctype(root).map(|doctype| self.public_identifier(doctype));
        if self.xhtml {
            self.judge_namespace(root);
        } else if self.bad_doctype {
            self.warn(Finding::MalformedDoctype, None, None);
        }
        if self.stop.is_some() {
            return;
        }
        let version = self.version_name();
        if let Some(given) = given {
            self.report.write(&format!("{PAGE_NAME}: Doctype given is \"{given}\""));
        }
        self.report.write(&format!("{PAGE_NAME}: Document content looks like {version}"));
    }

    /// What a DOCTYPE has between its first quotes.
    fn public_identifier(&self, doctype: Id) -> String {
        let node = &self.tree[doctype];
        let text = self.buffer.text(node.start, node.end - node.start);
        text.split('"').nth(1).unwrap_or_default().to_owned()
    }

    /// `xmlns` of the page is that of XHTML.
    fn judge_namespace(&mut self, root: Id) {
        let Some(html) = self.tree.child(root, Tag::Html) else { return };
        let mut namespace = None;
        for attribute in &self.tree[html].attributes {
            match &attribute.name {
                None => return self.fail(),
                Some(name) if &**name == "xmlns" => {
                    namespace = Some(attribute.value.clone());
                    break;
                }
                Some(_) => {}
            }
        }
        match namespace {
            None => {}
            Some(None) => self.fail(),
            Some(Some(value)) if value == XHTML_NAMESPACE => {}
            Some(Some(_)) => self.warn(Finding::InconsistentNamespace, html, None),
        }
    }

    /// The first version that the page can be (`htmlVersion`).
    fn version(&self) -> i32 {
        let is_xml = self.xml_out || self.xml_tags || self.is_voyager;
        let candidates = [HTML20, HTML32, XHTML11, HTML40_STRICT, HTML40_LOOSE, FRAMESET];
        let mut fitting = candidates.into_iter().filter(|&version| version != HTML32 || !is_xml);
        fitting.find(|version| self.versions & version != 0).unwrap_or(UNKNOWN)
    }

    /// The version that the page seems to be, by name (`htmlVersionName`).
    fn version_name(&mut self) -> &'static str {
        let version = if self.doctype == UNKNOWN {
            self.version()
        } else if self.versions & self.doctype != 0 {
            self.doctype
        } else {
            (self.report.line, self.report.column) = (1, 1);
            self.warn(Finding::InconsistentVersion, None, None);
            self.version()
        };
        let named = NAMED.iter().find(|(_, _, known)| *known == version);
        named.map_or("HTML proprietary", |(html, xhtml, _)| if self.is_voyager { xhtml } else { html })
    }
}
