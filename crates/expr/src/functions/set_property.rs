//! `__setProperty(name, value, true to return the old value)` (JMeter's `SetProperty`).

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;

struct SetProperty {
    name: Template,
    value: Template,
    wants_old: Option<Template>,
}

pub(crate) fn make(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(SetProperty { name: args.required(), value: args.required(), wants_old: args.optional() })
}

impl Function for SetProperty {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let name = self.name.file_name(cx);
        let value = self.value.file_name(cx);
        let wants_old =
            self.wants_old.as_ref().is_some_and(|flag| flag.text(cx).eq_ignore_ascii_case("true"));
        if cx.thrown.is_some() {
            return Ok(());
        }
        let of_plan = name.is_of_plan() && value.is_of_plan();
        let name = name.text();
        let value = value.text();
        let old = if of_plan { cx.props.set(name, value) } else { cx.props.set_foreign(name, value) };
        if wants_old {
            // Java appends its null to the text.
            out.push_str(old.as_deref().unwrap_or("null"));
        }
        Ok(())
    }
}
