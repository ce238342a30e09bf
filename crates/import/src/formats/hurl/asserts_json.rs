//! Asserts of JSONPath. JMeter compares texts; Jayway's conditions compare types, too.

use crate::model::{CaptureFrom, CheckOf, Comparison, Exchange, Text};

use super::asserts::{ISO_DATE, negated, path_check, whole};
use super::captures::add;
use super::jsonpath::{self, Path};
use super::scope::Kind;
use super::syntax::{Expr, Number, Predicate, PredicateKind, Template, Value};
use super::{Reader, Refused};
use crate::formats::json_conditions::{
    self, accepts, exists, is_array, is_boolean, is_number, is_scalar, is_text,
};

const ROOT: &str = "$";

impl Reader<'_, '_> {
    /// Checks of the value of a JSONPath.
    pub(super) fn json_checks(
        &mut self,
        path: &Path,
        is_not: bool,
        predicate: &Predicate,
        exchange: &mut Exchange,
    ) -> Result<Vec<CheckOf>, Refused> {
        if !path.is_definite {
            return Self::list_checks(path, is_not, predicate);
        }
        let text = &path.text;
        let at = predicate.at;
        match &predicate.kind {
            PredicateKind::Exists => Ok(present(text, is_not)),
            PredicateKind::Equal(value) => self.equality(text, value, is_not, at),
            PredicateKind::NotEqual(value) => {
                let mut checks = self.equality(text, value, !is_not, at)?;
                if !is_not {
                    checks.push(exists(text));
                }
                Ok(checks)
            }
            PredicateKind::Greater(value) => self.order(text, (">", value), is_not, at),
            PredicateKind::GreaterOrEqual(value) => self.order(text, (">=", value), is_not, at),
            PredicateKind::Less(value) => self.order(text, ("<", value), is_not, at),
            PredicateKind::LessOrEqual(value) => self.order(text, ("<=", value), is_not, at),
            PredicateKind::Contains(value) if !is_number_or_word(value) => {
                let value = self.operand(value, at)?;
                let mut checks = compared(text, "contains", value, is_not);
                if is_not {
                    checks.push(accepts(&format!("{text} >= '' || {}", is_array(text))));
                }
                Ok(checks)
            }
            PredicateKind::Includes(value) | PredicateKind::Contains(value)
                if matches!(predicate.kind, PredicateKind::Includes(_))
                    || !matches!(value, Value::Text(_)) =>
            {
                let operand = self.operand(value, at)?;
                let member = path_check(in_brackets(text, "@ === ", operand), presence(is_not));
                Ok(vec![member, accepts(&is_array(text))])
            }
            PredicateKind::IsEmpty => {
                let empty = format!("{text} === '' || {text} == [] || {text} == {{}}");
                let mut checks = condition(&empty, is_not);
                if is_not {
                    checks
                        .push(accepts(&format!("{text} >= '' || {} || {text} empty false", is_array(text))));
                }
                Ok(checks)
            }
            PredicateKind::Is(kind) => self.kind_checks(text, kind, is_not, (at, exchange)),
            _ => {
                let how = match &predicate.kind {
                    PredicateKind::Contains(value) => Comparison::Contains(self.compared_text(value, at)?),
                    PredicateKind::StartsWith(value) => {
                        Comparison::StartsWith(Self::constant_text(value, at)?)
                    }
                    PredicateKind::EndsWith(value) => Comparison::EndsWith(Self::constant_text(value, at)?),
                    PredicateKind::Matches(value) => Comparison::Matches(self.regex(value, at)?),
                    _ => return Err(Refused::new(at, "this comparison is not supported")),
                };
                let how = if is_not { negated(how, at)? } else { how };
                Ok(vec![accepts(&is_text(text)), self.in_text(text, how, exchange)])
            }
        }
    }

    /// A comparison of a text of JSON, by way of a variable.
    fn in_text(&mut self, path: &str, how: Comparison, exchange: &mut Exchange) -> CheckOf {
        let variable = self.scope.temporary();
        add(exchange, &variable, CaptureFrom::JsonPath(path.to_owned()), None);
        CheckOf::Variable(variable, how)
    }

    /// The values of a path that may have many are a list.
    fn list_checks(path: &Path, is_not: bool, predicate: &Predicate) -> Result<Vec<CheckOf>, Refused> {
        let at = predicate.at;
        match &predicate.kind {
            // An empty list exists, too.
            PredicateKind::Exists => Ok(present(&path.definite, is_not)),
            PredicateKind::Is("isCollection") if !is_not => Ok(vec![exists(&path.definite)]),
            PredicateKind::IsEmpty => {
                let none = CheckOf::JsonPath(path.text.clone(), presence(!is_not));
                Ok(vec![none, exists(&path.definite)])
            }
            PredicateKind::Includes(value) | PredicateKind::Contains(value)
                if !is_not && constant(value).is_some() =>
            {
                // One of the values is this one. JMeter compares JSON values: the number 1 differs
                // from "1".
                let json = Text::literal(constant(value).unwrap_or_default());
                Ok(vec![CheckOf::JsonPath(path.text.clone(), Comparison::Equals(json))])
            }
            _ => Err(Refused::new(
                at,
                "this path has a list of values, for which the comparison is not supported; take one with \
                 an index, as `$.items[0].id`",
            )),
        }
    }

    fn equality(
        &mut self,
        path: &str,
        value: &Value,
        is_not: bool,
        at: usize,
    ) -> Result<Vec<CheckOf>, Refused> {
        match value {
            Value::Null => Ok(condition(&format!("{path} == null"), is_not)),
            Value::Text(text) if !is_not => {
                let json = self.json_text(text);
                let same = CheckOf::JsonPath(path.to_owned(), Comparison::Equals(json));
                // JMeter takes a list with such a member, too.
                Ok(vec![same, accepts(&is_text(path))])
            }
            Value::Expr(expr) if self.scope.kind(expr) == Kind::Json => {
                let how =
                    "values of variables are compared as texts: a number equals a text of the same digits";
                self.change(at, "comparison with a captured value", how);
                let value = self.quoted_value(expr);
                Ok(compared(path, "==", value, is_not))
            }
            Value::Expr(expr) if self.scope.kind(expr) == Kind::Column => {
                let value = self.quoted_value(expr);
                Ok(compared(path, "==", value, is_not))
            }
            value => {
                let operand = self.operand(value, at)?;
                Ok(compared(path, "===", operand, is_not))
            }
        }
    }

    fn order(
        &mut self,
        path: &str,
        (sign, value): (&str, &Value),
        is_not: bool,
        at: usize,
    ) -> Result<Vec<CheckOf>, Refused> {
        let operand = self.operand(value, at)?;
        let is_text = operand.leading().starts_with('\'');
        let mut checks = compared(path, sign, operand, is_not);
        if is_not {
            // Values of different types are an error in Hurl, with `not` or without.
            checks.push(accepts(&if is_text { json_conditions::is_text(path) } else { is_number(path) }));
        }
        Ok(checks)
    }

    fn kind_checks(
        &mut self,
        path: &str,
        kind: &str,
        is_not: bool,
        (at, exchange): (usize, &mut Exchange),
    ) -> Result<Vec<CheckOf>, Refused> {
        let simple = match kind {
            "isString" => is_text(path),
            "isNumber" => is_number(path),
            "isBoolean" => is_boolean(path),
            "isCollection" => {
                let mut checks = condition(&is_scalar(path), !is_not);
                checks.extend((!is_not).then(|| exists(path)));
                return Ok(checks);
            }
            _ => {
                let (of_type, pattern) = match kind {
                    "isInteger" => (is_number(path), r"-?\d+"),
                    "isFloat" => (is_number(path), r"-?\d+(\.\d+([eE][-+]?\d+)?|[eE][-+]?\d+)"),
                    "isIsoDate" => (is_text(path), ISO_DATE),
                    "isIpv4" => (is_text(path), super::asserts::IPV4),
                    _ => return Err(Refused::new(at, format!("`{kind}` is not supported"))),
                };
                if is_not {
                    return Err(Refused::new(at, format!("`not {kind}` is not supported")));
                }
                let how = whole(pattern);
                return Ok(vec![accepts(&of_type), self.in_text(path, how, exchange)]);
            }
        };
        Ok(condition(&simple, is_not))
    }

    /// A value in a condition of JSONPath.
    fn operand(&mut self, value: &Value, at: usize) -> Result<Text, Refused> {
        match value {
            Value::Null => Ok(Text::literal("null")),
            Value::Flag(flag) => Ok(Text::literal(flag.to_string())),
            Value::Number(number) => Ok(Text::literal(number.text())),
            Value::Text(text) => {
                let text = self.scope.text(text).map_literals(&mut jsonpath::escaped);
                Ok(in_quotes(text, "'"))
            }
            Value::Expr(expr) => match self.scope.kind(expr) {
                Kind::Text => Ok(self.quoted_value(expr)),
                Kind::Number | Kind::Flag | Kind::Null => Ok(self.scope.value(expr)),
                _ => Err(Refused::new(at, "the type of this variable is known only in the run")),
            },
            Value::Regex(_) | Value::Bytes(_) | Value::File => {
                Err(Refused::new(at, "a value of JSON is not compared with this"))
            }
        }
    }

    fn quoted_value(&mut self, expr: &Expr) -> Text {
        in_quotes(self.scope.value(expr), "'")
    }

    /// A text as a text of JSON.
    fn json_text(&mut self, text: &Template) -> Text {
        let in_json = |text: &str| {
            let json = serde_json::Value::from(text).to_string();
            json[1..json.len() - 1].to_owned()
        };
        in_quotes(self.scope.text(text).map_literals(&mut |text| in_json(text)), "\"")
    }
}

/// A value that is known before the run, as JSON.
fn constant(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => text.as_literal().map(|text| serde_json::Value::from(text).to_string()),
        Value::Number(number @ Number::Integer(_)) => Some(number.text()),
        Value::Flag(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn presence(is_not: bool) -> Comparison {
    if is_not { Comparison::Missing } else { Comparison::Exists }
}

/// The path has a value, or has none in a document that is JSON.
fn present(path: &str, is_not: bool) -> Vec<CheckOf> {
    let mut checks = vec![CheckOf::JsonPath(path.to_owned(), presence(is_not))];
    checks.extend(is_not.then(is_json));
    checks
}

/// The body is JSON. JMeter also takes other texts for JSON, in which no path has a value.
fn is_json() -> CheckOf {
    let start = r#"\A\s*([\[\{"]|-?\d|(true|false|null)\s*(?![\s\S]))"#;
    CheckOf::Body(Comparison::Matches(Text::literal(start)))
}

fn in_quotes(text: Text, quote: &str) -> Text {
    let mut out = Text::literal(quote);
    out.push(text);
    out.push_literal(quote);
    out
}

/// A path whose last part is a condition.
fn in_brackets(path: &str, before: &str, operand: Text) -> Text {
    let mut out = Text::literal(format!("{path}[?({before}"));
    out.push(operand);
    out.push_literal(")]");
    out
}

/// A value of the document compared with another one.
fn compared(path: &str, sign: &str, operand: Text, is_not: bool) -> Vec<CheckOf> {
    let mut checks =
        vec![path_check(in_brackets(ROOT, &format!("{path} {sign} "), operand), presence(is_not))];
    checks.extend(is_not.then(is_json));
    checks
}

/// A condition holds, or does not in a document that is JSON.
fn condition(condition: &str, is_not: bool) -> Vec<CheckOf> {
    present(&format!("$[?({condition})]"), is_not)
}

/// A text that Jayway takes for a number, or no text at all.
fn is_number_or_word(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.as_literal().is_some_and(|text| text.trim().parse::<f64>().is_ok()),
        _ => true,
    }
}
