//! A page made simpler, as JTidy does where it is told to clean (`org.w3c.tidy.Clean`): fonts, centred blocks, bold and italic blocks
//! become styles, lists in lists are joined.

mod lists;
mod simplify;
mod style;

use super::models::{BLOCK, DEFLIST, INLINE, LIST, ROW, TABLE};
use super::node::Id;
use super::page::Page;
use super::tags::Tag;

/// Elements that are cleaned again because one was.
const DEEPEST: u32 = 64;

impl Page {
    /// Cleans all elements, those in an element before it.
    pub(super) fn clean(&mut self, root: Id) {
        let mut open = vec![(root, self.tree[root].first)];
        let mut left = self.tree.len() * 8 + 64;
        while let Some((node, child)) = open.last().copied() {
            left = left.saturating_sub(1);
            if self.stop.is_some() || left == 0 {
                return;
            }
            if let Some(child) = child {
                open.push((child, self.tree[child].first));
                continue;
            }
            let cleaned = self.clean_node(node, 0);
            let goes_on = self.tree[cleaned].next;
            open.pop();
            if let Some((_, next)) = open.last_mut() {
                *next = goes_on;
            }
        }
    }

    /// Cleans an element until there is nothing more to do; gives the one that is now in its place.
    fn clean_node(&mut self, node: Id, depth: u32) -> Id {
        if depth > DEEPEST {
            self.fail();
        }
        while self.stop.is_none() && self.tree[node].is_start() {
            if self.indented_list(node) {
                continue;
            }
            if let Some(list) = self.list_in_list(node, depth) {
                return list;
            }
            if !(self.centred(node)
                || self.block_in_its_like(node)
                || self.styled_block(node)
                || self.styled_inline(node)
                || self.font(node))
            {
                break;
            }
        }
        node
    }

    /// `center` becomes a `div`.
    fn centred(&mut self, node: Id) -> bool {
        let is_centred = self.is_tag(node, Tag::Center);
        if is_centred {
            self.rename(node, Tag::Div);
            self.add_style(node, "text-align: center");
        }
        is_centred
    }

    /// A `div` with nothing but a `div` is one with it.
    fn block_in_its_like(&mut self, node: Id) -> bool {
        let child = self.only_child(node).filter(|&child| self.is_tag(child, Tag::Div));
        let Some(child) = child.filter(|_| self.is_tag(node, Tag::Div)) else { return false };
        self.merge_styles(node, child);
        self.tree.strip_only_child(node);
        true
    }

    /// A block with nothing but a bold, italic or font element has its style.
    fn styled_block(&mut self, node: Id) -> bool {
        if !self.tree[node].has(BLOCK | LIST | DEFLIST | TABLE)
            || matches!(self.tree[node].tag, Some(Tag::Table | Tag::Tr | Tag::Li))
        {
            return false;
        }
        if !self.is_tag(node, Tag::Caption) {
            self.text_align(node);
        }
        let Some(child) = self.only_child(node) else { return false };
        let style = match self.tree[child].tag {
            Some(Tag::B) => "font-weight: bold",
            Some(Tag::I) => "font-style: italic",
            Some(Tag::Font) => "",
            _ => return false,
        };
        self.take_style(node, child, style);
        true
    }

    /// An inline element or cell with nothing but a font has its style.
    fn styled_inline(&mut self, node: Id) -> bool {
        if self.is_tag(node, Tag::Font) || !self.tree[node].has(INLINE | ROW) {
            return false;
        }
        let child = self.only_child(node).filter(|&child| self.is_tag(child, Tag::Font));
        let Some(child) = child else { return false };
        self.take_style(node, child, "");
        true
    }

    /// Takes an only child's style over, and the child away; a font has no style of its own but its attributes.
    fn take_style(&mut self, node: Id, child: Id, style: &str) {
        self.merge_styles(node, child);
        if style.is_empty() {
            self.add_font_styles(node, child);
        } else {
            self.add_style(node, style);
        }
        self.tree.strip_only_child(node);
    }

    /// `font` becomes a `span`, but for one that is alone in its parent.
    fn font(&mut self, node: Id) -> bool {
        if !self.is_tag(node, Tag::Font) {
            return false;
        }
        let Some(parent) = self.tree[node].parent else {
            self.fail();
            return false;
        };
        if self.tree[parent].first == Some(node) && self.tree[node].next.is_none() {
            return false;
        }
        self.add_font_styles(node, node);
        let styles = self.tree[node].attributes.drain(..).rfind(|attribute| attribute.is_named("style"));
        self.tree[node].attributes.extend(styles);
        self.rename(node, Tag::Span);
        true
    }
}
