//! Elements by class.

use swell_plan::Element;

use crate::assertions::{duration, json_path, md5_hex, response, size};
use crate::configs::{counter, random_variable, user_parameters};
use crate::extractors::{boundary, json, regex};
use crate::{Assertion, Build, IterationElement, PostProcessor, PreProcessor};

/// The assertion of an element; none if its class is not known here.
pub fn assertion(element: &Element, build: &dyn Build) -> Option<Box<dyn Assertion>> {
    Some(match element.class.as_str() {
        "ResponseAssertion" => response::build(element, build),
        "DurationAssertion" => duration::build(element, build),
        "SizeAssertion" => size::build(element, build),
        "JSONPathAssertion" => json_path::build(element, build),
        "MD5HexAssertion" => md5_hex::build(element, build),
        _ => return None,
    })
}

/// The post-processor of an element; none if its class is not known here.
pub fn post_processor(element: &Element, build: &dyn Build) -> Option<Box<dyn PostProcessor>> {
    Some(match element.class.as_str() {
        "RegexExtractor" => regex::build(element, build),
        "BoundaryExtractor" => boundary::build(element, build),
        "JSONPostProcessor" => json::build(element, build),
        _ => return None,
    })
}

/// The pre-processor of an element; none if its class is not known here. An element can be an iteration element too:
/// ask [`iteration_element`] as well.
pub fn pre_processor(element: &Element, build: &dyn Build) -> Option<Box<dyn PreProcessor>> {
    Some(match element.class.as_str() {
        "UserParameters" => user_parameters::pre_processor(element, build),
        _ => return None,
    })
}

/// What an element does at the start of iterations; none if its class is not known here or if it does nothing then.
pub fn iteration_element(element: &Element, build: &dyn Build) -> Option<Box<dyn IterationElement>> {
    Some(match element.class.as_str() {
        "CounterConfig" => counter::build(element, build),
        "RandomVariableConfig" => random_variable::build(element, build),
        "UserParameters" => return user_parameters::iteration_element(element, build),
        _ => return None,
    })
}
