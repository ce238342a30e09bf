//! Conditions on a member and a constant, such as `@.id == 7`, without building values. Nearly all
//! filters are of such; a filter asks once for each element.

use std::cmp::Ordering;

use super::filter::{Operand, Operator};
use super::model::{Model, Scalar};

/// Whether a condition holds; none where values have to be built to say so. The answer is that of
/// [`super::filter_compare::compare`].
pub(super) fn holds<'m, 'd: 'm, M: Model<'m, 'd>>(
    left: &Operand,
    operator: Operator,
    right: &Operand,
    item: M,
) -> Option<bool> {
    let Operand::Path(path) = left else { return None };
    if path.root != '@'
        || !matches!(right, Operand::Text(_) | Operand::Number(_) | Operand::Bool(_) | Operand::Null)
    {
        return None;
    }
    // A member that is not there is equal to nothing.
    let value = path.follow_names(item)?.map(Model::scalar);
    let ordered = || ordering(value, right);
    match operator {
        Operator::Equal | Operator::TypeSafeEqual => equals(value, right),
        Operator::NotEqual | Operator::TypeSafeNotEqual => equals(value, right).map(|equal| !equal),
        Operator::Less => ordered().map(|order| order.is_some_and(Ordering::is_lt)),
        Operator::LessEqual => ordered().map(|order| order.is_some_and(Ordering::is_le)),
        Operator::Greater => ordered().map(|order| order.is_some_and(Ordering::is_gt)),
        Operator::GreaterEqual => ordered().map(|order| order.is_some_and(Ordering::is_ge)),
        _ => None,
    }
}

fn equals(value: Option<Scalar<'_>>, constant: &Operand) -> Option<bool> {
    match (value, constant) {
        (Some(Scalar::Other), _)
        | (Some(Scalar::Text(_)), Operand::Number(_))
        | (Some(Scalar::Int(_)), Operand::Text(_)) => None,
        (Some(Scalar::Text(value)), Operand::Text(constant)) => Some(value == constant),
        (Some(Scalar::Int(value)), Operand::Number(constant)) => Some(value == constant.to_i64()?),
        (Some(Scalar::Bool(value)), Operand::Bool(constant)) => Some(value == *constant),
        (Some(Scalar::Null), Operand::Null) => Some(true),
        _ => Some(false),
    }
}

/// Which is greater, where they have an order; none where values have to be built to say so.
#[expect(clippy::option_option, reason = "the outer one says whether the inner one is known")]
fn ordering(value: Option<Scalar<'_>>, constant: &Operand) -> Option<Option<Ordering>> {
    match (value, constant) {
        (Some(Scalar::Other), _) | (Some(Scalar::Text(_)), Operand::Text(_)) => None,
        (Some(Scalar::Int(value)), Operand::Number(constant)) => Some(Some(value.cmp(&constant.to_i64()?))),
        _ => Some(None),
    }
}
