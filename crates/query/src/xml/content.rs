//! Elements and their content.

use super::entity::Meaning;
use super::fault::Fault;
use super::misc::{invalid_char, starts_name};
use super::scanner::{Scanner, with_plain_line_ends};
use super::{Read, Reader};
use crate::chars::plain_length;

/// The text that is parsed: the content of the document element, or the text of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Document,
    /// With how many elements were open where it is used.
    Entity(usize),
}

const NOT_MARKUP: &str = "The content of elements must consist of well-formed character data or markup.";

impl Reader {
    /// Reads up to the end tag of the document element, or to the end of an entity's text. Elements
    /// do not nest calls.
    pub(super) fn content(&mut self, scan: &mut Scanner<'_>, content: Content) -> Read<()> {
        loop {
            self.characters(scan)?;
            match scan.peek() {
                None => {
                    let complete = content == Content::Entity(self.builder.depth());
                    return if complete { Ok(()) } else { Err(Fault::cut(scan.text.len())) };
                }
                Some('&') => {
                    scan.at += 1;
                    self.reference(scan)?;
                }
                Some(_) => {
                    scan.at += 1;
                    self.markup(scan, content)?;
                    if content == Content::Document && self.builder.depth() == 0 {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Text up to `<` or `&`.
    fn characters(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        let text = scan.rest();
        let plain = plain_length(text);
        if let Some(b'<' | b'&') = text.as_bytes().get(plain) {
            self.builder.text(&text[..plain]);
            scan.at += plain;
            return Ok(());
        }
        let length = memchr::memchr2(b'<', b'&', text.as_bytes()).unwrap_or(text.len());
        let text = &text[..length];
        check_characters(text, scan.at)?;
        self.builder.text(&with_plain_line_ends(text));
        scan.at += length;
        Ok(())
    }

    /// After `<`.
    fn markup(&mut self, scan: &mut Scanner<'_>, content: Content) -> Read<()> {
        let next = scan.need()?;
        if starts_name(next) {
            self.start_element(scan)?;
            return Ok(());
        }
        match next {
            '/' => {
                scan.at += 1;
                self.end_tag(scan, content)
            }
            '?' => {
                scan.at += 1;
                self.instruction(scan)
            }
            '!' => {
                scan.at += 1;
                if scan.skip("--") {
                    return self.comment(scan);
                }
                if scan.skip("[CDATA[") {
                    let text = scan.until("]]>", |c| invalid_char(c, "the CDATA section"))?;
                    self.builder.cdata(&with_plain_line_ends(text));
                    return Ok(());
                }
                scan.need()?;
                scan.fault(NOT_MARKUP)
            }
            _ => scan.fault(NOT_MARKUP),
        }
    }

    fn end_tag(&mut self, scan: &mut Scanner<'_>, content: Content) -> Read<()> {
        scan.need()?;
        let open = self.builder.open_name();
        if content == Content::Entity(self.builder.depth()) {
            return scan.fault(format!("The element \"{open}\" must start and end within the same entity."));
        }
        if !scan.skip(open) {
            return scan.fault(format!(
                "The element type \"{open}\" must be terminated by the matching end-tag \"</{open}>\"."
            ));
        }
        scan.skip_spaces();
        scan.need()?;
        if !scan.skip(">") {
            return scan
                .fault(format!("The end-tag for element type \"{open}\" must end with a '>' delimiter."));
        }
        self.close();
        Ok(())
    }

    /// An element ends.
    pub(super) fn close(&mut self) {
        self.builder.close();
        if self.options.namespaces {
            self.scopes.close();
        }
    }

    /// A reference in text, starting after `&`.
    fn reference(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        match self.entities.meaning(scan)? {
            Meaning::Char(c) => self.builder.text(c.encode_utf8(&mut [0; 4])),
            Meaning::Nothing | Meaning::External => {}
            Meaning::Text(name, text) => {
                let at = scan.at;
                self.entities.enter(&name, text.len(), at)?;
                let inside = Content::Entity(self.builder.depth());
                let read = self.content(&mut Scanner::new(&text), inside);
                read.map_err(|fault| Fault { at: Some(at), ..fault })?;
                self.entities.leave();
            }
        }
        Ok(())
    }
}

fn check_characters(text: &str, start: usize) -> Read<()> {
    if let Some((at, c)) = text.char_indices().find(|&(_, c)| !crate::chars::is_char(c)) {
        return Err(Fault::new(start + at, invalid_char(c, "the element content of the document")));
    }
    if let Some(at) = text.find("]]>") {
        let message = "The character sequence \"]]>\" must not appear in content unless used to mark the end of a \
                       CDATA section.";
        return Err(Fault::new(start + at + 3, message));
    }
    Ok(())
}
