//! All that can be set in a plan.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use swell_api::Registry;
use swell_plan::{Node, Plan};

use crate::path::{in_quotes, quoted};
use crate::property::{properties, short};

/// A property that can be set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settable {
    /// The path of the element, which names it alone.
    pub path: String,
    /// The property.
    pub property: String,
    /// Its value.
    pub value: String,
    /// Line of the element.
    pub line: u32,
}

/// All properties of a plan that have one value, in the order of the file.
pub fn settable(plan: &Plan, registry: &Registry) -> Vec<Settable> {
    let mut all = Vec::new();
    of_node(&plan.root, "", registry, &mut all);
    all
}

fn of_node(node: &Node, path: &str, registry: &Registry, all: &mut Vec<Settable>) {
    let element = &node.element;
    // The element around a fragment is not in the file.
    if !element.tag.is_empty() {
        let settable = |property: &str, value: &str| Settable {
            path: path.to_owned(),
            property: property.to_owned(),
            value: value.to_owned(),
            line: element.line,
        };
        all.push(settable("enabled", if element.enabled() { "true" } else { "false" }));
        let is_shown = |name: &str| !name.starts_with("TestElement.");
        let found = properties(element).into_iter().filter(|found| is_shown(&found.name));
        all.extend(found.map(|found| settable(&found.name, found.value.as_text().unwrap_or_default())));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    // Names in a path may also be those of classes.
    let mut classes: BTreeSet<String> = BTreeSet::new();
    for child in &node.children {
        *totals.entry(child.element.name()).or_default() += 1;
        let class = &child.element.class;
        classes.extend([class.clone(), short(class).to_owned()]);
        classes.extend(registry.kind(&child.element).map(|kind| kind.name.to_string()));
    }
    for child in &node.children {
        let name = child.element.name();
        let count = counts.entry(name).or_default();
        *count += 1;
        let number = if totals[name] > 1 { format!("[{count}]") } else { String::new() };
        let shown = if classes.contains(name) { in_quotes(name) } else { quoted(name) };
        of_node(child, &format!("{path}/{shown}{number}"), registry, all);
    }
}
