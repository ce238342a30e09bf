//! The parser (`org.w3c.tidy.ParserImpl`): each kind of content has its rule, which takes one token after the other. Elements that
//! are open lie on a stack, so no page, however deep, uses up the machine's.

mod block;
mod block_tags;
mod body;
mod document;
mod fields;
mod frames;
mod head;
mod inline;
mod inline_tags;
mod lists;
mod page;
mod pre;
mod row;
mod table;
mod xml;

use super::models::{EMPTY, INLINE};
use super::node::{Id, Kind};
use super::page::{Mode, Page, Stop};
use super::tags::Rule;

/// Elements in each other that are followed; JTidy ends by running out of stack at some thousands.
const DEEPEST: usize = 4096;

/// An open element.
struct Frame {
    rule: Rule,
    element: Id,
    mode: Mode,
    /// Whether the inline elements before it may still be repeated (`checkstack`).
    may_repeat: bool,
    /// The base of inline elements when it began.
    base: usize,
    /// What is due when the element that was just opened is done.
    after: After,
    /// Of a head: its titles and bases.
    titles: u32,
    bases: u32,
    /// Of a page: its head is done.
    has_head: bool,
}

/// What is due when an element in this one is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    /// It stood in a table and was put before it.
    Exile,
    /// A cell; blocks were excluded before, or not.
    Cell(bool),
    /// A `center` in a `dl`, which goes on in a new one.
    Center(Id),
    /// The body of `noframes`; the page's own had ended.
    NoFramesBody(Id, bool),
    /// A frame set of the page.
    FrameSet,
    /// The body, which is the last.
    Body,
    /// The body of a page that has ended.
    EmptyBody,
}

/// What a token leads to.
enum Flow {
    On,
    /// An element is opened.
    Into(Id, Mode),
    /// An element is opened that is read by this rule.
    By(Rule, Id, Mode),
    /// This element is done.
    Out,
}

impl Page {
    /// Reads an element with all that is in it.
    fn run(&mut self, rule: Rule, element: Id, mode: Mode) {
        let mut open = Vec::new();
        self.enter(rule, element, mode, &mut open);
        while let Some(frame) = open.last_mut() {
            if self.stop.is_some() {
                return;
            }
            match self.step(frame) {
                Flow::On => {}
                Flow::Out => {
                    open.pop();
                }
                Flow::Into(node, mode) => self.enter_tag(node, mode, &mut open),
                Flow::By(rule, node, mode) => self.enter(rule, node, mode, &mut open),
            }
        }
    }

    fn enter_tag(&mut self, node: Id, mode: Mode, open: &mut Vec<Frame>) {
        let Some(tag) = self.tree[node].tag else { return self.fail() };
        if self.tree[node].has(EMPTY) {
            self.was_white = false;
        } else if !self.tree[node].has(INLINE) {
            self.insert_space = false;
        }
        if self.tree[node].kind == Kind::StartEnd {
            self.trim_empty(node);
        } else {
            self.enter(tag.entry().rule, node, mode, open);
        }
    }

    /// What an element's rule does before its first token.
    fn enter(&mut self, rule: Rule, element: Id, mode: Mode, open: &mut Vec<Frame>) {
        if self.tree[element].has(EMPTY) && !matches!(rule, Rule::Empty | Rule::Script) {
            return;
        }
        let mut frame = Frame {
            rule,
            element,
            mode,
            may_repeat: true,
            base: self.inlines_base,
            after: After::Nothing,
            titles: 0,
            bases: 0,
            has_head: false,
        };
        match rule {
            Rule::Empty => return self.empty(element, mode),
            Rule::Script => return self.script(element),
            Rule::Html => self.begin_page(),
            Rule::Body => self.begin_body(&mut frame),
            Rule::Inline => self.begin_inline(&mut frame),
            Rule::Block => self.begin_block(&mut frame),
            Rule::Pre => self.begin_pre(element),
            Rule::Table => self.begin_table(),
            Rule::NoFrames => frame.mode = Mode::IgnoreWhite,
            Rule::Text => self.begin_text(&mut frame),
            Rule::List | Rule::DefList | Rule::Select | Rule::OptGroup => self.insert = None,
            Rule::Head | Rule::Title | Rule::FrameSet | Rule::ColGroup | Rule::RowGroup | Rule::Row => {}
        }
        if open.len() >= DEEPEST {
            self.stop.get_or_insert(Stop::TooLarge);
        }
        open.push(frame);
    }

    fn step(&mut self, frame: &mut Frame) -> Flow {
        if let Some(flow) = self.resume(frame) {
            return flow;
        }
        match frame.rule {
            Rule::Html => self.page(frame),
            Rule::Head => self.head(frame),
            Rule::Title => self.title(frame),
            Rule::Body => self.body(frame),
            Rule::FrameSet => self.frame_set(frame),
            Rule::NoFrames => self.no_frames(frame),
            Rule::Inline => self.inline(frame),
            Rule::Block => self.block(frame),
            Rule::List => self.list(frame),
            Rule::DefList => self.definitions(frame),
            Rule::Pre => self.pre(frame),
            Rule::Table => self.table(frame),
            Rule::ColGroup => self.columns(frame),
            Rule::RowGroup => self.row_group(frame),
            Rule::Row => self.row(frame),
            Rule::Select => self.select(frame),
            Rule::Text => self.text_field(frame),
            Rule::OptGroup => self.option_group(frame),
            Rule::Empty | Rule::Script => Flow::Out,
        }
    }

    /// What is due before the next token.
    fn resume(&mut self, frame: &mut Frame) -> Option<Flow> {
        match std::mem::replace(&mut frame.after, After::Nothing) {
            After::Nothing => {}
            After::Exile => self.exiled = false,
            After::Cell(excluded) => {
                self.exclude_blocks = excluded;
                self.pop_inlines();
            }
            After::Center(center) => self.go_on_behind(center, frame),
            After::NoFramesBody(body, seen) => self.after_second_body(body, seen),
            After::FrameSet => self.find_no_frames(),
            After::Body => {
                self.seen_end_html = true;
                return Some(Flow::Out);
            }
            After::EmptyBody => return Some(Flow::Out),
        }
        None
    }

    /// Leaves a token out.
    fn discard(&mut self, element: Id, node: Id) -> Flow {
        self.warn(super::words::Finding::Discarding, element, node);
        Flow::On
    }

    /// A form is tangled with what it stands in.
    fn tangled_form(&mut self) {
        self.report.bad_form = true;
        self.report.error();
    }

    /// Puts comments and the like where they stand; whether it was one.
    fn take_misc(&mut self, element: Id, node: Id) -> bool {
        let is_misc = self.tree[node].is_misc();
        if is_misc {
            self.tree.append(element, node);
        }
        is_misc
    }

    /// Where an element ends, the blanks in it are trimmed; comments and the like stay where they stand. None for what else comes.
    fn end_or_misc(&mut self, element: Id, node: Id) -> Option<Flow> {
        if self.tree[node].is_end_of(self.tree[element].tag) {
            self.trim_spaces(element);
            return Some(Flow::Out);
        }
        self.take_misc(element, node).then_some(Flow::On)
    }

    /// Whether an end tag closes something that the element stands in.
    fn closes_outer(&self, element: Id, node: Id) -> bool {
        self.tree.is_in(element, self.tree[node].tag)
    }

    /// The element is at its end: blanks are trimmed, and without content it goes.
    fn finish(&mut self, element: Id) -> Flow {
        self.trim_spaces(element);
        self.trim_empty(element);
        Flow::Out
    }

    /// The token belongs to what is around the element.
    fn hand_up(&mut self, element: Id) -> Flow {
        self.give_back();
        self.finish(element)
    }
}
