//! Adds extractors and assertions to a plan, in its text.

use std::path::Path;

use swell_api::{Registry, Role};
use swell_plan::{Edit, Element, Node, Plan};

use crate::path::{PathError, PlanPath};
use crate::set::{no_element, parsed};

/// An element that belongs below a sampler.
#[derive(Clone, Debug, PartialEq)]
pub struct Addition {
    /// The path of the sampler.
    pub below: String,
    /// The element.
    pub element: Element,
    /// The variable that it sets.
    pub sets: Option<String>,
}

/// An element that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedElement {
    /// Names from the root to the sampler, joined by ` > `.
    pub below: String,
    /// Name of the element.
    pub name: String,
    /// Its line in the new text.
    pub line: u32,
}

/// A plan's text with more elements.
#[derive(Clone, Debug)]
pub struct ExtendedPlan {
    /// The file.
    pub bytes: Vec<u8>,
    /// What was added, in the order of the additions.
    pub added: Vec<AddedElement>,
}

/// Adds elements below samplers of a plan, each as the last there; every byte of the plan stays.
///
/// # Errors
/// The bytes are not a plan. A path matches nothing, several elements, or an element other than a
/// sampler. The name of an element or a variable is taken or invalid.
pub fn add(
    bytes: &[u8],
    file: Option<&Path>,
    registry: &Registry,
    additions: &[Addition],
) -> Result<ExtendedPlan, PathError> {
    let plan = parsed(bytes, file)?;
    let mut edits = Vec::new();
    let mut added = Vec::new();
    let mut places = Vec::new();
    let mut variables: Vec<&str> = Vec::new();
    for addition in additions {
        let sampler = sampler_of(&plan, registry, &addition.below)?;
        if let Some(variable) = &addition.sets {
            check_variable(&plan, registry, variable)?;
        }
        check_name(sampler, addition, &added)?;
        if let Some(variable) = &addition.sets {
            if variables.contains(&variable.as_str()) {
                return Err(PathError::new(format!("two elements would set `{variable}`"), OTHER_NAME));
            }
            variables.push(variable);
        }
        edits.push(Edit::Element(sampler.id, addition.element.clone()));
        places.push(place_of(&plan, sampler));
        added.push(AddedElement {
            below: sampler.element.path.clone(),
            name: addition.element.name().to_owned(),
            line: 0,
        });
    }
    let bytes = swell_plan::edit(bytes, &edits).map_err(|error| PathError::new(error.message, error.hint))?;
    find_lines(&parsed(&bytes, file)?, &places, &mut added);
    Ok(ExtendedPlan { bytes, added })
}

/// The place of a sampler among the elements of the same path: several may have one name.
fn place_of(plan: &Plan, sampler: &Node) -> usize {
    let mut place = 0;
    let mut is_before = true;
    plan.root.walk(&mut |node| {
        is_before &= node.id != sampler.id;
        place += usize::from(is_before && node.element.path == sampler.element.path);
    });
    place
}

/// Finds the lines of elements that were added: each is the last below its sampler of its name.
/// `places`: those of the samplers.
fn find_lines(plan: &Plan, places: &[usize], added: &mut [AddedElement]) {
    for (one, wanted) in added.iter_mut().zip(places) {
        let mut place = 0;
        plan.root.walk(&mut |node| {
            if node.element.path != one.below {
                return;
            }
            let found = node.children.iter().rfind(|child| child.element.name() == one.name);
            if let Some(found) = found.filter(|_| place == *wanted) {
                one.line = found.element.line;
            }
            place += 1;
        });
    }
}

const OTHER_NAME: &str = "choose another name";

/// The one sampler that a path names.
fn sampler_of<'p>(plan: &'p Plan, registry: &Registry, text: &str) -> Result<&'p Node, PathError> {
    let path = PlanPath::parse(text)?;
    let found = path.find(plan, registry);
    let sampler = match &found[..] {
        [] => return Err(no_element(plan, registry, text, &path)),
        [one] => *one,
        [first, second, ..] => {
            let place = |node: &Node| format!("`{}` (line {})", node.element.path, node.element.line);
            let message = format!(
                "`{text}` matches {} elements, such as {} and {}",
                found.len(),
                place(first),
                place(second)
            );
            let hint = "add names before it, or a number such as [2] for the second of its siblings";
            return Err(PathError::new(message, hint));
        }
    };
    // A class that is not known may be a sampler of a plug-in.
    match registry.kind(&sampler.element).map(|kind| kind.role) {
        None | Some(Role::Sampler) => Ok(sampler),
        Some(_) => {
            let element = &sampler.element;
            let message = format!("`{}` (line {}) is not a sampler", element.path, element.line);
            Err(PathError::new(message, "extractors and assertions are added below a sampler; name one"))
        }
    }
}

fn check_name(sampler: &Node, addition: &Addition, added: &[AddedElement]) -> Result<(), PathError> {
    let name = addition.element.name();
    let is_below = sampler.children.iter().any(|child| child.element.name() == name);
    let is_added = added.iter().any(|other| other.name == name && other.below == sampler.element.path);
    if is_below || is_added {
        let message = format!("`{}` has an element `{name}` already", sampler.element.path);
        return Err(PathError::new(message, OTHER_NAME));
    }
    Ok(())
}

/// Whether a name can be that of a new variable.
fn check_variable(plan: &Plan, registry: &Registry, name: &str) -> Result<(), PathError> {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || "${},;\\".contains(c);
    if name.is_empty() || name.contains(is_odd) {
        let message = format!("`{name}` is not a name of a variable");
        return Err(PathError::new(message, "use letters, digits and _, such as order_id"));
    }
    let mut taken = None;
    plan.root.walk(&mut |node| {
        let sets =
            node.element.enabled() && registry.variables_set(&node.element).iter().any(|set| set == name);
        if sets && taken.is_none() {
            taken = Some((node.element.path.clone(), node.element.line));
        }
    });
    match taken {
        None => Ok(()),
        Some((path, line)) => {
            let message = format!("`{path}` (line {line}) sets the variable `{name}` already");
            Err(PathError::new(message, "choose another name, or change that element"))
        }
    }
}

#[cfg(test)]
mod tests;
