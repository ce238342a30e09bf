//! A heat map: a table whose cells are the darker the larger their figures are.

use super::{escaped, put};

/// A figure and how it is written; none where it is not known.
pub type HeatCell = Option<(f64, String)>;

/// Rows and columns with a figure where they meet; none where it is not known.
#[derive(Clone, Debug, Default)]
pub struct HeatMap {
    /// What rows and columns are, as `maxThreads \ users`.
    pub corner: String,
    /// Texts of the columns.
    pub columns: Vec<String>,
    /// Text of each row, and a figure a column with its text.
    pub rows: Vec<(String, Vec<HeatCell>)>,
}

impl HeatMap {
    pub(super) fn html(&self) -> String {
        let mut out = String::from("<div class=\"scroll\"><table class=\"heat\"><thead><tr>");
        put!(out, "<th scope=\"col\">{}</th>", escaped(&self.corner));
        self.columns.iter().for_each(|word| put!(out, "<th scope=\"col\">{}</th>", escaped(word)));
        out += "</tr></thead><tbody>\n";
        let figures =
            || self.rows.iter().flat_map(|(_, cells)| cells.iter().flatten().map(|(figure, _)| *figure));
        let largest = figures().fold(0.0, f64::max);
        for (word, cells) in &self.rows {
            put!(out, "<tr><td>{}</td>", escaped(word));
            let most = cells.iter().flatten().map(|(figure, _)| *figure).fold(f64::NEG_INFINITY, f64::max);
            for cell in cells {
                match cell {
                    Some((figure, text)) => {
                        let part = if largest > 0.0 { figure / largest * 0.7 } else { 0.0 };
                        let class = if *figure >= most { "cell most" } else { "cell" };
                        put!(out, "<td class=\"{class}\" style=\"--part:{part:.2}\">{}</td>", escaped(text));
                    }
                    None => out += "<td class=\"none\">–</td>",
                }
            }
            out += "</tr>\n";
        }
        out + "</tbody></table></div>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_a_row_is_marked_and_what_is_not_known_stays_empty() {
        let cell = |figure: f64| Some((figure, format!("{figure}")));
        let map = HeatMap {
            corner: "a \\ b".to_owned(),
            columns: vec!["1".to_owned(), "2".to_owned()],
            rows: vec![
                ("x".to_owned(), vec![cell(50.0), cell(100.0)]),
                ("y".to_owned(), vec![cell(10.0), None]),
            ],
        };
        let html = map.html();
        assert!(html.contains("<td class=\"cell\" style=\"--part:0.35\">50</td><td class=\"cell most\" style=\"--part:0.70\">100</td>"), "{html}");
        assert!(html.contains("<td class=\"none\">–</td>"), "{html}");
        assert!(HeatMap::default().html().contains("<table"));
    }
}
