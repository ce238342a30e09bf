//! `__RandomFromMultipleVars(a|b, variable)` (JMeter's `RandomFromMultipleVars`): one of the values
//! of several variables, including those of an extractor (`a_matchNr`, `a_1`, …).

use rand::Rng as _;

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;
use crate::vars::Value;

struct RandomFromVariables {
    names: Template,
    target: Target,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    Box::new(RandomFromVariables { names: args.required(), target: args.target(scope) })
}

impl Function for RandomFromVariables {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let names = self.names.text(cx);
        let mut values = Vec::new();
        for name in trim(&names).split('|').filter(|name| !name.is_empty()) {
            collect(name, cx, &mut values)?;
        }
        let start = out.len();
        if !values.is_empty() {
            out.push_str(&values[cx.random.random_range(..values.len())]);
        }
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

fn collect(name: &str, cx: &Context, values: &mut Vec<Value>) -> Result<(), CallFailure> {
    let count = match cx.vars.get(&format!("{name}_matchNr")) {
        Some(text) if !text.is_empty() => text.parse::<i32>().map_err(|_| CallFailure::no_number(text))?,
        _ => 0,
    };
    if count > 0 {
        let found = (1..=count).map(|index| cx.vars.get(&format!("{name}_{index}")));
        // Java's null becomes text where a match is missing.
        values.extend(found.map(|value| value.cloned().unwrap_or_else(|| "null".into())));
    } else {
        values.extend(cx.vars.get(name).filter(|value| !value.is_empty()).cloned());
    }
    Ok(())
}
