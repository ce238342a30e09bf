//! `__Random(least, largest, variable)` (JMeter's `Random`): whole numbers of 64 bits, both ends
//! included.

use std::fmt::Write as _;

use rand::Rng as _;

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;

struct Random {
    least: Template,
    largest: Template,
    target: Target,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    Box::new(Random { least: args.required(), largest: args.required(), target: args.target(scope) })
}

impl Function for Random {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let least = bound(&self.least, cx)?;
        let largest = bound(&self.largest, cx)?;
        if least > largest {
            return Err(CallFailure::illegal("bound must be greater than origin"));
        }
        let start = out.len();
        let drawn = cx.random.random_range(least..=largest);
        write!(out, "{drawn}").expect("writing to a String cannot fail");
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

fn bound(template: &Template, cx: &mut Context) -> Result<i64, CallFailure> {
    let text = template.text(cx);
    trim(&text).parse().map_err(|_| CallFailure::no_number(trim(&text)))
}
