//! This crate's part of the table of elements, and the elements of JMeter and of plug-ins without
//! native code.

mod others;
mod questions;
mod readers;

use std::sync::Arc;

use swell_api::{
    Assertion, CompileContext, ElementKind, IterationElement, Make, NativeGap, PostProcessor, PreProcessor,
    Role, VariableProperty, VariableUse,
};
use swell_plan::{Element, MissingValue};

use crate::assertions::{compare, duration, json_path, md5_hex, response, size, xml};
use crate::configs::{self, counter, random_variable, user_parameters};
use crate::extractors::{boundary, json, json_plugin, lacks_document, lacks_yaml, regex};

pub use questions::{Expression, Question, QuestionError};

use readers::{CSS_EXTRACTOR, XPATH_EXTRACTOR};

/// A class, its name in JMeter's menus, and what makes its element.
type Row<T> = (&'static str, &'static str, fn(&Element, &CompileContext) -> T);

const EXTRACTORS: &[Row<Box<dyn PostProcessor>>] = &[
    (REGEX_EXTRACTOR, "Regular Expression Extractor", regex::build),
    (BOUNDARY_EXTRACTOR, "Boundary Extractor", boundary::build),
    (JSON_EXTRACTOR, "JSON Extractor", json::build),
    (JSON_PLUG_IN, "jp@gc - JSON Path Extractor", json_plugin::build),
];

const ASSERTIONS: &[Row<Box<dyn Assertion>>] = &[
    (RESPONSE_ASSERTION, "Response Assertion", response::build),
    (DURATION_ASSERTION, "Duration Assertion", duration::build),
    ("SizeAssertion", "Size Assertion", size::build),
    ("JSONPathAssertion", "JSON Assertion", json_path::build),
    ("MD5HexAssertion", "MD5Hex Assertion", md5_hex::build),
    (COMPARE, "Compare Assertion", compare::build),
    ("XMLAssertion", "XML Assertion", xml::build),
    (
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion",
        "jp@gc - JSON Path Assertion",
        json_path::build_plugin,
    ),
];

const PRE_PROCESSORS: &[Row<Box<dyn PreProcessor>>] =
    &[(USER_PARAMETERS, "User Parameters", user_parameters::pre_processor)];

/// Those that act at the start of iterations; some have a part in the samples, too.
const ITERATION_ELEMENTS: &[Row<Option<Box<dyn IterationElement>>>] = &[
    (COUNTER, "Counter", |element, compile| Some(counter::build(element, compile))),
    (RANDOM_VARIABLE, "Random Variable", |element, compile| Some(random_variable::build(element, compile))),
    (USER_PARAMETERS, "User Parameters", user_parameters::iteration_element),
    (COMPARE, "Compare Assertion", |element, compile| Some(compare::iteration_element(element, compile))),
];

const REGEX_EXTRACTOR: &str = "RegexExtractor";
const BOUNDARY_EXTRACTOR: &str = "BoundaryExtractor";
const JSON_EXTRACTOR: &str = "JSONPostProcessor";
const JSON_PLUG_IN: &str = "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor";
const DURATION_ASSERTION: &str = "DurationAssertion";
const RESPONSE_ASSERTION: &str = "ResponseAssertion";
const COUNTER: &str = "CounterConfig";
const RANDOM_VARIABLE: &str = "RandomVariableConfig";
const USER_PARAMETERS: &str = "UserParameters";
const COMPARE: &str = "CompareAssertion";

/// Which settings the native code of a class does not follow.
fn lacks(class: &str) -> Option<fn(&Element) -> Option<String>> {
    if class.starts_with("com.atlantbh.jmeter.plugins.jsonutils.") {
        return Some(lacks_yaml);
    }
    match class {
        REGEX_EXTRACTOR => Some(|element| lacks_document(element, "RegexExtractor.useHeaders")),
        BOUNDARY_EXTRACTOR => Some(|element| lacks_document(element, "BoundaryExtractor.useHeaders")),
        COUNTER => Some(|element| configs::lacks_format(element, "CounterConfig.format")),
        RANDOM_VARIABLE => Some(|element| configs::lacks_format(element, "outputFormat")),
        RESPONSE_ASSERTION => Some(response::lacks),
        _ => None,
    }
}

/// Values of properties that plans lack, where they are not empty texts.
fn missing(class: &str) -> &'static [MissingValue] {
    const RANDOM: &[MissingValue] =
        &[MissingValue::new("minimumValue", "", "1"), MissingValue::new("perThread", "false", "false")];
    const COMPARED: &[MissingValue] =
        &[MissingValue::new("compareContent", "false", "true"), MissingValue::new("compareTime", "0", "-1")];
    match class {
        RANDOM_VARIABLE => RANDOM,
        COMPARE => COMPARED,
        _ => &[],
    }
}

/// Properties that name variables.
fn variables(class: &str) -> &'static [VariableProperty] {
    use VariableUse::{Reads, Sets, SetsList};
    match class {
        REGEX_EXTRACTOR => &[("RegexExtractor.refname", Sets)],
        BOUNDARY_EXTRACTOR => &[("BoundaryExtractor.refname", Sets)],
        CSS_EXTRACTOR => &[("HtmlExtractor.refname", Sets)],
        XPATH_EXTRACTOR => &[("XPathExtractor.refname", Sets)],
        JSON_EXTRACTOR => &[("JSONPostProcessor.referenceNames", SetsList(';'))],
        JSON_PLUG_IN => &[("VAR", Sets), ("VARIABLE", Reads)],
        COUNTER => &[("CounterConfig.name", Sets)],
        RANDOM_VARIABLE => &[("variableName", Sets)],
        USER_PARAMETERS => &[("UserParameters.names", Sets)],
        _ => &[],
    }
}

/// Properties without which an assertion checks nothing.
fn checks(class: &str) -> &'static [&'static str] {
    match class {
        RESPONSE_ASSERTION => &["Asserion.test_strings"],
        DURATION_ASSERTION => &["DurationAssertion.duration"],
        _ => &[],
    }
}

/// This crate's part of the table of elements.
pub fn kinds() -> Vec<ElementKind> {
    let documentation = include_str!("../../elements.toml");
    let extractors = EXTRACTORS.iter().map(|(class, name, build)| {
        let make = Make::post_processor(|node, compile| build(&node.element, compile));
        ElementKind::native(Role::PostProcessor, *class, *name, make)
    });
    let assertions = ASSERTIONS.iter().map(|(class, name, build)| {
        let make = Make::assertion(|node, compile| build(&node.element, compile));
        ElementKind::native(Role::Assertion, *class, *name, make)
    });
    let pre_processors = PRE_PROCESSORS.iter().map(|(class, name, build)| {
        let make = Make::pre_processor(|node, compile| build(&node.element, compile));
        ElementKind::native(Role::PreProcessor, *class, *name, make)
    });
    let mut own: Vec<_> =
        extractors.chain(assertions).chain(pre_processors).chain(readers::kinds()).collect();
    for kind in &mut own {
        kind.lacks = lacks(kind.class()).map(|lacks| Arc::new(lacks) as NativeGap);
    }
    for (class, name, build) in ITERATION_ELEMENTS {
        let at = own.iter().position(|kind| kind.class() == *class).unwrap_or_else(|| {
            let kind = ElementKind::native(Role::IterationElement, *class, *name, Make::Nothing);
            own.push(ElementKind { lacks: lacks(class).map(|lacks| Arc::new(lacks) as NativeGap), ..kind });
            own.len() - 1
        });
        own[at].each_iteration = Some(Arc::new(|node, compile| build(&node.element, compile)));
    }
    let whole = |kind: ElementKind| {
        let missing = missing(kind.class());
        let checks = checks(kind.class());
        let variables = variables(kind.class());
        ElementKind { documentation, missing, variables, checks, ..kind }
    };
    own.into_iter().map(whole).chain(others::kinds()).collect()
}
