//! Variables that elements of a plan set.

use swell_plan::{Element, Property, PropertyValue};

/// Ends of the names of properties that name variables, in lower case.
const NAMES: [&str; 9] = [
    "refname",
    "referencenames",
    "variablenames",
    "variablename",
    "returnval",
    ".name",
    "_name",
    "resultvariable",
    ".var",
];

/// Names of the variables that an element sets, as far as it names them itself.
pub fn setters(element: &Element) -> Vec<String> {
    let mut names = Vec::new();
    collect(&element.properties, &mut names);
    names
}

fn collect(properties: &[Property], names: &mut Vec<String>) {
    for property in properties {
        let name = property.name.to_ascii_lowercase();
        match &property.value {
            PropertyValue::Element(inner) => collect(&inner.properties, names),
            PropertyValue::Collection(inner) | PropertyValue::Map(inner) => collect(inner, names),
            value => {
                let is_name = NAMES.iter().any(|end| name.ends_with(end)) && name != "testelement.name";
                let Some(text) = value.as_text().filter(|_| is_name) else { continue };
                let all = text.split([',', ';']).map(str::trim);
                names.extend(all.filter(|name| !name.is_empty() && !name.contains("${")).map(str::to_owned));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extractors_data_sets_and_counters_name_their_variables() {
        let element = |property: &str, value: &str| Element::new("X", "G", "x").with_text(property, value);
        assert_eq!(setters(&element("RegexExtractor.refname", "token")), ["token"]);
        assert_eq!(setters(&element("variableNames", "user, pass")), ["user", "pass"]);
        assert_eq!(setters(&element("JSONPostProcessor.referenceNames", "a;b")), ["a", "b"]);
        assert_eq!(setters(&element("HTTPSampler.path", "/a")), Vec::<String>::new());
    }
}
