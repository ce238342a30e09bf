//! Prints a small plan as lines for a report.

use std::sync::LazyLock;

use swell_plan::{Element, Node, Property, PropertyValue};

use super::grammar::GRAMMAR;
use super::rng::ChoiceRng;

/// Returns a line for each element, with its properties.
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
    let properties = said(element, &|class, property| !is_usual(class, property));
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

/// Properties that all requests and groups have, which a summary leaves out: class and values.
static USUAL: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let mut usual = Vec::new();
    for node in GRAMMAR.nodes("Usual", &mut ChoiceRng::new(0, &[])) {
        let class = &node.element.class;
        usual.extend(
            node.element.properties.iter().map(|property| (class.clone(), all_of(property, &|_, _| true))),
        );
    }
    usual
});

/// Whether all elements of the class have the property.
pub(super) fn is_usual(class: &str, property: &Property) -> bool {
    let text = all_of(property, &|_, _| true);
    USUAL.iter().any(|(of, usual)| of == class && *usual == text)
}

fn said(element: &Element, is_told: &dyn Fn(&str, &Property) -> bool) -> String {
    let told = element.properties.iter().filter(|property| is_told(&element.class, property));
    told.flat_map(|property| [" ".to_owned(), all_of(property, is_told)]).collect()
}

fn all_of(property: &Property, is_told: &dyn Fn(&str, &Property) -> bool) -> String {
    // The part before the dot repeats the class.
    let name = property.name.rsplit('.').next().unwrap_or_default();
    let value = match &property.value {
        PropertyValue::Element(element) => format!("{{{}}}", said(element, is_told).trim_start()),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            format!(
                "[{}]",
                members.iter().map(|member| all_of(member, is_told)).collect::<Vec<_>>().join(", ")
            )
        }
        PropertyValue::Xml(text) => text.clone(),
        other => format!("{:?}", other.as_text().unwrap_or_default()),
    };
    format!("{name}={value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::grammar::elements;

    #[test]
    fn elements_are_lines() {
        let mut request = GRAMMAR.nodes("Usual", &mut ChoiceRng::new(0, &[])).remove(1);
        request.element = request.element.with_text("HTTPSampler.md5", "/a");
        let text = summary(&[request]);
        assert_eq!(text, "HTTPSamplerProxy `s1` md5=\"/a\"\n");
        let text = summary(&elements(
            "<LoopController guiclass=\"\" testname=\"l\"><stringProp name=\"LoopController.loops\">2</stringProp></LoopController>
             <hashTree><GenericController guiclass=\"\" testname=\"s\" enabled=\"false\"/></hashTree>",
        ));
        assert_eq!(text, "LoopController `l` loops=\"2\"\n  GenericController `s` (off)\n");
    }
}
