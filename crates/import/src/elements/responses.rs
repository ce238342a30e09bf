//! Extractors, assertions and scripts.

use swell_plan::{Element, Property, PropertyValue};

/// What an extractor or an assertion looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The sample.
    Sample,
    /// The sample and its sub-samples, as redirects are.
    All,
    /// A variable.
    Variable(&'a str),
}

/// A part of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Body of the response.
    Body,
    /// Headers of the response.
    Headers,
    /// URL.
    Url,
    /// Status.
    Code,
}

/// How an assertion compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The whole matches a pattern.
    Whole,
    /// A part matches a pattern.
    Part,
    /// It equals a text.
    Equals,
    /// It contains a text.
    Contains,
}

impl Field {
    fn of_extractor(self) -> &'static str {
        match self {
            Self::Body => "false",
            Self::Headers => "true",
            Self::Url => "URL",
            Self::Code => "code",
        }
    }

    fn of_assertion(self) -> &'static str {
        match self {
            Self::Body => "Assertion.response_data",
            Self::Headers => "Assertion.response_headers",
            // The URL of a sample is called its label there, as in JMeter's first versions.
            Self::Url => "Assertion.sample_label",
            Self::Code => "Assertion.response_code",
        }
    }
}

fn scoped(element: Element, property: &str, scope: Scope<'_>) -> Element {
    match scope {
        Scope::Sample => element,
        Scope::All => element.with_text(property, "all"),
        Scope::Variable(name) => element.with_text(property, "variable").with_text("Scope.variable", name),
    }
}

const OF_SAMPLE: &str = "Sample.scope";
const OF_ASSERTION: &str = "Assertion.scope";

/// JSON Extractor.
pub fn json_extractor(variable: &str, path: &str, number: i32, default: &str, scope: Scope<'_>) -> Element {
    let element = Element::new("JSONPostProcessor", "JSONPostProcessorGui", variable)
        .with_text("JSONPostProcessor.referenceNames", variable)
        .with_text("JSONPostProcessor.jsonPathExprs", path)
        .with_text("JSONPostProcessor.match_numbers", &number.to_string())
        .with_text("JSONPostProcessor.defaultValues", default);
    scoped(element, OF_SAMPLE, scope)
}

/// JSON JMESPath Extractor.
pub fn jmespath_extractor(variable: &str, path: &str, number: i32, default: &str) -> Element {
    Element::new("JMESPathExtractor", "JMESPathExtractorGui", variable)
        .with_text("JMESExtractor.referenceName", variable)
        .with_text("JMESExtractor.jmesPathExpr", path)
        .with_text("JMESExtractor.matchNumber", &number.to_string())
        .with_text("JMESExtractor.defaultValue", default)
}

/// Regular Expression Extractor; the value is a group.
pub fn regex_extractor(
    variable: &str,
    (field, pattern, group): (Field, &str, u32),
    number: i32,
    default: &str,
    scope: Scope<'_>,
) -> Element {
    let template = format!("${group}$");
    extractor_with_template(variable, (field, pattern, &template), number, default, scope)
}

/// Regular Expression Extractor whose template is a text without a group: the variable becomes that
/// text, whatever the response is.
pub fn constant_extractor(variable: &str, text: &str) -> Element {
    extractor_with_template(variable, (Field::Code, "(.*)", text), 1, text, Scope::Sample)
}

fn extractor_with_template(
    variable: &str,
    (field, pattern, template): (Field, &str, &str),
    number: i32,
    default: &str,
    scope: Scope<'_>,
) -> Element {
    let element = Element::new("RegexExtractor", "RegexExtractorGui", variable)
        .with_text("RegexExtractor.useHeaders", field.of_extractor())
        .with_text("RegexExtractor.refname", variable)
        .with_text("RegexExtractor.regex", pattern)
        .with_text("RegexExtractor.template", template)
        .with_text("RegexExtractor.default", default)
        .with_flag("RegexExtractor.default_empty_value", default.is_empty())
        .with_text("RegexExtractor.match_number", &number.to_string());
    scoped(element, OF_SAMPLE, scope)
}

/// Boundary Extractor.
pub fn boundary_extractor(
    variable: &str,
    (field, left, right): (Field, &str, &str),
    number: i32,
    default: &str,
    scope: Scope<'_>,
) -> Element {
    let element = Element::new("BoundaryExtractor", "BoundaryExtractorGui", variable)
        .with_text("BoundaryExtractor.useHeaders", field.of_extractor())
        .with_text("BoundaryExtractor.refname", variable)
        .with_text("BoundaryExtractor.lboundary", left)
        .with_text("BoundaryExtractor.rboundary", right)
        .with_text("BoundaryExtractor.default", default)
        .with_flag("BoundaryExtractor.default_empty_value", default.is_empty())
        .with_text("BoundaryExtractor.match_number", &number.to_string());
    scoped(element, OF_SAMPLE, scope)
}

/// CSS Selector Extractor; an empty attribute is the text of the element.
pub fn css_extractor(
    variable: &str,
    (selector, attribute): (&str, &str),
    number: i32,
    default: &str,
    scope: Scope<'_>,
) -> Element {
    let element = Element::new("HtmlExtractor", "HtmlExtractorGui", variable)
        .with_text("HtmlExtractor.refname", variable)
        .with_text("HtmlExtractor.expr", selector)
        .with_text("HtmlExtractor.attribute", attribute)
        .with_text("HtmlExtractor.default", default)
        .with_flag("HtmlExtractor.default_empty_value", default.is_empty())
        .with_text("HtmlExtractor.match_number", &number.to_string())
        .with_text("HtmlExtractor.extractor_impl", "");
    scoped(element, OF_SAMPLE, scope)
}

/// XPath Extractor.
pub fn xpath_extractor(
    variable: &str,
    (path, is_html): (&str, bool),
    number: i32,
    default: &str,
    scope: Scope<'_>,
) -> Element {
    let element = Element::new("XPathExtractor", "XPathExtractorGui", variable)
        .with_text("XPathExtractor.default", default)
        .with_text("XPathExtractor.refname", variable)
        .with_text("XPathExtractor.matchNumber", &number.to_string())
        .with_text("XPathExtractor.xpathQuery", path)
        .with_flag("XPathExtractor.validate", false)
        .with_flag("XPathExtractor.tolerant", is_html)
        .with_flag("XPathExtractor.namespace", false);
    scoped(element, OF_SAMPLE, scope)
}

/// Response Assertion. `is_any`: one of the texts is enough. The status of the sample itself counts
/// only if `keeps_status`.
pub fn response_assertion(
    name: &str,
    (field, how, is_not): (Field, Match, bool),
    texts: &[String],
    keeps_status: bool,
    scope: Scope<'_>,
) -> Element {
    let kind = match how {
        Match::Whole => 1,
        Match::Part => 2,
        Match::Equals => 8,
        Match::Contains => 16,
    };
    let any = if texts.len() > 1 { 32 } else { 0 };
    // Names of the texts are their hashes in JMeter, which nothing reads.
    let members = (0..).zip(texts).map(|(number, text): (i32, _)| {
        Property::new(&number.to_string(), PropertyValue::Text(text.clone()))
    });
    let element = Element::new("ResponseAssertion", "AssertionGui", name)
        .with("Asserion.test_strings", PropertyValue::Collection(members.collect()))
        .with_text("Assertion.custom_message", "")
        .with_text("Assertion.test_field", field.of_assertion())
        .with_flag("Assertion.assume_success", !keeps_status)
        .with_int("Assertion.test_type", kind + any + if is_not { 4 } else { 0 });
    scoped(element, OF_ASSERTION, scope)
}

/// JSON Assertion: the path exists; with a value, its value equals it, or matches it as a pattern.
pub fn json_assertion(name: &str, path: &str, value: Option<(&str, bool)>, is_inverted: bool) -> Element {
    let (expected, is_regex) = value.unwrap_or_default();
    Element::new("JSONPathAssertion", "JSONPathAssertionGui", name)
        .with_text("JSON_PATH", path)
        .with_text("EXPECTED_VALUE", expected)
        .with_flag("JSONVALIDATION", value.is_some())
        .with_flag("EXPECT_NULL", false)
        .with_flag("INVERT", is_inverted)
        .with_flag("ISREGEX", is_regex)
}

/// JSON JMESPath Assertion: the path exists; with a value, its value equals it.
pub fn jmespath_assertion(name: &str, path: &str, value: Option<&str>) -> Element {
    Element::new("JMESPathAssertion", "JMESPathAssertionGui", name)
        .with_text("JMES_PATH", path)
        .with_text("EXPECTED_VALUE", value.unwrap_or_default())
        .with_flag("JSONVALIDATION", value.is_some())
        .with_flag("EXPECT_NULL", false)
        .with_flag("INVERT", false)
        .with_flag("ISREGEX", false)
}

/// XPath Assertion of a document of HTML, as browsers read it.
pub fn html_xpath_assertion(name: &str, path: &str, is_inverted: bool) -> Element {
    xpath_assertion_of(name, path, is_inverted, true)
}

/// XPath Assertion of a document of XML.
pub fn xpath_assertion(name: &str, path: &str, is_inverted: bool) -> Element {
    xpath_assertion_of(name, path, is_inverted, false)
}

fn xpath_assertion_of(name: &str, path: &str, is_inverted: bool, is_html: bool) -> Element {
    Element::new("XPathAssertion", "XPathAssertionGui", name)
        .with_flag("XPath.negate", is_inverted)
        .with_text("XPath.xpath", path)
        .with_flag("XPath.validate", false)
        .with_flag("XPath.whitespace", false)
        .with_flag("XPath.tolerant", is_html)
        .with_flag("XPath.namespace", false)
}

/// Duration Assertion: at most these milliseconds.
pub fn duration_assertion(name: &str, most_ms: u64) -> Element {
    Element::new("DurationAssertion", "DurationAssertionGui", name)
        .with_text("DurationAssertion.duration", &most_ms.to_string())
}

/// Size Assertion: the body has this number of bytes.
pub fn size_assertion(name: &str, bytes: u64) -> Element {
    Element::new("SizeAssertion", "SizeAssertionGui", name)
        .with_text("Assertion.test_field", "SizeAssertion.response_data")
        .with_text("SizeAssertion.size", &bytes.to_string())
        .with_int("SizeAssertion.operator", 1)
}

/// MD5Hex Assertion: the body has this hash, in hexadecimal digits.
pub fn md5_assertion(name: &str, hash: &str) -> Element {
    Element::new("MD5HexAssertion", "MD5HexAssertionGUI", name).with_text("MD5HexAssertion.size", hash)
}

fn with_script(element: Element, language: &str, script: &str) -> Element {
    element
        .with_text("scriptLanguage", language)
        .with_text("parameters", "")
        .with_text("filename", "")
        .with_text("cacheKey", "true")
        .with_text("script", script)
}

/// JSR223 Assertion.
pub fn groovy_assertion(name: &str, script: &str) -> Element {
    with_script(Element::new("JSR223Assertion", "TestBeanGUI", name), "groovy", script)
}

/// JSR223 PreProcessor.
pub fn script_before(name: &str, language: &str, script: &str) -> Element {
    with_script(Element::new("JSR223PreProcessor", "TestBeanGUI", name), language, script)
}

/// JSR223 PostProcessor.
pub fn script_after(name: &str, language: &str, script: &str) -> Element {
    with_script(Element::new("JSR223PostProcessor", "TestBeanGUI", name), language, script)
}
