//! Numbers the texts of a plan, so that text that is compiled or copied several times is recognized
//! as the same.

use swell_expr::PlanTexts;
use swell_plan::{Element, Node, PropertyValue};

/// Numbers the texts of trees: those of an element by its id and their order in it. Elements of one
/// id have equal texts.
pub(super) fn number<'p>(trees: impl IntoIterator<Item = &'p Node>) -> PlanTexts {
    let mut texts = PlanTexts::default();
    for tree in trees {
        tree.walk(&mut |node| {
            let mut next = u64::from(node.id.0) << 32;
            of_element(&node.element, &mut |text| {
                texts.insert(text, next);
                next += 1;
            });
        });
    }
    texts
}

/// The path of the element itself.
fn of_element(element: &Element, visit: &mut impl FnMut(&str)) {
    visit(&element.path);
    for (_, value) in &element.attributes {
        visit(value);
    }
    for property in &element.properties {
        of_value(&property.value, visit);
    }
}

fn of_value(value: &PropertyValue, visit: &mut impl FnMut(&str)) {
    match value {
        PropertyValue::Element(element) => of_element(element, visit),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            for member in members {
                of_value(&member.value, visit);
            }
        }
        PropertyValue::Text(text)
        | PropertyValue::Int(text)
        | PropertyValue::Long(text)
        | PropertyValue::Float(text)
        | PropertyValue::Double(text)
        | PropertyValue::Bool(text)
        | PropertyValue::Xml(text) => visit(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::NodeId;

    #[test]
    fn copies_of_an_element_have_its_numbers() {
        let arguments = Element::new("Arguments", "ArgumentsPanel", "inner").with_text("a", "one");
        let element = Element::new("X", "XGui", "x").with_text("b", "two").with_element("c", arguments);
        let mut first = Node::new(element);
        first.id = NodeId(3);
        let copy = first.clone();
        let mut other = first.clone();
        other.id = NodeId(4);
        let texts = number([&first, &copy, &other]);
        let inner = |node: &Node| {
            let inner = node.element.element("c").expect("it has one");
            texts.number(inner.text("a").expect("it has one"))
        };
        let outer = |node: &Node| texts.number(node.element.text("b").expect("it has one"));
        assert!(inner(&first).is_some() && outer(&first).is_some());
        assert_ne!(inner(&first), outer(&first));
        assert_eq!((inner(&first), outer(&first)), (inner(&copy), outer(&copy)));
        assert_ne!(inner(&first), inner(&other));
    }
}
