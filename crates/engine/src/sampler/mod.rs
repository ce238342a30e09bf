//! The engine's own samplers: Flow Control Action, Debug Sampler, and JMeter's two Java Request test classes.

mod action;
mod debug;
mod java;
mod missing;

use std::rc::Rc;

use swell_api::{Sampler, SamplerInput};
use swell_plan::Element;

use crate::program::AtHand;

/// Whether a sampler is one of these.
pub(crate) fn is_native(element: &Element) -> bool {
    match element.class.as_str() {
        "TestAction" | "DebugSampler" | crate::prepare::PARALLEL => true,
        "JavaSampler" => java::is_native(element),
        _ => false,
    }
}

/// The sampler of an element; one that only fails if the class is not supported.
pub(crate) fn make(input: &SamplerInput<'_>, at_hand: &AtHand<'_>) -> Rc<dyn Sampler> {
    let element = &input.sampler.element;
    match element.class.as_str() {
        "TestAction" => Rc::new(action::Action::compile(element, at_hand)),
        "DebugSampler" => Rc::new(debug::Debug::compile(element, at_hand)),
        "JavaSampler" if java::is_native(element) => Rc::new(java::Java::compile(element, at_hand)),
        _ => Rc::new(missing::Missing::new(element)),
    }
}
