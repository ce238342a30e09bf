//! `__RandomDate(format, start, end, locale, variable)` (JMeter's `RandomDate`): a day from the
//! start (default: today), up to but excluding the end.

use jiff::civil::Date;
use rand::Rng as _;

use super::date_pattern::{Patterns, locale};
use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;
use crate::zone;
use swell_java::time::{DatePattern, Defaults, Fields};

struct RandomDate {
    format: Template,
    start: Template,
    end: Template,
    locale: Option<Template>,
    target: Target,
    patterns: Patterns,
    zone: zone::Cached,
}

const EPOCH: Date = jiff::civil::date(1970, 1, 1);

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let format = args.required();
    let start = args.required();
    let end = args.required();
    let locale = args.optional();
    let target = args.target(scope);
    let patterns = Patterns::default();
    let zone = zone::Cached::default();
    Box::new(RandomDate { format, start, end, locale, target, patterns, zone })
}

impl Function for RandomDate {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let locale = locale(self.locale.as_ref(), cx);
        let format = self.format.text(cx);
        let format = if trim(&format).is_empty() { "yyyy-MM-dd" } else { trim(&format) };
        let pattern = match self.patterns.get(format, locale) {
            Ok(pattern) => pattern,
            Err(reason) => {
                cx.host.log(Level::Error, &format!("Format date pattern '{format}' is invalid: {reason}"));
                return Ok(());
            }
        };
        let today = zone::at(cx.host.now_ns(), self.zone.get(cx)).date();
        let start = match trim(&self.start.text(cx)) {
            "" => today,
            text => read(text, &pattern, today, cx),
        };
        let end = read(trim(&self.end.text(cx)), &pattern, today, cx);
        let days = (end - start).get_days();
        if days < 0 {
            cx.host.log(Level::Error, &format!("__RandomDate: end {end} must be after start {start}"));
            return Ok(());
        }
        if days == 0 {
            return Err(CallFailure::empty(format!("end {end} must be after start {start}")));
        }
        let day = start + jiff::Span::new().days(cx.random.random_range(0..days));
        let begin = out.len();
        pattern.format(&Fields::from(day), out).map_err(no_date)?;
        self.target.put(cx, &out[begin..]);
        Ok(())
    }
}

/// A day that cannot be read is the first of 1970, as in JMeter.
fn read(text: &str, pattern: &DatePattern, today: Date, cx: &Context) -> Date {
    let defaults = Defaults { year: Some(i64::from(today.year())), midnight: None };
    let date =
        pattern.parse(text, defaults).and_then(|fields| fields.date.ok_or("it is not a date".to_owned()));
    date.unwrap_or_else(|reason| {
        cx.host.log(Level::Error, &format!("__RandomDate: failed to parse date '{text}': {reason}"));
        EPOCH
    })
}

fn no_date(reason: String) -> CallFailure {
    CallFailure::thrown("java.time.DateTimeException", reason)
}
