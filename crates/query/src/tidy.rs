//! What elements ask of a reader that repairs pages, as JTidy does.

use crate::Document;

/// Repairs pages that are no XML. None comes with this crate: the caller that puts the table of elements together brings one.
pub trait PageTidier: Send + Sync {
    /// The page repaired and cleaned, as the XPath Extractor and the XPath Assertion read it; `is_xml`: it is read as XML.
    /// The error is a message that says why it cannot be read.
    fn clean(&self, page: &[u8], is_xml: bool) -> Result<TidyPage, String>;

    /// The page repaired, as the HTML Link Parser reads it. The error is a message likewise.
    fn repair(&self, page: &[u8]) -> Result<TidyPage, String>;
}

/// A repaired page, and what was wrong in it.
#[derive(Debug)]
pub struct TidyPage {
    /// The page.
    pub document: Document,
    /// Errors. JTidy counts in 16 bits, so this can be below 0.
    pub errors: i16,
    /// Warnings, counted likewise.
    pub warnings: i16,
    /// It has an XML declaration, a section or a script of the server. These are left out of the document; Xalan, which asks
    /// what is in a page of JTidy, fails on them.
    pub has_foreign_nodes: bool,
}
