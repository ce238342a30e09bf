//! Parsed pages. A page is kept with its body, for the extractors of one sampler, and the one parsed
//! last on this thread is kept for samples to come: many servers send the same page again.

use std::cell::RefCell;
use std::sync::Arc;

use swell_api::Reading;
use swell_query::Document;
use swell_query::html::{self, TooLarge};

use crate::subject::Piece;

/// A larger page is not kept for samples to come.
const LARGEST_KEPT: usize = 4 << 20;

/// The tree of a page.
type Page = Arc<Result<Document, TooLarge>>;

thread_local! {
    static LAST: RefCell<Option<(String, Page)>> = const { RefCell::new(None) };
}

/// A page as its body keeps it.
pub(super) struct ParsedPage(Page);

impl ParsedPage {
    pub(super) fn document(&self) -> Result<&Document, TooLarge> {
        self.0.as_ref().as_ref().map_err(|error| *error)
    }
}

impl Reading for ParsedPage {
    fn bytes(&self) -> usize {
        self.document().map_or(0, Document::bytes)
    }
}

/// The tree of a page.
pub(super) fn page(piece: &Piece<'_>, text: &str) -> Arc<ParsedPage> {
    piece.reading(text, |_| true, || ParsedPage(parsed(text)))
}

fn parsed(text: &str) -> Page {
    let known = LAST.with_borrow(|last| {
        let same = last.as_ref().filter(|(page, _)| page == text);
        same.map(|(_, page)| page.clone())
    });
    if let Some(page) = known {
        return page;
    }
    let page: Page = Arc::new(html::parse(text));
    if text.len() <= LARGEST_KEPT && page.is_ok() {
        LAST.set(Some((text.to_owned(), page.clone())));
    }
    page
}
