//! The text of an element (`org.jsoup.nodes.Element.text`).

use crate::tree::{Document, NodeId, NodeKind};

/// Elements that start a separate line (`org.jsoup.parser.Tag`).
const BLOCKS: &[&str] = &[
    "#root",
    "address",
    "applet",
    "article",
    "aside",
    "blockquote",
    "body",
    "canvas",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "ins",
    "li",
    "link",
    "main",
    "marquee",
    "math",
    "menu",
    "meta",
    "nav",
    "noframes",
    "noscript",
    "ol",
    "p",
    "plaintext",
    "pre",
    "script",
    "section",
    "style",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "video",
    "audio",
];
/// Blocks that jsoup writes without line ends.
const INLINE_FORMAT: &[&str] = &[
    "title", "a", "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "address", "li", "th", "td", "script",
    "style", "ins", "del", "s", "button",
];
/// Elements whose white space counts.
const KEEP_SPACE: &[&str] = &["pre", "plaintext", "title", "textarea"];
/// How far up they are looked for.
const KEEP_LEVELS: usize = 6;

fn is_block(document: &Document, node: NodeId) -> bool {
    BLOCKS.contains(&document.name(node))
}

/// Whether text in an element is code, not text.
fn holds_data(document: &Document, element: NodeId) -> bool {
    matches!(document.name(element), "script" | "style")
}

/// All text of an element: white space is one space, and blocks are apart.
pub(crate) fn jsoup_text(document: &Document, element: NodeId) -> String {
    let mut out = String::new();
    let mut open: Vec<NodeId> = Vec::new();
    for node in element..document.end(element) {
        while let Some(&last) = open.last().filter(|&&last| document.end(last) <= node) {
            leave(document, last, element, &mut out);
            open.pop();
        }
        match document.kind(node) {
            NodeKind::Text => add_text(document, node, &mut out),
            NodeKind::Element => {
                let apart = is_block(document, node) || document.name(node) == "br";
                if apart && !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
                open.push(node);
            }
            _ => {}
        }
    }
    while let Some(last) = open.pop() {
        leave(document, last, element, &mut out);
    }
    trimmed(out)
}

/// After an element: text after a block is separate from it.
fn leave(document: &Document, element: NodeId, top: NodeId, out: &mut String) {
    let next = document.end(element);
    if element == top
        || !is_block(document, element)
        || out.ends_with(' ')
        || next >= document.end(document.parent(element))
    {
        return;
    }
    let goes_on = match document.kind(next) {
        NodeKind::Text => true,
        NodeKind::Element => {
            let name = document.name(next);
            !BLOCKS.contains(&name) || INLINE_FORMAT.contains(&name)
        }
        _ => false,
    };
    if goes_on {
        out.push(' ');
    }
}

/// The text that is directly in an element.
pub(crate) fn jsoup_own_text(document: &Document, element: NodeId) -> String {
    let mut out = String::new();
    for node in document.children(element) {
        match document.kind(node) {
            NodeKind::Text => add_text(document, node, &mut out),
            NodeKind::Element if document.name(node) == "br" && !out.ends_with(' ') => out.push(' '),
            _ => {}
        }
    }
    trimmed(out)
}

fn add_text(document: &Document, node: NodeId, out: &mut String) {
    let parent = document.parent(node);
    if holds_data(document, parent) {
        return;
    }
    let above = std::iter::successors(Some(parent), |&at| (at != 0).then(|| document.parent(at)));
    if above.take(KEEP_LEVELS).any(|at| KEEP_SPACE.contains(&document.name(at))) {
        out.push_str(document.value(node));
        return;
    }
    for c in document.value(node).chars() {
        match c {
            ' ' | '\t' | '\n' | '\u{C}' | '\r' | '\u{A0}' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            // Invisible characters.
            '\u{200B}' | '\u{AD}' => {}
            c => out.push(c),
        }
    }
}

/// `String.trim` of Java.
fn trimmed(text: String) -> String {
    let trimmed = text.trim_matches(|c| c <= ' ');
    if trimmed.len() == text.len() { text } else { trimmed.to_owned() }
}
