//! Lines of text for a terminal.

use std::fmt::Write as _;

use swell_report::{Role as Colour, Styled, plain};

/// Characters of one line that are shown.
const LINE: usize = 300;
/// Characters of a value that are shown.
pub(super) const VALUE: usize = 80;

/// A text that lines are added to.
#[derive(Default)]
pub(super) struct Page(pub(super) Styled);

impl Page {
    pub(super) fn line(&mut self, indent: usize, text: &str) {
        let text = cut(plain(text).trim_end(), LINE);
        writeln!(self.0, "{:indent$}{text}", "").expect("writing to a text cannot fail");
    }

    pub(super) fn coloured(&mut self, indent: usize, role: Colour, text: &str) {
        write!(self.0, "{:indent$}", "").expect("writing to a text cannot fail");
        self.0.push(role, &cut(plain(text).trim_end(), LINE));
        writeln!(self.0).expect("writing to a text cannot fail");
    }
}

pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

pub(super) fn quoted(value: &str) -> String {
    format!("\"{}\"", cut(&plain(value), VALUE))
}

pub(super) fn place(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" (line {line})") }
}
