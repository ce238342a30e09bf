//! Counter (`org.apache.jmeter.modifiers.CounterConfig`): counts iterations of its parent
//! controller, per user or for all users together.

use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{CompileContext, IterationElement};
use swell_expr::{Context, Template};
use swell_plan::Element;

use super::{NumberFormat, user_state};
use crate::field::{IntField, VarName};

struct Counter {
    variable: VarName,
    start: IntField,
    end: Template,
    increment: IntField,
    format: NumberFormat,
    per_user: bool,
    reset_each_iteration: bool,
    instance: u32,
    global: Arc<Mutex<Option<i64>>>,
}

/// What a user keeps.
struct CounterState {
    current: i64,
    iteration: u64,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn IterationElement> {
    let expr = &compile.expr;
    let identity = compile.identity(element);
    Box::new(Counter {
        variable: VarName::of(element, compile, "CounterConfig.name"),
        start: IntField::of(element, compile, "CounterConfig.start", ""),
        end: compile.template(element, "CounterConfig.end", ""),
        increment: IntField::of(element, compile, "CounterConfig.incr", ""),
        format: NumberFormat::of(element, compile, "CounterConfig.format"),
        per_user: element.flag("CounterConfig.per_user", false),
        reset_each_iteration: element.flag("CounterConfig.reset_on_tg_iteration", false),
        instance: expr.instance_of(&identity),
        global: expr.shared.get(&identity, Mutex::default),
    })
}

impl IterationElement for Counter {
    fn iteration_start(&self, cx: &mut Context) {
        let start = self.start.get(cx);
        let increment = self.increment.get(cx);
        // Empty means no end; an invalid number is 0.
        let end = match &*self.end.eval(cx) {
            "" => i64::MAX,
            text => text.parse().unwrap_or(0),
        };
        if cx.thrown.is_some() {
            // It does not count.
            return;
        }
        let number = if self.per_user {
            self.next_own(cx, start, end, increment)
        } else {
            self.next_global(start, end, increment)
        };
        let text = self.format.write(cx, number);
        self.variable.put(cx, text);
    }
}

impl Counter {
    fn next_global(&self, start: i64, end: i64, increment: i64) -> i64 {
        let mut current = self.global.lock();
        let number = current.filter(|number| *number <= end).unwrap_or(start);
        // JMeter takes the least number for "not begun"; so does an overflow here.
        *current = number.checked_add(increment);
        number
    }

    fn next_own(&self, cx: &mut Context, start: i64, end: i64, increment: i64) -> i64 {
        let iteration = cx.iteration;
        let own = user_state(cx, self.instance, || CounterState { current: start, iteration: 1 });
        if self.reset_each_iteration {
            if own.iteration != iteration {
                own.current = start;
            }
            own.iteration = iteration;
        }
        let number = own.current;
        own.current = Some(number.wrapping_add(increment)).filter(|next| *next <= end).unwrap_or(start);
        number
    }
}
