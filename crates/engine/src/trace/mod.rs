//! What is put into a program that is traced (`swell debug`): wrappers around its elements, which
//! report to the trace of their user. Programs of other runs hold none of this.

mod action;
mod control;
mod iteration;
mod not_run;
mod question;
mod reads;
mod sample;
mod sampler;
mod steps;
mod timer;

use swell_expr::Context;
use swell_plan::{Element, Property, PropertyValue};
use swell_trace::{ElementRef, Written};

pub(crate) use control::TracedControl;
pub(crate) use iteration::{BeginIteration, TracedIteration};
pub(crate) use not_run::{NotRunSampler, NotRunStep, reason};
pub use question::extract;
pub(crate) use reads::variables_in;
pub(crate) use sampler::TracedSampler;
pub(crate) use steps::{BeginStep, EndStep, Traced, TracedStep};
pub(crate) use timer::{TracedForeignTimer, TracedTimer};

/// An element of a plan for a trace.
pub fn element_ref(element: &Element) -> ElementRef {
    ElementRef {
        class: element.class.clone(),
        name: element.name().to_owned(),
        path: element.path.clone(),
        line: element.line,
    }
}

/// From now on what the user logs and prints is part of its trace.
pub(crate) fn follow_output(cx: &mut Context) {
    let host = cx.trace.as_ref().and_then(|trace| cx.host.for_user(trace.output()));
    if let Some(host) = host {
        cx.host = host;
    }
}

/// Texts of an element that refer to something, with the names of their properties.
pub(crate) fn written(element: &Element) -> Vec<Written> {
    let mut texts = Vec::new();
    collect(&element.properties, "", &mut texts);
    texts
}

fn collect(properties: &[Property], above: &str, texts: &mut Vec<Written>) {
    for property in properties {
        let name = match (above, &*property.name) {
            ("", name) => name.to_owned(),
            (above, "") => above.to_owned(),
            (above, name) => format!("{above}/{name}"),
        };
        match &property.value {
            PropertyValue::Element(inner) => {
                let below = if inner.name().is_empty() || inner.name() == property.name {
                    name
                } else {
                    format!("{name}/{}", inner.name())
                };
                collect(&inner.properties, &below, texts);
            }
            PropertyValue::Collection(inner) | PropertyValue::Map(inner) => collect(inner, &name, texts),
            value => {
                if let Some(text) = value.as_text().filter(|text| text.contains("${")) {
                    texts.push(Written { property: name, text: text.to_owned() });
                }
            }
        }
    }
}
