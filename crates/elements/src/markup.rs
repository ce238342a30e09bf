//! Parses documents for XPath Extractor and XPath Assertion without the tolerant mode
//! (`XPathUtil.makeDocument`).

use swell_api::CompileContext;
use swell_plan::{Element, Severity};
use swell_query::Document;
use swell_query::xml::{XmlErrorKind, XmlOptions, parse_bytes};

/// The options of both elements, whose property names have different prefixes.
#[derive(Clone, Copy)]
pub(crate) struct Markup {
    namespaces: bool,
    validating: bool,
}

/// Why parsing failed.
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
