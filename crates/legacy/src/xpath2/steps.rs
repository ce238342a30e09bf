//! Steps of a path, and putting nodes in order.

use super::evaluate::{Evaluation, Focus};
use super::expression::{Expr, Step};
use super::{Found, Inner, fault};
use swell_query::NodeId;
use swell_query::xpath::{Axis, passes, walk};

impl Evaluation<'_> {
    /// The nodes of an axis that pass the test, in the axis's order.
    pub(super) fn step(&self, step: &Step, focus: &Focus<'_>) -> Found<Vec<Inner>> {
        let Inner::Node(from) = focus.item else {
            return fault(
                "The required item type of the context item for a step is node(); the supplied value is not",
            );
        };
        let mut found = Vec::new();
        let mut worked = Ok(());
        walk(self.document, step.axis, from, &mut |node| {
            worked = self.work(1);
            if passes(self.document, step.axis, &step.test, false, node, self.namespaces) {
                found.push(Inner::Node(node));
            }
            worked.is_ok()
        });
        worked.map(|()| found)
    }

    /// `a/b/c`.
    pub(super) fn path(&self, parts: &[Expr], focus: &Focus<'_>) -> Found<Vec<Inner>> {
        let (first, rest) = parts.split_first().expect("a path has parts");
        let mut items = self.items(first, focus)?;
        if is_step(first) {
            items = sorted(items);
        }
        for part in rest {
            items = self.next(items, part, focus)?;
        }
        Ok(items)
    }

    fn next(&self, items: Vec<Inner>, part: &Expr, outer: &Focus<'_>) -> Found<Vec<Inner>> {
        let mut found = Vec::new();
        let size = items.len();
        let deep = matches!(part, Expr::Step(step) if matches!(step.axis, Axis::Descendant | Axis::DescendantOrSelf));
        let mut covered = 0;
        for (at, item) in items.into_iter().enumerate() {
            let Inner::Node(node) = item else {
                return fault(
                    "The required item type of the first operand of '/' is node(); the supplied value is not",
                );
            };
            if deep && node < covered {
                continue;
            }
            covered = covered.max(self.document.end(node));
            let focus = Focus { item, position: at + 1, size, variables: outer.variables };
            found.append(&mut self.items(part, &focus)?);
        }
        let nodes = found.iter().filter(|item| matches!(item, Inner::Node(_))).count();
        match nodes {
            0 => Ok(found),
            count if count == found.len() => Ok(sorted(found)),
            _ => fault("Cannot mix nodes and atomic values in the result of a path expression"),
        }
    }
}

fn is_step(expr: &Expr) -> bool {
    match expr {
        Expr::Step(_) => true,
        Expr::Filter(inner, _) => matches!(**inner, Expr::Step(_)),
        _ => false,
    }
}

/// Nodes in document order, each once.
pub(super) fn sorted(items: Vec<Inner>) -> Vec<Inner> {
    let mut nodes: Vec<NodeId> = items
        .into_iter()
        .filter_map(|item| match item {
            Inner::Node(node) => Some(node),
            Inner::Atomic(_) => None,
        })
        .collect();
    if !nodes.is_sorted_by(|a, b| a < b) {
        nodes.sort_unstable();
        nodes.dedup();
    }
    nodes.into_iter().map(Inner::Node).collect()
}
