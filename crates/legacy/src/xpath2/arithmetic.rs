//! `+ - * div idiv mod`.

use super::atomic::Atomic;
use super::decimal::Decimal;
use super::expression::Operator;
use super::{Found, fault};

const OVERFLOW: &str = "The result of an operation on decimals is out of range";

pub(super) fn apply(operator: Operator, left: Atomic, right: Atomic) -> Found<Atomic> {
    let (left, right) = (left.operand()?, right.operand()?);
    match (&left, &right) {
        (Atomic::Integer(a), Atomic::Integer(b)) if operator != Operator::Divide => {
            integers(operator, *a, *b)
        }
        (Atomic::Double(_), other) | (other, Atomic::Double(_)) if other.is_number() => {
            doubles(operator, left.number(), right.number())
        }
        _ => match (decimal(&left), decimal(&right)) {
            (Some(a), Some(b)) => decimals(operator, a, b, &left, &right),
            _ => fault(format!(
                "Arithmetic operator is not defined for arguments of types ({}, {})",
                left.type_name(),
                right.type_name()
            )),
        },
    }
}

fn decimal(value: &Atomic) -> Option<Decimal> {
    match value {
        Atomic::Integer(value) => Decimal::of_integer(*value),
        Atomic::Decimal(value) => Some(*value),
        _ => None,
    }
}

fn integers(operator: Operator, left: i128, right: i128) -> Found<Atomic> {
    let result = match operator {
        Operator::Plus => left.checked_add(right),
        Operator::Minus => left.checked_sub(right),
        Operator::Times => left.checked_mul(right),
        _ if right == 0 => return fault("Integer division by zero"),
        Operator::WholeDivide => left.checked_div(right),
        _ => left.checked_rem(right),
    };
    result.map_or_else(|| fault(OVERFLOW), |value| Ok(Atomic::Integer(value)))
}

fn decimals(operator: Operator, a: Decimal, b: Decimal, left: &Atomic, right: &Atomic) -> Found<Atomic> {
    let zero = Decimal::of_integer(0) == Some(b);
    let result = match operator {
        Operator::Plus => a.plus(b),
        Operator::Minus => a.minus(b),
        Operator::Times => a.times(b),
        _ if zero => {
            let whole = matches!((left, right), (Atomic::Integer(_), Atomic::Integer(_)));
            return fault(if whole { "Integer division by zero" } else { "Decimal divide by zero" });
        }
        Operator::Modulo => a.modulo(b),
        Operator::WholeDivide => {
            return a
                .divided_by(b)
                .map_or_else(|| fault(OVERFLOW), |value| Ok(Atomic::Integer(value.whole())));
        }
        _ => a.divided_by(b),
    };
    result.map_or_else(|| fault(OVERFLOW), |value| Ok(Atomic::Decimal(value)))
}

fn doubles(operator: Operator, left: f64, right: f64) -> Found<Atomic> {
    Ok(Atomic::Double(match operator {
        Operator::Plus => left + right,
        Operator::Minus => left - right,
        Operator::Times => left * right,
        Operator::Divide => left / right,
        Operator::Modulo => left % right,
        _ => {
            let quotient = (left / right).trunc();
            if !quotient.is_finite() {
                return fault("Integer division by zero");
            }
            return Ok(Atomic::Integer(quotient as i128));
        }
    }))
}
