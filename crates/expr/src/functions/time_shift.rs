//! `__timeShift(format, date, shift, locale, variable)` (JMeter's `TimeShift`): a date or the
//! current time, shifted by an ISO 8601 duration. Without a format, dates are milliseconds since
//! the epoch. With four arguments, the fourth is the variable.

use std::fmt::Write as _;

use jiff::Zoned;
use jiff::tz::TimeZone;

use super::date_pattern::{Patterns, locale};
use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;
use crate::trim::trim;
use crate::zone;
use swell_java::time::{DatePattern, Defaults, Fields, parse_duration};

struct TimeShift {
    format: Template,
    date: Template,
    shift: Template,
    locale: Option<Template>,
    target: Target,
    patterns: Patterns,
    zone: zone::Cached,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let format = args.required();
    let date = args.required();
    let shift = args.required();
    let locale = if args.len() == 2 { args.optional() } else { None };
    let target = args.target(scope);
    let patterns = Patterns::default();
    let zone = zone::Cached::default();
    Box::new(TimeShift { format, date, shift, locale, target, patterns, zone })
}

impl Function for TimeShift {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let locale = locale(self.locale.as_ref(), cx);
        let format = self.format.text(cx);
        let pattern = match trim(&format) {
            "" => None,
            text => match self.patterns.get(text, locale) {
                Ok(pattern) => Some(pattern),
                Err(reason) => {
                    cx.host.log(Level::Error, &format!("Format date pattern '{text}' is invalid: {reason}"));
                    return Ok(());
                }
            },
        };
        let start = out.len();
        let moment = self.shifted(pattern.as_deref(), cx);
        if let Some(pattern) = &pattern {
            pattern
                .format(&Fields::from(&moment), out)
                .map_err(|reason| CallFailure::thrown("java.time.DateTimeException", reason))?;
        } else {
            write!(out, "{}", moment.timestamp().as_millisecond()).expect("writing to a String cannot fail");
        }
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

impl TimeShift {
    fn shifted(&self, pattern: Option<&DatePattern>, cx: &mut Context) -> Zoned {
        let now = zone::at(cx.host.now_ns(), self.zone.get(cx));
        let mut moment = now.clone();
        let date = self.date.text(cx);
        let date = trim(&date);
        if !date.is_empty() {
            match read(date, pattern, &now) {
                Ok(given) => moment = given,
                Err(reason) => {
                    cx.host
                        .log(Level::Error, &format!("Failed to parse the date '{date}' to shift: {reason}"));
                }
            }
        }
        let shift = self.shift.text(cx);
        let shift = trim(&shift);
        if !shift.is_empty() {
            match parse_duration(shift).and_then(|shift| moment.checked_add(shift).ok()) {
                Some(shifted) => moment = shifted,
                None => {
                    cx.host.log(
                        Level::Error,
                        &format!("Failed to parse the amount duration '{shift}' to shift"),
                    );
                }
            }
        }
        moment
    }
}

/// The date in its own zone, else in the offset of now (not of that day: so does JMeter).
fn read(date: &str, pattern: Option<&DatePattern>, now: &Zoned) -> Result<Zoned, String> {
    let Some(pattern) = pattern else {
        let ms: i64 = date.parse().map_err(|_| "it is not a number of milliseconds".to_owned())?;
        let moment = jiff::Timestamp::from_millisecond(ms).map_err(|reason| reason.to_string())?;
        return Ok(moment.to_zoned(now.time_zone().clone()));
    };
    let defaults = Defaults { year: Some(i64::from(now.year())), midnight: Some(now.offset()) };
    let fields = pattern.parse(date, defaults)?;
    let (Some(date), Some(time), Some(offset)) = (fields.date, fields.time, fields.offset) else {
        return Err("it is not a complete date".to_owned());
    };
    let moment = offset.to_timestamp(date.to_datetime(time)).map_err(|reason| reason.to_string())?;
    Ok(moment.to_zoned(fields.zone.unwrap_or_else(|| TimeZone::fixed(offset))))
}
