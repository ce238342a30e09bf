//! Syntax of load profiles: calls one after the other, such as `ramp(0..500, 5m) hold(500, 10m)`,
//! with options after points, as in `rampUsersPerSec(10).to(20).during(10.minutes)`.

use crate::call::Call;
use crate::calls::{self, MOST_PARTS};
use crate::curve::Load;
use crate::error::{ShapeError, wrong};
use crate::{Shape, ShapePart, ShapeUnit};

/// Longer texts were not written by a person.
const LONGEST: usize = 64 << 10;

impl Shape {
    /// Parses a profile. `load` loads what `csv`, `log` and `prometheus` name.
    ///
    /// # Errors
    /// The text is invalid; the error says why and what is possible.
    pub fn parse(text: &str, load: Load<'_>) -> Result<Self, ShapeError> {
        if text.len() > LONGEST {
            return wrong("the load profile is longer than 64 KiB");
        }
        let mut rest = text.trim();
        let mut unit = None;
        for (prefix, named) in [("users:", ShapeUnit::Users), ("rate:", ShapeUnit::Rate)] {
            if let Some(behind) = rest.strip_prefix(prefix) {
                (rest, unit) = (behind.trim_start(), Some(named));
            }
        }
        let mut parts: Vec<ShapePart> = Vec::new();
        while !rest.is_empty() {
            let (item, behind) = chain(rest)?;
            let found = calls::parts(&item, load)?;
            if let Some(named) = found.unit {
                if unit.is_some_and(|unit| unit != named) {
                    let (own, other) = match named {
                        ShapeUnit::Users => ("a number of users", "arrivals"),
                        ShapeUnit::Rate => ("arrivals", "a number of users"),
                    };
                    return wrong(format!(
                        "`{}` sets {own} and cannot be combined with the parts before it, which set {other}",
                        item[0].name
                    ));
                }
                unit = Some(named);
            }
            parts.extend(found.parts);
            if parts.len() > MOST_PARTS {
                return wrong(format!("the load profile has more than {MOST_PARTS} parts"));
            }
            rest = behind.trim_start().trim_start_matches(',').trim_start();
        }
        if parts.is_empty() {
            return wrong(format!("the load profile is empty; profiles: {}", calls::usage()));
        }
        let shape = Self::new(parts, unit);
        let is_sound =
            shape.length_s().is_finite() && shape.total().is_finite() && shape.range().1.is_finite();
        if !is_sound || shape.length_s() > 1e10 || shape.total() > 1e15 {
            return wrong("its numbers are too large");
        }
        if shape.length_s() <= 0.0 {
            return wrong(
                "the load profile has no duration: give one, as in `hold(50, 10m)`, or append \
                `nothingFor(10s)`",
            );
        }
        Ok(shape)
    }
}

/// One call with its options, and the rest of the text.
fn chain(text: &str) -> Result<(Vec<Call<'_>>, &str), ShapeError> {
    let mut calls = Vec::new();
    let mut rest = text;
    loop {
        let (call, behind) = call(rest)?;
        calls.push(call);
        match behind.strip_prefix('.') {
            Some(next) => rest = next,
            None => return Ok((calls, behind)),
        }
    }
}

/// `name(arguments)`, and the rest of the text.
fn call(text: &str) -> Result<(Call<'_>, &str), ShapeError> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let name = &text[..end];
    let Some(inside) = text[end..].trim_start().strip_prefix('(').filter(|_| !name.is_empty()) else {
        let shown: String = text.chars().take(40).collect();
        return wrong(format!(
            "expected a name with arguments in parentheses at `{shown}`; profiles: {}",
            calls::usage()
        ));
    };
    let mut depth = 0;
    let mut quoted = false;
    let mut from = 0;
    let mut arguments = Vec::new();
    for (at, c) in inside.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ',' | ')' if depth == 0 => {
                let argument = inside[from..at].trim();
                if !(argument.is_empty() && c == ')' && arguments.is_empty()) {
                    arguments.push(argument);
                }
                from = at + 1;
                if c == ')' {
                    return Ok((Call { name, arguments }, &inside[at + 1..]));
                }
            }
            _ => {}
        }
    }
    wrong(format!("missing `)` after `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Curve;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Shape, ShapeError> {
        Shape::parse(text, &mut |_, name| {
            Ok(Curve { points: vec![(0.0, 5.0), (60.0, 15.0), (120.0, name.len() as f64)], is_steps: false })
        })
    }

    fn figures(text: &str) -> (f64, f64, (f64, f64), Option<ShapeUnit>) {
        let shape = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let round = |value: f64| (value * 1000.0).round() / 1000.0;
        let (least, most) = shape.range();
        (round(shape.length_s()), round(shape.total()), (round(least), round(most)), shape.unit())
    }

    #[test]
    fn shapes_are_read() {
        use ShapeUnit::{Rate, Users};
        for (text, want) in [
            ("ramp(0..500, 5m) hold(500, 10m)", (900.0, 375_000.0, (0.0, 500.0), None)),
            ("rate: ramp(0..10, 10) , hold(6/m, 100s)", (110.0, 60.0, (0.0, 10.0), Some(Rate))),
            ("users:steps(100..500, 5, 10m)", (600.0, 180_000.0, (100.0, 500.0), Some(Users))),
            ("spike(50..500, at=1m, for=10s, in=5m)", (300.0, 19_500.0, (50.0, 500.0), None)),
            ("sine(20..2000, period=10m)", (600.0, 606_000.0, (20.0, 2000.0), None)),
            (
                "sine(mean=100, amplitude=50, period=1m, start=trough, for=30s)",
                (30.0, 3000.0, (50.0, 150.0), None),
            ),
            ("day(20..2000)", (86_400.0, 1010.0 * 86_400.0, (20.0, 2000.0), None)),
            ("day(20..2000, in=10m)", (600.0, 606_000.0, (20.0, 2000.0), None)),
            ("hold(10, 1m).scaled(2).within(30s)", (30.0, 600.0, (20.0, 20.0), None)),
            ("stages(30s:20, 1m30s:10, 20s:0)", (140.0, 300.0 + 1350.0 + 100.0, (0.0, 20.0), None)),
            ("stages(start=10, 10s:20).repeat(3)", (30.0, 450.0, (10.0, 20.0), None)),
            ("csv(load.csv)", (120.0, 600.0 + 60.0 * 11.5, (5.0, 15.0), None)),
            (
                "prometheus(\"http://h/api?query=rate(x[5m])&a=(b,c\").within(1m)",
                (60.0, 300.0 + 30.0 * 26.0, (5.0, 37.0), None),
            ),
            ("constantUsersPerSec(20).during(15.seconds)", (15.0, 300.0, (20.0, 20.0), Some(Rate))),
            ("rampUsersPerSec(10).to(20).during(10.minutes)", (600.0, 9000.0, (10.0, 20.0), Some(Rate))),
            ("nothingFor(4), atOnceUsers(10), rampUsers(10).during(5)", (9.0, 20.0, (0.0, 2.0), Some(Rate))),
            ("stressPeakUsers(1000).during(20 seconds)", (20.0, 1000.0, (5.186, 209.6), Some(Rate))),
            (
                "incrementUsersPerSec(5).times(5).eachLevelLasting(10).separatedByRampsLasting(10).startingFrom(10)",
                (
                    90.0,
                    10.0 * (10.0 + 15.0 + 20.0 + 25.0 + 30.0) + 10.0 * (12.5 + 17.5 + 22.5 + 27.5),
                    (10.0, 30.0),
                    Some(Rate),
                ),
            ),
            (
                "constantConcurrentUsers(10).during(10) rampConcurrentUsers(10).to(20).during(10)",
                (20.0, 250.0, (10.0, 20.0), Some(Users)),
            ),
        ] {
            let found = figures(text);
            if text.starts_with("stress") {
                assert_eq!((found.0, found.1, found.3), (want.0, want.1, want.3), "{text}");
            } else {
                assert_eq!(found, want, "{text}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_right() {
        for (text, why) in [
            ("", "the load profile is empty; profiles: ramp("),
            ("ramp", "expected a name with arguments in parentheses at `ramp`"),
            ("ramp(0..5, 5m", "missing `)` after `ramp`"),
            ("rmap(0..5, 5m)", "unknown load profile `rmap`; did you mean `ramp`?"),
            ("ramp(0..5)", "`ramp` requires a time: ramp(0..500, 5m)"),
            ("ramp(5, 5m)", "invalid range of levels `5`: expected a range such as 0..500"),
            ("ramp(0..x, 5m)", "invalid number `x`"),
            ("ramp(0..-5, 5m)", "invalid number `-5`: expected 0 or more"),
            ("hold(5, 5q)", "invalid time `5q`: expected a value such as 30s, 5m or 1h30m"),
            ("hold(5, 0)", "has no duration"),
            ("hold(5, 1m, 2)", "unknown argument `2` of `hold`: hold(500, 10m)"),
            ("hold(5, 1m, per=2)", "unknown argument `per=2` of `hold`"),
            ("sine(mean=5, amplitude=6, period=1m)", "goes below 0"),
            ("sine(5..10)", "`sine` requires period=TIME"),
            (
                "sine(5..10, period=1m, start=top)",
                "invalid start `top`: use meanup, peak, meandown or trough",
            ),
            ("hold(5, 1m).than(2)", "`hold` has no option `than`"),
            ("hold(5, 1m).scaled(x)", "invalid number `x`"),
            (
                "constantUsersPerSec(5) constantConcurrentUsers(5).during(5)",
                "`constantUsersPerSec` requires .during(TIME)",
            ),
            (
                "constantUsersPerSec(5).during(5) constantConcurrentUsers(5).during(5)",
                "sets a number of users and cannot be combined with",
            ),
            ("users: atOnceUsers(5)", "cannot be combined with"),
            ("hold(5, 1m).repeat(99999999)", "load profile has more than"),
            ("hold(1e300, 1m).scaled(1e300)", "too large"),
            ("stages(30s)", "invalid stage `30s`: expected a value such as 30s:20"),
        ] {
            let told = parse(text).expect_err(text).to_string();
            assert!(told.contains(why), "{text}: {told}");
        }
    }

    #[test]
    fn what_cannot_be_loaded_is_told() {
        let error = Shape::parse("csv(no.csv)", &mut |source, name| Err(format!("{source:?} {name}")))
            .expect_err("it is none");
        assert_eq!(error.to_string(), "Csv no.csv");
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[a-zA-Z0-9().,=:\" -]{0,60}") {
            let _ = parse(&text);
        }
    }
}
