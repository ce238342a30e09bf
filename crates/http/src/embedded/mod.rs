//! Finds the resources that a page makes a browser load (`LinkExtractorParser`): pure, from text to
//! URLs.

mod condition;
mod css;
mod html;
mod links;
mod tags;

use swell_api::Budget;

use crate::compile::PageKind;
use crate::failure::Failure;
use crate::url::Url;

/// The resources of a page, in the order in which it names them. `agent`: what the request called
/// itself. `budget`: how many there may be, and what they may take.
///
/// # Errors
/// JMeter's parser gives up, or the budget is used up.
pub(crate) fn resources(
    kind: PageKind,
    text: &str,
    base: &Url,
    agent: &str,
    budget: &Budget,
) -> Result<Vec<Url>, Failure> {
    let found = match kind {
        PageKind::Html => html::resources(text, base, condition::version_of(agent), budget),
        PageKind::Css => css::imports(text, base, budget),
    };
    match budget.exceeded() {
        Some(why) => Err(Failure::new(
            css::PARSE_EXCEPTION,
            format!("stopped reading the resources of the page: {why}"),
        )),
        None => found,
    }
}
