//! Writes a part of a document as text, as Saxon's serializer does without a declaration.

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
                write!(out, "<!--{}-->", document.value(at)).expect("writing to a String cannot fail");
            }
            NodeKind::Instruction => instruction(document, at, &mut out),
            NodeKind::Root | NodeKind::Attribute | NodeKind::Namespace => {}
        }
        at += 1;
    }
    close_ended(document, &mut out, &mut open, end);
    out
}

fn close_ended(document: &Document, out: &mut String, open: &mut Vec<NodeId>, at: NodeId) {
    while let Some(&last) = open.last().filter(|&&last| document.end(last) <= at) {
        write!(out, "</{}>", document.name(last)).expect("writing to a String cannot fail");
        open.pop();
    }
}

/// Whether an element has an end tag. Text without characters, such as an empty CDATA section, is
/// left out, as in Saxon's tree.
fn has_content(document: &Document, element: NodeId) -> bool {
    document.children(element).any(|child| !document.is_text(child) || !document.value(child).is_empty())
}

fn start_tag(document: &Document, out: &mut String, element: NodeId, declarations: &[NodeId]) {
    out.push('<');
    out.push_str(document.name(element));
    for &declaration in declarations {
        let colon = if document.name(declaration).is_empty() { "" } else { ":" };
        write!(out, " xmlns{colon}{}=\"", document.name(declaration))
            .expect("writing to a String cannot fail");
        escape_attribute(document.value(declaration), out);
        out.push('"');
    }
    for attribute in document.attributes(element) {
        write!(out, " {}=\"", document.name(attribute)).expect("writing to a String cannot fail");
        escape_attribute(document.value(attribute), out);
        out.push('"');
    }
}

fn instruction(document: &Document, node: NodeId, out: &mut String) {
    let target = document.name(node);
    let data = document.value(node);
    let space = if data.is_empty() { "" } else { " " };
    write!(out, "<?{target}{space}{data}?>").expect("writing to a String cannot fail");
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
    write!(out, "&#x{:X};", u32::from(c)).expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::fragment;
    use crate::xml::{XmlOptions, parse};

    #[test]
    fn an_element_with_an_empty_section_of_characters_is_written_as_an_empty_one() {
        for (text, wanted) in [
            ("<a><![CDATA[]]></a>", "<a/>"),
            ("<a><b><![CDATA[]]></b>x</a>", "<a><b/>x</a>"),
            ("<a><![CDATA[]]><b/></a>", "<a><b/></a>"),
        ] {
            let document = parse(text, XmlOptions::dom(true)).expect("it is well-formed");
            assert_eq!(fragment(&document, document.document_element().expect("an element")), wanted);
        }
    }
}
