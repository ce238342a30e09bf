//! Random Variable (`org.apache.jmeter.config.RandomVariableConfig`): a random number per
//! iteration, from one generator per user or one for all users.

use std::sync::Arc;

use parking_lot::Mutex;
use rand::Rng;
use swell_api::{CompileContext, IterationElement};
use swell_expr::{Context, Level, Template};
use swell_java::JavaRandom;
use swell_plan::{Element, Severity};

use super::{NumberFormat, user_state};
use crate::field::VarName;

struct RandomVariable {
    variable: VarName,
    minimum: Template,
    maximum: Template,
    seed: Template,
    format: NumberFormat,
    per_user: bool,
    instance: u32,
    global: Arc<Mutex<Option<Source>>>,
}

/// A generator with its range, both fixed when it is first asked.
#[derive(Clone, Copy)]
struct Source {
    random: JavaRandom,
    minimum: i64,
    /// How many numbers there are; 0 if the range is wrong.
    range: i32,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn IterationElement> {
    let minimum = compile.template(element, "minimumValue", "");
    let maximum = compile.template(element, "maximumValue", "");
    if let (Some(low), Some(high)) = (minimum.constant().map(to_long), maximum.constant().map(to_long)) {
        note_range(element, compile, low, high);
    }
    let expr = &compile.expr;
    let identity = compile.identity(element);
    Box::new(RandomVariable {
        variable: VarName::of(element, compile, "variableName"),
        minimum,
        maximum,
        seed: compile.template(element, "randomSeed", ""),
        format: NumberFormat::of(element, compile, "outputFormat"),
        per_user: element.flag("perThread", false),
        instance: expr.instance_of(&identity),
        global: expr.shared.get(&identity, Mutex::default),
    })
}

fn note_range(element: &Element, compile: &CompileContext, low: i64, high: i64) {
    let (message, hint) = if low > high {
        (format!("maximum {high} is below minimum {low}, so the variable is never set"), "swap them")
    } else if range(low, high) == i32::MAX && high.checked_sub(low) != Some(i64::from(i32::MAX) - 1) {
        (
            format!("the range {low} to {high} has more than {} numbers; only the lowest are used", i32::MAX),
            "narrow the range",
        )
    } else {
        return;
    };
    compile.note(Severity::Warning, element, Some("maximumValue"), message, Some(hint));
}

/// `NumberUtils.toLong`: 0 for an invalid number.
fn to_long(text: &str) -> i64 {
    text.parse().unwrap_or_default()
}

/// How many numbers there are from low to high; 0 if none, and JMeter uses no more than `i32::MAX`.
fn range(low: i64, high: i64) -> i32 {
    if low > high {
        return 0;
    }
    i32::try_from(i128::from(high) - i128::from(low) + 1).unwrap_or(i32::MAX)
}

impl IterationElement for RandomVariable {
    fn iteration_start(&self, cx: &mut Context) {
        let number = if self.per_user {
            self.next_own(cx)
        } else {
            let global = self.global.clone();
            let mut source = global.lock();
            if source.is_none() {
                *source = self.source(cx);
            }
            source.as_mut().and_then(Source::next)
        };
        if let Some(number) = number {
            let text = self.format.write(cx, number);
            self.variable.put(cx, text);
        }
    }
}

impl RandomVariable {
    fn next_own(&self, cx: &mut Context) -> Option<i64> {
        let known = user_state::<Option<Source>>(cx, self.instance, || None).is_some();
        let made = if known { None } else { self.source(cx) };
        let own = user_state::<Option<Source>>(cx, self.instance, || None);
        if made.is_some() {
            *own = made;
        }
        own.as_mut()?.next()
    }

    /// None if a function throws.
    fn source(&self, cx: &mut Context) -> Option<Source> {
        let low = to_long(&self.minimum.eval(cx));
        let high = to_long(&self.maximum.eval(cx));
        if low > high {
            cx.host.log(Level::Error, &format!("maximum({high}) must be >= minimum({low})"));
        }
        let random = JavaRandom::new(self.seed(cx));
        cx.thrown.is_none().then(|| Source { random, minimum: low, range: range(low, high) })
    }

    fn seed(&self, cx: &mut Context) -> i64 {
        let text = self.seed.eval(cx);
        if let Ok(seed) = text.parse() {
            seed
        } else {
            if !text.is_empty() {
                cx.host.log(Level::Warn, &format!("Cannot parse random seed: '{text}'"));
            }
            cx.random.random()
        }
    }
}

impl Source {
    fn next(&mut self) -> Option<i64> {
        (self.range > 0).then(|| self.minimum.wrapping_add(i64::from(self.random.next_int(self.range))))
    }
}
