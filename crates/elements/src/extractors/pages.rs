//! The page that was read last on this thread: extractors of one sampler mostly ask the same one.

use std::cell::RefCell;
use std::rc::Rc;

use swell_query::Document;
use swell_query::css::{CssSelector, Dialect};
use swell_query::html::TooLarge;

/// A larger page is read anew by each extractor.
const LARGEST_KEPT: usize = 4 << 20;

type Page = (Dialect, String, Rc<Document>);

thread_local! {
    static LAST: RefCell<Option<Page>> = const { RefCell::new(None) };
}

/// The tree of a page.
pub(super) fn page(dialect: Dialect, text: &str) -> Result<Rc<Document>, TooLarge> {
    let known = LAST.with_borrow(|last| {
        let same = last.as_ref().filter(|(kind, page, _)| *kind == dialect && page == text);
        same.map(|(_, _, document)| document.clone())
    });
    if let Some(document) = known {
        return Ok(document);
    }
    let document = Rc::new(CssSelector::read(dialect, text)?);
    if text.len() <= LARGEST_KEPT {
        LAST.set(Some((dialect, text.to_owned(), document.clone())));
    }
    Ok(document)
}
