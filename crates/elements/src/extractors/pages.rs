//! The page parsed last on this thread: extractors of one sampler usually query the same page.

use std::cell::RefCell;
use std::rc::Rc;

use swell_query::Document;
use swell_query::html::{self, TooLarge};

/// A larger page is parsed again by each extractor.
const LARGEST_KEPT: usize = 4 << 20;

type Page = (String, Rc<Document>);

thread_local! {
    static LAST: RefCell<Option<Page>> = const { RefCell::new(None) };
}

/// The tree of a page.
pub(super) fn page(text: &str) -> Result<Rc<Document>, TooLarge> {
    let known = LAST.with_borrow(|last| {
        let same = last.as_ref().filter(|(page, _)| page == text);
        same.map(|(_, document)| document.clone())
    });
    if let Some(document) = known {
        return Ok(document);
    }
    let document = Rc::new(html::parse(text)?);
    if text.len() <= LARGEST_KEPT {
        LAST.set(Some((text.to_owned(), document.clone())));
    }
    Ok(document)
}
