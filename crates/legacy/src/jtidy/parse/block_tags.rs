//! What is not inline and stands in a block.

use super::super::models::{BLOCK, DEFLIST, HEAD, LIST, OBJECT, OPT, ROW, TABLE};
use super::super::node::Id;
use super::super::page::Page;
use super::super::tags::{Rule, Tag};
use super::super::words::Finding;
use super::{Flow, Frame};

impl Page {
    /// A tag that is not inline: what stands in its place.
    pub(super) fn no_inline_in_block(&mut self, frame: &mut Frame, node: Id) -> Result<Id, Flow> {
        let element = frame.element;
        if !self.tree[node].is_start() {
            if self.is_tag(node, Tag::Form) {
                self.tangled_form();
            }
            return Err(self.discard(element, node));
        }
        let is_never_in_li =
            matches!(self.tree[node].tag, Some(Tag::Frame | Tag::Frameset | Tag::Optgroup | Tag::Option));
        match self.tree[element].tag {
            Some(Tag::Li) if is_never_in_li => Err(self.discard(element, node)),
            Some(Tag::Td | Tag::Th) => self.block_in_cell(element, node),
            _ if self.tree[node].has(BLOCK) => self.block_in_block(frame, node),
            _ => self.part_in_block(frame, node),
        }
    }

    fn block_in_cell(&mut self, element: Id, node: Id) -> Result<Id, Flow> {
        if self.tree[node].has(HEAD) {
            return Err(self.move_to_head(element, node));
        }
        let mut node = node;
        if self.tree[node].has(LIST | DEFLIST) {
            self.give_back();
            node = self.list_for(node);
            self.exclude_blocks = true;
        }
        if self.tree[node].has(BLOCK) { Ok(node) } else { Err(self.hand_up(element)) }
    }

    /// The list that an item without one stands in.
    fn list_for(&mut self, item: Id) -> Id {
        let is_list = self.tree[item].has(LIST);
        let list = self.inferred(if is_list { Tag::Ul } else { Tag::Dl });
        if is_list {
            self.tree[list].add_attribute("class", Some("noindent"));
        }
        list
    }

    fn block_in_block(&mut self, frame: &Frame, node: Id) -> Result<Id, Flow> {
        let element = frame.element;
        if !self.exclude_blocks {
            return Ok(node);
        }
        if !self.tree[element].has(OPT) {
            self.warn(Finding::MissingEndBefore, element, node);
        }
        self.give_back();
        if self.tree[element].has(OBJECT) {
            self.inlines_base = frame.base;
        }
        Err(self.finish(element))
    }

    /// Items, cells, rows, options and what belongs into a head.
    fn part_in_block(&mut self, frame: &Frame, node: Id) -> Result<Id, Flow> {
        let element = frame.element;
        if self.tree[node].has(HEAD) {
            return Err(self.move_to_head(element, node));
        }
        if let Some(flow) = self.cell_in_form(element, node) {
            return Err(flow);
        }
        if !self.tree[element].has(OPT) && !self.tree[element].implicit {
            self.warn(Finding::MissingEndBefore, element, node);
        }
        self.give_back();
        let parent = self.tree[element].parent.and_then(|parent| self.tree[parent].tag);
        if self.tree[node].has(LIST) {
            if parent.is_some_and(|parent| parent.entry().rule == Rule::List) {
                return Err(self.finish(element));
            }
            return Ok(self.list_for(node));
        }
        if self.tree[node].has(DEFLIST) {
            if parent == Some(Tag::Dl) {
                return Err(self.finish(element));
            }
            return Ok(self.list_for(node));
        }
        if self.tree[node].has(TABLE | ROW) {
            return Ok(self.inferred(Tag::Table));
        }
        self.leave_object(frame);
        Err(self.finish(element))
    }

    /// A cell in a form that stands in a cell nobody wrote.
    fn cell_in_form(&mut self, element: Id, node: Id) -> Option<Flow> {
        if !self.is_tag(element, Tag::Form) {
            return None;
        }
        let Some(parent) = self.tree[element].parent else {
            self.fail();
            return Some(Flow::Out);
        };
        if !self.is_tag(parent, Tag::Td) || !self.tree[parent].implicit {
            return None;
        }
        match self.tree[node].tag {
            Some(Tag::Td) => Some(self.discard(element, node)),
            Some(Tag::Th) => {
                self.warn(Finding::Discarding, element, node);
                self.tree[parent].tag = Some(Tag::Th);
                self.tree[parent].name = Some("th".into());
                Some(Flow::On)
            }
            _ => None,
        }
    }
}
