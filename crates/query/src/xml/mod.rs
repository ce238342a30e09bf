//! Parses XML from bytes or text to a tree, or returns Xerces's error message.

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

use crate::tree::{Builder, Document, LARGEST};
use content::Content;
use doctype::Defaults;
use entity::Entities;
use fault::Fault;
use scanner::Scanner;
use scopes::Scopes;

pub use decode::decode;
pub use fault::place;
pub use fault::{XmlError, XmlErrorKind};

/// How a document is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent features of the parser")]
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
    let mut reader = Reader::new(options, text.len());
    match reader.document(&mut scan) {
        Ok(()) => Ok(reader.builder.finish()),
        Err(fault) => Err(fault.located(text)),
    }
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
}

type Read<T> = Result<T, Fault>;

impl Reader {
    fn new(options: XmlOptions, bytes: usize) -> Self {
        Self {
            options,
            builder: Builder::of_size(options.namespaces, bytes),
            entities: Entities::default(),
            root: None,
            defaults: HashMap::new(),
            scopes: Scopes::default(),
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
