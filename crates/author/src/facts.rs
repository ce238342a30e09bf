//! What an element says, in a form that does not depend on how the file says it: names and texts of
//! its properties.

use swell_plan::{Element, Property, PropertyValue};

use crate::property::{entry_name, is_written, short};

/// A property as a name and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) name: String,
    pub(crate) value: String,
    /// The list that it is in.
    pub(crate) list: Option<String>,
}

/// Properties that repeat attributes of the tag, or that only the editor reads.
const NOT_FACTS: &[&str] =
    &["TestElement.gui_class", "TestElement.test_class", "TestElement.name", "TestElement.enabled"];

/// The properties of an element in the order of the file. Left out: the classes of its editor,
/// names that are hashes, and properties that reading made up from older ones.
pub(crate) fn facts(element: &Element) -> Vec<Fact> {
    let mut all = Vec::new();
    take_all(&element.properties, "", None, &mut all);
    for (name, value) in element.save_config().unwrap_or_default() {
        all.push(Fact { name: format!("saveConfig.{name}"), value, list: None });
    }
    all
}

fn take_all(properties: &[Property], before: &str, list: Option<&str>, all: &mut Vec<Fact>) {
    let is_fact = |property: &&Property| is_written(property) && !NOT_FACTS.contains(&&*property.name);
    for property in properties.iter().filter(is_fact) {
        let name = match list {
            Some(_) => format!("{before}.{}", short(&property.name)),
            None => property.name.clone(),
        };
        take(property, &name, list, all);
    }
}

fn take(property: &Property, name: &str, list: Option<&str>, all: &mut Vec<Fact>) {
    let fact =
        |value: &str| Fact { name: name.to_owned(), value: value.to_owned(), list: list.map(str::to_owned) };
    match &property.value {
        PropertyValue::Element(element) => take_all(&element.properties, name, list, all),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            for (position, member) in members.iter().enumerate() {
                let key = match &member.value {
                    PropertyValue::Element(element) => entry_name(element),
                    _ => None,
                };
                let key = key.unwrap_or_else(|| (position + 1).to_string());
                let name = format!("{name}[{key}]");
                let list = list.unwrap_or(&property.name);
                match &member.value {
                    PropertyValue::Element(element) => {
                        take_all(&element.properties, &name, Some(list), all);
                    }
                    _ => take(member, &name, Some(list), all),
                }
            }
        }
        // Its choices are separate facts.
        PropertyValue::Xml(_) if property.name == "saveConfig" => {}
        // Blanks between tags are layout.
        PropertyValue::Xml(text) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            all.push(fact(&text.replace("> <", "><")));
        }
        value => all.push(fact(value.as_text().unwrap_or_default())),
    }
}
