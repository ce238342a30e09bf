//! Evaluates the steps of a path, from nodes to nodes.

use super::Value;
use super::XPathError;
use super::axes::{passes, walk};
use super::evaluation::{Evaluation, Focus, truth};
use super::expression::{Axis, Expr, Start, Step, Test};
use crate::tree::NodeId;

impl Evaluation<'_> {
    pub(super) fn path(&self, start: &Start, steps: &[Step], focus: Focus) -> Result<Value, XPathError> {
        let mut nodes = match start {
            Start::Root => vec![0],
            Start::Context => vec![focus.node],
            Start::Filter(inner, predicates) => {
                let value = self.value(inner, focus)?;
                let Value::Nodes(mut nodes) = value else { return Err(not_nodes(&value)) };
                for predicate in predicates {
                    nodes = self.filter(nodes, predicate)?;
                }
                nodes
            }
        };
        let mut rest = steps;
        while let [step, after @ ..] = rest {
            let together = after.first().filter(|next| step.is_below() && next.axis == Axis::Child);
            let names = together.and_then(|next| self.names_of(next));
            (nodes, rest) = match (together, names) {
                (Some(next), Some(names)) => (self.children_below(&nodes, next, &names)?, &after[1..]),
                _ => (self.step(&nodes, step)?, after),
            };
        }
        Ok(Value::Nodes(nodes))
    }

    /// The elements with one of some names below some nodes, by the predicates of a step whose
    /// positions count among the children of one node: `//name[2]` in one walk, without a list of
    /// all nodes.
    fn children_below(
        &self,
        from: &[NodeId],
        step: &Step,
        names: &[bool],
    ) -> Result<Vec<NodeId>, XPathError> {
        let document = self.document;
        let mut by_parent = Vec::new();
        let mut covered = 0;
        for &node in from {
            if node < covered {
                continue;
            }
            covered = document.end(node);
            self.work(document.size(node))?;
            let elements = (node + 1..covered).filter(|&below| document.is_element_of(below, names));
            by_parent.extend(elements.map(|element| (document.parent(element), element)));
        }
        by_parent.sort_unstable();
        let mut found = Vec::new();
        for children in by_parent.chunk_by(|one, other| one.0 == other.0) {
            let mut here = children.iter().map(|&(_, child)| child).collect();
            for predicate in &step.predicates {
                here = self.filter(here, predicate)?;
            }
            found.append(&mut here);
        }
        found.sort_unstable();
        Ok(found)
    }

    /// All that a step gives from some nodes, each once, in document order.
    fn step(&self, from: &[NodeId], step: &Step) -> Result<Vec<NodeId>, XPathError> {
        let mut found = Vec::new();
        // Below a node whose descendants are taken already there is nothing new.
        let deep = matches!(step.axis, Axis::Descendant | Axis::DescendantOrSelf);
        let independent = !step.predicates.iter().any(Expr::is_positional);
        let mut covered = 0;
        let elements = self.element_names(from, step);
        for &node in from {
            if deep && independent && node < covered {
                continue;
            }
            let end = self.document.end(node);
            covered = covered.max(end);
            if step.axis == Axis::Child && end == node + 1 {
                // Nothing is in it.
                continue;
            }
            let mut here = match &elements {
                Some(names) if step.predicates.is_empty() => {
                    self.named_elements(node, step.axis, names, &mut found)?;
                    continue;
                }
                Some(names) => {
                    let mut here = Vec::new();
                    self.named_elements(node, step.axis, names, &mut here)?;
                    here
                }
                None if (step.axis, &step.test) == (Axis::DescendantOrSelf, &Test::Node) => {
                    self.below(node)?
                }
                None => self.nodes(node, step)?,
            };
            for predicate in &step.predicates {
                here = self.filter(here, predicate)?;
            }
            found.append(&mut here);
        }
        if !found.is_sorted_by(|a, b| a < b) {
            found.sort_unstable();
            found.dedup();
        }
        Ok(found)
    }

    /// The names of the elements that a step leads to, where it is by their names that they are
    /// chosen and it pays to look at each name once: the axis is one of elements below a node, and
    /// there are more nodes to look at than names.
    fn element_names(&self, from: &[NodeId], step: &Step) -> Option<Vec<bool>> {
        let nodes = match step.axis {
            Axis::Child => from.len(),
            Axis::Descendant => from.iter().map(|&node| self.document.size(node)).sum(),
            _ => return None,
        };
        if nodes <= self.document.name_count() { None } else { self.names_of(step) }
    }

    /// The names of the elements that pass the test of a step, by their numbers; none where the test
    /// is not one of names.
    fn names_of(&self, step: &Step) -> Option<Vec<bool>> {
        let Test::Name(prefix, wanted) = &step.test else { return None };
        let is_local = self.document.has_namespaces() || !step.whole_names;
        let wanted_namespace = prefix.map_or("", |prefix| &*self.namespaces[prefix]);
        Some(self.document.names_that(|whole, local, namespace| {
            (if is_local { local } else { whole }) == wanted && namespace == wanted_namespace
        }))
    }

    /// Adds the elements below a node, directly or at any depth, that have one of some names.
    fn named_elements(
        &self,
        node: NodeId,
        axis: Axis,
        names: &[bool],
        found: &mut Vec<NodeId>,
    ) -> Result<(), XPathError> {
        let document = self.document;
        let mut worked = 0;
        let mut visit = |node: NodeId| {
            worked += 1;
            if document.is_element_of(node, names) {
                found.push(node);
            }
        };
        match axis {
            Axis::Child => document.children(node).for_each(&mut visit),
            _ => (node + 1..document.end(node)).for_each(&mut visit),
        }
        self.work(worked)
    }

    /// A node and all below it: what `//` stands for.
    fn below(&self, node: NodeId) -> Result<Vec<NodeId>, XPathError> {
        let document = self.document;
        self.work(document.size(node))?;
        let descendants = document.descendants(node).filter(|&below| !document.continues_text(below));
        let first = (!document.continues_text(node)).then_some(node);
        Ok(first.into_iter().chain(descendants).collect())
    }

    /// The nodes of an axis that pass the test, in the axis's order.
    fn nodes(&self, node: NodeId, step: &Step) -> Result<Vec<NodeId>, XPathError> {
        let mut found = Vec::new();
        let mut worked = Ok(());
        walk(self.document, step.axis, node, &mut |node| {
            worked = self.work(1);
            if passes(self.document, step.axis, &step.test, step.whole_names, node, self.namespaces) {
                found.push(node);
            }
            worked.is_ok()
        });
        worked.map(|()| found)
    }

    #[expect(clippy::float_cmp, reason = "positions are whole numbers, so 1.5 matches none")]
    fn filter(&self, nodes: Vec<NodeId>, predicate: &Expr) -> Result<Vec<NodeId>, XPathError> {
        let size = nodes.len();
        if size == 0 {
            return Ok(nodes);
        }
        if let Expr::Number(wanted) = predicate {
            self.work(1)?;
            let at = *wanted as usize;
            let found = nodes.get(at.wrapping_sub(1)).filter(|_| at as f64 == *wanted);
            return Ok(found.copied().into_iter().collect());
        }
        let mut kept = Vec::new();
        self.work(size)?;
        for (at, node) in nodes.into_iter().enumerate() {
            let focus = Focus { node, position: at as f64 + 1.0, size: size as f64 };
            let is_kept = match self.value(predicate, focus)? {
                Value::Number(wanted) => wanted == focus.position,
                other => truth(&other),
            };
            if is_kept {
                kept.push(node);
            }
        }
        Ok(kept)
    }
}

/// Xalan reports a failed cast.
fn not_nodes(value: &Value) -> XPathError {
    let class = match value {
        Value::Number(_) => "XNumber",
        Value::Boolean(_) => "XBoolean",
        _ => "XString",
    };
    XPathError::new(format!(
        "class org.apache.xpath.objects.{class} cannot be cast to class org.apache.xpath.objects.XNodeSet \
         (org.apache.xpath.objects.{class} and org.apache.xpath.objects.XNodeSet are in unnamed module of loader 'app')"
    ))
}
