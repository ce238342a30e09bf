//! Numbers as JMeter reads them from text: an invalid number is 0, spaces are not trimmed
//! (`AbstractProperty.getIntValue` and its relatives).

use swell_expr::{Context, Template};

/// A number now, for controllers that catch what a function throws because of a number as well
/// (`RunTime.getRuntime`).
pub(crate) fn long_of(template: &Template, cx: &mut Context) -> i64 {
    let number = long(&template.eval(cx));
    cx.thrown.take_if(|thrown| thrown.class == "java.lang.NumberFormatException");
    number
}

/// The same with 32 bits (`LoopController.getLoops`).
pub(crate) fn int_of(template: &Template, cx: &mut Context) -> i32 {
    let number = int(&template.eval(cx));
    cx.thrown.take_if(|thrown| thrown.class == "java.lang.NumberFormatException");
    number
}

/// `getPropertyAsInt`.
pub(crate) fn int(text: &str) -> i32 {
    text.parse().unwrap_or(0)
}

/// `getPropertyAsLong`.
pub(crate) fn long(text: &str) -> i64 {
    text.parse().unwrap_or(0)
}

/// `getPropertyAsDouble`: Java trims here, and takes a trailing `d` or `f`.
pub(crate) fn double(text: &str) -> f64 {
    let text = text.trim();
    let plain = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    plain.parse().unwrap_or(0.0)
}

/// `Math.round(double)`: halves go up, what is too large stays at the limit, no number is 0.
pub(crate) fn round(value: f64) -> i64 {
    (value + 0.5).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_java_reads_them() {
        assert_eq!((int("12"), int("+3"), int("-4"), int(" 5"), int(""), int("x")), (12, 3, -4, 0, 0, 0));
        assert_eq!((long("9000000000"), long("1.5")), (9_000_000_000, 0));
        assert_eq!((double(" 1.5 "), double("2d"), double("")), (1.5, 2.0, 0.0));
        assert_eq!((round(2.5), round(-2.5), round(f64::INFINITY), round(f64::NAN)), (3, -2, i64::MAX, 0));
    }
}
