//! `__time(format, variable)` (JMeter's `TimeFunction`): milliseconds since the epoch, optionally
//! divided (`/1000`), or a Java date pattern. `YMD`, `HMS`, `YMDHMS`, `USER1` and `USER2` select
//! patterns from the properties `time.*`.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::scope::Scope;
use crate::template::Template;
use crate::thrown::Thrown;
use crate::trim::trim;
use crate::vars::Value;
use crate::zone;
use swell_java::time::{DatePattern, Fields};

struct Time {
    format: Option<Template>,
    target: Target,
    /// The last format, read: most calls have only one.
    known: RefCell<Option<(Value, Rc<Shape>)>>,
    zone: zone::Cached,
}

enum Shape {
    Milliseconds,
    Divided(i64),
    Pattern(DatePattern),
    Wrong(Thrown),
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let format = args.optional();
    let target = args.target(scope);
    Box::new(Time { format, target, known: RefCell::default(), zone: zone::Cached::default() })
}

impl Function for Time {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let start = out.len();
        let now_ns = cx.host.now_ns();
        let shape = self.format.as_ref().map(|format| self.shape(format, cx));
        let milliseconds = |by: i64, out: &mut String| {
            write!(out, "{}", now_ns.div_euclid(1_000_000) / by).expect("writing to a String cannot fail");
        };
        match shape.as_deref() {
            None | Some(Shape::Milliseconds) => milliseconds(1, out),
            Some(Shape::Divided(by)) => milliseconds(*by, out),
            Some(Shape::Pattern(pattern)) => {
                let now = zone::at(now_ns, self.zone.get(cx));
                pattern
                    .format(&Fields::from(&now), out)
                    .map_err(|reason| CallFailure::thrown("java.time.DateTimeException", reason))?;
            }
            Some(Shape::Wrong(thrown)) => return Err(CallFailure::Thrown(thrown.clone())),
        }
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

impl Time {
    fn shape(&self, format: &Template, cx: &mut Context) -> Rc<Shape> {
        let format = format.eval_value(cx);
        if let Some((known, shape)) = &*self.known.borrow()
            && *known == format
        {
            return shape.clone();
        }
        let shape = Rc::new(read(&format, cx));
        *self.known.borrow_mut() = Some((format, shape.clone()));
        shape
    }
}

fn read(format: &str, cx: &Context) -> Shape {
    if format.is_empty() {
        return Shape::Milliseconds;
    }
    let default = match format {
        "YMD" => Some("yyyyMMdd"),
        "HMS" => Some("HHmmss"),
        "YMDHMS" => Some("yyyyMMdd-HHmmss"),
        "USER1" | "USER2" => Some(""),
        _ => None,
    };
    let named =
        default.map(|text| cx.props.get(&format!("time.{format}")).unwrap_or_else(|| text.to_owned()));
    let pattern = named.as_deref().map_or(format, trim);
    if let Some(divisor) = divisor(pattern) {
        return divisor;
    }
    match DatePattern::new(pattern) {
        Ok(pattern) => Shape::Pattern(pattern),
        Err(_) => {
            wrong("java.lang.IllegalArgumentException", format!("Unable to parse date format {pattern}"))
        }
    }
}

fn wrong(class: &'static str, message: String) -> Shape {
    Shape::Wrong(Thrown { class, message })
}

/// `/` and digits, nothing else.
fn divisor(pattern: &str) -> Option<Shape> {
    let digits = pattern.strip_prefix('/')?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(match digits.parse() {
        Ok(0) => wrong("java.lang.ArithmeticException", "/ by zero".to_owned()),
        Ok(by) => Shape::Divided(by),
        Err(_) => wrong("java.lang.NumberFormatException", format!("For input string: \"{digits}\"")),
    })
}
