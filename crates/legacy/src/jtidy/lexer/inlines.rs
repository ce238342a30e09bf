//! Inline elements that go on in the blocks behind the one they began in (`IStack`).

use super::super::models::{INLINE, OBJECT};
use super::super::node::{Id, Kind};
use super::super::page::{Inline, Page};
use super::super::tags::Tag;

impl Page {
    /// Keeps an inline element, to go on with it.
    pub(in super::super) fn push_inline(&mut self, node: Id) {
        let element = &self.tree[node];
        let Some(tag) = element.tag else { return };
        if element.implicit || !element.has(INLINE) || element.has(OBJECT) {
            return;
        }
        if tag != Tag::Font && self.is_pushed(Some(tag)) {
            return;
        }
        let inline = Inline { tag, name: element.name.clone(), attributes: element.attributes.clone() };
        self.inline_counts[tag as usize] += 1;
        self.inlines.push(inline);
    }

    /// Forgets the last inline element, or that of an end tag.
    pub(in super::super) fn pop_inline(&mut self, node: Id) {
        let element = &self.tree[node];
        if !element.has(INLINE) || element.has(OBJECT) {
            return;
        }
        if element.tag == Some(Tag::A) {
            while self.take_inline().is_some_and(|tag| tag != Tag::A) {}
            self.forget_insert();
        } else {
            self.pop_last_inline();
        }
    }

    fn pop_last_inline(&mut self) {
        if self.take_inline().is_some() {
            self.forget_insert();
        }
    }

    fn take_inline(&mut self) -> Option<Tag> {
        let tag = self.inlines.pop()?.tag;
        self.inline_counts[tag as usize] -= 1;
        Some(tag)
    }

    fn forget_insert(&mut self) {
        self.insert = self.insert.filter(|&at| at < self.inlines.len());
    }

    /// Forgets all inline elements since the base.
    pub(in super::super) fn pop_inlines(&mut self) {
        while self.inlines.len() > self.inlines_base {
            self.pop_last_inline();
        }
    }

    pub(in super::super) fn is_pushed(&self, tag: Option<Tag>) -> bool {
        tag.is_some_and(|tag| self.inline_counts[tag as usize] > 0)
    }

    /// Lets the inline elements go on before a node; whether there are any (`inlineDup`).
    pub(in super::super) fn repeat_inlines(&mut self, before: Option<Id>) -> bool {
        let any = self.inlines.len() > self.inlines_base;
        if any {
            self.insert = Some(self.inlines_base);
            self.inserted_before = before;
        }
        any
    }

    /// The next inline element that is put in, or what stands behind all of them (`insertedToken`).
    pub(super) fn inserted(&mut self) -> Option<Id> {
        let Some(at) = self.insert else { return self.inserted_before.take() };
        if self.inserted_before.is_none() {
            self.mark_place();
        }
        let id = self.node(Kind::Start);
        let Some(inline) = self.inlines.get(at).cloned() else {
            self.fail();
            return None;
        };
        let node = &mut self.tree[id];
        node.implicit = true;
        node.tag = Some(inline.tag);
        node.name = inline.name;
        node.attributes = inline.attributes;
        self.insert = Some(at + 1).filter(|&next| next < self.inlines.len());
        Some(id)
    }
}
