//! What JTidy finds wrong in a page: how many errors and warnings, and in which words; and the page repaired
//! (`org.w3c.tidy.Tidy`, release 938).
//!
//! The counts fall out of how JTidy reads: its lexer, which of an element's kinds of content is read how, which tags are implied,
//! which attributes are looked at. All of this is modelled here; only what JTidy would write of the page is not. What it is
//! told to do with the DOCTYPE changes that alone, and so is no setting here.

mod attributes;
mod buffer;
mod chars;
mod check;
mod clean;
mod dom;
mod finish;
mod input;
mod lexer;
mod links;
mod models;
mod node;
mod page;
mod parse;
mod report;
mod spaces;
mod tags;
mod versions;
mod words;

use page::{Page, Stop};

use swell_query::TidyPage;

/// As what a page is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// HTML.
    #[default]
    Html,
    /// XHTML.
    Xhtml,
    /// XML.
    Xml,
}

/// How a page is validated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// As what it is read.
    pub format: Format,
    /// Whether the lines are wanted, too.
    pub wants_report: bool,
}

/// What was found in a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Errors. JTidy counts in 16 bits, so this can be below 0.
    pub errors: i16,
    /// Warnings.
    pub warnings: i16,
    /// JTidy's lines without its advice; empty where they were not wanted.
    pub report: String,
}

/// Why a page is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TidyError {
    /// JTidy fails with an exception on it, of this message if it is known.
    Broken(Option<String>),
    /// It is deeper or larger than is followed.
    TooLarge,
}

/// Reads a page and repairs it, as JTidy does for the XPath Extractor and the XPath Assertion: it is cleaned.
pub fn clean(page: &[u8], is_xml: bool) -> Result<TidyPage, TidyError> {
    repaired(page, if is_xml { Format::Xml } else { Format::Html }, true)
}

/// Reads a page and repairs it, as JTidy does for the HTML Link Parser: it is not cleaned.
pub fn repair(page: &[u8]) -> Result<TidyPage, TidyError> {
    repaired(page, Format::Html, false)
}

fn repaired(page: &[u8], format: Format, cleans: bool) -> Result<TidyPage, TidyError> {
    let mut page = Page::new(page, Settings { format, wants_report: false });
    page.cleans = cleans;
    page.validate(format);
    if format != Format::Xml
        && let Some(root) = page.root
    {
        page.sign(root);
    }
    page.stopped()?;
    let Some(root) = page.root.filter(|_| !page.is_broken) else { return Err(TidyError::Broken(None)) };
    let (errors, warnings) = (page.report.errors, page.report.warnings);
    let has_foreign_nodes = page.has_foreign_nodes(root);
    Ok(TidyPage { document: page.document(root), errors, warnings, has_foreign_nodes })
}

/// Counts what is wrong in a page.
pub fn validate(page: &[u8], settings: Settings) -> Result<Findings, TidyError> {
    let mut page = Page::new(page, settings);
    page.validate(settings.format);
    page.stopped()?;
    let (errors, warnings) = (page.report.errors, page.report.warnings);
    Ok(Findings { errors, warnings, report: page.report.take_lines() })
}

impl Page {
    /// Why it was not read to its end, if it was not.
    fn stopped(&mut self) -> Result<(), TidyError> {
        match self.stop.take() {
            None => Ok(()),
            Some(Stop::Exception(message)) => Err(TidyError::Broken(message)),
            Some(Stop::TooLarge) => Err(TidyError::TooLarge),
        }
    }
}
