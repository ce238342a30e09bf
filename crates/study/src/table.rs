//! Tables as text for a terminal, as Markdown, and as CSV.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

/// A head and rows of texts. The first column has names and is left-aligned; the others have
/// figures and are right-aligned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Titles of the columns.
    pub head: Vec<String>,
    /// As many texts a row; an empty one is "not known".
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with this head and no rows.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// The same without columns in which no row has anything.
    #[must_use]
    pub fn without_empty_columns(mut self) -> Self {
        for at in (1..self.head.len()).rev() {
            if self.rows.iter().all(|row| row.get(at).is_none_or(String::is_empty)) {
                self.head.remove(at);
                self.rows.iter_mut().filter(|row| row.len() > at).for_each(|row| drop(row.remove(at)));
            }
        }
        self
    }

    /// Lines with two blanks between columns, with an end of line each. Control characters of cells
    /// are left out.
    pub fn text(&self) -> String {
        let plain = |row: &Vec<String>| row.iter().map(|cell| swell_report::plain(cell).into()).collect();
        let lines: Vec<Vec<String>> = std::iter::once(&self.head).chain(&self.rows).map(plain).collect();
        let widths: Vec<usize> = (0..self.head.len())
            .map(|at| {
                lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.width()).max().unwrap_or(0)
            })
            .collect();
        let mut out = String::new();
        for line in &lines {
            let mut text = String::new();
            for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
                let fill = " ".repeat(width - cell.width());
                let parts = if at == 0 { ["", cell, &fill] } else { ["  ", &fill, cell] };
                text.extend(parts);
            }
            out += text.trim_end();
            out.push('\n');
        }
        out
    }

    /// The same for Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let escaped = |cell: &String| swell_report::plain(cell).replace('|', "\\|");
        let mut line =
            |cells: Vec<String>| writeln!(out, "| {} |", cells.join(" | ")).expect("a String takes it");
        line(self.head.iter().map(escaped).collect());
        line((0..self.head.len()).map(|at| if at == 0 { "---" } else { "---:" }.to_owned()).collect());
        self.rows.iter().for_each(|row| line(row.iter().map(escaped).collect()));
        out
    }

    /// As CSV with a head (RFC 4180, lines end with a line feed).
    pub fn csv(&self) -> String {
        let quoted = |cell: &String| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows = [["a|b", "1", ""], ["ä\u{1b}[1m", "10,5", ""]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        Table { rows, ..Table::new(["name", "n", "none"]) }
    }

    #[test]
    fn columns_stand_under_each_other() {
        let text = table().text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!((lines[0], lines[1]), ("name      n  none", "a|b       1"));
        assert!(!text.contains('\u{1b}') && lines[2].ends_with("  10,5"), "{text}");
        assert_eq!(table().without_empty_columns().head, ["name", "n"]);
        assert_eq!(table().without_empty_columns().rows[0], ["a|b", "1"]);
    }

    #[test]
    fn csv_and_markdown_keep_cells_apart() {
        assert!(table().csv().starts_with("name,n,none\na|b,1,\n"));
        assert!(table().csv().ends_with("\"10,5\",\n"));
        assert!(
            table().markdown().starts_with("| name | n | none |\n| --- | ---: | ---: |\n| a\\|b | 1 |  |\n")
        );
    }
}
