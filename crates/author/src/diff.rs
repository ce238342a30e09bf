//! What differs between two plans: elements are matched by place and name.

mod matching;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use swell_plan::{Element, Node, Plan};

use crate::facts::{Fact, facts};
use matching::{Pair, pairs};

/// All differences of two plans, in the order of the second.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// Name and version of this form.
    pub schema: &'static str,
    /// The differences.
    pub differences: Vec<Difference>,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What differs.
    #[serde(flatten)]
    pub what: What,
    /// Names from the root to the element, joined by ` > `.
    pub element: String,
    /// Class of the element.
    pub class: String,
    /// Line of the element in the first file; 0 if it is not there.
    pub line_before: u32,
    /// Line of the element in the second file; 0 if it is not there.
    pub line_after: u32,
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// The element is only in the second plan, with this many elements below it.
    Added {
        /// Elements below it.
        below: usize,
    },
    /// The element is only in the first plan, with this many elements below it.
    Removed {
        /// Elements below it.
        below: usize,
    },
    /// The element is at another place among its siblings, or below another element.
    Moved {
        /// Names from the root to its place before.
        from: String,
    },
    /// The element has another name.
    Renamed {
        /// The name before.
        from: String,
        /// The name now.
        to: String,
    },
    /// The element is enabled or disabled now.
    Enabled {
        /// It takes part in the run now.
        now: bool,
    },
    /// A property has another value.
    Property {
        /// The property.
        property: String,
        /// The value before; none if the element lacked it.
        before: Option<String>,
        /// The value now; none if the element lacks it.
        after: Option<String>,
    },
    /// The entries of a list are in another order.
    Order {
        /// The list.
        property: String,
    },
}

/// Compares two plans. Ignored: classes of the editor, names that are hashes, the order of
/// attributes and properties, the kind of a value (`intProp` or `stringProp`), and the version that
/// saved the file.
pub fn diff(before: &Plan, after: &Plan) -> Diff {
    let mut all = Differences::default();
    let is_fragment = before.root.element.tag.is_empty() != after.root.element.tag.is_empty();
    if is_fragment {
        all.whole(&before.root, true);
        all.whole(&after.root, false);
    } else {
        all.nodes(&before.root, &after.root);
    }
    all.find_moved();
    let differences = all.found.into_iter().map(|found| found.difference).collect();
    Diff { schema: "swell.plan-diff/1", differences }
}

#[derive(Default)]
struct Differences<'p> {
    found: Vec<Found<'p>>,
}

/// A difference, and the element that is only in one plan.
struct Found<'p> {
    difference: Difference,
    only: Option<&'p Node>,
}

impl<'p> Differences<'p> {
    fn nodes(&mut self, before: &'p Node, after: &'p Node) {
        self.elements(&before.element, &after.element);
        for pair in pairs(&before.children, &after.children) {
            match pair {
                Pair::Both(before, after) => self.nodes(before, after),
                Pair::Moved(before, after) => {
                    let from = before.element.path.clone();
                    self.add(What::Moved { from }, Some(&before.element), Some(&after.element), None);
                    self.nodes(before, after);
                }
                Pair::Before(node) => self.whole(node, true),
                Pair::After(node) => self.whole(node, false),
            }
        }
    }

    fn add(&mut self, what: What, before: Option<&Element>, after: Option<&Element>, only: Option<&'p Node>) {
        let line = |element: Option<&Element>| element.map_or(0, |element| element.line);
        let shown = after.or(before);
        let difference = Difference {
            what,
            element: shown.map(|element| element.path.clone()).unwrap_or_default(),
            class: shown.map(|element| element.class.clone()).unwrap_or_default(),
            line_before: line(before),
            line_after: line(after),
        };
        self.found.push(Found { difference, only });
    }

    fn whole(&mut self, node: &'p Node, is_before: bool) {
        let mut below = 0;
        node.walk(&mut |_| below += 1);
        let below = below - 1;
        let element = Some(&node.element);
        if is_before {
            self.add(What::Removed { below }, element, None, Some(node));
        } else {
            self.add(What::Added { below }, None, element, Some(node));
        }
    }

    fn elements(&mut self, before: &Element, after: &Element) {
        let both = (Some(before), Some(after));
        let mut add = |what| self.add(what, both.0, both.1, None);
        if before.name() != after.name() {
            add(What::Renamed { from: before.name().to_owned(), to: after.name().to_owned() });
        }
        if before.enabled() != after.enabled() {
            add(What::Enabled { now: after.enabled() });
        }
        if before.class != after.class {
            let (old, new) = (before.class.clone(), after.class.clone());
            add(What::Property { property: "class".to_owned(), before: Some(old), after: Some(new) });
        }
        for what in properties(&facts(before), &facts(after)) {
            add(what);
        }
    }

    /// An element that is gone in one place and the same one that is new in another has moved.
    fn find_moved(&mut self) {
        let mut gone: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, found) in self.found.iter().enumerate() {
            if let (What::Removed { .. }, Some(node)) = (&found.difference.what, found.only) {
                gone.entry(content(node)).or_default().push(at);
            }
        }
        let mut is_moved = BTreeSet::new();
        for at in 0..self.found.len() {
            let (What::Added { .. }, Some(node)) = (&self.found[at].difference.what, self.found[at].only)
            else {
                continue;
            };
            if gone.is_empty() {
                break;
            }
            let Some(old) = gone.get_mut(&content(node)).and_then(Vec::pop) else { continue };
            is_moved.insert(old);
            let from = self.found[old].difference.element.clone();
            let line_before = self.found[old].difference.line_before;
            let difference = &mut self.found[at].difference;
            difference.what = What::Moved { from };
            difference.line_before = line_before;
        }
        let mut at = 0;
        self.found.retain(|_| {
            at += 1;
            !is_moved.contains(&(at - 1))
        });
    }
}

/// All that an element and those below it say.
fn content(node: &Node) -> String {
    let mut text = String::new();
    node.walk(&mut |node| {
        let element = &node.element;
        let enabled = element.enabled().to_string();
        let below = node.children.len().to_string();
        for part in [&*element.class, element.name(), &enabled, &below] {
            text.extend([part, "\0"]);
        }
        for fact in facts(element) {
            text.extend([&fact.name, "\0", &fact.value, "\0"]);
        }
    });
    text
}

/// What differs between the properties of two elements. An empty value is the same as none.
fn properties(before: &[Fact], after: &[Fact]) -> Vec<What> {
    let old = by_name(before);
    let new = by_name(after);
    let mut all = Vec::new();
    for name in in_order(before, after) {
        let values = (old.get(name), new.get(name));
        let is_same = values.0.map_or("", |values| &**values) == values.1.map_or("", |values| &**values);
        if !is_same {
            let [before, after] = [values.0.cloned(), values.1.cloned()];
            all.push(What::Property { property: name.to_owned(), before, after });
        }
    }
    if all.is_empty() {
        all.extend(orders(before, after).into_iter().map(|property| What::Order { property }));
    }
    all
}

/// Values by name; those of one name are joined.
fn by_name(facts: &[Fact]) -> BTreeMap<&str, String> {
    let mut all: BTreeMap<&str, String> = BTreeMap::new();
    for fact in facts {
        match all.get_mut(fact.name.as_str()) {
            Some(values) if fact.list.is_some() => values.extend(["\n", &fact.value]),
            // The last one of a name counts.
            _ => _ = all.insert(&fact.name, fact.value.clone()),
        }
    }
    all
}

/// The names of both, each once, those of the first before those that only the second has.
fn in_order<'f>(before: &'f [Fact], after: &'f [Fact]) -> impl Iterator<Item = &'f str> {
    let mut seen = BTreeSet::new();
    let both = before.iter().chain(after).map(|fact| fact.name.as_str());
    both.filter(move |name| seen.insert(*name))
}

/// Lists whose entries are in another order.
fn orders(before: &[Fact], after: &[Fact]) -> Vec<String> {
    let lists: BTreeSet<&String> = before.iter().filter_map(|fact| fact.list.as_ref()).collect();
    let names = |facts: &[Fact], list: &String| -> Vec<String> {
        let of_list = facts.iter().filter(|fact| fact.list.as_ref() == Some(list) && !fact.value.is_empty());
        let entries =
            of_list.map(|fact| fact.name.rsplit_once(']').map_or(&*fact.name, |(entry, _)| entry).to_owned());
        let mut entries: Vec<String> = entries.collect();
        entries.dedup();
        entries
    };
    let differs = |list: &&&String| names(before, list) != names(after, list);
    lists.iter().filter(differs).map(|list| (*list).clone()).collect()
}

#[cfg(test)]
mod tests;
