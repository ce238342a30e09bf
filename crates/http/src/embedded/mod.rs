//! What a page makes a browser fetch (`LinkExtractorParser`): pure, from text to URLs.

mod condition;
mod css;
mod html;
mod links;

use std::rc::Rc;

use crate::compile::PageKind;
use crate::failure::Failure;
use crate::url::Url;

/// The resources of a page, in the order in which it names them. `agent`: what the request called itself.
///
/// # Errors
/// JMeter's parser gives up.
pub(crate) fn resources(
    kind: PageKind,
    text: &str,
    base: &Rc<Url>,
    agent: &str,
) -> Result<Vec<Url>, Failure> {
    match kind {
        PageKind::Html => html::resources(text, base, condition::version_of(agent)),
        PageKind::Css => css::imports(text, base),
    }
}
