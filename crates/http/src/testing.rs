//! Helpers of the tests of several modules.

use std::cell::RefCell;
use std::sync::Arc;

use swell_api::CompileContext;
use swell_expr::testing::{TestHost, context_for as context_of_compiler};
use swell_expr::{Compiler, Context, Properties};
use swell_plan::{Element, Property, PropertyValue};

/// A context of a user without variables.
pub(crate) fn context() -> Context {
    swell_expr::testing::context()
}

/// A compiler without a file.
pub(crate) fn compile() -> CompileContext {
    compile_with(&[])
}

/// A compiler with properties.
pub(crate) fn compile_with(properties: &[(&str, &str)]) -> CompileContext {
    let props = Properties::default();
    for (name, value) in properties {
        props.set(name, value);
    }
    CompileContext {
        expr: Compiler::new(Arc::default()),
        props: Arc::new(props),
        host: Arc::new(TestHost::default()),
        file: None,
        diagnostics: RefCell::default(),
        worker: 0,
        workers: 1,
        traced: false,
    }
}

/// A context for the templates of a compiler.
pub(crate) fn context_for(compile: &CompileContext) -> Context {
    context_of_compiler(&compile.expr)
}

/// A property.
pub(crate) fn property(name: &str, value: PropertyValue) -> Property {
    Property { name: name.to_owned(), value, written: None }
}

/// An element with text properties.
pub(crate) fn element(class: &str, gui: &str, texts: &[(&str, &str)]) -> Element {
    let text = |(name, value): &(&str, &str)| property(name, PropertyValue::Text((*value).to_owned()));
    Element {
        class: class.to_owned(),
        gui_class: gui.to_owned(),
        tag: class.to_owned(),
        attributes: Vec::new(),
        properties: texts.iter().map(text).collect(),
        line: 0,
        path: class.to_owned(),
        missing: &[],
    }
}

/// A property that is a collection of elements, put in an element of that class.
pub(crate) fn collection(name: &str, inner: &str, class: &str, members: Vec<Element>) -> Property {
    let unnamed = |member| property("", PropertyValue::Element(Box::new(member)));
    let members = PropertyValue::Collection(members.into_iter().map(unnamed).collect());
    if class.is_empty() {
        return property(name, members);
    }
    let mut holder = element(class, "", &[]);
    holder.properties.push(property(inner, members));
    property(name, PropertyValue::Element(Box::new(holder)))
}
