//! What JTidy finds wrong in a page: how many errors and warnings, and in which words (`org.w3c.tidy.Tidy`, release 938).
//!
//! The counts fall out of how JTidy reads: its lexer, which of an element's kinds of content is read how, which tags are implied,
//! which attributes are looked at. All of this is modelled here; only what JTidy would write of the page is not. What it is
//! told to do with the DOCTYPE changes that alone, and so is no setting here.

mod attributes;
mod buffer;
mod chars;
mod check;
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

/// How a page is judged.
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

/// Why a page is not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// JTidy fails with an exception on it, of this message if it is known.
    Broken(Option<String>),
    /// It is deeper or larger than is followed.
    TooLarge,
}

/// Judges a page.
pub fn judge(page: &[u8], settings: Settings) -> Result<Findings, Unjudged> {
    let mut page = Page::new(page, settings);
    page.judge(settings.format);
    match page.stop.take() {
        None => {}
        Some(Stop::Exception(message)) => return Err(Unjudged::Broken(message)),
        Some(Stop::TooLarge) => return Err(Unjudged::TooLarge),
    }
    let (errors, warnings) = (page.report.errors, page.report.warnings);
    Ok(Findings { errors, warnings, report: page.report.take_lines() })
}
