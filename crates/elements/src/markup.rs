//! Parses documents for XPath Extractor and XPath Assertion without the tolerant mode
//! (`XPathUtil.makeDocument`).

use std::sync::Arc;

use swell_api::{CompileContext, Reading};
use swell_plan::{Element, Severity};
use swell_query::Document;
use swell_query::xml::{XmlErrorKind, XmlOptions, parse_bytes};

use crate::subject::Piece;

/// The options of both elements, whose property names have different prefixes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Markup {
    namespaces: bool,
    validating: bool,
}

/// What was read of a text with some options.
pub(crate) struct Parsed {
    markup: Markup,
    pub(crate) document: Result<Document, ParseFailure>,
}

impl Reading for Parsed {
    fn bytes(&self) -> usize {
        self.document.as_ref().map_or(0, Document::bytes)
    }
}

/// Why parsing failed.
#[derive(Clone)]
pub(crate) enum ParseFailure {
    /// `SAXException`, with its message.
    Malformed(String),
    /// `IOException`, with its message.
    Input(String),
}

impl Markup {
    /// Reads the options, and notes those that have no effect in Swell.
    pub(crate) fn of(element: &Element, compile: &CompileContext, prefix: &str, may_validate: bool) -> Self {
        let flag = |name: &str| element.flag(&format!("{prefix}.{name}"), false);
        let note = |name: &str, message: &str| {
            let property = format!("{prefix}.{name}");
            compile.note(Severity::Warning, element, Some(&property), message.to_owned(), None);
        };
        if flag("download_dtds") {
            note("download_dtds", "DTDs are not fetched: their declarations are ignored");
        }
        let validating = may_validate && flag("validate");
        if validating {
            note("validate", "documents are not validated: every document with a DTD is an error");
        }
        Self { namespaces: flag("namespace"), validating }
    }

    /// The document of a text, which elements that read it in the same way share.
    pub(crate) fn parsed(self, piece: &Piece<'_>, text: &str) -> Arc<Parsed> {
        let make = || Parsed { markup: self, document: self.read(text.as_bytes()) };
        piece.reading(text, |known: &Parsed| known.markup == self, make)
    }

    pub(crate) fn read(self, bytes: &[u8]) -> Result<Document, ParseFailure> {
        let options = XmlOptions { validating: self.validating, ..XmlOptions::dom(self.namespaces) };
        let document = parse_bytes(bytes, options).map_err(|error| match error.kind {
            XmlErrorKind::Malformed if self.validating => ParseFailure::Malformed(error.with_place()),
            XmlErrorKind::Malformed => ParseFailure::Malformed(error.message),
            XmlErrorKind::Input => ParseFailure::Input(error.message),
        })?;
        if self.validating {
            return Err(ParseFailure::Malformed("Swell does not validate documents by a DTD.".to_owned()));
        }
        Ok(document)
    }
}
