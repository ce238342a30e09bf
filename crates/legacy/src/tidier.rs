//! JTidy for elements of other crates.

use swell_query::{PageTidier, TidyPage};

use crate::jtidy::{self, TidyError};

/// Repairs pages as JTidy does.
pub static TIDIER: &dyn PageTidier = &JTidy;

struct JTidy;

impl PageTidier for JTidy {
    fn clean(&self, page: &[u8], is_xml: bool) -> Result<TidyPage, String> {
        jtidy::clean(page, is_xml).map_err(message)
    }

    fn repair(&self, page: &[u8]) -> Result<TidyPage, String> {
        jtidy::repair(page).map_err(message)
    }
}

fn message(error: TidyError) -> String {
    match error {
        TidyError::Broken(Some(message)) => message,
        TidyError::Broken(None) => "JTidy cannot read this page".to_owned(),
        TidyError::TooLarge => "the page is too large or too deep to be tidied".to_owned(),
    }
}
