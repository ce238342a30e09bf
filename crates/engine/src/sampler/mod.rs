//! The engine's samplers: Flow Control Action, Debug Sampler, and JMeter's two Java Request test
//! classes.

mod action;
mod debug;
mod java;
mod missing;

use std::rc::Rc;

use swell_api::Sampler;
use swell_plan::Element;

use crate::compile_context::GroupCompileContext;

pub(crate) use java::CLASSES as JAVA_CLASSES;

/// Flow Control Action.
pub(crate) fn action(element: &Element, context: &GroupCompileContext<'_>) -> Rc<dyn Sampler> {
    Rc::new(action::Action::compile(element, context))
}

/// Debug Sampler.
pub(crate) fn debug(element: &Element, _at_hand: &GroupCompileContext<'_>) -> Rc<dyn Sampler> {
    Rc::new(debug::Debug::compile(element))
}

/// Java Request with one of [`JAVA_CLASSES`].
pub(crate) fn java(element: &Element, context: &GroupCompileContext<'_>) -> Rc<dyn Sampler> {
    Rc::new(java::Java::compile(element, context))
}

/// A sampler that only fails, for a class that is not supported.
pub(crate) fn missing(element: &Element) -> Rc<dyn Sampler> {
    Rc::new(missing::Missing::new(element))
}
