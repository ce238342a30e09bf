//! A question about a response in one line, as an extractor of JMeter.

use std::fmt;

use swell_plan::Element;

use super::others::JMESPATH_EXTRACTOR;
use super::readers::{CSS_EXTRACTOR, XPATH_EXTRACTOR};
use super::{BOUNDARY_EXTRACTOR, JSON_EXTRACTOR, REGEX_EXTRACTOR};

/// The variable of an extractor that is made of a question.
const VARIABLE: &str = "value";
/// The match number of all matches.
const ALL: &str = "-1";

/// A field of an extractor: its property, its name in JMeter's window, and its value.
type Field<'v> = (&'static str, &'static str, &'v str);

/// Names of fields in JMeter's window.
const VARIABLE_NAME: &str = "Name of created variable";
const MATCH_NUMBER: &str = "Match No.";
const DEFAULT_VALUE: &str = "Default value";

/// What a question looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// `$.path`.
    Json(String),
    /// `//path`.
    XPath(String),
    /// `css:SELECTOR@ATTRIBUTE`.
    Css {
        /// The selector.
        selector: String,
        /// Empty: the text of the element.
        attribute: String,
    },
    /// `re:PATTERN`.
    Regex(String),
    /// `bound:LEFT|RIGHT`.
    Boundary {
        /// The text before it.
        left: String,
        /// The text after it.
        right: String,
    },
    /// `jmes:PATH`. It runs on the JVM only.
    JmesPath(String),
}

/// An extractor that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question as it was asked.
    pub text: String,
    /// What it looks for.
    pub looks_for: Expression,
    /// The element: it takes all matches into `value_1`, `value_2`, ….
    pub element: Element,
    /// The settings of an element that takes the first match, by their names in JMeter's window;
    /// those that stay empty are left out.
    pub settings: Vec<(&'static str, String)>,
    /// Properties of the element with the expression, and their values.
    pub expression: Vec<(String, String)>,
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
            "invalid expression `{}`: use $.path, //xpath, css:SELECTOR, css:SELECTOR@ATTRIBUTE, re:PATTERN, \
             bound:LEFT|RIGHT or jmes:PATH",
            self.0
        )
    }
}

impl std::error::Error for QuestionError {}

impl Question {
    /// The value of the variable of an extractor that finds nothing.
    pub const DEFAULT: &str = "NOT_FOUND";

    /// Reads `$.path`, `//xpath`, `css:SELECTOR@ATTRIBUTE`, `re:PATTERN`, `bound:LEFT|RIGHT` or
    /// `jmes:PATH`.
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
            "jmes" => Self::jmespath(rest),
            _ if text.starts_with('$') => Self::json(text),
            _ if text.starts_with('/') || text.starts_with("(/") => Self::xpath(text),
            _ => return Err(QuestionError(text.to_owned())),
        };
        Ok(Self { text: text.to_owned(), ..question })
    }

    /// Why it cannot be answered without a run; none if it can.
    pub fn not_asked(&self) -> Option<&'static str> {
        match self.looks_for {
            Expression::JmesPath(_) => {
                Some("JMESPath is not asked here: it runs on the JVM, once its element is in a plan")
            }
            _ => None,
        }
    }

    fn new(looks_for: Expression, class: &str, menu: &'static str, fields: &[Field<'_>]) -> Self {
        let element = Element::new(class, "", "question");
        let element =
            fields.iter().fold(element, |element, (property, _, value)| element.with_text(property, value));
        let of_first = |(_, setting, value): &Field<'_>| {
            let value = if *setting == MATCH_NUMBER { "1" } else { value };
            (!value.is_empty()).then(|| (*setting, value.to_owned()))
        };
        // The name of the variable is before the expression, match number and default value are
        // after it.
        let expression = fields[1..fields.len() - 2].iter();
        let expression = expression.map(|(property, _, value)| ((*property).to_owned(), (*value).to_owned()));
        let expression = expression.collect();
        Self {
            text: String::new(),
            looks_for,
            element,
            settings: fields.iter().filter_map(of_first).collect(),
            expression,
            menu,
        }
    }

    fn json(path: &str) -> Self {
        let fields = [
            ("JSONPostProcessor.referenceNames", "Names of created variables", VARIABLE),
            ("JSONPostProcessor.jsonPathExprs", "JSON Path expressions", path),
            ("JSONPostProcessor.match_numbers", MATCH_NUMBER, ALL),
            ("JSONPostProcessor.defaultValues", DEFAULT_VALUE, Self::DEFAULT),
        ];
        Self::new(Expression::Json(path.to_owned()), JSON_EXTRACTOR, "JSON Extractor", &fields)
    }

    fn jmespath(path: &str) -> Self {
        let fields = [
            ("JMESExtractor.referenceName", "Names of created variables", VARIABLE),
            ("JMESExtractor.jmesPathExpr", "JMESPath expressions", path),
            ("JMESExtractor.matchNumber", MATCH_NUMBER, ALL),
            ("JMESExtractor.defaultValue", DEFAULT_VALUE, Self::DEFAULT),
        ];
        let looks_for = Expression::JmesPath(path.to_owned());
        Self::new(looks_for, JMESPATH_EXTRACTOR, "JSON JMESPath Extractor", &fields)
    }

    fn xpath(path: &str) -> Self {
        let fields = [
            ("XPathExtractor.refname", VARIABLE_NAME, VARIABLE),
            ("XPathExtractor.xpathQuery", "XPath query", path),
            ("XPathExtractor.matchNumber", MATCH_NUMBER, ALL),
            ("XPathExtractor.default", DEFAULT_VALUE, Self::DEFAULT),
        ];
        Self::new(Expression::XPath(path.to_owned()), XPATH_EXTRACTOR, "XPath Extractor", &fields)
    }

    fn css(text: &str) -> Self {
        // An attribute of a selector is in brackets, so `@` ends it.
        let (selector, attribute) = match text.rsplit_once('@') {
            Some((selector, attribute)) if !attribute.contains([']', ' ']) => (selector, attribute),
            _ => (text, ""),
        };
        let fields = [
            ("HtmlExtractor.refname", VARIABLE_NAME, VARIABLE),
            ("HtmlExtractor.expr", "CSS Selector expression", selector),
            ("HtmlExtractor.attribute", "Attribute", attribute),
            ("HtmlExtractor.match_number", MATCH_NUMBER, ALL),
            ("HtmlExtractor.default", DEFAULT_VALUE, Self::DEFAULT),
        ];
        let looks_for = Expression::Css { selector: selector.to_owned(), attribute: attribute.to_owned() };
        Self::new(looks_for, CSS_EXTRACTOR, "CSS Selector Extractor", &fields)
    }

    fn regex(pattern: &str) -> Self {
        let template = if pattern.contains('(') { "$1$" } else { "$0$" };
        let fields = [
            ("RegexExtractor.refname", VARIABLE_NAME, VARIABLE),
            ("RegexExtractor.regex", "Regular Expression", pattern),
            ("RegexExtractor.template", "Template", template),
            ("RegexExtractor.match_number", MATCH_NUMBER, ALL),
            ("RegexExtractor.default", DEFAULT_VALUE, Self::DEFAULT),
        ];
        let looks_for = Expression::Regex(pattern.to_owned());
        Self::new(looks_for, REGEX_EXTRACTOR, "Regular Expression Extractor", &fields)
    }

    fn boundary(left: &str, right: &str) -> Self {
        let fields = [
            ("BoundaryExtractor.refname", VARIABLE_NAME, VARIABLE),
            ("BoundaryExtractor.lboundary", "Left Boundary", left),
            ("BoundaryExtractor.rboundary", "Right Boundary", right),
            ("BoundaryExtractor.match_number", MATCH_NUMBER, ALL),
            ("BoundaryExtractor.default", DEFAULT_VALUE, Self::DEFAULT),
        ];
        let looks_for = Expression::Boundary { left: left.to_owned(), right: right.to_owned() };
        Self::new(looks_for, BOUNDARY_EXTRACTOR, "Boundary Extractor", &fields)
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
            ("jmes:order.id", "JSON JMESPath Extractor"),
        ];
        for (text, menu) in table {
            assert_eq!(Question::parse(text).map(|question| question.menu), Ok(menu), "{text}");
        }
        let css = Question::parse("css:input[name=a]@value").expect("valid");
        assert_eq!(css.element.text("HtmlExtractor.expr"), Some("input[name=a]"));
        assert_eq!(css.element.text("HtmlExtractor.attribute"), Some("value"));
        let settings: Vec<_> = css.settings.iter().map(|(name, value)| (*name, &**value)).collect();
        let wanted = [
            ("Name of created variable", "value"),
            ("CSS Selector expression", "input[name=a]"),
            ("Attribute", "value"),
            ("Match No.", "1"),
            ("Default value", "NOT_FOUND"),
        ];
        assert_eq!(settings, wanted);
        let not_asked = |text| Question::parse(text).expect("valid").not_asked().is_some();
        assert!(not_asked("jmes:order.id") && !not_asked("$.order.id"));
        for text in ["order.id", "bound:x", ""] {
            assert!(Question::parse(text).is_err(), "{text}");
        }
    }
}
