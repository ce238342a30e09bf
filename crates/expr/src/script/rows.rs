//! The table of native operations: operators, methods, functions and reads, each with the kinds
//! that it accepts and returns. Anything that is not in the table is refused before a script runs.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::bindings::BindingScope;
use super::kind::Kind;
use super::language::Language;
use super::row::{Form, Row};
use super::{beanshell, groovy, java_text, javascript, jexl, jmeter, samples};

/// All rows, in the order of the documentation.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    [
        groovy::ROWS,
        beanshell::ROWS,
        java_text::ROWS,
        jexl::ROWS,
        javascript::ROWS,
        jmeter::ROWS,
        samples::ROWS,
    ]
    .into_iter()
    .flatten()
}

/// The rows of a name.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<&'static Row>>> = LazyLock::new(|| {
    let mut rows: HashMap<&'static str, Vec<&'static Row>> = HashMap::new();
    all().for_each(|row| rows.entry(row.name).or_default().push(row));
    rows
});

/// A matching row, and the kind of its result.
pub(super) struct RowMatch {
    pub(super) row: &'static Row,
    pub(super) gives: Kind,
}

/// The row of that name for values of these kinds. Where a value is only known later, several rows
/// may fit: what they give is known later then, too.
pub(super) fn find(
    form: Form,
    name: &str,
    kinds: &[Kind],
    language: Language,
    bindings: BindingScope,
) -> Option<RowMatch> {
    let rows = BY_NAME.get(name)?;
    let mut fitting = rows.iter().filter(|row| {
        row.form == form && row.languages.contains(&language) && row.is_in(bindings) && row.takes(kinds)
    });
    let row = fitting.next()?;
    let is_certain = !kinds.contains(&Kind::LATER) || fitting.all(|other| other.gives == row.gives);
    let gives = if is_certain { row.gives } else { Kind::LATER };
    Some(RowMatch { row, gives })
}

/// Whether a name begins rows of this form, such as `vars` of `vars.get`.
pub(super) fn of_form(form: Form, language: Language) -> impl Iterator<Item = &'static Row> {
    all().filter(move |row| row.form == form && row.languages.contains(&language))
}
