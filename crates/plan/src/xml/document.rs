//! A well-formed document as a flat list of elements, so that neither parsing nor dropping it
//! recurses.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::errors::Error;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;

use super::escape::{EscapeError, unescape_attribute, unescape_text};

/// Elements may be nested this deep. Real plans stay below 60; everything that walks a plan
/// recurses this deep at most.
pub(crate) const DEPTH_LIMIT: usize = 500;

/// A tag of a plan has five attributes; the limit keeps the search for doubles cheap.
const ATTRIBUTE_LIMIT: usize = 100;

/// Position of an element in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index(u32);

/// A parsed document.
pub(crate) struct Document<'a> {
    source: &'a str,
    elements: Vec<XmlElement<'a>>,
    attributes: Vec<(&'a str, Cow<'a, str>)>,
    /// Line of a document type declaration, which is not read.
    pub(crate) doctype_line: Option<u32>,
    /// Line of whatever follows the outermost element, which is not read.
    pub(crate) trailing_line: Option<u32>,
}

struct XmlElement<'a> {
    tag: &'a str,
    attributes: Range<usize>,
    text: Cow<'a, str>,
    span: Range<usize>,
    line: u32,
    parent: Option<Index>,
    first_child: Option<Index>,
    last_child: Option<Index>,
    next: Option<Index>,
}

/// Why a text is not well-formed XML.
#[derive(Debug)]
pub(crate) struct XmlError {
    /// Byte offset of the error.
    pub(crate) offset: usize,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: Option<String>,
}

impl<'a> Document<'a> {
    /// The outermost element.
    #[expect(clippy::unused_self, reason = "the first element is the root by construction")]
    pub(crate) fn root(&self) -> Index {
        Index(0)
    }

    fn get(&self, index: Index) -> &XmlElement<'a> {
        &self.elements[index.0 as usize]
    }

    /// Name of the tag.
    pub(crate) fn tag(&self, index: Index) -> &'a str {
        self.get(index).tag
    }

    /// Attributes in document order.
    pub(crate) fn attributes(&self, index: Index) -> &[(&'a str, Cow<'a, str>)] {
        &self.attributes[self.get(index).attributes.clone()]
    }

    /// Value of an attribute.
    pub(crate) fn attribute(&self, index: Index, name: &str) -> Option<&str> {
        self.attributes(index).iter().find(|(key, _)| *key == name).map(|(_, value)| &**value)
    }

    /// Character data directly inside the element, joined.
    pub(crate) fn text(&self, index: Index) -> &str {
        &self.get(index).text
    }

    /// The element as written, from `<` to `>`.
    pub(crate) fn raw(&self, index: Index) -> &'a str {
        &self.source[self.get(index).span.clone()]
    }

    /// Where the element is in the source, from `<` to `>`.
    pub(crate) fn span(&self, index: Index) -> Range<usize> {
        self.get(index).span.clone()
    }

    /// All elements in the order of their start tags.
    pub(crate) fn in_order(&self) -> impl ExactSizeIterator<Item = Index> + use<> {
        (0..self.elements.len() as u32).map(Index)
    }

    /// The source.
    pub(crate) fn source(&self) -> &'a str {
        self.source
    }

    /// Line of the start tag, from 1.
    pub(crate) fn line(&self, index: Index) -> u32 {
        self.get(index).line
    }

    /// The element around this one.
    pub(crate) fn parent(&self, index: Index) -> Option<Index> {
        self.get(index).parent
    }

    /// Elements directly inside, in document order.
    pub(crate) fn children(&self, index: Index) -> impl Iterator<Item = Index> {
        std::iter::successors(self.get(index).first_child, |child| self.get(*child).next)
    }

    /// The first element with this tag directly inside.
    pub(crate) fn child(&self, index: Index, tag: &str) -> Option<Index> {
        self.children(index).find(|child| self.tag(*child) == tag)
    }
}

/// Parses a whole document. Comments and processing instructions are dropped, entities other than
/// XML's five and numbers are errors, and nothing outside the text is ever read. What follows the
/// outermost element is not looked at, as XStream does not.
pub(crate) fn parse(source: &str) -> Result<Document<'_>, XmlError> {
    if source.starts_with('\u{feff}') {
        // The reader would skip it without counting its bytes.
        let message = "a second byte order mark is outside the outermost element";
        return Err(XmlError::new(0, message).hint("remove it with an editor that shows hidden characters"));
    }
    let mut builder = Builder {
        document: Document {
            source,
            elements: Vec::new(),
            attributes: Vec::new(),
            doctype_line: None,
            trailing_line: None,
        },
        open: Vec::new(),
        run: 0..0,
        line: 1,
        line_offset: 0,
    };
    let mut reader = Reader::from_str(source);
    // Left to our own reading of escapes, which says where the ampersand is.
    reader.config_mut().allow_dangling_amp = true;
    loop {
        let start = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|e| syntax_error(&e, reader.error_position() as usize))?;
        let span = start..reader.buffer_position() as usize;
        if matches!(event, Event::Text(_) | Event::GeneralRef(_)) {
            builder.run = if builder.run.is_empty() { span } else { builder.run.start..span.end };
            continue;
        }
        builder.finish_text()?;
        match event {
            Event::Start(tag) => builder.open(&span, tag.name().as_ref().len(), false)?,
            Event::Empty(tag) => builder.open(&span, tag.name().as_ref().len(), true)?,
            Event::End(_) => builder.close(span.end),
            Event::CData(_) => builder.cdata(&span),
            Event::DocType(_) => builder.document.doctype_line = Some(builder.line_at(start)),
            Event::Eof => return builder.finish(),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Text(_) | Event::GeneralRef(_) => {}
        }
        if builder.open.is_empty() && !builder.document.elements.is_empty() {
            builder.look_behind(span.end);
            return builder.finish();
        }
    }
}

struct Builder<'a> {
    document: Document<'a>,
    open: Vec<Index>,
    /// Character data seen since the last markup.
    run: Range<usize>,
    line: u32,
    line_offset: usize,
}

impl Builder<'_> {
    /// Line of an offset; offsets must not go back.
    fn line_at(&mut self, offset: usize) -> u32 {
        let passed = &self.document.source.as_bytes()[self.line_offset..offset];
        self.line += passed.split(|b| *b == b'\n').count() as u32 - 1;
        self.line_offset = offset;
        self.line
    }

    fn open(&mut self, span: &Range<usize>, name_length: usize, empty: bool) -> Result<(), XmlError> {
        let name = span.start + 1..span.start + 1 + name_length;
        if self.open.len() >= DEPTH_LIMIT {
            return Err(XmlError::new(
                span.start,
                format!("elements are nested deeper than {DEPTH_LIMIT} levels"),
            )
            .hint("flatten the plan; no controller tree needs this depth"));
        }
        let inside = name.start..span.end - if empty { 2 } else { 1 };
        let attributes = self.attributes(inside, name_length)?;
        let index = Index(self.document.elements.len() as u32);
        let element = XmlElement {
            tag: &self.document.source[name],
            attributes,
            text: Cow::Borrowed(""),
            line: self.line_at(span.start),
            span: span.clone(),
            parent: self.open.last().copied(),
            first_child: None,
            last_child: None,
            next: None,
        };
        self.document.elements.push(element);
        self.link(index);
        if !empty {
            self.open.push(index);
        }
        Ok(())
    }

    fn link(&mut self, child: Index) {
        let Some(parent) = self.open.last() else { return };
        let parent = &mut self.document.elements[parent.0 as usize];
        let before = parent.last_child.replace(child);
        parent.first_child.get_or_insert(child);
        if let Some(before) = before {
            self.document.elements[before.0 as usize].next = Some(child);
        }
    }

    /// Attributes of the tag whose inside (without angle brackets) is `inside`.
    fn attributes(&mut self, inside: Range<usize>, name_length: usize) -> Result<Range<usize>, XmlError> {
        let first = self.document.attributes.len();
        let source = self.document.source;
        for attribute in Attributes::new(&source[inside.clone()], name_length).with_checks(false) {
            let attribute = attribute.map_err(|e| {
                XmlError::new(inside.start, format!("an attribute is malformed: {e}"))
                    .hint("write attributes as name=\"value\"")
            })?;
            let key = within(source, attribute.key.as_ref());
            let value = within(source, &attribute.value);
            let seen = &self.document.attributes[first..];
            if seen.iter().any(|(other, _)| *other == &source[key.clone()]) {
                return Err(XmlError::new(key.start, format!("attribute `{}` is given twice", &source[key])));
            }
            if seen.len() == ATTRIBUTE_LIMIT {
                return Err(XmlError::new(
                    key.start,
                    format!("a tag has more than {ATTRIBUTE_LIMIT} attributes"),
                ));
            }
            let text =
                unescape_attribute(&source[value.clone()]).map_err(|e| escape_error(&e, value.start))?;
            self.document.attributes.push((&source[key], text));
        }
        Ok(first..self.document.attributes.len())
    }

    fn close(&mut self, end: usize) {
        // quick-xml has matched the end tag with the last open start tag.
        if let Some(index) = self.open.pop() {
            self.document.elements[index.0 as usize].span.end = end;
        }
    }

    /// Notes whether anything but blanks and comments follows the outermost element.
    fn look_behind(&mut self, end: usize) {
        let rest = self.document.source[end..].trim_start();
        if !rest.is_empty() && !rest.starts_with("<!--") {
            self.document.trailing_line = Some(self.line_at(self.document.source.len() - rest.len()));
        }
    }

    fn finish_text(&mut self) -> Result<(), XmlError> {
        let run = std::mem::take(&mut self.run);
        if run.is_empty() {
            return Ok(());
        }
        let text =
            unescape_text(&self.document.source[run.clone()]).map_err(|e| escape_error(&e, run.start))?;
        if self.open.is_empty() && !text.trim().is_empty() {
            let offset = run.end - self.document.source[run].trim_start().len();
            return Err(XmlError::new(offset, "text is outside the outermost element"));
        }
        self.append(text);
        Ok(())
    }

    fn cdata(&mut self, span: &Range<usize>) {
        let inside = &self.document.source[span.start + "<![CDATA[".len()..span.end - "]]>".len()];
        let text = if inside.contains('\r') {
            Cow::Owned(inside.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(inside)
        };
        self.append(text);
    }
}

impl<'a> Builder<'a> {
    fn append(&mut self, text: Cow<'a, str>) {
        let Some(index) = self.open.last() else { return };
        let element = &mut self.document.elements[index.0 as usize];
        if element.text.is_empty() {
            element.text = text;
        } else {
            element.text.to_mut().push_str(&text);
        }
    }

    fn finish(self) -> Result<Document<'a>, XmlError> {
        let end = self.document.source.len();
        if let Some(index) = self.open.last() {
            let element = self.document.get(*index);
            let message = format!("`<{}>` in line {} is never closed", element.tag, element.line);
            return Err(XmlError::new(end, message).hint("the file may be truncated; download it again"));
        }
        if self.document.elements.is_empty() {
            return Err(XmlError::new(0, "no XML element found").hint("this is not a plan saved by JMeter"));
        }
        Ok(self.document)
    }
}

impl XmlError {
    fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, message: message.into(), hint: None }
    }

    fn hint(self, hint: &str) -> Self {
        Self { hint: Some(hint.to_owned()), ..self }
    }
}

/// Range of a part of `source` that a parser handed out as bytes.
fn within(source: &str, part: &[u8]) -> Range<usize> {
    let start = part.as_ptr() as usize - source.as_ptr() as usize;
    start..start + part.len()
}

fn escape_error(error: &EscapeError, start: usize) -> XmlError {
    XmlError::new(start + error.offset, format!("unknown entity `{}`", error.written)).hint(
        "write a literal ampersand as `&amp;`; only the entities amp, lt, gt, quot, apos and numbers \
               are supported",
    )
}

fn syntax_error(error: &Error, offset: usize) -> XmlError {
    let message = error.to_string();
    let message = message.strip_prefix("syntax error: ").or(message.strip_prefix("ill-formed document: "));
    let built = XmlError::new(offset, message.map_or_else(|| error.to_string(), str::to_owned));
    match error {
        Error::Syntax(_) => built.hint("the file may be truncated or damaged; download it again"),
        _ => built,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_keeps_tags_attributes_texts_and_lines() {
        let source = "<?xml version=\"1.1\"?>\n<!-- c --><a x='1&amp;2' y=\"\">\n \
                      <b>t&#65;<![CDATA[<&>\r\n]]>u</b>\n <b/>\n</a>\n";
        let document = parse(source).expect("well-formed");
        let root = document.root();
        assert_eq!((document.tag(root), document.line(root)), ("a", 2));
        assert_eq!(document.attribute(root, "x"), Some("1&2"));
        assert_eq!(document.attribute(root, "y"), Some(""));
        let children: Vec<_> = document.children(root).collect();
        assert_eq!(children.iter().map(|c| document.line(*c)).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(document.text(children[0]), "tA<&>\nu");
        assert_eq!(document.raw(children[1]), "<b/>");
        assert_eq!(document.raw(children[0]), "<b>t&#65;<![CDATA[<&>\r\n]]>u</b>");
        assert_eq!(document.parent(children[1]), Some(root));
    }

    #[test]
    fn what_follows_the_outermost_element_is_only_noted() {
        for (source, line) in
            [("<a/>\n<b>", Some(2)), ("<a></a>x &", Some(1)), ("<a/>\n\n", None), ("<a/><!--", None)]
        {
            assert_eq!(parse(source).expect("the element is whole").trailing_line, line, "{source}");
        }
    }

    #[test]
    fn faults_are_located() {
        let deep = "<a>".repeat(DEPTH_LIMIT + 1);
        let cases = [
            ("", 0, "no XML element"),
            ("  ", 0, "no XML element"),
            ("<a>", 3, "never closed"),
            ("<a></b>", 3, "</b>"),
            ("x<a/>", 0, "outside"),
            ("\u{feff}<a/>", 0, "byte order mark"),
            ("\u{feff}敲", 0, "byte order mark"),
            ("<a>&nope;</a>", 3, "&nope;"),
            ("<a>\n& b</a>", 4, "&"),
            ("<a x='&nope;'/>", 6, "&nope;"),
            ("<a x='1' x='2'/>", 9, "twice"),
            ("<a x/>", 1, "malformed"),
            ("<a><![CDATA[</a>", 3, "CDATA"),
            (&*deep, 3 * DEPTH_LIMIT, "deeper"),
        ];
        for (source, offset, part) in cases {
            let error = parse(source).err().unwrap_or_else(|| panic!("{source} must not parse"));
            assert!(error.message.contains(part), "{source}: {}", error.message);
            assert_eq!(error.offset, offset, "{source}: {}", error.message);
        }
    }
}
