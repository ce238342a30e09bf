//! Values of properties that a plan lacks, given to the elements that run.

use std::path::PathBuf;
use std::sync::Arc;

use swell_api::Registry;
use swell_plan::{Diagnostic, Element, Node, Place, Severity};

/// Gives each element the values of the properties that it lacks, as the table of elements says.
/// Notes tell where JMeter's editor shows other values than a run takes.
pub(super) fn fill(node: &mut Node, registry: &Registry, file: Option<&Arc<PathBuf>>) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    fill_node(node, registry, file, &mut notes);
    notes
}

fn fill_node(node: &mut Node, registry: &Registry, file: Option<&Arc<PathBuf>>, notes: &mut Vec<Diagnostic>) {
    registry.fill_missing(&mut node.element);
    notes.extend(differences(&node.element, file));
    node.children.iter_mut().for_each(|child| fill_node(child, registry, file, notes));
}

fn differences(element: &Element, file: Option<&Arc<PathBuf>>) -> impl Iterator<Item = Diagnostic> {
    let is_written = |name: &str| element.properties.iter().any(|property| property.name == name);
    let differing = element
        .missing
        .iter()
        .filter(move |missing| missing.run != missing.editor && !is_written(missing.property));
    differing.map(move |missing| {
        let run = if missing.run.is_empty() { "empty" } else { missing.run };
        let editor = missing.editor;
        Diagnostic {
            severity: Severity::Note,
            place: Place {
                file: file.cloned(),
                line: element.line,
                element: element.path.clone(),
                property: Some(missing.property.to_owned()),
            },
            message: format!(
                "is missing; {run} is used, as in JMeter, although JMeter's editor shows {editor}"
            ),
            hint: None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_property_is_an_empty_text_converted_and_a_note_says_so() {
        let registry = Registry::of(crate::kinds());
        let data = Element::new("CSVDataSet", "TestBeanGUI", "data");
        let given = data.clone().with_flag("recycle", true);
        let mut root = Node::new(Element::new("TestPlan", "TestPlanGui", "plan"))
            .with(Node::new(data))
            .with(Node::new(given))
            .with(Node::new(Element::new("ThreadGroup", "ThreadGroupGui", "users")));
        let notes = fill(&mut root, &registry, None);
        let text = |child: usize, name: &str| root.children[child].element.text(name).map(str::to_owned);
        assert_eq!(text(0, "recycle").as_deref(), Some("false"));
        assert_eq!(text(1, "recycle").as_deref(), Some("true"));
        assert_eq!((text(0, "filename"), text(2, "recycle")), (None, None));
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(
            notes[0].contains("data")
                && notes[0].contains("recycle: is missing; false is used")
                && notes[0].contains("JMeter's editor shows true"),
            "{notes:?}"
        );
    }
}
