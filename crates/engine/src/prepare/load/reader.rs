//! Fields of a thread group as numbers.

use swell_plan::{Element, PropertyValue, Severity};

use crate::number;
use crate::prepare::main_context::MainContext;

/// The kind of number to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// All fields, as the group starts.
    Now,
    /// Only what is known before the run; other fields are empty.
    Constants,
}

/// Reads the fields of a thread group, and records problems.
pub(super) struct Reader<'a> {
    pub(super) group: &'a Element,
    pub(super) main: &'a MainContext,
    pub(super) reading: Reading,
}

impl Reader<'_> {
    fn note(&self, severity: Severity, property: &str, message: String, hint: &str) {
        self.main.compile.note(severity, self.group, Some(property), message, Some(hint));
    }

    /// A field as text; a missing one is the default.
    pub(super) fn text(&self, property: &str, default: &str) -> String {
        self.value(property, self.group.text(property).unwrap_or(default))
    }

    fn value(&self, property: &str, written: &str) -> String {
        if self.reading == Reading::Constants && written.contains("${") {
            return String::new();
        }
        self.main.eval(self.group, property, written)
    }

    /// A whole number; what is none is 0, as for JMeter, and noted.
    pub(super) fn whole(&self, property: &str, default: &str) -> i64 {
        self.whole_of(property, &self.text(property, default), "")
    }

    /// A number of users; one that is none is refused: it would be a test of nothing.
    pub(super) fn users(&self, property: &str, default: &str) -> i64 {
        let text = self.text(property, default);
        if !text.is_empty() && text.parse::<i32>().is_err() {
            let message = format!("`{text}` is not a whole number up to {}", i32::MAX);
            self.note(
                Severity::Error,
                property,
                message,
                "use digits only, such as 100, or ${__P(users,100)}",
            );
        }
        i64::from(number::int(&text))
    }

    fn whole_of(&self, property: &str, text: &str, place: &str) -> i64 {
        if !text.is_empty() && text.parse::<i32>().is_err() {
            let message = format!("{place}`{text}` is not a whole number; 0 is used, as in JMeter");
            self.note(Severity::Warning, property, message, "use digits only");
        }
        i64::from(number::int(text))
    }

    /// Rows of a table in a property, each cell as text.
    pub(super) fn rows(&self, property: &str) -> Vec<Vec<String>> {
        let rows = self.group.collection(property).iter();
        let cells = |row: &PropertyValue| match row {
            PropertyValue::Collection(cells) => {
                let texts = cells.iter().filter_map(|cell| cell.value.as_text());
                texts.map(|text| self.value(property, text)).collect()
            }
            _ => Vec::new(),
        };
        rows.map(|row| cells(&row.value)).collect()
    }

    /// A cell of a row as a whole number.
    pub(super) fn whole_cell(&self, property: &str, row: usize, cells: &[String], column: usize) -> i64 {
        let text = cells.get(column).map_or("", String::as_str);
        self.whole_of(property, text, &format!("row {}, column {}: ", row + 1, column + 1))
    }

    /// A cell of a row as a number.
    pub(super) fn cell(&self, property: &str, row: usize, cells: &[String], column: usize) -> f64 {
        let text = cells.get(column).map_or("", String::as_str);
        if !text.is_empty() && text.trim().parse::<f64>().is_err() {
            let message = format!(
                "row {}, column {}: `{text}` is not a number; 0 is used, as in JMeter",
                row + 1,
                column + 1
            );
            self.note(Severity::Warning, property, message, "use digits, such as 1.5");
        }
        number::double(text)
    }

    /// Reports a problem with a property that does not prevent the run.
    pub(super) fn warn(&self, property: &str, message: String, hint: &str) {
        self.note(Severity::Warning, property, message, hint);
    }
}
