//! Asserts about whole numbers.

use crate::model::{CheckOf, Comparison, Text};

use super::Refused;
use super::asserts::whole;
use super::syntax::{Number, Predicate, PredicateKind, Value};

/// Where a whole number is.
pub(super) enum NumberOf {
    Status,
    Duration,
    /// The number of bytes of the body.
    Size,
    /// In a variable, as digits.
    Variable(String),
}

/// Checks of a whole number.
pub(super) fn number_checks(
    of: &NumberOf,
    is_not: bool,
    predicate: &Predicate,
) -> Result<Vec<CheckOf>, Refused> {
    let at = predicate.at;
    let (sign, opposite, value) = match &predicate.kind {
        PredicateKind::Equal(value) => ("==", "!=", value),
        PredicateKind::NotEqual(value) => ("!=", "==", value),
        PredicateKind::Greater(value) => (">", "<=", value),
        PredicateKind::GreaterOrEqual(value) => (">=", "<", value),
        PredicateKind::Less(value) => ("<", ">=", value),
        PredicateKind::LessOrEqual(value) => ("<=", ">", value),
        PredicateKind::Exists | PredicateKind::Is("isInteger" | "isNumber") if !is_not => {
            return Ok(number_exists(of).into_iter().collect());
        }
        _ => return Err(Refused::new(at, "a number is compared only with numbers")),
    };
    let sign = if is_not { opposite } else { sign };
    let integer = match value {
        Value::Number(Number::Integer(number)) => u64::try_from(*number).ok(),
        Value::Number(Number::Float(number, _)) if number.fract() == 0.0 => {
            format!("{number:.0}").parse().ok()
        }
        _ => None,
    };
    let Some(number) = integer.filter(|number| i32::try_from(*number).is_ok()) else {
        return Err(Refused::new(at, "it is compared only with whole numbers from 0"));
    };
    let pattern = super::integers::pattern(sign, number);
    let text = if sign == "==" { Comparison::Equals(Text::literal(pattern)) } else { whole(&pattern) };
    Ok(vec![match of {
        NumberOf::Duration => CheckOf::Groovy(format!("prev.getTime() {sign} {number}")),
        NumberOf::Status => CheckOf::Status(text),
        NumberOf::Variable(variable) => CheckOf::Variable(variable.clone(), text),
        NumberOf::Size if sign == "==" => CheckOf::SizeOf(number),
        NumberOf::Size => return Err(Refused::new(at, "the number of bytes is compared only with `==`")),
    }])
}

/// A number is there: it is missing only in a variable.
fn number_exists(of: &NumberOf) -> Option<CheckOf> {
    match of {
        NumberOf::Variable(variable) => {
            let digits = whole(r"-?\d+");
            Some(CheckOf::Variable(variable.clone(), digits))
        }
        NumberOf::Status | NumberOf::Duration | NumberOf::Size => None,
    }
}
