//! Elements by class. Whoever adds one adds its entry to [`crate::reference`], too.

use swell_api::{Assertion, Build, IterationElement, PostProcessor, PreProcessor};
use swell_plan::Element;

use crate::assertions::{
    compare, duration, html, jmespath as jmespath_assertion, json_path, md5_hex, response, size, xml,
    xml_schema, xpath, xpath2,
};
use crate::configs::{counter, random_variable, user_parameters};
use crate::extractors::{
    boundary, css, jmespath, json, json_plugin, regex, xpath as xpath_extractor, xpath2 as xpath2_extractor,
};

/// A class with what makes its element.
type Made<T> = (&'static str, fn(&Element, &dyn Build) -> T);

pub(crate) const ASSERTIONS: &[Made<Box<dyn Assertion>>] = &[
    ("ResponseAssertion", response::build),
    ("DurationAssertion", duration::build),
    ("SizeAssertion", size::build),
    ("JSONPathAssertion", json_path::build),
    ("com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion", json_path::build_plugin),
    ("MD5HexAssertion", md5_hex::build),
    ("XPathAssertion", xpath::build),
    ("XPath2Assertion", xpath2::build),
    ("XMLAssertion", xml::build),
    ("HTMLAssertion", html::build),
    ("XMLSchemaAssertion", xml_schema::build),
    ("CompareAssertion", compare::build),
    ("JMESPathAssertion", jmespath_assertion::build),
];

pub(crate) const POST_PROCESSORS: &[Made<Box<dyn PostProcessor>>] = &[
    ("RegexExtractor", regex::build),
    ("BoundaryExtractor", boundary::build),
    ("JSONPostProcessor", json::build),
    ("JMESPathExtractor", jmespath::build),
    ("HtmlExtractor", css::build),
    ("XPathExtractor", xpath_extractor::build),
    ("XPath2Extractor", xpath2_extractor::build),
    ("com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor", json_plugin::build),
];

pub(crate) const PRE_PROCESSORS: &[Made<Box<dyn PreProcessor>>] =
    &[("UserParameters", user_parameters::pre_processor)];

pub(crate) const ITERATION_ELEMENTS: &[Made<Option<Box<dyn IterationElement>>>] = &[
    ("CounterConfig", |element, build| Some(counter::build(element, build))),
    ("RandomVariableConfig", |element, build| Some(random_variable::build(element, build))),
    ("UserParameters", user_parameters::iteration_element),
    ("CompareAssertion", |element, build| Some(compare::iteration_element(element, build))),
];

fn make<T>(all: &[Made<T>], element: &Element, build: &dyn Build) -> Option<T> {
    let (_, make) = all.iter().find(|(class, _)| *class == element.class)?;
    Some(make(element, build))
}

/// The assertion of an element; none if its class is not known here.
pub fn assertion(element: &Element, build: &dyn Build) -> Option<Box<dyn Assertion>> {
    make(ASSERTIONS, element, build)
}

/// The post-processor of an element; none if its class is not known here.
pub fn post_processor(element: &Element, build: &dyn Build) -> Option<Box<dyn PostProcessor>> {
    make(POST_PROCESSORS, element, build)
}

/// The pre-processor of an element; none if its class is not known here. An element can be an iteration element too:
/// ask [`iteration_element`] as well.
pub fn pre_processor(element: &Element, build: &dyn Build) -> Option<Box<dyn PreProcessor>> {
    make(PRE_PROCESSORS, element, build)
}

/// What an element does at the start of iterations; none if its class is not known here or if it does nothing then.
pub fn iteration_element(element: &Element, build: &dyn Build) -> Option<Box<dyn IterationElement>> {
    make(ITERATION_ELEMENTS, element, build).flatten()
}
