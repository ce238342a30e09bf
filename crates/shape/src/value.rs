//! Numbers, times and ranges in load profiles.

use crate::call::Call;
use crate::error::{ShapeError, wrong};

/// The arguments of a call, consumed one after the other.
pub(crate) struct Arguments<'c, 't> {
    name: &'t str,
    example: &'static str,
    rest: std::vec::IntoIter<&'t str>,
    named: Vec<(&'t str, &'t str)>,
    _call: &'c Call<'t>,
}

impl<'c, 't> Arguments<'c, 't> {
    pub(crate) fn new(call: &'c Call<'t>, example: &'static str) -> Self {
        let mut rest = Vec::new();
        let mut named = Vec::new();
        for argument in &call.arguments {
            match argument
                .split_once('=')
                .filter(|(name, _)| name.trim().chars().all(|c| c.is_ascii_lowercase()))
            {
                Some((name, value)) => named.push((name.trim(), value.trim())),
                None => rest.push(*argument),
            }
        }
        Self { name: call.name, example, rest: rest.into_iter(), named, _call: call }
    }

    /// The error that something is missing.
    pub(crate) fn wants<T>(&self, what: &str) -> Result<T, ShapeError> {
        wrong(format!("`{}` requires {what}: {}", self.name, self.example))
    }

    pub(crate) fn next(&mut self) -> Option<&'t str> {
        self.rest.next()
    }

    pub(crate) fn peek(&self) -> Option<&'t str> {
        self.rest.as_slice().first().copied()
    }

    pub(crate) fn named(&mut self, name: &str) -> Option<&'t str> {
        let at = self.named.iter().position(|(known, _)| *known == name)?;
        Some(self.named.remove(at).1)
    }

    pub(crate) fn named_time(&mut self, name: &str) -> Result<f64, ShapeError> {
        match self.named(name) {
            Some(text) => seconds(text),
            None => self.wants(&format!("{name}=TIME")),
        }
    }

    pub(crate) fn level(&mut self, what: &str) -> Result<f64, ShapeError> {
        match self.next() {
            Some(text) => level(text),
            None => self.wants(what),
        }
    }

    pub(crate) fn time(&mut self, what: &str) -> Result<f64, ShapeError> {
        match self.next() {
            Some(text) => seconds(text),
            None => self.wants(what),
        }
    }

    pub(crate) fn range(&mut self) -> Result<(f64, f64), ShapeError> {
        let Some(text) = self.next() else { return self.wants("a range of levels") };
        let Some((from, to)) = text.split_once("..") else {
            return wrong(format!("invalid range of levels `{text}`: expected a range such as 0..500"));
        };
        Ok((level(from)?, level(to)?))
    }

    /// Requires that nothing is left.
    pub(crate) fn end(mut self) -> Result<(), ShapeError> {
        let named = self.named.first().map(|(name, value)| format!("{name}={value}"));
        match self.rest.next().map(str::to_owned).or(named) {
            Some(left) => wrong(format!("unknown argument `{left}` of `{}`: {}", self.name, self.example)),
            None => Ok(()),
        }
    }
}

/// A number of at least 0.
pub(crate) fn number(text: &str) -> Result<f64, ShapeError> {
    let text = text.trim();
    let Ok(value) = text.replace('_', "").parse::<f64>() else {
        return wrong(format!("invalid number `{text}`"));
    };
    if value.is_finite() && value >= 0.0 {
        return Ok(value);
    }
    wrong(format!("invalid number `{text}`: expected 0 or more"))
}

/// A level: users, or a rate such as `500`, `500/s`, `300/m`, `20/h`.
pub(crate) fn level(text: &str) -> Result<f64, ShapeError> {
    let text = text.trim();
    let per = [("/s", 1.0), ("/m", 60.0), ("/h", 3600.0)];
    match per.iter().find_map(|(end, per_s)| Some((text.strip_suffix(end)?, per_s))) {
        Some((rate, per_s)) => Ok(number(rate)? / per_s),
        None => number(text),
    }
}

/// A time: `30s`, `5m`, `1h30m`, `2d`, `500ms`, `30`, and as in Scala and Kotlin `30.seconds`, `10
/// minutes`.
pub(crate) fn seconds(text: &str) -> Result<f64, ShapeError> {
    let whole = text.trim();
    let wrong = || wrong(format!("invalid time `{whole}`: expected a value such as 30s, 5m or 1h30m"));
    let mut rest = whole;
    let mut sum = 0.0;
    let mut any = false;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let (digits, behind) = rest.split_at(end);
        let digits = digits.strip_suffix('.').unwrap_or(digits);
        let Some(value) = digits.parse::<f64>().ok().filter(|value| value.is_finite()) else {
            return wrong();
        };
        let behind = behind.trim_start();
        let end = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        let unit_s = match unit {
            "ms" | "milli" | "millis" | "milliseconds" => 1e-3,
            "s" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            "" if !any && behind.is_empty() => 1.0,
            _ => return wrong(),
        };
        sum += value * unit_s;
        any = true;
        rest = behind.trim_start();
    }
    if any { Ok(sum) } else { wrong() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_levels_are_read() {
        for (text, want) in [
            ("30", 30.0),
            ("30s", 30.0),
            ("1.5m", 90.0),
            ("1h30m", 5400.0),
            ("2d", 172_800.0),
            ("500ms", 0.5),
            ("10.seconds", 10.0),
            ("10 minutes", 600.0),
            ("5.minutes", 300.0),
        ] {
            assert_eq!(seconds(text), Ok(want), "{text}");
        }
        for text in ["", "m", "5x", "-5s", "5m3", "1..5s", "inf"] {
            seconds(text).expect_err(text);
        }
        assert_eq!((level("300/m"), level("1_000"), level("2.5")), (Ok(5.0), Ok(1000.0), Ok(2.5)));
        for text in ["", "x", "-1", "nan", "inf", "5/d"] {
            level(text).expect_err(text);
        }
    }
}
