//! The whole plan as text whose lines do not depend on each other: for `git diff`.

use std::fmt::Write;

use swell_report::plain_lines;

use super::View;
use crate::facts::facts;
use crate::path::quoted;

impl View<'_> {
    /// All elements with all their properties, one line each, without numbers, classes of the
    /// editor and names that are hashes. Texts of several lines have one line each.
    pub fn stable(&self) -> String {
        let mut out = String::new();
        for entry in &self.entries {
            let indent = "  ".repeat(entry.depth);
            let off = if entry.element().enabled() { "" } else { " (disabled)" };
            // Writing to a String cannot fail.
            _ = writeln!(out, "{indent}{}: {}{off}", entry.kind_name(), quoted(entry.element().name()));
            for fact in facts(entry.element()).iter().filter(|fact| !fact.value.is_empty()) {
                let value = fact.value.replace('\r', "");
                if !value.contains('\n') {
                    _ = writeln!(out, "{indent}    {} = {value}", fact.name);
                    continue;
                }
                _ = writeln!(out, "{indent}    {} =", fact.name);
                for line in value.split('\n') {
                    _ = writeln!(out, "{indent}    | {line}");
                }
            }
        }
        plain_lines(&out).into_owned()
    }
}
