//! Paths to elements of a plan and to their properties, as `--set` has them.
//!
//! `Users/"POST /login"/HTTPSampler.path=/in`: names or classes from an element to one below it,
//! with a property at the end. `*` and `?` stand for text in a name, `**` for any number of levels,
//! `[2]` for the second of its siblings. A path that starts with `/` starts below the Test Plan;
//! any other path may start anywhere.

mod glob;
mod parse;
mod unique;
mod walk;

pub(crate) use glob::Glob;
pub use unique::path_of_place;
pub(crate) use unique::paths_below;
pub(crate) use walk::is_named;

use std::fmt;

/// A path to elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlanPath {
    /// It starts below the Test Plan; otherwise anywhere.
    pub(crate) starts_at_root: bool,
    pub(crate) segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// `**`: any number of levels.
    Levels,
    /// Elements of that name or class; a name in quotes is not a class. The
    /// number selects one of several siblings, from 1.
    Element { glob: Glob, is_quoted: bool, index: Option<usize> },
}

/// What is named in an element: `name`, `list[key]` or `list[key].part`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PropertyPath {
    pub(crate) name: String,
    /// Name or number, from 1, of a member of the list.
    pub(crate) key: Option<String>,
    pub(crate) part: Option<String>,
}

/// `PATH/PROPERTY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) text: String,
    pub(crate) path: PlanPath,
    pub(crate) property: PropertyPath,
    pub(crate) value: String,
}

/// Why a text is not an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl PathError {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  hint: {}", self.message, self.hint)
    }
}

impl PlanPath {
    /// Whether it is meant to match several elements.
    pub(crate) fn has_wildcards(&self) -> bool {
        self.segments.iter().any(|segment| match segment {
            Segment::Levels => true,
            Segment::Element { glob, .. } => glob.has_wildcards(),
        })
    }
}

impl fmt::Display for PropertyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(key) = &self.key {
            write!(f, "[{key}]")?;
        }
        if let Some(part) = &self.part {
            write!(f, ".{part}")?;
        }
        Ok(())
    }
}

/// A name as a path has it: in quotes if it has a character with a meaning.
pub fn quoted(name: &str) -> String {
    let is_special = |c: char| "/\"*?[]=\\".contains(c) || c.is_control();
    let has_blank_end = name.trim().len() < name.len();
    if !name.is_empty() && !has_blank_end && !name.contains(is_special) {
        return name.to_owned();
    }
    in_quotes(name)
}

/// A name in quotes, which is not a class.
pub(crate) fn in_quotes(name: &str) -> String {
    let mut out = String::from("\"");
    for c in name.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests;
