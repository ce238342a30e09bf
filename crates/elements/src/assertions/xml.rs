//! XML Assertion: the response is well-formed (`org.apache.jmeter.assertions.XMLAssertion`).

use swell_document::xml::{XmlOptions, parse};
use swell_expr::Context;
use swell_plan::Element;

use crate::field::TextField;
use crate::{Assertion, AssertionResult, Build, Needs, SampleResult};

struct XmlAssertion {
    name: TextField,
}

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn Assertion> {
    Box::new(XmlAssertion { name: TextField::name_of(element, build) })
}

impl Assertion for XmlAssertion {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn check(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        let text = sample.body_text();
        if text.is_empty() {
            return AssertionResult::failed_for_null(name);
        }
        match parse(&text, XmlOptions::PLAIN) {
            Ok(_) => AssertionResult::passed(name),
            Err(error) => {
                AssertionResult { error: true, ..AssertionResult::failed(name, error.message.into()) }
            }
        }
    }
}
