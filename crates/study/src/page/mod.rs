//! Pages of studies: one file without scripts that opens from disk.

mod chart;
mod heat;

pub use chart::{LineChart, Series};
pub use heat::{HeatCell, HeatMap};

use crate::table::Table;

const STYLE: &str = include_str!("style.css");

/// A line that cannot fail: the target is a String.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => {{
        use std::fmt::Write as _;
        write!($out, $($arguments)*).expect("a String takes it")
    }};
}
pub(crate) use put;

/// A page as it grows.
#[derive(Clone, Debug)]
pub struct Page {
    out: String,
    made_by: String,
}

impl Page {
    /// A page with this title and the tool that makes it.
    pub fn new(title: &str, made_by: &str) -> Self {
        let mut out = String::from(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
        );
        let title = escaped(title);
        put!(out, "<title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n");
        Self { out, made_by: escaped(made_by) }
    }

    /// A paragraph of plain text.
    pub fn text(&mut self, text: &str) {
        put!(self.out, "<p>{}</p>\n", escaped(text));
    }

    /// A paragraph that catches the eye, with its lines kept.
    pub fn note(&mut self, text: &str) {
        put!(self.out, "<p class=\"note\">{}</p>\n", escaped_lines(text));
    }

    /// A headline.
    pub fn head(&mut self, text: &str) {
        put!(self.out, "<h2>{}</h2>\n", escaped(text));
    }

    /// A chart.
    pub fn chart(&mut self, chart: &LineChart) {
        self.out += &chart.html();
    }

    /// A heat map.
    pub fn heat(&mut self, map: &HeatMap) {
        self.out += &map.html();
    }

    /// A table.
    pub fn table(&mut self, table: &Table) {
        self.out += "<div class=\"scroll\"><table><thead><tr>";
        table.head.iter().for_each(|cell| put!(self.out, "<th scope=\"col\">{}</th>", escaped(cell)));
        self.out += "</tr></thead><tbody>\n";
        for row in &table.rows {
            self.out += "<tr>";
            for cell in row {
                put!(self.out, "<td>{}</td>", escaped(cell));
            }
            self.out += "</tr>\n";
        }
        self.out += "</tbody></table></div>\n";
    }

    /// The whole of it.
    pub fn html(mut self) -> String {
        put!(self.out, "<footer>Made by {}.</footer></body></html>\n", self.made_by);
        self.out
    }
}

/// Text in HTML, whatever it holds.
pub(crate) fn escaped(text: &str) -> String {
    marked_up(&swell_report::plain(text))
}

fn escaped_lines(text: &str) -> String {
    marked_up(&swell_report::plain_lines(text))
}

fn marked_up(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_texts_whatever_they_hold() {
        let mut page = Page::new("<a> & \"b\"", "Swell");
        page.note("<script>\nline");
        page.table(&Table { rows: vec![vec!["<b>".to_owned()]], ..Table::new(["<i>"]) });
        let html = page.html();
        for tag in ["<script", "<b>", "<i>", "<a>"] {
            assert!(!html.contains(tag), "{tag} in {html}");
        }
        assert!(html.contains("&lt;script&gt;\nline") && html.ends_with("</body></html>\n"));
    }
}
