//! Paths that name one element alone.

use std::collections::{BTreeMap, BTreeSet};

use swell_api::Registry;
use swell_plan::{Node, Plan};

use super::{in_quotes, quoted};
use crate::property::short;

/// The paths of the elements right below an element, in their order; `path` is its own.
pub(crate) fn paths_below(node: &Node, path: &str, registry: &Registry) -> Vec<String> {
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
    let path_of = |child: &Node, count: usize| {
        let name = child.element.name();
        let number = if totals[name] > 1 { format!("[{count}]") } else { String::new() };
        let shown = if classes.contains(name) { in_quotes(name) } else { quoted(name) };
        format!("{path}/{shown}{number}")
    };
    let mut paths = Vec::new();
    for child in &node.children {
        let count = counts.entry(child.element.name()).or_default();
        *count += 1;
        paths.push(path_of(child, *count));
    }
    paths
}

/// The path of the element whose tag starts in that line of the file and whose names from the root
/// are those; none if no element does, or several do, as in a file of one line.
pub fn path_of_place(plan: &Plan, registry: &Registry, line: u32, names: &str) -> Option<String> {
    let mut found = Vec::new();
    let mut waiting = vec![(&plan.root, String::new())];
    while let Some((node, path)) = waiting.pop() {
        waiting.extend(node.children.iter().zip(paths_below(node, &path, registry)));
        if node.element.line == line && node.element.path == names && !path.is_empty() {
            found.push(path);
        }
    }
    found.pop().filter(|_| found.is_empty())
}
