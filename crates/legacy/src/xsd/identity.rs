//! Identity constraints: `unique`, `key`, `keyref` (XML Schema 1.0, part 1, 3.11).

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::schema::{Constraint, ConstraintKind, Schema};
use super::value::Value;
use swell_query::{Document, NodeId, NodeKind};

/// The paths of a selector or a field, of which each counts.
pub(super) type Paths = Vec<Path>;

/// A path: elements, then an attribute perhaps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    /// From anywhere below.
    anywhere: bool,
    steps: Vec<Test>,
    attribute: Option<Test>,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Any,
    AnyIn(String),
    Name(String, String),
}

/// Reads the paths of a selector or field; none if they are wrong. `namespace` is that of a prefix.
pub(super) fn paths(text: &str, namespace: &dyn Fn(&str) -> Option<String>) -> Option<Paths> {
    text.split('|').map(|path| path_of(path.trim(), namespace)).collect()
}

fn path_of(text: &str, namespace: &dyn Fn(&str) -> Option<String>) -> Option<Path> {
    let compact: String = text.split_whitespace().collect();
    let (anywhere, rest) = compact.strip_prefix(".//").map_or((false, &*compact), |rest| (true, rest));
    let mut path = Path { anywhere, steps: Vec::new(), attribute: None };
    for step in rest.split('/') {
        if step == "." {
            continue;
        }
        let attribute = step.strip_prefix('@').or_else(|| step.strip_prefix("attribute::"));
        if path.attribute.is_some() || step.is_empty() {
            return None;
        }
        match attribute {
            Some(name) => path.attribute = Some(test(name, "", namespace)?),
            None => path.steps.push(test(step.strip_prefix("child::").unwrap_or(step), "", namespace)?),
        }
    }
    Some(path)
}

/// Names without prefix are in no namespace.
fn test(name: &str, none: &str, namespace: &dyn Fn(&str) -> Option<String>) -> Option<Test> {
    Some(match name.split_once(':') {
        None if name == "*" => Test::Any,
        None => Test::Name(none.to_owned(), name.to_owned()),
        Some((prefix, "*")) => Test::AnyIn(namespace(prefix)?),
        Some((prefix, local)) => Test::Name(namespace(prefix)?, local.to_owned()),
    })
}

impl Test {
    fn takes(&self, document: &Document, node: NodeId) -> bool {
        match self {
            Self::Any => true,
            Self::AnyIn(namespace) => document.namespace(node) == namespace,
            Self::Name(namespace, local) => {
                document.namespace(node) == namespace && document.local_name(node) == local
            }
        }
    }
}

impl Path {
    /// Whether an element that is below `scope` is found from there, attributes left out.
    fn finds(&self, document: &Document, scope: NodeId, node: NodeId) -> bool {
        let mut at = node;
        for step in self.steps.iter().rev() {
            if at == scope || !step.takes(document, at) {
                return false;
            }
            at = document.parent(at);
        }
        at == scope || (self.anywhere && at > scope)
    }
}

/// What the judge of a document knows of its nodes.
pub(super) struct Known {
    /// Values of elements and attributes with simple types.
    pub(super) values: HashMap<NodeId, Value>,
    /// Elements that have constraints.
    pub(super) scopes: Vec<(NodeId, usize)>,
}

/// A violation, and the node at whose start (of the element of an attribute) or end it is found.
pub(super) struct Violation {
    pub(super) message: String,
    pub(super) node: NodeId,
    pub(super) at_start: bool,
}

/// Values of the fields of a selected element, and where the last of them is known.
struct Row {
    fields: Vec<Option<Value>>,
    selected: NodeId,
    last: (NodeId, bool),
}

/// Nodes that constraints may look at: those of a large document that nests its scopes are too many, and the rest of them is
/// not looked at.
const MOST_WORK: usize = 10_000_000;

/// A document on the search for violations.
struct Search<'s> {
    document: &'s Document,
    known: &'s Known,
    is_whole: &'s dyn Fn(NodeId) -> bool,
    left: Cell<usize>,
}

impl Search<'_> {
    /// Whether there is work left after that many steps.
    fn may_cost(&self, steps: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(steps));
        self.left.get() > 0
    }

    /// Elements from a node on, as long as there is work left.
    fn elements(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let all = std::iter::once(node).chain(self.document.descendants(node));
        let counted = all.take_while(|_| self.may_cost(1));
        counted.filter(|node| self.document.kind(*node) == NodeKind::Element)
    }
}

/// All violations, in no order. `is_whole` tells whether an element was read to its end.
pub(super) fn violations(
    schema: &Schema,
    document: &Document,
    known: &Known,
    is_whole: &dyn Fn(NodeId) -> bool,
) -> Vec<Violation> {
    let search = Search { document, known, is_whole, left: Cell::new(MOST_WORK) };
    let mut found = Vec::new();
    let mut keys: HashMap<(NodeId, String), HashSet<Vec<String>>> = HashMap::new();
    for &(scope, element) in &known.scopes {
        let declaration = &schema.elements[element];
        let owner = &declaration.name.local;
        for constraint in &declaration.constraints {
            let rows = search.rows(scope, constraint);
            let key = (scope, constraint.name.local.clone());
            match &constraint.kind {
                ConstraintKind::KeyRef(_) => continue,
                kind => keys.insert(key, distinct(rows, constraint, kind, owner, &mut found)),
            };
        }
        for constraint in &declaration.constraints {
            let ConstraintKind::KeyRef(refer) = &constraint.kind else { continue };
            if !is_whole(scope) || !search.may_cost(keys.len()) {
                continue;
            }
            // Keys of elements below count, too.
            let held: HashSet<_> = keys
                .iter()
                .filter(|((node, name), _)| {
                    *name == refer.local && (*node == scope || document.is_in(*node, scope))
                })
                .flat_map(|(_, values)| values)
                .collect();
            for row in search.rows(scope, constraint) {
                let Some(values) = whole(&row) else { continue };
                if !held.contains(&values) {
                    let message = format!(
                        "cvc-identity-constraint.4.3: Key '{}' with value '{}' not found for identity constraint of \
                         element '{owner}'.",
                        constraint.name.local,
                        values.join(",")
                    );
                    found.push(Violation { message, node: scope, at_start: false });
                    break;
                }
            }
        }
    }
    found
}

fn whole(row: &Row) -> Option<Vec<String>> {
    row.fields.iter().map(|field| field.as_ref().map(ToString::to_string)).collect()
}

/// The rows that differ; those that do not are violations.
fn distinct(
    rows: Vec<Row>,
    constraint: &Constraint,
    kind: &ConstraintKind,
    owner: &str,
    found: &mut Vec<Violation>,
) -> HashSet<Vec<String>> {
    let mut seen: HashSet<Vec<String>> = HashSet::new();
    for row in rows {
        let name = &constraint.name.local;
        let Some(values) = whole(&row) else {
            if *kind == ConstraintKind::Key {
                let none = row.fields.iter().all(Option::is_none);
                let message = if none {
                    format!(
                        "cvc-identity-constraint.4.2.1.a: Element \"{owner}\" has no value for the key \"{name}\"."
                    )
                } else {
                    format!(
                        "cvc-identity-constraint.4.2.1.b: Not enough values specified for <key name=\"{name}\"> identity \
                         constraint specified for element \"{owner}\"."
                    )
                };
                found.push(Violation { message, node: row.selected, at_start: false });
            }
            continue;
        };
        if seen.contains(&values) {
            let (code, what) = match kind {
                ConstraintKind::Key => ("4.2.2", "key"),
                _ => ("4.1", "unique"),
            };
            let message = format!(
                "cvc-identity-constraint.{code}: Duplicate {what} value [{}] found for identity constraint \"{name}\" of \
                 element \"{owner}\".",
                values.join(",")
            );
            found.push(Violation { message, node: row.last.0, at_start: row.last.1 });
        } else {
            seen.insert(values);
        }
    }
    seen
}

impl<'s> Search<'s> {
    fn rows(&self, scope: NodeId, constraint: &Constraint) -> Vec<Row> {
        let is_selected =
            |node: &NodeId| constraint.selector.iter().any(|path| path.finds(self.document, scope, *node));
        let selected = self.elements(scope).filter(is_selected).filter(|node| (self.is_whole)(*node));
        selected.map(|node| self.row(node, constraint)).collect()
    }

    fn row(&self, selected: NodeId, constraint: &Constraint) -> Row {
        let mut row = Row { fields: Vec::new(), selected, last: (selected, true) };
        for field in &constraint.fields {
            let hit = self.field(selected, field);
            if let Some((owner, at_start, _)) = hit {
                // The end of an element is behind its start.
                row.last = if at_start && !row.last.1 { row.last } else { (owner, at_start) };
            }
            row.fields.push(hit.map(|(_, _, value)| value.clone()));
        }
        row
    }

    /// The element of a field's value, whether the value is known at its start, and the value.
    fn field(&self, selected: NodeId, field: &Paths) -> Option<(NodeId, bool, &'s Value)> {
        let is_own = field.iter().all(|path| !path.anywhere && path.steps.is_empty());
        let most = if is_own { 1 } else { usize::MAX };
        self.elements(selected).take(most).find_map(|node| {
            let path = field.iter().find(|path| path.finds(self.document, selected, node))?;
            match &path.attribute {
                None => self.known.values.get(&node).map(|value| (node, false, value)),
                Some(test) => {
                    let mut attributes = self.document.attributes(node);
                    let attribute = attributes.find(|&one| test.takes(self.document, one))?;
                    self.known.values.get(&attribute).map(|value| (node, true, value))
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read() {
        let namespace = |prefix: &str| (prefix == "p").then(|| "u".to_owned());
        let read = |text| paths(text, &namespace);
        let two = read(".//p:a/b | @c").expect("paths");
        assert!(two[0].anywhere && two[0].steps.len() == 2 && two[1].attribute.is_some());
        assert_eq!(two[0].steps[0], Test::Name("u".into(), "a".into()));
        assert_eq!(read("p:*").expect("a path")[0].steps, [Test::AnyIn("u".into())]);
        assert!(read(".").expect("a path")[0].steps.is_empty());
        for wrong in ["a//b", "@a/b", "q:a", ""] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }
}
