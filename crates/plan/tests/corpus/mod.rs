//! The real plans beside the repository.

use std::path::{Path, PathBuf};

use swell_plan::{Element, Node, Plan, Property, PropertyValue};

/// All `.jmx` files; none, with the reason printed, where they are not at hand.
pub(crate) fn files() -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let mut folders = vec![shared.join("plans"), shared.join("jmeter-suite")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            println!("skipped: {} is not here", folder.display());
            continue;
        };
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jmx") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The plan without line numbers, which move when a plan is laid out anew.
pub(crate) fn without_lines(mut plan: Plan) -> Plan {
    plan.file = None;
    clear_node(&mut plan.root);
    plan.beside.iter_mut().for_each(clear_node);
    plan
}

fn clear_node(node: &mut Node) {
    clear_element(&mut node.element);
    node.children.iter_mut().for_each(clear_node);
}

fn clear_element(element: &mut Element) {
    element.line = 0;
    element.properties.iter_mut().for_each(clear_property);
}

fn clear_property(property: &mut Property) {
    match &mut property.value {
        PropertyValue::Element(element) => clear_element(element),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            members.iter_mut().for_each(clear_property);
        }
        _ => {}
    }
}
