//! A small plan as lines that fit a report.

use swell_plan::{Element, Node, Property, PropertyValue};

use crate::fuzz::elements::{get, users};

/// Elements, a line each, with what they say.
pub(super) fn summary(nodes: &[Node]) -> String {
    let mut out = String::new();
    for node in nodes {
        write(node, 0, &mut out);
    }
    out
}

fn write(node: &Node, depth: usize, out: &mut String) {
    let element = &node.element;
    let off = if element.attributes.iter().any(|(name, value)| name == "enabled" && value == "false") {
        " (off)"
    } else {
        ""
    };
    let properties = said(element);
    out.extend([
        "  ".repeat(depth).as_str(),
        &element.class,
        " `",
        element.name(),
        "`",
        off,
        &properties,
        "\n",
    ]);
    for child in &node.children {
        write(child, depth + 1, out);
    }
}

/// Properties that all elements of a class have, so that a summary leaves them out.
pub(super) fn usual(class: &str) -> Vec<Property> {
    match class {
        "HTTPSamplerProxy" => get("", "").element.properties,
        "ThreadGroup" => users([]).element.properties,
        _ => Vec::new(),
    }
}

fn said(element: &Element) -> String {
    let usual = usual(&element.class);
    let unusual = element.properties.iter().filter(|property| !usual.contains(property));
    unusual.flat_map(|property| [" ".to_owned(), property_text(property)]).collect()
}

fn property_text(property: &Property) -> String {
    // The part before the dot repeats the class.
    let name = property.name.rsplit('.').next().unwrap_or_default();
    let value = match &property.value {
        PropertyValue::Element(element) => format!("{{{}}}", said(element).trim_start()),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            format!("[{}]", members.iter().map(property_text).collect::<Vec<_>>().join(", "))
        }
        PropertyValue::Xml(text) => text.clone(),
        other => format!("{:?}", other.as_text().unwrap_or_default()),
    };
    format!("{name}={value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::elements::{Edit, loop_of, simple};

    #[test]
    fn elements_are_lines() {
        let text = summary(&[get("g", "/a")]);
        assert_eq!(text, "HTTPSamplerProxy `g` path=\"/a\"\n");
        let text = summary(&[loop_of("l", "2", [simple("s", []).off()])]);
        assert_eq!(
            text,
            "LoopController `l` loops=\"2\" continue_forever=\"true\"\n  GenericController `s` (off)\n"
        );
    }
}
