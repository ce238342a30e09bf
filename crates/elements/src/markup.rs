//! How XPath Extractor and XPath Assertion read a document (`XPathUtil.makeDocument`).

use swell_document::Document;
use swell_document::html::{tidy, tidy_xml};
use swell_document::xml::{XmlErrorKind, XmlOptions, parse_bytes};
use swell_plan::{Element, Severity};

use crate::Build;

/// The options of the two, whose property names differ in their beginning.
#[derive(Clone, Copy)]
pub(crate) struct Markup {
    tolerant: Option<Tolerance>,
    namespaces: bool,
    validating: bool,
}

/// How faults of a page are taken (`tidy`).
#[derive(Clone, Copy)]
struct Tolerance {
    /// Elements that nobody knows are an error.
    reports_errors: bool,
}

/// Why there is no document.
pub(crate) enum Unreadable {
    /// `SAXException`, with its message.
    Malformed(String),
    /// `IOException`, with its message.
    Input(String),
    /// `TidyException`, with its message.
    Tidy(String),
}

impl Markup {
    /// Reads the options, and notes those that do nothing here.
    pub(crate) fn of(element: &Element, build: &dyn Build, prefix: &str, may_validate: bool) -> Self {
        let flag = |name: &str| element.flag(&format!("{prefix}.{name}"), false);
        let note = |name: &str, message: &str| {
            let property = format!("{prefix}.{name}");
            build.note(Severity::Warning, element, Some(&property), message.to_owned(), None);
        };
        // JTidy counts errors only where it is not quiet.
        let quiet = element.flag(&format!("{prefix}.quiet"), true);
        let reports_errors = flag("report_errors") && !quiet;
        let tolerant = flag("tolerant").then_some(Tolerance { reports_errors });
        if flag("download_dtds") && !flag("tolerant") {
            note("download_dtds", "DTDs are not fetched: what they declare is left out");
        }
        let validating = may_validate && flag("validate") && !flag("tolerant");
        if validating {
            note("validate", "documents are not validated: each one that has a DTD is an error");
        }
        Self { tolerant, namespaces: flag("namespace"), validating }
    }

    pub(crate) fn read(self, bytes: &[u8]) -> Result<Document, Unreadable> {
        if let Some(tolerance) = self.tolerant {
            return tolerance.read(&String::from_utf8_lossy(bytes));
        }
        let options = XmlOptions { validating: self.validating, ..XmlOptions::dom(self.namespaces) };
        let document = parse_bytes(bytes, options).map_err(|error| match error.kind {
            XmlErrorKind::Malformed if self.validating => Unreadable::Malformed(error.with_place()),
            XmlErrorKind::Malformed => Unreadable::Malformed(error.message),
            XmlErrorKind::Input => Unreadable::Input(error.message),
        })?;
        if self.validating {
            return Err(Unreadable::Malformed("Swell does not validate documents by a DTD.".to_owned()));
        }
        Ok(document)
    }
}

impl Tolerance {
    fn read(self, text: &str) -> Result<Document, Unreadable> {
        if text.starts_with("<?xml ") {
            return tidy_xml(text).map_err(|error| Unreadable::Malformed(error.message));
        }
        let (document, unknown) = tidy(text).map_err(|error| Unreadable::Malformed(error.to_string()))?;
        if self.reports_errors && unknown > 0 {
            return Err(Unreadable::Tidy(format!("tidy: {unknown} errors, warnings are not counted")));
        }
        Ok(document)
    }
}
