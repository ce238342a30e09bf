//! A part of a document as text, as Saxon's serializer writes it without a declaration.

use std::fmt::Write as _;

use crate::tree::{Document, NodeId, NodeKind};
use crate::xpath::namespaces_in_scope;

/// An element with all that is in it as XML, on as many lines as it has.
pub fn fragment(document: &Document, element: NodeId) -> String {
    let mut out = String::new();
    let mut open: Vec<NodeId> = Vec::new();
    let mut at = element;
    let end = document.end(element);
    while at < end {
        close_ended(document, &mut out, &mut open, at);
        match document.kind(at) {
            NodeKind::Element => {
                let all = if at == element {
                    namespaces_in_scope(document, at)
                } else {
                    document.declarations(at).collect()
                };
                start_tag(document, &mut out, at, &all);
                if has_content(document, at) {
                    out.push('>');
                    open.push(at);
                } else {
                    out.push_str("/>");
                }
            }
            NodeKind::Text | NodeKind::Cdata => escape_text(document.value(at), &mut out),
            NodeKind::Comment => {
                write!(out, "<!--{}-->", document.value(at)).expect("a String takes everything");
            }
            NodeKind::Instruction => instruction(document, at, &mut out),
            NodeKind::Root | NodeKind::Attribute | NodeKind::Namespace => {}
        }
        at += 1;
    }
    close_ended(document, &mut out, &mut open, end);
    out
}

/// A node as `XdmNode.toString` writes it: elements on lines of their own, with three blanks a level, where there is no text
/// beside them.
pub fn indented(document: &Document, node: NodeId) -> String {
    let mut out = String::new();
    match document.kind(node) {
        NodeKind::Attribute => {
            write!(out, "{}=\"", document.name(node)).expect("a String takes everything");
            for c in document.value(node).chars() {
                match c {
                    '<' => out.push_str("&lt;"),
                    '&' => out.push_str("&amp;"),
                    '"' => out.push_str("&quot;"),
                    c => out.push(c),
                }
            }
            out.push('"');
        }
        NodeKind::Text | NodeKind::Cdata => {
            for c in document.string_value(node).chars() {
                match c {
                    '<' => out.push_str("&lt;"),
                    '&' => out.push_str("&amp;"),
                    c => out.push(c),
                }
            }
        }
        NodeKind::Namespace => out.push_str(document.value(node)),
        _ => {
            Indenter {
                document,
                out: &mut out,
                open: Vec::new(),
                pending: String::new(),
                state: State::Text,
            }
            .run(node);
        }
    }
    out
}

/// Elements deeper than that begin their lines without blanks.
const DEEPEST_INDENTED: usize = 200;

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    Start,
    End,
}

/// `net.sf.saxon.serialize.XMLIndenter`.
struct Indenter<'d, 'o> {
    document: &'d Document,
    out: &'o mut String,
    open: Vec<NodeId>,
    /// White space that is written only if no new line takes its place.
    pending: String,
    state: State,
}

impl Indenter<'_, '_> {
    fn run(mut self, top: NodeId) {
        let document = self.document;
        let end = document.end(top);
        for node in top..end {
            self.close_ended(node);
            match document.kind(node) {
                NodeKind::Element => self.start(
                    node,
                    node == top || document.kind(top) == NodeKind::Root && document.parent(node) == 0,
                ),
                NodeKind::Text | NodeKind::Cdata if !document.continues_text(node) => {
                    self.text(&document.string_value(node));
                }
                NodeKind::Comment => {
                    self.before_other();
                    write!(self.out, "<!--{}-->", document.value(node)).expect("a String takes everything");
                }
                NodeKind::Instruction => {
                    self.before_other();
                    instruction(document, node, self.out);
                }
                _ => {}
            }
        }
        self.close_ended(end);
    }

    fn close_ended(&mut self, at: NodeId) {
        while let Some(&last) = self.open.last().filter(|&&last| self.document.end(last) <= at) {
            self.open.pop();
            if self.document.children(last).next().is_none() {
                // Its start tag has ended it.
                self.pending.clear();
            } else {
                match self.state {
                    State::End => self.new_line(),
                    _ => self.flush(),
                }
                write!(self.out, "</{}>", self.document.name(last)).expect("a String takes everything");
            }
            self.state = State::End;
        }
    }

    fn start(&mut self, element: NodeId, is_top: bool) {
        match self.state {
            State::Start | State::End => self.new_line(),
            State::Text => self.flush(),
        }
        let all: Vec<_> = if is_top {
            namespaces_in_scope(self.document, element)
        } else {
            self.document.declarations(element).collect()
        };
        let all: Vec<_> = all.into_iter().filter(|&node| !self.document.value(node).is_empty()).collect();
        start_tag(self.document, self.out, element, &all);
        let empty = self.document.children(element).next().is_none();
        self.out.push_str(if empty { "/>" } else { ">" });
        self.open.push(element);
        self.state = State::Start;
    }

    fn text(&mut self, text: &str) {
        if text.chars().all(crate::chars::is_space) {
            text.clone_into(&mut self.pending);
            return;
        }
        self.flush();
        escape_text(text, self.out);
        self.state = State::Text;
    }

    fn before_other(&mut self) {
        match self.state {
            State::End => self.new_line(),
            _ => self.flush(),
        }
    }

    fn flush(&mut self) {
        escape_text(&std::mem::take(&mut self.pending), self.out);
    }

    fn new_line(&mut self) {
        self.pending.clear();
        if !self.out.is_empty() {
            self.out.push('\n');
            // The blanks before elements nested this deep would be more than the document.
            let level = if self.open.len() > DEEPEST_INDENTED { 0 } else { self.open.len() };
            self.out.extend(std::iter::repeat_n("   ", level));
        }
    }
}

fn close_ended(document: &Document, out: &mut String, open: &mut Vec<NodeId>, at: NodeId) {
    while let Some(&last) = open.last().filter(|&&last| document.end(last) <= at) {
        write!(out, "</{}>", document.name(last)).expect("a String takes everything");
        open.pop();
    }
}

fn has_content(document: &Document, element: NodeId) -> bool {
    document.children(element).next().is_some()
}

fn start_tag(document: &Document, out: &mut String, element: NodeId, declarations: &[NodeId]) {
    out.push('<');
    out.push_str(document.name(element));
    for &declaration in declarations {
        let colon = if document.name(declaration).is_empty() { "" } else { ":" };
        write!(out, " xmlns{colon}{}=\"", document.name(declaration)).expect("a String takes everything");
        escape_attribute(document.value(declaration), out);
        out.push('"');
    }
    for attribute in document.attributes(element) {
        write!(out, " {}=\"", document.name(attribute)).expect("a String takes everything");
        escape_attribute(document.value(attribute), out);
        out.push('"');
    }
}

fn instruction(document: &Document, node: NodeId, out: &mut String) {
    let (target, data) = (document.name(node), document.value(node));
    let space = if data.is_empty() { "" } else { " " };
    write!(out, "<?{target}{space}{data}?>").expect("a String takes everything");
}

fn escape_text(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\r' | '\x7F'..='\u{9F}' | '\u{2028}' => numeric(c, out),
            c => out.push(c),
        }
    }
}

fn escape_attribute(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&#34;"),
            '\t' | '\n' | '\r' | '\x7F'..='\u{9F}' | '\u{2028}' => numeric(c, out),
            c => out.push(c),
        }
    }
}

fn numeric(c: char, out: &mut String) {
    write!(out, "&#x{:X};", u32::from(c)).expect("a String takes everything");
}
