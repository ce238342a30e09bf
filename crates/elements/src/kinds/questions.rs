//! A question about a response in one line, as an extractor of JMeter.

use std::fmt;

use swell_plan::Element;

use super::readers::{CSS_EXTRACTOR, XPATH_EXTRACTOR};
use super::{BOUNDARY_EXTRACTOR, JSON_EXTRACTOR, REGEX_EXTRACTOR};

/// The variable of an extractor that is made of a question.
const VARIABLE: &str = "value";
/// Its default value.
const DEFAULT: &str = "NOT_FOUND";

/// An extractor that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The element: it takes all matches into `value_1`, `value_2`, ….
    pub element: Element,
    /// The settings of an element that takes the first match, by their names in JMeter's window.
    pub settings: Vec<(&'static str, String)>,
    /// The name of the element in JMeter's menus.
    pub menu: &'static str,
}

/// A text that is not a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionError(String);

impl fmt::Display for QuestionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid expression `{}`: use $.path, //xpath, css:SELECTOR, css:SELECTOR@ATTRIBUTE, re:PATTERN or \
             bound:LEFT|RIGHT",
            self.0
        )
    }
}

impl std::error::Error for QuestionError {}

impl Question {
    /// Reads `$.path`, `//xpath`, `css:SELECTOR@ATTRIBUTE`, `re:PATTERN` or `bound:LEFT|RIGHT`.
    ///
    /// # Errors
    /// The text has another form.
    pub fn parse(text: &str) -> Result<Self, QuestionError> {
        let text = text.trim();
        let (kind, rest) = text.split_once(':').unwrap_or(("", text));
        let question = match kind {
            "css" => Self::css(rest),
            "re" => Self::regex(rest),
            "bound" => {
                let (left, right) = rest.split_once('|').ok_or_else(|| QuestionError(text.to_owned()))?;
                Self::boundary(left, right)
            }
            "xpath" => Self::xpath(rest),
            "json" => Self::json(rest),
            _ if text.starts_with('$') => Self::json(text),
            _ if text.starts_with('/') || text.starts_with("(/") => Self::xpath(text),
            _ => return Err(QuestionError(text.to_owned())),
        };
        Ok(question)
    }

    fn new(
        class: &str,
        menu: &'static str,
        all: &[(&str, &str)],
        settings: Vec<(&'static str, String)>,
    ) -> Self {
        let element = Element::new(class, "", "question");
        let element = all.iter().fold(element, |element, (name, value)| element.with_text(name, value));
        let ends = [("Match No.", "1".to_owned()), ("Default value", DEFAULT.to_owned())];
        let settings = settings.into_iter().chain(ends).collect();
        Self { element, settings, menu }
    }

    fn json(path: &str) -> Self {
        let all = [
            ("JSONPostProcessor.referenceNames", VARIABLE),
            ("JSONPostProcessor.jsonPathExprs", path),
            ("JSONPostProcessor.match_numbers", "-1"),
            ("JSONPostProcessor.defaultValues", DEFAULT),
        ];
        let settings = vec![
            ("Names of created variables", VARIABLE.to_owned()),
            ("JSON Path expressions", path.to_owned()),
        ];
        Self::new(JSON_EXTRACTOR, "JSON Extractor", &all, settings)
    }

    fn xpath(path: &str) -> Self {
        let all = [
            ("XPathExtractor.refname", VARIABLE),
            ("XPathExtractor.xpathQuery", path),
            ("XPathExtractor.matchNumber", "-1"),
            ("XPathExtractor.default", DEFAULT),
        ];
        let settings =
            vec![("Name of created variable", VARIABLE.to_owned()), ("XPath query", path.to_owned())];
        Self::new(XPATH_EXTRACTOR, "XPath Extractor", &all, settings)
    }

    fn css(text: &str) -> Self {
        // An attribute of a selector is in brackets, so `@` ends it.
        let (selector, attribute) = match text.rsplit_once('@') {
            Some((selector, attribute)) if !attribute.contains([']', ' ']) => (selector, attribute),
            _ => (text, ""),
        };
        let all = [
            ("HtmlExtractor.refname", VARIABLE),
            ("HtmlExtractor.expr", selector),
            ("HtmlExtractor.attribute", attribute),
            ("HtmlExtractor.match_number", "-1"),
            ("HtmlExtractor.default", DEFAULT),
        ];
        let settings = vec![
            ("Name of created variable", VARIABLE.to_owned()),
            ("CSS Selector expression", selector.to_owned()),
            ("Attribute", attribute.to_owned()),
        ];
        Self::new(CSS_EXTRACTOR, "CSS Selector Extractor", &all, settings)
    }

    fn regex(pattern: &str) -> Self {
        let template = if pattern.contains('(') { "$1$" } else { "$0$" };
        let all = [
            ("RegexExtractor.refname", VARIABLE),
            ("RegexExtractor.regex", pattern),
            ("RegexExtractor.template", template),
            ("RegexExtractor.match_number", "-1"),
            ("RegexExtractor.default", DEFAULT),
        ];
        let settings = vec![
            ("Name of created variable", VARIABLE.to_owned()),
            ("Regular Expression", pattern.to_owned()),
            ("Template", template.to_owned()),
        ];
        Self::new(REGEX_EXTRACTOR, "Regular Expression Extractor", &all, settings)
    }

    fn boundary(left: &str, right: &str) -> Self {
        let all = [
            ("BoundaryExtractor.refname", VARIABLE),
            ("BoundaryExtractor.lboundary", left),
            ("BoundaryExtractor.rboundary", right),
            ("BoundaryExtractor.match_number", "-1"),
            ("BoundaryExtractor.default", DEFAULT),
        ];
        let settings = vec![
            ("Name of created variable", VARIABLE.to_owned()),
            ("Left Boundary", left.to_owned()),
            ("Right Boundary", right.to_owned()),
        ];
        Self::new(BOUNDARY_EXTRACTOR, "Boundary Extractor", &all, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_question_says_its_language() {
        let table = [
            ("$.order.id", "JSON Extractor"),
            ("//a[@id='x']", "XPath Extractor"),
            ("css:input[name=a]@value", "CSS Selector Extractor"),
            ("re:id=(\\d+)", "Regular Expression Extractor"),
            ("bound:id=\"|\"", "Boundary Extractor"),
        ];
        for (text, menu) in table {
            assert_eq!(Question::parse(text).map(|question| question.menu), Ok(menu), "{text}");
        }
        let css = Question::parse("css:input[name=a]@value").expect("valid");
        assert_eq!(css.element.text("HtmlExtractor.expr"), Some("input[name=a]"));
        assert_eq!(css.element.text("HtmlExtractor.attribute"), Some("value"));
        for text in ["order.id", "bound:x", ""] {
            assert!(Question::parse(text).is_err(), "{text}");
        }
    }
}
