//! Conditions, and what they are in a plan: conditions of JSONPath know the types of JSON.

use super::Reader;
use super::values::{Value, compared};
use crate::formats::json_conditions::{self as json, accepts};
use crate::model::{Check, CheckOf, Comparison, Text};

impl Reader<'_> {
    /// Adds a check under the name of the test around it.
    pub(super) fn check(&mut self, of: CheckOf) {
        self.compared.extend(compared(&of));
        let mut check = Check::new(of);
        if let Some((name, number)) = &mut self.test {
            *number += 1;
            check.name = if *number == 1 { name.clone() } else { format!("{name} ({number})") };
        }
        self.meaning.checks.push(check);
    }

    pub(super) fn all(&mut self, checks: Vec<CheckOf>) {
        for check in checks {
            self.check(check);
        }
    }

    /// Conditions with `&&` between them.
    pub(super) fn conditions(&mut self) -> Option<()> {
        loop {
            self.condition()?;
            if self.scan.take("&&").is_none() {
                return Some(());
            }
        }
    }

    /// A condition, or several in brackets.
    fn condition(&mut self) -> Option<()> {
        if self.scan.rest().trim_start().starts_with('!') {
            self.scan.take("!")?;
            self.scan.take("(")?;
            let name = self.scan.string()?;
            self.member(&name, Comparison::Missing)?;
            return self.scan.take(")");
        }
        if self.scan.take("(").is_none() {
            return self.bare_condition();
        }
        self.bare_condition()?;
        while self.scan.take("&&").is_some() {
            self.bare_condition()?;
        }
        self.scan.take(")")
    }

    /// `in value` after a name.
    fn member(&mut self, name: &str, how: Comparison) -> Option<()> {
        self.scan.take_word("in")?;
        let Value::Json(path) = self.value()? else { return None };
        if name.contains(['\'', '\\']) {
            return None;
        }
        self.check(CheckOf::JsonPath(format!("{path}['{name}']"), how));
        Some(())
    }

    fn bare_condition(&mut self) -> Option<()> {
        let start = self.scan.at;
        if let Some(name) = self.scan.string()
            && self.scan.rest().trim_start().starts_with("in ")
        {
            return self.member(&name, Comparison::Exists);
        }
        self.scan.at = start;
        if self.response == "pm.response" && self.scan.take("responseBody.has(").is_some() {
            let text = self.scan.string()?;
            self.scan.take(")")?;
            self.check(CheckOf::Body(Comparison::Contains(Text::literal(text))));
            return Some(());
        }
        if self.scan.take_word("true").is_some() {
            return Some(());
        }
        let value = self.value()?;
        let Some(operator) = self.operator() else { return self.truthy(value) };
        let operand = self.value()?;
        self.compare(value, operator, operand)
    }

    /// A sign between two values.
    pub(super) fn operator(&mut self) -> Option<&'static str> {
        self.scan.take_any(&["===", "!==", "==", "!=", "<=", ">=", "<", ">"])
    }

    /// A value that is neither missing nor null, false, 0 or empty.
    pub(super) fn truthy(&mut self, value: Value) -> Option<()> {
        match value {
            Value::Header(name) | Value::HasHeader(name) => {
                self.check(CheckOf::Header(name, Comparison::Exists));
            }
            Value::Body => self.check(CheckOf::Body(Comparison::Exists)),
            Value::Json(path) => self.all(json::truthy(&path)),
            Value::Length(path) => self.all(json::length_over(&path, 0)),
            Value::Status | Value::Response => {}
            _ => return None,
        }
        Some(())
    }

    /// A value compared with another one.
    pub(super) fn compare(&mut self, value: Value, operator: &str, operand: Value) -> Option<()> {
        if value.is_known() && !operand.is_known() {
            let turned = match operator {
                "<" => ">",
                ">" => "<",
                "<=" => ">=",
                ">=" => "<=",
                same => same,
            };
            return self.compare(operand, turned, value);
        }
        match operator {
            "===" | "==" => return self.equal(value, operand, false),
            "!==" | "!=" => return self.equal(value, operand, true),
            _ => {}
        }
        let Value::Bare(text) = operand else { return None };
        let limit = text.as_literal()?;
        match value {
            Value::Time => self.check(CheckOf::AtMostMs(most(operator, limit.parse().ok()?)?)),
            Value::Status => self.status(operator, limit.parse().ok()?)?,
            Value::Json(path) => {
                limit.parse::<f64>().ok()?;
                self.check(accepts(&format!("{path} {operator} {limit}")));
            }
            Value::Length(path) => {
                let limit: u32 = limit.parse().ok()?;
                let checks = match operator {
                    ">" => json::length_over(&path, limit),
                    ">=" => json::length_over(&path, limit.checked_sub(1)?),
                    _ => return None,
                };
                self.all(checks);
            }
            _ => return None,
        }
        Some(())
    }

    /// A status in hundreds: as below 400, or at least 200.
    fn status(&mut self, operator: &str, limit: u32) -> Option<()> {
        let (least, end) = match operator {
            "<" => (100, limit),
            "<=" => (100, limit + 1),
            ">=" => (limit, 600),
            _ => (limit + 1, 600),
        };
        self.status_between(least, end)
    }

    /// A status of at least one number and below another, both in hundreds.
    pub(super) fn status_between(&mut self, least: u32, end: u32) -> Option<()> {
        let is_known = least.is_multiple_of(100) && end.is_multiple_of(100) && 100 <= least && least < end;
        if !is_known || end > 600 {
            return None;
        }
        let pattern = format!(r"[{}-{}]\d\d", least / 100, end / 100 - 1);
        self.check(CheckOf::Status(Comparison::IsMatch(Text::literal(pattern))));
        Some(())
    }

    /// Two values that are equal, or differ.
    pub(super) fn equal(&mut self, value: Value, other: Value, is_not: bool) -> Option<()> {
        if value.is_known() && !other.is_known() {
            return self.equal(other, value, is_not);
        }
        let checks = match (value, other) {
            (Value::HasHeader(name), Value::Bare(text)) => {
                let has = (text.as_literal()? == "true") != is_not;
                let how = if has { Comparison::Exists } else { Comparison::Missing };
                vec![CheckOf::Header(name, how)]
            }
            (Value::Json(path), Value::Null) => json::is_null(&path, is_not),
            (Value::Length(path), Value::Bare(text)) if !is_not => {
                json::length(&path, text.as_literal()?.parse().ok()?)
            }
            (Value::Json(path), other @ (Value::Object(_) | Value::List(_))) => {
                let text = other.to_json()?;
                vec![CheckOf::JsonPath(path, equality(text, is_not))]
            }
            (value, Value::Text(text) | Value::Bare(text)) => vec![check_of(value, equality(text, is_not))?],
            _ => return None,
        };
        self.all(checks);
        Some(())
    }
}

fn equality(text: Text, is_not: bool) -> Comparison {
    if is_not { Comparison::Differs(text) } else { Comparison::Equals(text) }
}

/// The most milliseconds that are below or at a limit.
fn most(operator: &str, limit: u64) -> Option<u64> {
    match operator {
        "<" => limit.checked_sub(1),
        "<=" => Some(limit),
        _ => None,
    }
}

/// A comparison of a value as a check.
pub(super) fn check_of(value: Value, how: Comparison) -> Option<CheckOf> {
    Some(match value {
        Value::Status => CheckOf::Status(how),
        Value::Body => CheckOf::Body(how),
        Value::Json(path) => CheckOf::JsonPath(path, how),
        Value::Header(name) => CheckOf::Header(name, how),
        Value::Text(text) | Value::Bare(text) => {
            // A variable alone.
            let name = text.variables().next()?.to_owned();
            if text != Text::variable(&name) {
                return None;
            }
            CheckOf::Variable(name, how)
        }
        _ => return None,
    })
}
