//! A page while it is read: everything that the lexer, the parser and the checks share (`org.w3c.tidy.Lexer`).

use std::collections::HashMap;
use std::rc::Rc;

use super::buffer::Buffer;
use super::input::Input;
use super::node::{Attribute, Id, Kind, Node, Tree};
use super::report::Report;
use super::tags::Tag;
use super::versions::{ALL, PROPRIETARY, UNKNOWN};
use super::{Format, Settings};

/// Nodes that a page may have beside one for each of its bytes: inline elements that are never ended are repeated in each block
/// behind them.
const MOST_NODES: usize = 200_000;

/// How white space and newlines of a text are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    IgnoreWhite,
    Mixed,
    Preformatted,
}

/// What the lexer is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Content,
    /// Behind a `<`.
    Open,
    EndTag,
    StartTag,
    Comment,
    Doctype,
    Instruction,
    Cdata,
    Section,
    Asp,
    Jste,
    Php,
    Declaration,
}

/// Why reading stops before the end of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// JTidy itself fails here, with an exception of this message, if it is known.
    Exception(Option<String>),
    /// The page is deeper or larger than we follow.
    TooLarge,
}

/// An inline element that goes on in the blocks behind it (`IStack`).
#[derive(Clone)]
pub(super) struct Inline {
    pub(super) tag: Tag,
    pub(super) name: Option<Rc<str>>,
    pub(super) attributes: Vec<Attribute>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own, as JTidy has them")]
pub(super) struct Page {
    pub(super) input: Input,
    pub(super) buffer: Buffer,
    pub(super) tree: Tree,
    pub(super) report: Report,
    pub(super) state: State,
    /// The token read last; it is read again if it was given back.
    pub(super) token: Option<Id>,
    pub(super) given_back: bool,
    pub(super) text_start: usize,
    pub(super) text_end: usize,
    pub(super) was_white: bool,
    pub(super) insert_space: bool,
    pub(super) inlines: Vec<Inline>,
    pub(super) inlines_base: usize,
    /// How many of them there are of each kind.
    pub(super) inline_counts: [u32; 128],
    /// The inline to be put in next.
    pub(super) insert: Option<usize>,
    /// What stands behind the inlines that are put in.
    pub(super) inserted_before: Option<Id>,
    pub(super) exclude_blocks: bool,
    /// What was in a table and stands before it now is read.
    pub(super) exiled: bool,
    pub(super) seen_end_body: bool,
    pub(super) seen_end_html: bool,
    pub(super) root: Option<Id>,
    pub(super) head: Option<Id>,
    pub(super) frameset: Option<Id>,
    pub(super) noframes: Option<Id>,
    /// Elements by their `id` and `name`, in small letters.
    pub(super) anchors: HashMap<String, Id>,
    /// Versions of HTML that the page can be.
    pub(super) versions: i32,
    /// The version that its DOCTYPE names.
    pub(super) doctype: i32,
    pub(super) bad_doctype: bool,
    /// It says that it is XHTML.
    pub(super) is_voyager: bool,
    pub(super) xml_tags: bool,
    pub(super) xml_out: bool,
    pub(super) xhtml: bool,
    pub(super) xml_instructions: bool,
    most_nodes: usize,
    /// Fonts and the like are made styles.
    pub(super) cleans: bool,
    /// The tree lost its links.
    pub(super) is_broken: bool,
    pub(super) stop: Option<Stop>,
}

impl Page {
    pub(super) fn new(bytes: &[u8], settings: Settings) -> Self {
        let xml = settings.format == Format::Xml;
        let xhtml = settings.format == Format::Xhtml;
        Self {
            input: Input::new(bytes),
            buffer: Buffer::default(),
            tree: Tree::default(),
            report: Report::new(settings.wants_report),
            state: State::Content,
            token: None,
            given_back: false,
            text_start: 0,
            text_end: 0,
            was_white: false,
            insert_space: false,
            inlines: Vec::new(),
            inlines_base: 0,
            inline_counts: [0; 128],
            insert: None,
            inserted_before: None,
            exclude_blocks: false,
            exiled: false,
            seen_end_body: false,
            seen_end_html: false,
            root: None,
            head: None,
            frameset: None,
            noframes: None,
            anchors: HashMap::new(),
            versions: ALL | PROPRIETARY,
            doctype: UNKNOWN,
            bad_doctype: false,
            is_voyager: false,
            xml_tags: xml,
            xml_out: xml || xhtml,
            xhtml,
            xml_instructions: xml,
            most_nodes: bytes.len() + MOST_NODES,
            cleans: false,
            is_broken: false,
            stop: None,
        }
    }

    /// Notes where the reader is now.
    pub(super) fn mark_place(&mut self) {
        (self.report.line, self.report.column) = self.input.place();
    }

    /// JTidy fails here.
    pub(super) fn fail(&mut self) {
        self.stop.get_or_insert(Stop::Exception(None));
    }

    /// JTidy reads this many bytes of its text; where they are not there, it fails in Java's words.
    pub(super) fn demand(&mut self, start: i64, length: i64) {
        let all = self.buffer.capacity() as i64;
        if start < 0 || length < 0 || start > all - length {
            let message = format!("offset {start}, count {length}, length {all}");
            self.stop.get_or_insert(Stop::Exception(Some(message)));
        }
    }

    pub(super) fn add(&mut self, node: Node) -> Id {
        if self.tree.len() >= self.most_nodes {
            self.stop.get_or_insert(Stop::TooLarge);
        }
        self.tree.add(node)
    }

    /// A node whose text is what was read last.
    pub(super) fn node(&mut self, kind: Kind) -> Id {
        self.add(Node::new(kind, self.text_start, self.text_end))
    }

    /// An element that the page leaves out.
    pub(super) fn inferred(&mut self, tag: Tag) -> Id {
        let id = self.node(Kind::Start);
        self.tree.note(tag);
        let node = &mut self.tree[id];
        node.tag = Some(tag);
        node.name = Some(tag.entry().name.into());
        node.implicit = true;
        id
    }

    /// The page can only be one of these versions.
    pub(super) fn constrain(&mut self, versions: i32) {
        self.versions &= versions | PROPRIETARY;
    }

    /// A byte of a node's text, 0 where there is none.
    pub(super) fn byte(&self, node: Id, at: usize) -> u8 {
        match &self.tree[node].own {
            Some(own) => own.get(at).copied().unwrap_or(0),
            None => self.buffer.at(at),
        }
    }

    pub(super) fn is_text(&self, node: Id) -> bool {
        self.tree[node].kind == Kind::Text
    }

    /// Adds a character to the text. What XML does not allow is left out where XML is written.
    pub(super) fn push_char(&mut self, c: i32) {
        let allowed = matches!(c, 0x9 | 0xA | 0xD | 0x20..=0xD7FF | 0xE000..=0xFFFD | 0x1_0000..=0x10_FFFF);
        if (self.xml_out || self.xhtml) && !allowed {
            return;
        }
        if c <= 0x7F {
            self.buffer.push(c as u8);
            return;
        }
        let is_character = c != 0xFFFE && c != 0xFFFF;
        let character = u32::try_from(c).ok().filter(|_| is_character).and_then(char::from_u32);
        let mut bytes = [0; 4];
        for &byte in character.unwrap_or('\u{FFFD}').encode_utf8(&mut bytes).as_bytes() {
            self.buffer.push(byte);
        }
    }

    pub(super) fn push_text(&mut self, text: &str) {
        for unit in text.encode_utf16() {
            self.push_char(i32::from(unit));
        }
    }
}
