//! XML: bytes or text to a tree, or the fault that Xerces finds, in its words.

mod attributes;
mod content;
mod decode;
mod doctype;
mod entity;
mod fault;
mod misc;
mod scanner;
mod scopes;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::tree::{Builder, Document, LARGEST, NodeId};
use content::Content;
use doctype::Defaults;
use entity::Entities;
use fault::Fault;
use scanner::Scanner;
use scopes::Scopes;

pub use decode::decode;
pub use fault::place;
pub use fault::{XmlError, XmlErrorKind};

/// How a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of the parser that is on or off")]
pub struct XmlOptions {
    /// With regard to namespaces: prefixes must be declared.
    pub namespaces: bool,
    /// Whether it may have a DOCTYPE.
    pub doctype: bool,
    /// Attributes in the order of their names, as a DOM has them, not as they are written.
    pub sorted_attributes: bool,
    /// Whether the document element must be the one that a DOCTYPE names. More is not validated.
    pub validating: bool,
}

impl XmlOptions {
    /// As `DocumentBuilder` of Xerces makes a DOM, external entities being empty.
    pub const fn dom(namespaces: bool) -> Self {
        Self { namespaces, doctype: true, sorted_attributes: true, validating: false }
    }

    /// As the XML Assertion of JMeter: no namespaces, no DOCTYPE.
    pub const PLAIN: Self =
        Self { namespaces: false, doctype: false, sorted_attributes: false, validating: false };
}

/// Reads a document from text.
pub fn parse(text: &str, options: XmlOptions) -> Result<Document, XmlError> {
    if text.len() > LARGEST {
        return Err(XmlError::input(format!("the document is larger than {LARGEST} bytes")));
    }
    let mut scan = Scanner::new(text);
    let mut reader = Reader::new(options);
    match reader.document(&mut scan) {
        Ok(()) => Ok(reader.builder.finish()),
        Err(fault) => Err(fault.located(text)),
    }
}

/// Where the tags of an element end, in bytes of the text.
#[derive(Clone, Copy, Debug)]
pub struct TagPlace {
    /// The element.
    pub node: NodeId,
    /// Where its start tag begins, in bytes.
    pub started: usize,
    /// None if the end never came.
    pub ended: Option<usize>,
}

/// A document as far as it could be read, with the places of its elements in their order.
pub struct Placed {
    /// The document, up to the error.
    pub document: Document,
    /// Where its tags are, in document order.
    pub places: Vec<TagPlace>,
    /// Why it is not well-formed, if it is not.
    pub fault: Option<XmlError>,
}

/// Reads a document from text, and notes where its tags stand.
pub fn parse_placed(text: &str, options: XmlOptions) -> Placed {
    if text.len() > LARGEST {
        let fault = XmlError::input(format!("the document is larger than {LARGEST} bytes"));
        return Placed { document: Document::empty(), places: Vec::new(), fault: Some(fault) };
    }
    let mut reader = Reader::new(options);
    let places = reader.places.insert(Vec::new());
    debug_assert!(places.is_empty(), "nothing is read yet");
    let read = reader.document(&mut Scanner::new(text));
    let fault = read.err().map(|fault| fault.located(text));
    let Reader { places, builder, .. } = reader;
    Placed { document: builder.finish(), places: places.unwrap_or_default(), fault }
}

/// Reads a document from bytes, whose encoding it tells itself.
pub fn parse_bytes(bytes: &[u8], options: XmlOptions) -> Result<Document, XmlError> {
    parse(&decode(bytes)?, options)
}

/// What is known while a document is read.
struct Reader {
    options: XmlOptions,
    builder: Builder,
    entities: Entities,
    /// The document element that the DOCTYPE names.
    root: Option<String>,
    defaults: HashMap<String, Defaults>,
    scopes: Scopes,
    /// Where tags stand, if somebody wants to know, and which of them are open.
    places: Option<Vec<TagPlace>>,
    open: Vec<usize>,
    /// Where the reference stands whose text is read.
    outside: Option<usize>,
}

type Read<T> = Result<T, Fault>;

impl Reader {
    fn new(options: XmlOptions) -> Self {
        Self {
            options,
            builder: Builder::new(options.namespaces),
            entities: Entities::default(),
            root: None,
            defaults: HashMap::new(),
            scopes: Scopes::default(),
            places: None,
            open: Vec::new(),
            outside: None,
        }
    }

    fn note_start(&mut self, at: usize) {
        let (started, node) = (self.outside.unwrap_or(at), self.builder.open_node());
        if let Some(places) = &mut self.places {
            self.open.push(places.len());
            places.push(TagPlace { node, started, ended: None });
        }
    }

    fn note_end(&mut self, at: usize) {
        let place = self.open.pop();
        if let (Some(places), Some(place)) = (&mut self.places, place) {
            places[place].ended = Some(self.outside.unwrap_or(at));
        }
    }

    fn document(&mut self, scan: &mut Scanner<'_>) -> Read<()> {
        self.prolog(scan)?;
        let name = Scanner { ..*scan }.name().unwrap_or_default();
        let open = self.start_element(scan)?;
        if self.options.validating && self.root.as_deref() != Some(name) {
            let root = self.root.as_deref().unwrap_or("null");
            return scan
                .fault(format!("Document root element \"{name}\", must match DOCTYPE root \"{root}\"."));
        }
        if open {
            self.content(scan, Content::Document)?;
        }
        self.trailing(scan)
    }
}
