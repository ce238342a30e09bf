//! Loops and tables of several elements, reduced.

use swell_plan::{Element, Property, PropertyValue};

/// Largest number of loops of a group or a controller.
const LOOPS: u32 = 2;

/// Reduces a count that is large, endless or known only at run time.
pub(super) fn shrink_loops(element: &mut Element) {
    let count = element.text_or_empty("LoopController.loops").parse::<i64>();
    if !count.is_ok_and(|count| (0..=i64::from(LOOPS)).contains(&count)) {
        element.set_text("LoopController.loops", &LOOPS.to_string());
    }
}

/// Replaces a table.
pub(super) fn set_rows<const N: usize>(element: &mut Element, name: &str, rows: &[[&str; N]]) {
    let numbered = |members: Vec<PropertyValue>| {
        let members = members.into_iter().enumerate();
        PropertyValue::Collection(members.map(|(at, value)| Property::new(&at.to_string(), value)).collect())
    };
    let row = |row: &[&str; N]| numbered(row.map(|text| PropertyValue::Text(text.to_owned())).to_vec());
    element.properties.retain(|property| property.name != name);
    element.properties.push(Property::new(name, numbered(rows.iter().map(row).collect())));
}

/// Reduces the loops of a group.
pub(super) fn shrink_main(element: &mut Element) {
    for property in &mut element.properties {
        if let PropertyValue::Element(main) = &mut property.value {
            shrink_loops(main);
            main.set_text("LoopController.continue_forever", "false");
            property.written = None;
        }
    }
}
