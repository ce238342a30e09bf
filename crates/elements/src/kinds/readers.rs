//! Elements with a choice of parsing library in JMeter: they run natively with one library, and
//! need the JVM with the other.

use swell_api::{Assertion, CompileContext, ElementKind, Make, PostProcessor, Role};
use swell_plan::Element;

use super::others::JTIDY;
use crate::assertions::xpath;
use crate::extractors::{css, xpath as xpath_extractor};

/// The class of CSS Selector Extractors.
pub(super) const CSS_EXTRACTOR: &str = "HtmlExtractor";
/// The class of XPath Extractors.
pub(super) const XPATH_EXTRACTOR: &str = "XPathExtractor";

/// The setting that chooses the library.
struct Choice {
    property: &'static str,
    /// With these the element is native. With others, and with a reference, which only the run
    /// resolves, it is not.
    native: &'static [&'static str],
}

const TOLERANT: &[&str] = &["", "false"];

/// All of them: of each class one native kind, and one for the JVM.
pub(super) fn kinds() -> impl Iterator<Item = ElementKind> {
    let css = (Role::PostProcessor, CSS_EXTRACTOR, "CSS Selector Extractor", extractor(css::build));
    let xpath_extractor =
        (Role::PostProcessor, XPATH_EXTRACTOR, "XPath Extractor", extractor(xpath_extractor::build));
    let xpath = (Role::Assertion, "XPathAssertion", "XPath Assertion", assertion(xpath::build));
    let library = Choice { property: "HtmlExtractor.extractor_impl", native: &["", "JSOUP"] };
    let [of_extractor, of_assertion] =
        ["XPathExtractor.tolerant", "XPath.tolerant"].map(|property| Choice { property, native: TOLERANT });
    let jodd = ("CSS Selector Extractor with Jodd", "Jodd reads pages and selectors");
    [
        both(css, &library, jodd),
        both(xpath_extractor, &of_extractor, ("XPath Extractor, tolerant", JTIDY)),
        both(xpath, &of_assertion, ("XPath Assertion, tolerant", JTIDY)),
    ]
    .into_iter()
    .flatten()
}

/// The native kind of a class, and the one for the JVM with its name and its reason.
fn both(
    (role, class, name, make): (Role, &'static str, &'static str, Make),
    choice: &Choice,
    (name_on_jvm, why): (&'static str, &'static str),
) -> [ElementKind; 2] {
    [
        ElementKind::native(role, class, name, make).when(choice.property, choice.native),
        ElementKind::needs_jvm(role, class, name_on_jvm, why),
    ]
}

fn extractor(build: fn(&Element, &CompileContext) -> Box<dyn PostProcessor>) -> Make {
    Make::post_processor(move |node, compile| build(&node.element, compile))
}

fn assertion(build: fn(&Element, &CompileContext) -> Box<dyn Assertion>) -> Make {
    Make::assertion(move |node, compile| build(&node.element, compile))
}
