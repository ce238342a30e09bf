//! Sets properties of a plan, in its text.

mod list;
mod value;

use std::path::Path;

use swell_api::Registry;
use swell_plan::{Edit, Node, Plan, Property, PropertyPlace, PropertyValue};

pub use list::{Settable, settable};

use crate::nearest::nearest;
use crate::path::{Assignment, PathError, PlanPath, Segment, is_named, quoted};
use crate::property::{self, Documents, Named};

/// A property that is set.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The change of the text.
    pub edit: Edit,
    /// Names from the root to the element, joined by ` > `.
    pub element: String,
    /// Line of the element.
    pub line: u32,
    /// The property as a path names it.
    pub property: String,
    /// Its value before; none if the element lacked it.
    pub old: Option<String>,
    /// Its value now.
    pub new: String,
    /// What is odd about the value.
    pub warning: Option<String>,
}

/// A plan's text after changes.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The file.
    pub bytes: Vec<u8>,
    /// What was changed, in the order of the assignments.
    pub changes: Vec<Change>,
}

/// Sets properties in the bytes of a plan; every byte that no assignment names stays.
///
/// # Errors
/// The bytes are not a plan, or an assignment has no form, matches nothing, is ambiguous, or has a
/// value that the property cannot have.
pub fn set(
    bytes: &[u8],
    file: Option<&Path>,
    registry: &Registry,
    assignments: &[String],
) -> Result<Edited, PathError> {
    let assignments: Vec<Assignment> =
        assignments.iter().map(|text| Assignment::parse(text)).collect::<Result<_, _>>()?;
    let plan = parsed(bytes, file)?;
    let changes = changes(&plan, registry, &assignments)?;
    let edits: Vec<Edit> = changes.iter().map(|change| change.edit.clone()).collect();
    let bytes = swell_plan::edit(bytes, &edits).map_err(|error| PathError::new(error.message, error.hint))?;
    Ok(Edited { bytes, changes })
}

/// The plan in the bytes of a file.
///
/// # Errors
/// There is none.
pub(crate) fn parsed(bytes: &[u8], file: Option<&Path>) -> Result<Plan, PathError> {
    let reading = swell_plan::read(bytes, file);
    reading.plan.ok_or_else(|| {
        let wrong = reading.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        PathError::new(wrong, "a plan is a .jmx file that JMeter saved")
    })
}

/// What assignments change in a plan. All of them find their elements in the plan as it is.
///
/// # Errors
/// An assignment matches nothing, is ambiguous, or has a value that the property cannot have.
fn changes(plan: &Plan, registry: &Registry, assignments: &[Assignment]) -> Result<Vec<Change>, PathError> {
    let documents = Documents::new(registry);
    let mut all = Vec::new();
    for assignment in assignments {
        all.extend(of_assignment(plan, registry, &documents, assignment)?);
    }
    Ok(all)
}

fn of_assignment(
    plan: &Plan,
    registry: &Registry,
    documents: &Documents<'_>,
    assignment: &Assignment,
) -> Result<Vec<Change>, PathError> {
    let Assignment { text, path, property, .. } = assignment;
    let matched = path.find(plan, registry);
    if matched.is_empty() {
        return Err(no_element(plan, registry, text, path));
    }
    let mut named = Vec::new();
    let mut several = None;
    for node in &matched {
        match property::named(&node.element, property, documents) {
            Named::Nothing => {}
            // A pattern sets what there is; it adds nothing to elements that it happens to match.
            Named::Missing(_) if path.has_wildcards() || path.segments.is_empty() => {}
            Named::Several(names) => several = several.or(Some((*node, names))),
            found => named.push((*node, found)),
        }
    }
    match (&named[..], several) {
        (_, Some((node, names))) => {
            let message = format!(
                "`{text}` is ambiguous: `{}` has {}",
                node.element.name(),
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            );
            Err(PathError::new(message, "give the whole name of the property"))
        }
        ([], None) => Err(no_property(documents, assignment, &matched)),
        ([_, _, ..], None) if !path.has_wildcards() => Err(ambiguous(text, &named)),
        _ => named.into_iter().map(|(node, named)| change(node, named, documents, assignment)).collect(),
    }
}

fn change(
    node: &Node,
    named: Named<'_>,
    documents: &Documents<'_>,
    assignment: &Assignment,
) -> Result<Change, PathError> {
    let Assignment { text, value, property, .. } = assignment;
    let element = &node.element;
    let known = documents.of(element);
    let documented = |name: &str| known.as_ref()?.properties.iter().find(|one| one.name == name).cloned();
    let refused = |expected: String| {
        PathError::new(format!("`{value}` is not a value of `{text}`"), format!("use {expected}"))
    };
    let place = |steps: Vec<usize>| PropertyPlace { node: node.id, steps };
    let (edit, name, old, warning) = match named {
        Named::Property(found) => {
            let documented = documented(&found.name);
            let checked = value::checked(value, found.value, documented.as_ref()).map_err(refused)?;
            let old = found.value.as_text().map(str::to_owned);
            (Edit::Value(place(found.steps), checked.value), found.name, old, checked.warning)
        }
        Named::Missing(name) => {
            let documented = documented(&name);
            let empty = PropertyValue::Text(String::new());
            let checked = value::checked(value, &empty, documented.as_ref()).map_err(refused)?;
            let property = Property::new(&name, checked.value);
            (Edit::Add(place(Vec::new()), property), name, None, checked.warning)
        }
        Named::Attribute(name) => {
            if name == "enabled" {
                value::flag(value).map_err(refused)?;
            }
            let old = element.attribute(name).map(str::to_owned);
            let edit = Edit::Attribute(node.id, name.to_owned(), value.clone());
            (edit, property.to_string(), old, None)
        }
        Named::Several(_) | Named::Nothing => return Err(no_property(documents, assignment, &[node])),
    };
    let new = value.clone();
    Ok(Change { edit, element: element.path.clone(), line: element.line, property: name, old, new, warning })
}

fn ambiguous(text: &str, named: &[(&Node, Named<'_>)]) -> PathError {
    let shown =
        named.iter().take(5).map(|(node, _)| format!("`{}` (line {})", node.element.path, node.element.line));
    let mut places = shown.collect::<Vec<_>>().join(", ");
    if named.len() > 5 {
        places.push_str(", …");
    }
    let message = format!("`{text}` is ambiguous: it matches {} elements: {places}", named.len());
    let hint =
        "add names before it, a number such as Users[2] for the second of its siblings, or `**/` to set all";
    PathError::new(message, hint)
}

/// Nothing has this path: names the first part that matches nothing, and the nearest names.
pub(crate) fn no_element(plan: &Plan, registry: &Registry, text: &str, path: &PlanPath) -> PathError {
    let mut wrong = path.clone();
    while wrong.segments.len() > 1 {
        let before = PlanPath { segments: wrong.segments[..wrong.segments.len() - 1].to_vec(), ..wrong };
        if !before.find(plan, registry).is_empty() {
            break;
        }
        wrong.segments.pop();
    }
    let Some(Segment::Element { glob, .. }) = wrong.segments.last() else {
        return PathError::new(format!("`{text}` matches no element"), LIST);
    };
    let mut names = Vec::new();
    let mut is_elsewhere = None;
    plan.root.walk(&mut |node| {
        names.push(node.element.name().to_owned());
        if is_elsewhere.is_none() && is_named(&node.element, glob, registry) {
            is_elsewhere = Some(node.element.path.clone());
        }
    });
    let written = glob.text();
    let hint = if let Some(path) = is_elsewhere {
        format!("`{written}` is in another place: `{path}`")
    } else {
        let near = nearest(&written, names.iter().map(String::as_str));
        did_you_mean(near.into_iter().map(quoted))
    };
    PathError::new(format!("`{text}` matches nothing: no element is called `{written}` there"), hint)
}

const LIST: &str = "`--set list` shows all paths";

/// Offers names, or the list of all.
fn did_you_mean(near: impl Iterator<Item = String>) -> String {
    let near: Vec<String> = near.map(|name| format!("`{name}`")).collect();
    if near.is_empty() { LIST.to_owned() } else { format!("did you mean {}?", near.join(" or ")) }
}

fn no_property(documents: &Documents<'_>, assignment: &Assignment, matched: &[&Node]) -> PathError {
    let Assignment { text, property, .. } = assignment;
    let mut names: Vec<String> = Vec::new();
    for node in matched.iter().take(100) {
        names.extend(property::properties(&node.element).into_iter().map(|found| found.name));
        names.extend(property::documented(&node.element, documents));
    }
    let shorts: Vec<String> = names.iter().map(|name| property::short(name).to_owned()).collect();
    let all = names.iter().chain(&shorts).map(String::as_str);
    let near = nearest(&property.to_string(), all);
    let whose = match matched {
        [one] => format!("`{}` has no property `{property}`", one.element.path),
        _ => format!("no element of this path has a property `{property}`"),
    };
    let hint = did_you_mean(near.into_iter().map(str::to_owned));
    PathError::new(format!("`{text}` matches nothing: {whose}"), hint)
}

#[cfg(test)]
mod tests;
