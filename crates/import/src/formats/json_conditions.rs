//! Conditions of JSONPath (Jayway) over one value of a document, which know the types of JSON.
//!
//! A condition holds for the document or it does not: `$[?(…)]` has a match or none. A document
//! that is an empty list has none, so what is said of a document as a whole is said of its text.

use crate::model::{CheckOf, Comparison, Text};

/// The path has a value.
pub(super) fn exists(path: &str) -> CheckOf {
    CheckOf::JsonPath(path.to_owned(), Comparison::Exists)
}

/// A condition holds for the document.
pub(super) fn accepts(condition: &str) -> CheckOf {
    exists(&format!("$[?({condition})]"))
}

/// A value is a list. A path alone in a condition would begin at a member of the document, not at
/// its root, so the first value is compared with itself: one that is missing equals nothing.
pub(super) fn is_array(path: &str) -> String {
    format!("{path} == [] || {path}[0] == {path}[0]")
}

/// A value is a text.
pub(super) fn is_text(path: &str) -> String {
    format!("{path} >= ''")
}

/// A value is a number.
pub(super) fn is_number(path: &str) -> String {
    format!("{path} <= 0 || {path} > 0")
}

/// A value is a boolean.
pub(super) fn is_boolean(path: &str) -> String {
    format!("{path} == true || {path} == false")
}

/// A value is neither a list nor an object.
pub(super) fn is_scalar(path: &str) -> String {
    format!("{} || {} || {} || {path} == null", is_text(path), is_number(path), is_boolean(path))
}

/// The body begins with this, after white space.
fn begins(bracket: &str) -> CheckOf {
    CheckOf::Body(Comparison::Matches(Text::literal(format!(r"\A\s*\{bracket}"))))
}

/// The type of a value, by its name in JavaScript's libraries for tests.
pub(super) fn is_of_type(path: &str, name: &str) -> Option<Vec<CheckOf>> {
    let whole = path == "$";
    Some(match name {
        "array" if whole => vec![begins("[")],
        "object" if whole => vec![begins("{")],
        "array" => vec![accepts(&is_array(path))],
        "object" => {
            let other = format!("{} || {}", is_scalar(path), is_array(path));
            vec![exists(path), CheckOf::JsonPath(format!("$[?({other})]"), Comparison::Missing)]
        }
        "string" => vec![accepts(&is_text(path))],
        "number" => vec![accepts(&is_number(path))],
        "boolean" => vec![accepts(&is_boolean(path))],
        "null" => is_null(path, false),
        _ => return None,
    })
}

/// A value is null, or is not.
pub(super) fn is_null(path: &str, is_not: bool) -> Vec<CheckOf> {
    let how = if is_not { Comparison::Missing } else { Comparison::Exists };
    vec![CheckOf::JsonPath(format!("$[?({path} == null)]"), how)]
}

/// A value is neither missing nor null, false, 0 or an empty text.
pub(super) fn truthy(path: &str) -> Vec<CheckOf> {
    if path == "$" {
        return vec![exists(path)];
    }
    let falsy = format!("{path} == null || {path} == false || {path} === 0 || {path} === ''");
    vec![exists(path), CheckOf::JsonPath(format!("$[?({falsy})]"), Comparison::Missing)]
}

/// A list or a text is empty, or has something.
pub(super) fn is_empty(path: &str, is_not: bool) -> Vec<CheckOf> {
    if is_not { length_over(path, 0) } else { length(path, 0) }
}

/// The length of a list or text.
pub(super) fn length(path: &str, length: u32) -> Vec<CheckOf> {
    match (path, length.checked_sub(1)) {
        ("$", None) => vec![CheckOf::Body(Comparison::Matches(Text::literal(r"\A\s*\[\s*\]")))],
        ("$", Some(last)) => {
            let after = CheckOf::JsonPath(format!("$[{length}]"), Comparison::Missing);
            vec![begins("["), exists(&format!("$[{last}]")), after]
        }
        _ => vec![accepts(&format!("{path} size {length}"))],
    }
}

/// The length of a list or text is more than a number.
pub(super) fn length_over(path: &str, length: u32) -> Vec<CheckOf> {
    if path == "$" {
        return vec![begins("["), exists(&format!("$[{length}]"))];
    }
    let text = format!("{path} =~ /[\\s\\S]{{{},}}/", length.saturating_add(1));
    vec![accepts(&format!("{path}[{length}] == {path}[{length}] || {text}"))]
}
