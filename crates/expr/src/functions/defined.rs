//! `__isPropDefined(name)`, `__isVarDefined(name)` (JMeter's `IsPropDefined` and `IsVarDefined`)
//! and `__isDefined(name)` of the plug-in jpgc-functions.

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;

struct DefinitionTest {
    name: Template,
    test: fn(&Context, &str) -> &'static str,
}

impl Function for DefinitionTest {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let name = self.name.text(cx);
        out.push_str((self.test)(cx, &name));
        Ok(())
    }
}

fn word(defined: bool) -> &'static str {
    if defined { "true" } else { "false" }
}

/// `__isPropDefined(name)`: `true` or `false`.
pub(crate) fn property(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(DefinitionTest { name: args.required(), test: |cx, name| word(cx.props.get(name).is_some()) })
}

/// `__isVarDefined(name)`: `true` or `false`.
pub(crate) fn variable(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(DefinitionTest { name: args.required(), test: |cx, name| word(cx.vars.get(name).is_some()) })
}

/// `__isDefined(variable)`: `1` or `0`.
pub(crate) fn one_or_zero(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    let test = |cx: &Context, name: &str| if cx.vars.get(trim(name)).is_some() { "1" } else { "0" };
    Box::new(DefinitionTest { name: args.required(), test })
}
