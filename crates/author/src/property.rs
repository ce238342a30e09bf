//! Finds the property of an element that a path names, and lists those that it has.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use swell_api::{Documentation, ElementKind, Registry};
use swell_plan::{Element, Property, PropertyValue};
use swell_report::is_secret;

use crate::path::PropertyPath;

/// A property with one value, in an element or in an element or list in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found<'p> {
    /// Positions from the element to the property.
    pub(crate) steps: Vec<usize>,
    /// Its name as a path has it.
    pub(crate) name: String,
    pub(crate) value: &'p PropertyValue,
    /// A list is on the way to it.
    in_list: bool,
}

/// What a path names in an element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Named<'p> {
    Property(Found<'p>),
    /// An attribute of the tag.
    Attribute(&'static str),
    /// A property that the element lacks and that its documentation has.
    Missing(String),
    /// Several, by their names.
    Several(Vec<String>),
    Nothing,
}

/// The last part of the name of a property or a class.
pub(crate) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The name of a property in a list: `list[key].part`, or `list[key]` of an entry with one value.
pub(crate) struct EntryName<'n> {
    pub(crate) list: &'n str,
    pub(crate) key: &'n str,
    /// Empty if the entry has one value.
    pub(crate) part: &'n str,
}

impl<'n> EntryName<'n> {
    /// None if the property is in no list.
    pub(crate) fn of(name: &'n str) -> Option<Self> {
        let (list, rest) = name.split_once('[')?;
        let (key, part) = rest.rsplit_once(']')?;
        Some(Self { list, key, part: part.trim_start_matches('.') })
    }
}

/// Whether a property has a secret, as its name says, or that of the entry of a list: an argument,
/// a header. A text with `${` has it from elsewhere.
pub fn is_hidden(property: &str, value: &str) -> bool {
    let of_entry = EntryName::of(property).filter(|entry| entry.part.eq_ignore_ascii_case("value"));
    let name = of_entry.map_or(property, |entry| entry.key);
    !value.trim().is_empty() && !value.contains("${") && is_secret(name)
}

/// All properties of an element that have one value.
pub(crate) fn properties(element: &Element) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    take_all(&element.properties, &mut Vec::new(), &Place::Element, &mut found);
    let mut names = BTreeSet::new();
    // The last property of a name counts.
    let mut all: Vec<_> = found.into_iter().rev().filter(|one| names.insert(one.name.clone())).collect();
    all.reverse();
    all
}

/// Where a property is, for its name.
enum Place {
    Element,
    /// A member of a list: what stands before its own name.
    Member(String),
}

fn take_all<'p>(
    properties: &'p [Property],
    steps: &mut Vec<usize>,
    place: &Place,
    found: &mut Vec<Found<'p>>,
) {
    for (position, property) in properties.iter().enumerate().filter(|(_, property)| is_written(property)) {
        steps.push(position);
        let name = match place {
            Place::Element => property.name.clone(),
            Place::Member(list) => format!("{list}.{}", short(&property.name)),
        };
        match &property.value {
            PropertyValue::Element(element) => take_all(&element.properties, steps, place, found),
            PropertyValue::Collection(members) | PropertyValue::Map(members) => {
                take_members(members, &name, steps, found);
            }
            PropertyValue::Xml(_) => {}
            value => {
                let in_list = matches!(place, Place::Member(_));
                found.push(Found { steps: steps.clone(), name, value, in_list });
            }
        }
        steps.pop();
    }
}

/// Properties that reading made up from older ones are not in the file.
pub(crate) fn is_written(property: &Property) -> bool {
    property.written.as_deref() != Some("")
}

fn take_members<'p>(members: &'p [Property], list: &str, steps: &mut Vec<usize>, found: &mut Vec<Found<'p>>) {
    let mut seen = BTreeSet::new();
    for (position, member) in members.iter().enumerate() {
        steps.push(position);
        let key = match &member.value {
            PropertyValue::Element(element) => entry_name(element).unwrap_or_default(),
            _ => String::new(),
        };
        let is_plain = !key.is_empty() && !key.contains(['[', ']', '/', '=', '"', '\\']);
        let key = if is_plain && seen.insert(key.clone()) { key } else { (position + 1).to_string() };
        let name = format!("{list}[{key}]");
        match &member.value {
            PropertyValue::Element(element) => {
                take_all(&element.properties, steps, &Place::Member(name), found);
            }
            PropertyValue::Collection(inner) | PropertyValue::Map(inner) => {
                take_members(inner, &name, steps, found);
            }
            PropertyValue::Xml(_) => {}
            value => found.push(Found { steps: steps.clone(), name, value, in_list: true }),
        }
        steps.pop();
    }
}

/// The name of an entry of a list: an argument, a header.
pub(crate) fn entry_name(entry: &Element) -> Option<String> {
    let named = entry.properties.iter().find(|property| short(&property.name).eq_ignore_ascii_case("name"));
    let text = named.and_then(|property| property.value.as_text());
    let text = text.or_else(|| entry.attribute("name")).filter(|text| !text.is_empty());
    text.map(str::to_owned)
}

/// What a path names in an element.
pub(crate) fn named<'p>(element: &'p Element, path: &PropertyPath, documents: &Documents<'_>) -> Named<'p> {
    let all = properties(element);
    if let Some(key) = &path.key {
        return in_list(&all, path, key);
    }
    let name = path.name.as_str();
    let own = || all.iter().filter(|found| !found.in_list);
    if let Some(found) = own().find(|found| found.name == name) {
        return Named::Property(found.clone());
    }
    if let Some(named) = special(name, &all) {
        return named;
    }
    let top = own().filter(|found| found.steps.len() == 1 && short(&found.name) == name);
    let inner =
        own().filter(|found| found.steps.len() > 1 && (found.name == name || short(&found.name) == name));
    let entries = all.iter().filter(|found| is_entry(found, name));
    let candidates = [top.collect::<Vec<_>>(), inner.collect(), entries.collect()];
    match candidates.into_iter().find(|found| !found.is_empty()).as_deref() {
        Some([one]) => Named::Property((*one).clone()),
        Some(several) => Named::Several(several.iter().map(|found| found.name.clone()).collect()),
        None => missing(element, name, documents),
    }
}

/// Names that every element has.
fn special<'p>(name: &str, all: &[Found<'p>]) -> Option<Named<'p>> {
    let (attribute, property) = match name {
        "enabled" => ("enabled", "TestElement.enabled"),
        "testname" => ("testname", "TestElement.name"),
        "comments" => {
            let comments = "TestPlan.comments";
            let found = all.iter().find(|found| found.name == comments);
            return Some(
                found.map_or(Named::Missing(comments.to_owned()), |one| Named::Property(one.clone())),
            );
        }
        _ => return None,
    };
    // JMeter reads the attribute first, so the property overrides it.
    let found = all.iter().find(|found| found.name == property);
    Some(found.map_or(Named::Attribute(attribute), |one| Named::Property(one.clone())))
}

/// Whether a property is the value of the entry of that name in a list.
fn is_entry(found: &Found<'_>, name: &str) -> bool {
    EntryName::of(&found.name).is_some_and(|entry| entry.key == name && entry.part == "value")
}

fn in_list<'p>(all: &[Found<'p>], path: &PropertyPath, key: &str) -> Named<'p> {
    let position = key.parse::<usize>().ok().filter(|number| *number > 0).map(|number| number - 1);
    let wanted = path.part.as_deref().unwrap_or("value");
    let mut found: Vec<&Found<'_>> = Vec::new();
    for one in all.iter().filter(|one| one.in_list) {
        let Some(EntryName { list, key: entry, part }) = EntryName::of(&one.name) else { continue };
        let at = if part.is_empty() { one.steps.last() } else { one.steps.iter().rev().nth(1) };
        let is_of_list = list == path.name || short(list) == path.name;
        let is_meant = entry == key || position.is_some() && at == position.as_ref();
        let is_part = if part.is_empty() { path.part.is_none() } else { part == wanted };
        if is_of_list && is_meant && is_part {
            found.push(one);
        }
    }
    // A name comes before a number.
    let by_name = found.iter().find(|one| one.name.contains(&format!("[{key}]")));
    match (by_name, &found[..]) {
        (Some(one), _) | (None, [one]) => Named::Property((*one).clone()),
        (None, []) => Named::Nothing,
        (None, several) => Named::Several(several.iter().map(|one| one.name.clone()).collect()),
    }
}

/// A documented property that the element lacks.
fn missing<'p>(element: &Element, name: &str, documents: &Documents<'_>) -> Named<'p> {
    let documented = documented(element, documents);
    let exact = documented.iter().find(|known| *known == name);
    let fitting: Vec<&String> = documented.iter().filter(|known| short(known) == name).collect();
    match (exact, &fitting[..]) {
        (Some(known), _) => Named::Missing(known.clone()),
        (None, [one]) => Named::Missing((*one).clone()),
        (None, []) => Named::Nothing,
        (None, several) => Named::Several(several.iter().map(|name| (*name).clone()).collect()),
    }
}

/// Properties with one value that the documentation of the element has.
pub(crate) fn documented(element: &Element, documents: &Documents<'_>) -> Vec<String> {
    let Some(documentation) = documents.of(element) else { return Vec::new() };
    let is_list = |property: &swell_api::Property| matches!(&property.values, swell_api::Values::Kind(kind) if kind.starts_with("list"));
    let known = documentation.properties.iter().filter(|property| !is_list(property));
    // An element inside of the element cannot be added as a text.
    let known = known.filter(|property| !property.meaning.contains(" element "));
    known.map(|property| property.name.clone()).collect()
}

/// What is documented of kinds of elements, read once for each kind.
pub(crate) struct Documents<'r> {
    registry: &'r Registry,
    known: RefCell<HashMap<String, Option<Rc<Documentation>>>>,
}

impl<'r> Documents<'r> {
    pub(crate) fn new(registry: &'r Registry) -> Self {
        Self { registry, known: RefCell::default() }
    }

    /// What is said of the kind of an element, if anything is.
    pub(crate) fn of(&self, element: &Element) -> Option<Rc<Documentation>> {
        self.registry.kind(element).and_then(|kind| self.of_kind(&kind))
    }

    /// What is said of a kind, if anything is.
    pub(crate) fn of_kind(&self, kind: &ElementKind) -> Option<Rc<Documentation>> {
        let mut known = self.known.borrow_mut();
        let read =
            || if kind.documentation.is_empty() { None } else { Documentation::of(kind).ok().map(Rc::new) };
        known.entry(kind.name.to_string()).or_insert_with(read).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_known_by_the_name_of_its_property_or_entry() {
        for property in
            ["proxyPass", "x.password", "list[1].password", "list[Authorization].value", "a[token].Value"]
        {
            assert!(is_hidden(property, "x"), "{property}");
        }
        for (property, value) in [
            ("x.password", ""),
            ("x.password", "${__P(p)}"),
            ("list[user].value", "x"),
            ("list[token].name", "x"),
        ] {
            assert!(!is_hidden(property, value), "{property}={value}");
        }
    }
}
