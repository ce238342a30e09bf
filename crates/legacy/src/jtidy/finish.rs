//! What JTidy does when a page is read: elements are simplified, the DOCTYPE is judged, and the counts are told.

use super::Format;
use super::node::{Attribute, Id};
use super::page::Page;
use super::tags::Tag;
use super::versions::{FRAMESET, HTML20, HTML32, HTML40_LOOSE, HTML40_STRICT, NAMED, UNKNOWN, XHTML11};
use super::words::Finding;

const XHTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";
/// How the page is called in the lines.
const PAGE_NAME: &str = "InputStream";

impl Page {
    /// Reads the page and judges it.
    pub(super) fn validate(&mut self, format: Format) {
        let root = if format == Format::Xml { self.read_xml() } else { self.read_html() };
        if self.stop.is_some() {
            return;
        }
        if !self.tree.is_whole(root) {
            return self.give_up();
        }
        if format != Format::Xml {
            self.simplify(root);
            if self.cleans {
                self.clean(root);
            }
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
        self.is_broken = true;
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

    /// `xmlns` of the page is that of XHTML, or becomes it.
    fn judge_namespace(&mut self, root: Id) {
        let Some(html) = self.tree.child(root, Tag::Html) else { return };
        let attributes = &self.tree[html].attributes;
        let place = attributes.iter().position(|attribute| attribute.is_named("xmlns"));
        if attributes[..place.unwrap_or(attributes.len())].iter().any(|attribute| attribute.name.is_none()) {
            return self.fail();
        }
        let Some(place) = place else {
            let xmlns = Attribute::new("xmlns", Some(XHTML_NAMESPACE));
            return self.tree[html].attributes.insert(0, xmlns);
        };
        match attributes[place].value.as_deref() {
            None => self.fail(),
            Some(XHTML_NAMESPACE) => {}
            Some(_) => {
                self.warn(Finding::InconsistentNamespace, html, None);
                self.tree[html].attributes[place].value = Some(XHTML_NAMESPACE.to_owned());
            }
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
