//! `__longSum` and `__intSum` (JMeter's `LongSum` and `IntSum`): the sum of the arguments. The last
//! one is a variable for the result, unless it is a number.

use std::fmt::Write as _;

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;

struct Sum {
    terms: Vec<Template>,
    last: Template,
    width: Width,
}

/// Java's `int` and `long`; both wrap.
#[derive(Clone, Copy)]
enum Width {
    Int,
    Long,
}

/// `__intSum(number, number, …, variable)`.
pub(crate) fn int(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    sum(args, Width::Int)
}

/// `__longSum(number, number, …, variable)`.
pub(crate) fn long(args: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    sum(args, Width::Long)
}

fn sum(args: &mut Args, width: Width) -> Box<dyn Function> {
    let mut terms = args.rest();
    let last = terms.pop().expect("the table requires two arguments");
    Box::new(Sum { terms, last, width })
}

impl Width {
    fn parse(self, text: &str) -> Option<i64> {
        match self {
            Width::Int => text.parse::<i32>().ok().map(i64::from),
            Width::Long => text.parse().ok(),
        }
    }

    fn wrap(self, value: i64) -> i64 {
        match self {
            Width::Int => i64::from(value as i32),
            Width::Long => value,
        }
    }
}

impl Function for Sum {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        // JMeter evaluates the last argument first.
        let last = self.last.eval_value(cx);
        let last = trim(&last);
        let mut total = 0_i64;
        for term in &self.terms {
            let text = term.text(cx);
            let value = self.width.parse(&text);
            let value = value.ok_or_else(|| CallFailure::no_number(&text))?;
            total = self.width.wrap(total.wrapping_add(value));
        }
        let number = self.width.parse(last);
        total = self.width.wrap(total.wrapping_add(number.unwrap_or(0)));
        let start = out.len();
        write!(out, "{total}").expect("writing to a String cannot fail");
        // An empty name is one to `IntSum`, and none to `LongSum`.
        let is_name = !last.is_empty() || matches!(self.width, Width::Int);
        if number.is_none() && is_name {
            cx.store(last, &out[start..]);
        }
        Ok(())
    }
}
