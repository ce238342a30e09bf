//! Operators, each language by its own rules.

use std::cmp::Ordering;

use super::failure::{ScriptFailure, exception};
use super::tree::Operator;
use super::value::Value;
use super::{Language, beanshell, groovy, javascript, jexl};

/// Whether a value counts as true. The error is the exception.
pub(super) fn truth(value: &Value, language: Language) -> Result<bool, ScriptFailure> {
    match language {
        Language::JavaScript => Ok(javascript::truth(value)),
        Language::Groovy => Ok(groovy::truth(value)),
        Language::Jexl2 | Language::Jexl3 => jexl::truth(value),
        Language::BeanShell => beanshell::truth(value),
    }
}

/// Whether a value counts as true before `?`: there JEXL takes null for false.
pub(super) fn choice(value: &Value, language: Language) -> Result<bool, ScriptFailure> {
    if language.is_jexl() && *value == Value::Null { Ok(false) } else { truth(value, language) }
}

/// `==`.
pub(super) fn equal(left: &Value, right: &Value, language: Language) -> Result<bool, ScriptFailure> {
    match language {
        Language::JavaScript => Ok(javascript::equal(left, right)),
        Language::Groovy => groovy::equal(left, right),
        Language::Jexl2 | Language::Jexl3 => jexl::equal(left, right),
        Language::BeanShell => beanshell::equal(left, right),
    }
}

/// `<` and its relatives; none where no comparison holds.
pub(super) fn order(
    left: &Value,
    right: &Value,
    language: Language,
) -> Result<Option<Ordering>, ScriptFailure> {
    match language {
        Language::JavaScript => Ok(javascript::order(left, right)),
        Language::Groovy => groovy::order(left, right).map(Some),
        Language::Jexl2 | Language::Jexl3 => jexl::order(left, right),
        Language::BeanShell => beanshell::order(left, right),
    }
}

/// `+`, `-`, `*`, `/`, `%`.
pub(super) fn computed(
    operator: Operator,
    left: &Value,
    right: &Value,
    language: Language,
) -> Result<Value, ScriptFailure> {
    match language {
        Language::JavaScript => Ok(javascript::computed(operator, left, right)),
        Language::Groovy => groovy::computed(operator, left, right),
        Language::Jexl2 | Language::Jexl3 => jexl::computed(operator, left, right, language),
        Language::BeanShell => beanshell::computed(operator, left, right),
    }
}

/// `-value`.
pub(super) fn negated(value: &Value, language: Language) -> Result<Value, ScriptFailure> {
    Ok(match value {
        Value::Int(number) => Value::Int(number.wrapping_neg()),
        Value::Long(number) => Value::Long(number.wrapping_neg()),
        Value::Double(number) => Value::Double(-number),
        Value::Decimal(number) => Value::Decimal(number.negated()),
        other if language == Language::JavaScript => Value::Double(-javascript::number(other)),
        Value::Boolean(value) if language.is_jexl() => Value::Boolean(!value),
        other => return Err(exception(format!("`-` of {}", other.to_text(language)))),
    })
}

/// `+value`.
pub(super) fn positive(value: Value, language: Language) -> Result<Value, ScriptFailure> {
    match value {
        other if language == Language::JavaScript => Ok(Value::Double(javascript::number(&other))),
        number if number.is_number() => Ok(number),
        other => Err(exception(format!("`+` of {}", other.to_text(language)))),
    }
}

/// Whole numbers of Java: those of 32 bits stay so, what is too large wraps around.
pub(super) fn wrapping(
    operator: Operator,
    left: &Value,
    right: &Value,
) -> Result<Option<Value>, ScriptFailure> {
    let (Some(a), Some(b)) = (left.as_long(), right.as_long()) else { return Ok(None) };
    let result = match operator {
        Operator::Add => a.wrapping_add(b),
        Operator::Subtract => a.wrapping_sub(b),
        Operator::Multiply => a.wrapping_mul(b),
        _ if b == 0 => return Err(exception("/ by zero")),
        Operator::Divide => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    };
    let narrow = matches!((left, right), (Value::Int(_), Value::Int(_)));
    Ok(Some(if narrow { Value::Int(result as i32) } else { Value::Long(result) }))
}

/// Doubles.
pub(super) fn floating(operator: Operator, a: f64, b: f64) -> Value {
    Value::Double(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        _ => a % b,
    })
}
