//! A matrix as a page.

use super::text::{absent, blocks, failures, table};
use super::{Matrix, Row};
use crate::page::{LineChart, Page, Series};
use crate::table::Table;

/// The page: for each response delay a curve of requests a second and of the error of the mean over users, and all tables.
pub fn html(matrix: &Matrix) -> String {
    let mut page = Page::new("Load generators side by side", &matrix.made_by);
    let order = match matrix.seed {
        Some(seed) => format!("in an order drawn from seed {seed}"),
        None => "in the order given".to_owned(),
    };
    page.text(&format!(
        "{} runs of {} s each, {order}. Figures are medians over the rounds, as the tools report \
        them. An error is the difference from the record of the site, which measures from the \
        kernel's receive timestamp of a request to just before its response is sent.",
        matrix.runs.len(),
        matrix.seconds
    ));
    if matrix.users.len() > 1 {
        for rtt in &matrix.rtts_ms {
            page.chart(&chart(matrix, *rtt, ("Requests per second", "/s"), |row| row.per_s));
            page.chart(&chart(matrix, *rtt, ("Memory", "MB"), |row| Some(row.rss_mean_bytes? / 1e6)));
        }
    }
    for (words, rows) in blocks(matrix) {
        page.head(&words);
        page.table(&table(&rows));
        for why in failures(&rows) {
            page.note(&why);
        }
    }
    page.head("Tools");
    page.table(&tools(matrix));
    for line in absent(matrix) {
        page.text(&line);
    }
    page.html()
}

fn chart(
    matrix: &Matrix,
    rtt: f64,
    (name, unit): (&str, &str),
    figure: fn(&Row) -> Option<f64>,
) -> LineChart {
    let mut users = matrix.users.clone();
    users.sort_unstable();
    let levels: Vec<_> = users.iter().map(|users| (f64::from(*users), matrix.rows(rtt, *users))).collect();
    let series = matrix.tools.iter().filter_map(|tool| {
        let value = |(users, rows): &(f64, Vec<Row>)| {
            let row = rows.iter().find(|row| row.tool == tool.name)?;
            Some((*users, figure(row)?))
        };
        let points: Vec<_> = levels.iter().filter_map(value).collect();
        (!points.is_empty()).then(|| Series { name: tool.name.clone(), points, ..Series::default() })
    });
    LineChart {
        title: format!("{name} at a response delay of {rtt} ms"),
        across: "users".to_owned(),
        ticks: users.iter().map(|users| (f64::from(*users), users.to_string())).collect(),
        unit: unit.to_owned(),
        series: series.collect(),
        logarithmic: unit == "MB",
    }
}

fn tools(matrix: &Matrix) -> Table {
    let mut all = Table::new(["tool", "version", "program"]);
    for tool in matrix.tools.iter().filter(|tool| tool.program.is_some()) {
        let known = |text: &Option<String>| text.clone().unwrap_or_default();
        all.rows.push(vec![tool.name.clone(), known(&tool.version), known(&tool.program)]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::result::tests::matrix;

    #[test]
    fn what_tools_write_is_text() {
        let mut matrix = matrix();
        matrix.users.push(50);
        let html = html(&matrix);
        assert!(!html.contains("<core>") && html.contains("&lt;core&gt; dumped"), "{html}");
        assert_eq!((html.matches("<svg").count(), html.matches("<table>").count()), (2, 2));
        assert!(html.contains("oha not found"));
    }
}
