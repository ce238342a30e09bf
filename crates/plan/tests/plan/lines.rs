//! Removes line numbers from plans.

use swell_plan::{Element, Node, Plan, Property, PropertyValue};

/// The plan without line numbers, which move when a plan is written again.
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
