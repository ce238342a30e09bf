//! How XPath Extractor and XPath Assertion read a document (`XPathUtil.makeDocument`).

use swell_api::Compile;
use swell_plan::{Element, Severity};
use swell_query::xml::{XmlErrorKind, XmlOptions, parse_bytes};
use swell_query::{Document, PageTidier};

use crate::heavy::Cost;

/// The options of the two, whose property names differ in their beginning.
#[derive(Clone, Copy)]
pub(crate) struct Markup {
    tolerant: Option<Tolerance>,
    namespaces: bool,
    validating: bool,
}

/// Repairs pages for elements that are tolerant.
pub(crate) type Tidier = &'static dyn PageTidier;

/// How faults of a page are taken (`tidy`).
#[derive(Clone, Copy)]
struct Tolerance {
    tidier: Tidier,
    /// Errors of the page are an error.
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
    /// `TransformerException`, with its message: Xalan cannot go through the document.
    Walk(String),
}

impl Markup {
    /// Reads the options, and notes those that do nothing here.
    pub(crate) fn of(
        element: &Element,
        compile: &Compile,
        prefix: &str,
        may_validate: bool,
        tidier: Option<Tidier>,
    ) -> Self {
        let flag = |name: &str| element.flag(&format!("{prefix}.{name}"), false);
        let note = |name: &str, message: &str| {
            let property = format!("{prefix}.{name}");
            compile.note(Severity::Warning, element, Some(&property), message.to_owned(), None);
        };
        // JTidy counts errors only where it is not quiet.
        let quiet = element.flag(&format!("{prefix}.quiet"), true);
        let reports_errors = flag("report_errors") && !quiet;
        let tolerant = tidier.filter(|_| flag("tolerant")).map(|tidier| Tolerance { tidier, reports_errors });
        if flag("tolerant") && tidier.is_none() {
            let property = format!("{prefix}.tolerant");
            let message =
                "this build of Swell has no JTidy, so it cannot read pages that are no XML".to_owned();
            let hint = Some("use the CSS Selector Extractor for pages of HTML");
            compile.note(Severity::Error, element, Some(&property), message, hint);
        }
        if flag("download_dtds") && !flag("tolerant") {
            note("download_dtds", "DTDs are not fetched: what they declare is left out");
        }
        let validating = may_validate && flag("validate") && !flag("tolerant");
        if validating {
            note("validate", "documents are not validated: each one that has a DTD is an error");
        }
        Self { tolerant, namespaces: flag("namespace"), validating }
    }

    /// What reading costs.
    pub(crate) fn cost(self) -> Cost {
        if self.tolerant.is_some() { Cost::Tidy } else { Cost::Xml }
    }

    pub(crate) fn read(self, bytes: &[u8]) -> Result<Document, Unreadable> {
        if let Some(tolerance) = self.tolerant {
            return tolerance.read(bytes);
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
    fn read(self, page: &[u8]) -> Result<Document, Unreadable> {
        let page = self.tidier.clean(page, page.starts_with(b"<?xml ")).map_err(Unreadable::Malformed)?;
        if self.reports_errors && page.errors > 0 {
            let message = format!("tidy: {} errors, {} warnings", page.errors, page.warnings);
            return Err(Unreadable::Tidy(message));
        }
        if page.has_foreign_nodes {
            return Err(Unreadable::Walk("Index -1 out of bounds for length 128".to_owned()));
        }
        Ok(page.document)
    }
}
