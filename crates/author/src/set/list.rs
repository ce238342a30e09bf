//! All that can be set in a plan.

use serde::Serialize;
use swell_api::Registry;
use swell_plan::{Node, Plan};

use crate::path::paths_below;
use crate::property::properties;

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
    for (child, path) in node.children.iter().zip(paths_below(node, path, registry)) {
        of_node(child, &path, registry, all);
    }
}
