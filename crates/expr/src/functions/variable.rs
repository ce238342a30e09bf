//! `__V(name, default)` (JMeter's `Variable`): a variable with a composed name, as in
//! `${__V(user_${n})}`.

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;

struct Variable {
    name: Template,
    default: Option<Template>,
}

pub(crate) fn make(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(Variable { name: args.required(), default: args.optional() })
}

impl Function for Variable {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let name = self.name.text(cx);
        match (cx.vars.get(&name), &self.default) {
            (Some(value), _) => out.push_str(value),
            (None, Some(default)) => default.eval_into(cx, out),
            (None, None) => out.push_str(&name),
        }
        Ok(())
    }
}
