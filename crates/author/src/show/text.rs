//! The view for a terminal.

use std::fmt::{self, Write};

use swell_report::{plain, without_passwords};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::View;
use super::brief::brief;
use crate::outline::Entry;
use crate::property::Documents;

/// Columns of a line.
const WIDTH: usize = 100;

/// Columns of a variable's name, at most.
const NAME_WIDTH: usize = 36;

/// An element deeper than this is not indented further.
const DEEPEST: usize = 12;

impl fmt::Display for View<'_> {
    /// One line for each element, at most 100 columns, and one for each variable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.entries.len().to_string().len();
        let documents = Documents::new(self.registry);
        for (at, entry) in self.entries.iter().enumerate() {
            let mut line = format!("{:>digits$} {}", at + 1, "  ".repeat(entry.depth.min(DEEPEST)));
            line.push_str(&title(entry));
            let sets: Vec<&str> = self.uses[at].sets.iter().map(String::as_str).collect();
            // Those of a list of definitions are its settings.
            if entry.kind.is_some() && !entry.defines_variables() && !sets.is_empty() {
                _ = write!(line, "  -> {}", sets.join(", "));
            }
            for setting in brief(entry, &documents) {
                if line.len() > 4 * WIDTH {
                    break;
                }
                _ = write!(line, "  {setting}");
            }
            // What is masked later would change the width.
            writeln!(f, "{}", fit(&without_passwords(&plain(&line)), WIDTH))?;
        }
        self.write_variables(f)
    }
}

/// Kind and name of an element. A name that only repeats the kind is shown once.
fn title(entry: &Entry<'_>) -> String {
    let kind = entry.kind_name();
    let kind = kind.split_once(" - ").map_or(kind, |(_, kind)| kind);
    let name = super::brief::cut(entry.element().name());
    let off = if entry.element().enabled() { "" } else { "(disabled) " };
    if name == kind || name.is_empty() { format!("{off}{kind}") } else { format!("{off}{kind}: {name}") }
}

impl View<'_> {
    fn write_variables(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.variables.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nVariables (numbers are those of the elements above)")?;
        let width = self.variables.keys().map(|name| plain(name).width()).max().unwrap_or_default();
        let width = width.min(NAME_WIDTH);
        for (name, variable) in &self.variables {
            let name = fit(&plain(name), width);
            let blanks = " ".repeat(width - name.width());
            let set_by = numbers(&variable.set_by);
            let read_by = numbers(&variable.read_by);
            let line = format!("  {name}{blanks}  set by {set_by:<20}  read by {read_by}");
            writeln!(f, "{}", fit(&line, WIDTH))?;
        }
        Ok(())
    }
}

/// Numbers of elements, the first few of many.
fn numbers(elements: &[usize]) -> String {
    const MOST: usize = 6;
    let shown: Vec<String> = elements.iter().take(MOST).map(|at| (at + 1).to_string()).collect();
    match elements.len() {
        0 => "nothing".to_owned(),
        count if count > MOST => format!("{} and {} more", shown.join(", "), count - MOST),
        _ => shown.join(", "),
    }
}

/// A line in this many columns, cut with `…`.
fn fit(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.trim_end().to_owned();
    }
    let mut out = String::new();
    let mut width = 0;
    for c in line.chars() {
        width += c.width().unwrap_or_default();
        if width > columns - 1 {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}
