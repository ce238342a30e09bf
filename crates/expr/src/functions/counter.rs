//! `__counter(TRUE|FALSE, variable)` (JMeter's `IterationCounter`): counts the evaluations of this
//! call, for each virtual user or for all together.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::functions::per_user::PerUser;
use crate::scope::Scope;
use crate::template::Template;

struct Counter {
    each_user: Template,
    target: Target,
    /// 32 bits that wrap, as Java's `AtomicInteger`.
    all: Arc<AtomicI32>,
    each: PerUser<i32>,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let each_user = args.required();
    let target = args.target(scope);
    Box::new(Counter { each_user, target, all: scope.global(AtomicI32::default), each: PerUser::new(scope) })
}

impl Function for Counter {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let start = out.len();
        let count = if self.each_user.text(cx).eq_ignore_ascii_case("true") {
            self.each.with(cx, |count| {
                *count = count.wrapping_add(1);
                *count
            })
        } else {
            self.all.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
        };
        write!(out, "{count}").expect("writing to a String cannot fail");
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}
