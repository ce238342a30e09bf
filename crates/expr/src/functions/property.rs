//! `__P` and `__property` (JMeter's `Property2` and `Property`).

use super::{Args, Function, Outcome};
use crate::context::Context;
use crate::parser::trim;
use crate::scope::Scope;
use crate::template::Template;

struct Property {
    name: Template,
    default: Fallback,
    variable: Option<Template>,
}

enum Fallback {
    One,
    Name,
    Given(Template),
}

/// `__P(name, default)`: the default is `1` where none is given.
pub(crate) fn p(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let name = args.required();
    let default = args.optional().map_or(Fallback::One, Fallback::Given);
    Box::new(Property { name, default, variable: None })
}

/// `__property(name, variable, default)`: the default is the name where none is given.
pub(crate) fn property(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let (name, variable) = (args.required(), args.optional());
    let default = args.optional().map_or(Fallback::Name, Fallback::Given);
    Box::new(Property { name, default, variable })
}

impl Function for Property {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let name = self.name.text(cx);
        let (start, known) = (out.len(), cx.props.get(&name));
        // JMeter trims the value, be it the default (`JMeterUtils.getPropDefault`).
        match (&known, &self.default) {
            (Some(value), _) => out.push_str(trim(value)),
            (None, Fallback::One) => out.push('1'),
            (None, Fallback::Name) => out.push_str(trim(&name)),
            (None, Fallback::Given(default)) => out.push_str(trim(&default.text(cx))),
        }
        if let Some(variable) = &self.variable {
            // JMeter does not trim this name, unlike those of the other functions.
            let variable = variable.text(cx);
            if !variable.is_empty() {
                cx.vars.put(&variable, &out[start..]);
            }
        }
        Ok(())
    }
}
