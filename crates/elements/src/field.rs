//! Properties of elements as used during a test: constant ones are read once.

use std::borrow::Cow;

use swell_api::{CompileContext, Text};
use swell_expr::{Context, Slot, Template, Value};
use swell_plan::{Element, Severity};

/// A text property that is passed on as [`Text`]: the name of an element, a custom message.
pub struct TextField {
    template: Template,
    constant: Option<Text>,
}

impl TextField {
    /// From a template.
    pub fn new(template: Template) -> Self {
        let constant = template.constant().map(|text| Text::from(text.to_owned()));
        Self { template, constant }
    }

    /// The name of the element.
    pub fn name_of(element: &Element, compile: &CompileContext) -> Self {
        Self::new(compile.text(element, "TestElement.name", element.name()))
    }

    /// The value now.
    pub fn get(&self, cx: &mut Context) -> Text {
        match &self.constant {
            Some(text) => text.clone(),
            None => self.template.eval(cx).into_owned().into(),
        }
    }
}

/// A whole number. An invalid number is 0, as in `AbstractProperty.getLongValue`.
pub enum IntField {
    /// It is known before the run.
    Constant(i64),
    /// It is evaluated each time.
    Template(Template),
}

impl IntField {
    /// From a template.
    pub fn new(template: Template) -> Self {
        match template.constant().map(parse_long) {
            Some(number) => Self::Constant(number),
            None => Self::Template(template),
        }
    }

    /// From a property.
    pub fn of(element: &Element, compile: &CompileContext, property: &str, default: &str) -> Self {
        note_bad_number(element, compile, property);
        Self::new(compile.template(element, property, default))
    }

    /// The value now.
    pub fn get(&self, cx: &mut Context) -> i64 {
        match self {
            Self::Constant(number) => *number,
            Self::Template(template) => parse_long(&template.eval(cx)),
        }
    }
}

fn parse_long(text: &str) -> i64 {
    text.parse().unwrap_or_default()
}

/// Warns of a constant that JMeter reads as 0 though it is none.
fn note_bad_number(element: &Element, compile: &CompileContext, property: &str) {
    let Some(text) = element.text(property) else { return };
    if !text.is_empty() && !text.contains("${") && text.parse::<i64>().is_err() {
        let message = format!("`{text}` is not a whole number; 0 is used, as in JMeter");
        let hint = Some("write digits only, without blanks");
        compile.note(Severity::Warning, element, Some(property), message, hint);
    }
}

/// The name of a variable that an element sets or reads.
pub struct VarName {
    template: Template,
    slot: Option<Slot>,
}

impl VarName {
    /// From a property.
    pub fn of(element: &Element, compile: &CompileContext, property: &str) -> Self {
        Self::new(compile.template(element, property, ""), compile)
    }

    /// From a template.
    pub fn new(template: Template, compile: &CompileContext) -> Self {
        let slot = template.constant().map(|name| compile.expr.names.slot(name));
        Self { template, slot }
    }

    /// The name, if it is constant.
    pub fn constant(&self) -> Option<&str> {
        self.template.constant()
    }

    /// The name now.
    pub fn name(&self, cx: &mut Context) -> Cow<'_, str> {
        self.template.eval(cx)
    }

    /// Sets the variable.
    pub fn put(&self, cx: &mut Context, value: impl Into<Value>) {
        if let Some(slot) = self.slot {
            cx.vars.put_slot(slot, value);
        } else {
            let name = self.template.eval(cx);
            cx.vars.put(&name, value);
        }
    }

    /// The value of the variable.
    pub fn value(&self, cx: &mut Context) -> Option<Value> {
        if let Some(slot) = self.slot {
            cx.vars.get_slot(slot).cloned()
        } else {
            let name = self.template.eval(cx);
            cx.vars.get(&name).cloned()
        }
    }
}
