//! What an expression gives on a document.

use std::rc::Rc;

use swell_budget::Budget;

use super::atomic::Atomic;
use super::expression::{Expr, Operator};
use super::steps::sorted;
use super::{Found, Inner, Item, arithmetic, comparison, fault};
use swell_query::{Document, NodeId, NodeKind};

/// What a look at a node or value costs, in units of work.
const NODE: u64 = 10;

/// The context of an expression.
pub(super) struct Focus<'v> {
    pub(super) item: Inner,
    pub(super) position: usize,
    pub(super) size: usize,
    /// From the outermost on.
    pub(super) variables: &'v [Rc<Vec<Inner>>],
}

pub(super) struct Evaluation<'d> {
    pub(super) document: &'d Document,
    pub(super) namespaces: &'d [String],
    budget: &'d Budget,
}

pub(super) fn evaluate(
    expr: &Expr,
    document: &Document,
    namespaces: &[String],
    budget: &Budget,
) -> Found<Vec<Item>> {
    let evaluation = Evaluation { document, namespaces, budget };
    let focus = Focus { item: Inner::Node(0), position: 1, size: 1, variables: &[] };
    Ok(evaluation.items(expr, &focus)?.into_iter().map(Item).collect())
}

impl Evaluation<'_> {
    /// Counts nodes and values that are looked at, and ends an evaluation that takes too much.
    pub(super) fn work(&self, amount: usize) -> Found<()> {
        match self.budget.work(NODE.saturating_mul(amount as u64)) {
            Ok(()) => Ok(()),
            Err(_) => fault("The expression looks at too many nodes of this document"),
        }
    }

    /// The text of a node, which costs a look at all below it.
    pub(super) fn string_value(&self, node: NodeId) -> Found<String> {
        self.work(self.document.size(node))?;
        let text = self.document.string_value(node);
        match self.budget.hold(text.len()) {
            Ok(()) => Ok(text),
            Err(_) => fault("The texts of these nodes take too much memory"),
        }
    }

    pub(super) fn items(&self, expr: &Expr, focus: &Focus<'_>) -> Found<Vec<Inner>> {
        self.work(1)?;
        Ok(match expr {
            Expr::Sequence(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.append(&mut self.items(part, focus)?);
                }
                all
            }
            Expr::Literal(value) => vec![Inner::Atomic(value.clone())],
            Expr::Variable(at) => {
                self.work(focus.variables[*at].len())?;
                focus.variables[*at].to_vec()
            }
            Expr::Context => vec![focus.item.clone()],
            Expr::Root => vec![Inner::Node(0)],
            Expr::Or(parts) => boolean(self.any(parts, focus, true)?),
            Expr::And(parts) => boolean(!self.any(parts, focus, false)?),
            Expr::Chain(first, rest) => {
                let mut value = self.items(first, focus)?;
                for (operator, right) in rest {
                    value = self.apply(*operator, value, self.items(right, focus)?)?;
                }
                value
            }
            Expr::Negative(inner) => match self.atom(self.items(inner, focus)?, "the operand of '-'")? {
                None => Vec::new(),
                Some(value) => one(arithmetic::apply(Operator::Minus, Atomic::Integer(0), value)?),
            },
            Expr::Step(step) => self.step(step, focus)?,
            Expr::Path(parts) => self.path(parts, focus)?,
            Expr::Map(parts) => self.map(parts, focus)?,
            Expr::Filter(inner, predicates) => {
                let mut found = self.items(inner, focus)?;
                for predicate in predicates {
                    found = self.filter(found, predicate, focus)?;
                }
                found
            }
            Expr::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.truth(&self.items(condition, focus)?)? { then } else { otherwise };
                self.items(chosen, focus)?
            }
            Expr::For(_) | Expr::Let(_) | Expr::Quantified(..) => self.bound(expr, focus)?,
            Expr::Cast(to, inner) => {
                match self.atom(self.items(inner, focus)?, "the operand of 'cast as'")? {
                    None => Vec::new(),
                    Some(value) => one(value.cast(*to)?),
                }
            }
            Expr::Call(function, arguments) => self.call(*function, arguments, focus)?,
        })
    }

    /// Whether one of the parts is as wanted.
    fn any(&self, parts: &[Expr], focus: &Focus<'_>, wanted: bool) -> Found<bool> {
        for part in parts {
            if self.truth(&self.items(part, focus)?)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn map(&self, parts: &[Expr], focus: &Focus<'_>) -> Found<Vec<Inner>> {
        let (first, rest) = parts.split_first().expect("a map has parts");
        let mut items = self.items(first, focus)?;
        for part in rest {
            let size = items.len();
            let mut found = Vec::new();
            for (at, item) in items.into_iter().enumerate() {
                let focus = Focus { item, position: at + 1, size, variables: focus.variables };
                found.append(&mut self.items(part, &focus)?);
            }
            items = found;
        }
        Ok(items)
    }

    /// `for`, `let`, `some` and `every`: what a variable stands for is looked at in turn.
    fn bound(&self, expr: &Expr, focus: &Focus<'_>) -> Found<Vec<Inner>> {
        let with = |value: Vec<Inner>, inner: &Expr| {
            let mut variables = focus.variables.to_vec();
            variables.push(Rc::new(value));
            let (position, size) = (focus.position, focus.size);
            let focus = Focus { item: focus.item.clone(), position, size, variables: &variables };
            self.items(inner, &focus)
        };
        match expr {
            Expr::Let(parts) => with(self.items(&parts[0], focus)?, &parts[1]),
            Expr::For(parts) => {
                let mut all = Vec::new();
                for item in self.items(&parts[0], focus)? {
                    all.append(&mut with(vec![item], &parts[1])?);
                }
                Ok(all)
            }
            Expr::Quantified(some, parts) => {
                for item in self.items(&parts[0], focus)? {
                    if self.truth(&with(vec![item], &parts[1])?)? == *some {
                        return Ok(boolean(*some));
                    }
                }
                Ok(boolean(!*some))
            }
            _ => fault("no variable is bound here"),
        }
    }

    fn filter(&self, items: Vec<Inner>, predicate: &Expr, outer: &Focus<'_>) -> Found<Vec<Inner>> {
        let size = items.len();
        let mut kept = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            let focus = Focus { item: item.clone(), position: at + 1, size, variables: outer.variables };
            let found = self.items(predicate, &focus)?;
            let is_kept = match &*found {
                [Inner::Atomic(number)] if number.is_number() => is_position(number, at + 1),
                _ => self.truth(&found)?,
            };
            if is_kept {
                kept.push(item);
            }
        }
        Ok(kept)
    }

    fn apply(&self, operator: Operator, left: Vec<Inner>, right: Vec<Inner>) -> Found<Vec<Inner>> {
        let operand = |side: &str| format!("the {side} operand of '{}'", operator.sign());
        match operator {
            Operator::General(comparison) => {
                self.work(left.len().saturating_mul(right.len()))?;
                let (left, right) = (self.atoms(left)?, self.atoms(right)?);
                for left in &left {
                    for right in &right {
                        if comparison::general(comparison, left, right)? {
                            return Ok(boolean(true));
                        }
                    }
                }
                Ok(boolean(false))
            }
            Operator::Union | Operator::Intersect | Operator::Except => set(operator, left, right),
            Operator::Is => match (&*left, &*right) {
                ([Inner::Node(a)], [Inner::Node(b)]) => Ok(boolean(a == b)),
                _ => Ok(Vec::new()),
            },
            _ => {
                let left = self.atom(left, &operand("first"))?;
                let right = self.atom(right, &operand("second"))?;
                if operator == Operator::Concat {
                    let text = |value: Option<Atomic>| value.map_or_else(String::new, |value| value.text());
                    return Ok(one(Atomic::Text(text(left) + &text(right))));
                }
                let (Some(left), Some(right)) = (left, right) else { return Ok(Vec::new()) };
                match operator {
                    Operator::Value(comparison) => {
                        Ok(boolean(comparison::by_value(comparison, &left, &right)?))
                    }
                    Operator::Range => self.range(&left, &right),
                    _ => Ok(one(arithmetic::apply(operator, left, right)?)),
                }
            }
        }
    }

    fn range(&self, left: &Atomic, right: &Atomic) -> Found<Vec<Inner>> {
        let (Atomic::Integer(from), Atomic::Integer(to)) =
            (left.cast(super::expression::Type::Integer)?, right.cast(super::expression::Type::Integer)?)
        else {
            return fault("The operands of 'to' are no integers");
        };
        self.work(usize::try_from(to.saturating_sub(from)).unwrap_or(0))?;
        Ok((from..=to).map(|value| Inner::Atomic(Atomic::Integer(value))).collect())
    }

    /// Members as values: nodes as their texts.
    pub(super) fn atoms(&self, items: Vec<Inner>) -> Found<Vec<Atomic>> {
        items.into_iter().map(|item| self.value(item)).collect()
    }

    fn value(&self, item: Inner) -> Found<Atomic> {
        Ok(match item {
            Inner::Atomic(value) => value,
            Inner::Node(node) => {
                let text = self.string_value(node)?;
                match self.document.kind(node) {
                    NodeKind::Comment | NodeKind::Instruction | NodeKind::Namespace => Atomic::Text(text),
                    _ => Atomic::Untyped(text),
                }
            }
        })
    }

    /// The only member as a value. Several are a fault of what is named.
    pub(super) fn atom(&self, mut items: Vec<Inner>, what: &str) -> Found<Option<Atomic>> {
        if items.len() > 1 {
            let shown: Vec<_> = items.iter().take(3).map(|item| self.depicted(item)).collect();
            let more = if items.len() > 3 { ", ..." } else { "" };
            return fault(format!(
                "A sequence of more than one item is not allowed as {what} ({}{more}) ",
                shown.join(", ")
            ));
        }
        items.pop().map(|item| self.value(item)).transpose()
    }

    /// A member as Saxon shows it in its complaints.
    pub(super) fn depicted(&self, item: &Inner) -> String {
        match item {
            Inner::Atomic(Atomic::Text(text) | Atomic::Untyped(text)) => format!("\"{text}\""),
            Inner::Atomic(value) => value.text(),
            Inner::Node(node) => match self.document.kind(*node) {
                NodeKind::Element => format!("<{}>", self.document.name(*node)),
                NodeKind::Attribute => {
                    format!("@{}=\"{}\"", self.document.name(*node), self.document.value(*node))
                }
                NodeKind::Root => "document-node()".to_owned(),
                _ => format!("text(\"{}\")", self.document.value(*node)),
            },
        }
    }

    /// The effective boolean value.
    pub(super) fn truth(&self, items: &[Inner]) -> Found<bool> {
        match items {
            [] => Ok(false),
            [Inner::Node(_), ..] => Ok(true),
            [Inner::Atomic(value)] => Ok(match value {
                Atomic::Boolean(value) => *value,
                Atomic::Text(text) | Atomic::Untyped(text) => !text.is_empty(),
                number => {
                    let number = number.number();
                    number != 0.0 && !number.is_nan()
                }
            }),
            [first, ..] => fault(format!(
                "Effective boolean value is not defined for a sequence of two or more items starting with {}",
                self.depicted(first)
            )),
        }
    }
}

#[expect(clippy::float_cmp, reason = "positions are whole numbers, and 1.5 is none of them")]
fn is_position(number: &Atomic, position: usize) -> bool {
    number.number() == position as f64
}

pub(super) fn one(value: Atomic) -> Vec<Inner> {
    vec![Inner::Atomic(value)]
}

pub(super) fn boolean(value: bool) -> Vec<Inner> {
    one(Atomic::Boolean(value))
}

fn set(operator: Operator, left: Vec<Inner>, right: Vec<Inner>) -> Found<Vec<Inner>> {
    let is_atomic = |item: &Inner| matches!(item, Inner::Atomic(_));
    if left.iter().chain(&right).any(is_atomic) {
        let sign = operator.sign();
        return fault(format!("The operands of '{sign}' must be nodes; the supplied value has others"));
    }
    let left = sorted(left);
    if operator == Operator::Union {
        return Ok(sorted([left, right].concat()));
    }
    let node = |item: &Inner| match item {
        Inner::Node(node) => *node,
        Inner::Atomic(_) => 0,
    };
    let right: std::collections::HashSet<NodeId> = right.iter().map(node).collect();
    let wanted = operator == Operator::Intersect;
    Ok(left.into_iter().filter(|item| right.contains(&node(item)) == wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xpath2::XPath2;
    use swell_query::xml::{XmlOptions, parse};

    #[test]
    fn an_expression_that_looks_at_too_much_ends() {
        let text = "<a>".repeat(300) + &"</a>".repeat(300);
        let document = parse(&text, XmlOptions::SAXON).expect("it is well-formed");
        for path in [
            "for $x in //a return count($x/ancestor::a)",
            "//a[descendant::a[2]]",
            "//a/preceding::a",
            "//a = //a/b",
        ] {
            let path = XPath2::compile(path, "").expect("it is right");
            let within =
                |limit| evaluate(&path.expr, &document, &path.namespaces, &Budget::of_units(limit * NODE));
            within(500).expect_err("it looks at more");
            within(1_000_000).expect("that is enough");
        }
    }
}
