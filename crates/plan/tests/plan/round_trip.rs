//! Reading undoes writing, for generated plans.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use swell_plan::{Element, Node, Plan, Property, PropertyValue, read, write};

use crate::lines::without_lines;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ${}<>&\"'\r\n\t]{0,12}",
        vec(any::<char>(), 0..6).prop_map(String::from_iter),
        Just(String::new()),
    ]
}

/// Values that JMeter itself would take for the kind.
fn simple() -> impl Strategy<Value = PropertyValue> {
    prop_oneof![
        text().prop_map(PropertyValue::Text),
        any::<i32>().prop_map(|n| PropertyValue::Int(n.to_string())),
        any::<i64>().prop_map(|n| PropertyValue::Long(n.to_string())),
        any::<bool>().prop_map(|b| PropertyValue::Bool(b.to_string())),
        any::<i16>().prop_map(|n| PropertyValue::Float(format!("{n}.5"))),
        any::<i16>().prop_map(|n| PropertyValue::Double(format!("{n}.25"))),
        Just(PropertyValue::Xml("<odd a='1'>\n<b/></odd>".to_owned())),
    ]
}

fn value() -> impl Strategy<Value = PropertyValue> {
    simple().prop_recursive(3, 12, 4, |inner| {
        let members = vec((text(), inner), 0..4).prop_map(properties).boxed();
        prop_oneof![
            members.clone().prop_map(PropertyValue::Collection),
            members.clone().prop_map(PropertyValue::Map),
            (text(), option::of(Just("ArgumentsPanel")), members).prop_map(|(name, gui, properties)| {
                let mut element = Element::new("Arguments", gui.unwrap_or_default(), &name);
                element.properties = properties;
                Property::of_element("", element).value
            }),
        ]
    })
}

fn properties(members: Vec<(String, PropertyValue)>) -> Vec<Property> {
    let named = members.into_iter().map(|(name, value)| match value {
        PropertyValue::Element(element) => Property::of_element(&name, *element),
        PropertyValue::Xml(_) => Property::new("", value),
        _ => Property::new(&name, value),
    });
    named.collect()
}

fn element() -> impl Strategy<Value = Element> {
    let class = prop_oneof![
        Just(("ThreadGroup", "ThreadGroupGui")),
        Just(("CSVDataSet", "TestBeanGUI")),
        Just(("kg.apc.Other", "kg.apc.OtherGui")),
    ];
    (class, text(), any::<bool>(), vec((text(), value()), 0..5)).prop_map(
        |((class, gui), name, enabled, members)| {
            let element = Element::new(class, gui, &name);
            let mut element = if enabled { element } else { element.disabled() };
            element.properties = properties(members);
            element
        },
    )
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = element().prop_map(Node::new);
    leaf.prop_recursive(4, 16, 3, |inner| {
        (element(), vec(inner, 0..3))
            .prop_map(|(element, children)| children.into_iter().fold(Node::new(element), Node::with))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_written_plan_reads_as_the_same(children in vec(node(), 0..3)) {
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "P"));
        let plan = Plan::new(children.into_iter().fold(root, Node::with));
        let written = write(&plan);
        let again = read(written.as_bytes(), None).plan.expect("what was written can be read");
        prop_assert_eq!(without_lines(again.clone()), plan);
        prop_assert_eq!(write(&again), written);
    }
}
