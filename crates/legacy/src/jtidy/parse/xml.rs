//! Pages of XML.

use super::super::node::{Id, Kind, Node};
use super::super::page::{Mode, Page, Stop};
use super::super::tags::{Rule, Tag};
use super::super::words::{Fault, Finding};
use super::DEEPEST;

impl Page {
    /// Reads a page of XML; gives its root.
    pub(in super::super) fn read_xml(&mut self) -> Id {
        let document = self.add(Node::new(Kind::Root, 0, 0));
        self.root = Some(document);
        let mut doctype = None;
        while let Some(node) = self.token(Mode::IgnoreWhite) {
            if self.tree[node].kind == Kind::End {
                self.warn(Finding::UnexpectedEnd, None, node);
                continue;
            }
            if self.take_misc(document, node) {
                continue;
            }
            match self.tree[node].kind {
                Kind::Doctype if doctype.is_some() => self.warn(Finding::Discarding, document, node),
                Kind::Doctype => {
                    self.tree.append(document, node);
                    doctype = Some(node);
                }
                Kind::StartEnd => self.tree.append(document, node),
                Kind::Start => {
                    self.tree.append(document, node);
                    self.xml_element(node);
                }
                _ => {}
            }
        }
        if let Some(doctype) = doctype
            && !self.has_capitals(doctype)
        {
            self.warn(Finding::NotUpperCase, doctype, None);
        }
        document
    }

    /// An element with all that is in it. An element is put into its parent when it is at its end.
    fn xml_element(&mut self, element: Id) {
        let mode = self.mode_in(element, Mode::IgnoreWhite);
        let mut open = vec![(element, mode)];
        while let Some(&(element, mode)) = open.last() {
            let node = self.token(mode);
            if self.stop.is_some() {
                return;
            }
            let is_own_end = node.is_none_or(|node| {
                self.tree[node].kind == Kind::End && self.tree[node].name == self.tree[element].name
            });
            let Some(node) = node.filter(|_| !is_own_end) else {
                self.trim_xml(element, mode);
                open.pop();
                if let Some(&(parent, _)) = open.last() {
                    self.tree.append(parent, element);
                }
                continue;
            };
            match self.tree[node].kind {
                Kind::End => self.fault(Fault::UnexpectedEnd, Some(element), Some(node)),
                Kind::Start if open.len() >= DEEPEST => {
                    self.stop.get_or_insert(Stop::TooLarge);
                }
                Kind::Start => {
                    let mode = self.mode_in(node, mode);
                    open.push((node, mode));
                }
                _ => self.tree.append(element, node),
            }
        }
    }

    fn mode_in(&mut self, element: Id, mode: Mode) -> Mode {
        if self.keeps_blanks(element) { Mode::Preformatted } else { mode }
    }

    /// `xml:space`, or an element that is known to count its blanks.
    fn keeps_blanks(&mut self, element: Id) -> bool {
        let mut space = None;
        for attribute in &self.tree[element].attributes {
            if attribute.name.is_none() {
                self.fail();
                return false;
            }
            if attribute.is_named("xml:space") {
                space = Some(attribute.value.clone());
                break;
            }
        }
        match space {
            Some(Some(value)) => return value == "preserve",
            Some(None) => {
                self.fail();
                return false;
            }
            None => {}
        }
        let Some(name) = self.tree[element].name.as_deref() else { return false };
        ["pre", "script", "style", "xsl:text"].iter().any(|known| known.eq_ignore_ascii_case(name))
            || Tag::of(name).is_some_and(|tag| tag.entry().rule == Rule::Pre)
    }

    /// Trims the blanks at the edges of an element.
    fn trim_xml(&mut self, element: Id, mode: Mode) {
        if mode == Mode::Preformatted {
            return;
        }
        for at_start in [true, false] {
            let edge = if at_start { self.tree[element].first } else { self.tree[element].last };
            let Some(text) = edge.filter(|&edge| self.is_text(edge)) else { continue };
            let (start, end) = (self.tree[text].start, self.tree[text].end);
            if !at_start && end == 0 {
                self.fail();
                return;
            }
            let at = if at_start { start } else { end - 1 };
            if self.byte(text, at) != b' ' {
                continue;
            }
            if at_start {
                self.tree[text].start += 1;
            } else {
                self.tree[text].end -= 1;
            }
            if self.tree[text].start >= self.tree[text].end {
                self.tree.remove(text);
            }
        }
    }
}
