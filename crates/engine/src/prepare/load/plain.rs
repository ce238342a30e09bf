//! `ThreadGroup`, `SetupThreadGroup`, `PostThreadGroup`.

use swell_plan::{Element, Severity};

use crate::number;
use crate::prepare::main_context::MainContext;
use crate::schedule::Fields;

const USERS: &str = "ThreadGroup.num_threads";
const RAMP: &str = "ThreadGroup.ramp_time";
const DURATION: &str = "ThreadGroup.duration";
const DELAY: &str = "ThreadGroup.delay";

/// The fields of a thread group now, with the variables of the plan. What is wrong is noted.
pub(super) fn read(group: &Element, main: &MainContext) -> Fields {
    let text = |property: &str| main.property(group, property, "");
    let number = |property: &str| {
        let text = text(property);
        check(group, property, &text, main);
        text
    };
    let scheduler = text("ThreadGroup.scheduler").eq_ignore_ascii_case("true");
    // Without the scheduler these two are not used.
    let scheduled = |property: &str| if scheduler { seconds_ns(&number(property)).unwrap_or(0) } else { 0 };
    Fields {
        users: number::int(&number(USERS)),
        ramp_s: number::int(&number(RAMP)),
        delayed_start: text("ThreadGroup.delayedStart").eq_ignore_ascii_case("true"),
        scheduler,
        duration_ns: scheduled(DURATION),
        delay_ns: scheduled(DELAY),
    }
}

/// Notes what is wrong with the numbers that are known before the run.
pub(super) fn check_constants(group: &Element, main: &MainContext) {
    let scheduler = group.flag("ThreadGroup.scheduler", false);
    let read: &[&str] = if scheduler { &[USERS, RAMP, DURATION, DELAY] } else { &[USERS, RAMP] };
    for property in read {
        let text = group.text(property).unwrap_or_default();
        if !text.contains("${") {
            check(group, property, text, main);
        }
    }
}

/// Seconds as nanoseconds. Fractions count here; JMeter takes them for 0 and then refuses to start.
fn seconds_ns(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<i64>() {
        return Some(seconds.saturating_mul(1_000_000_000));
    }
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = text.parse().ok().filter(|_| plain)?;
    Some((seconds * 1e9).round() as i64)
}

/// JMeter reads an invalid number as 0. An invalid number of users is refused: the test would do
/// nothing.
fn check(group: &Element, property: &str, text: &str, main: &MainContext) {
    let is_number = if property == USERS || property == RAMP {
        text.parse::<i32>().is_ok()
    } else {
        seconds_ns(text).is_some()
    };
    let note =
        |severity, message, hint| main.compile.note(severity, group, Some(property), message, Some(hint));
    if text.is_empty() {
    } else if !is_number && property == USERS {
        let message = format!("`{text}` is not a whole number up to {}", i32::MAX);
        note(Severity::Error, message, "use digits only, such as 100, or ${__P(users,100)}");
    } else if !is_number {
        let message = format!("`{text}` is not a number; 0 is used, as in JMeter");
        note(Severity::Warning, message, "use seconds, digits only");
    } else if text.starts_with('-') && (property == USERS || property == RAMP) {
        let message = format!("`{text}` is negative; 0 is used, as in JMeter");
        note(Severity::Warning, message, "use 0 or more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_have_a_fraction() {
        let s = |text| seconds_ns(text);
        assert_eq!(
            (s("10"), s("1.5"), s("-1")),
            (Some(10_000_000_000), Some(1_500_000_000), Some(-1_000_000_000))
        );
        assert_eq!((s("999999999999999999"), s("0")), (Some(i64::MAX), Some(0)));
        for text in ["", " 5", "5s", "1e3", "-1.5", "inf", "NaN", "1.2.3"] {
            assert_eq!(seconds_ns(text), None, "{text}");
        }
    }
}
