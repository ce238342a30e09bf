//! Comparisons of values (XPath 2.0, 3.5).

use std::cmp::Ordering;

use super::atomic::Atomic;
use super::expression::{Comparison, Type};
use super::{Found, fault};

impl Comparison {
    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Equal => order == Some(Ordering::Equal),
            Self::NotEqual => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => order == Some(Ordering::Greater),
            Self::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

/// `eq` and so on: texts of nodes are texts.
pub(super) fn by_value(comparison: Comparison, left: &Atomic, right: &Atomic) -> Found<bool> {
    order(left, right, comparison).map(|order| comparison.holds(order))
}

/// `=` and so on: texts of nodes become what they are compared with.
pub(super) fn general(comparison: Comparison, left: &Atomic, right: &Atomic) -> Found<bool> {
    let (left, right) = (adapted(left, right)?, adapted(right, left)?);
    by_value(comparison, &left, &right)
}

fn adapted(value: &Atomic, to: &Atomic) -> Found<Atomic> {
    match (value, to) {
        (Atomic::Untyped(_), other) if other.is_number() => value.cast(Type::Double),
        (Atomic::Untyped(_), Atomic::Boolean(_)) => value.cast(Type::Boolean),
        _ => Ok(value.clone()),
    }
}

/// How two values are ordered; none for what is not a number.
pub(super) fn order(left: &Atomic, right: &Atomic, comparison: Comparison) -> Found<Option<Ordering>> {
    Ok(match (left, right) {
        (Atomic::Text(a) | Atomic::Untyped(a), Atomic::Text(b) | Atomic::Untyped(b)) => Some(a.cmp(b)),
        (Atomic::Boolean(a), Atomic::Boolean(b)) => Some(a.cmp(b)),
        (Atomic::Integer(a), Atomic::Integer(b)) => Some(a.cmp(b)),
        (Atomic::Decimal(a), Atomic::Decimal(b)) => Some(a.cmp(b)),
        (a, b) if a.is_number() && b.is_number() => a.number().partial_cmp(&b.number()),
        (a, b) => {
            let shown = |value: &Atomic| match value {
                Atomic::Text(text) | Atomic::Untyped(text) => format!("\"{text}\""),
                other => other.text(),
            };
            return fault(format!(
                "In {{{} {} {}}}: cannot compare {} to {}",
                shown(a),
                comparison.sign(),
                shown(b),
                a.type_name(),
                b.type_name()
            ));
        }
    })
}
