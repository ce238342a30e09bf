//! A matrix as a page.

use swell_report::number::rate;
use swell_report::page::{Bar, BarChart, Block, LineChart, PageKind, StudyPage, Unit, study_file};

use super::text::{absent, blocks, failures, table};
use super::{Matrix, Row};
use crate::chart::{Curve, chart, page_table};
use crate::table::Table;

/// The page as a file.
pub fn html(matrix: &Matrix) -> String {
    study_file(&page(matrix))
}

/// A figure that charts show.
struct Figure {
    name: &'static str,
    unit: Unit,
    /// It is a difference.
    signed: bool,
    of: fn(&Row) -> Option<f64>,
    text: fn(f64) -> String,
}

const FIGURES: [Figure; 3] = [
    Figure {
        name: "Requests per second",
        unit: Unit::PerS,
        signed: false,
        of: |row| row.per_s,
        text: |per_s| format!("{}/s", rate(per_s)),
    },
    Figure {
        name: "Error of the mean",
        unit: Unit::Share,
        signed: true,
        of: |row| row.mean_error,
        text: |part| format!("{:+.1} %", 100.0 * part),
    },
    Figure {
        name: "Memory",
        unit: Unit::Bytes,
        signed: false,
        of: |row| row.rss_mean_bytes,
        text: |bytes| format!("{:.1} MB", bytes / 1e6),
    },
];

/// Charts of requests a second, the error of the mean and memory, and all tables.
fn page(matrix: &Matrix) -> StudyPage {
    let mut page = StudyPage::new(PageKind::Matrix, "Load generators side by side", &*matrix.made_by);
    page.fact("Runs", format!("{} of {} s each", matrix.runs.len(), matrix.seconds));
    page.fact(
        "Order",
        match matrix.seed {
            Some(seed) => format!("random, from seed {seed}"),
            None => "as given".to_owned(),
        },
    );
    page.notes = absent(matrix);
    let meaning = "Figures are medians over the rounds, as the tools report them. An error is the difference from the \
        record of the site, which measures from the kernel's receive timestamp of a request to just before its response \
        is sent.";
    let mut first = vec![Block::text(meaning)];
    let is_over_users = matrix.users.len() > 1;
    if is_over_users {
        let charts = matrix
            .rtts_ms
            .iter()
            .flat_map(|rtt| FIGURES.iter().map(|figure| over_users(matrix, *rtt, figure)));
        first.extend(charts.filter(|chart| !chart.lines.is_empty()).map(Block::Lines));
    }
    page.section("Figures", first);
    for (words, rows) in blocks(matrix) {
        let bars = FIGURES.iter().filter(|_| !is_over_users).filter_map(|figure| bars(&rows, figure));
        let mut all: Vec<_> = bars.map(Block::Bars).collect();
        all.push(Block::Table(page_table(&words, table(&rows))));
        all.extend(failures(&rows).into_iter().map(Block::note));
        page.section(words, all);
    }
    page.section("Tools", vec![Block::Table(page_table("Tools", tools(matrix)))]);
    page
}

/// The figure of each tool at one load.
fn bars(rows: &[Row], figure: &Figure) -> Option<BarChart> {
    let bar = |row: &Row| {
        let value = (figure.of)(row)?;
        Some(Bar {
            name: row.tool.clone(),
            value: Some(value),
            interval: None,
            text: (figure.text)(value),
            tone: None,
        })
    };
    let bars: Vec<Bar> = rows.iter().filter_map(bar).collect();
    let title = figure.name.to_owned();
    (!bars.is_empty()).then_some(BarChart { title, signed: figure.signed, bars })
}

/// The figure of each tool over users, at a response delay; sizes of differences.
fn over_users(matrix: &Matrix, rtt: f64, figure: &Figure) -> LineChart {
    let levels: Vec<_> =
        matrix.users.iter().map(|users| (f64::from(*users), matrix.rows(rtt, *users))).collect();
    let curves = matrix.tools.iter().filter_map(|tool| {
        let point = |(users, rows): &(f64, Vec<Row>)| {
            let value = (figure.of)(rows.iter().find(|row| row.tool == tool.name)?)?;
            Some((*users, if figure.signed { value.abs() } else { value }))
        };
        let points: Vec<_> = levels.iter().filter_map(point).collect();
        (!points.is_empty()).then(|| Curve { name: tool.name.clone(), points, ..Curve::default() })
    });
    let name = if figure.signed { format!("{} (size)", figure.name) } else { figure.name.to_owned() };
    let title = format!("{name} at a response delay of {rtt} ms");
    chart(&title, "users", figure.unit, curves.collect(), |users| {
        if users < 1.5 { "1 user".to_owned() } else { format!("{users} users") }
    })
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
    use serde_json::json;

    #[test]
    fn one_load_has_bars_and_several_have_lines_over_users() {
        let mut matrix = matrix();
        let document = page(&matrix).document();
        assert_eq!(
            (&document["kind"], &document["notes"]),
            (&json!("matrix"), &json!(["oha not found: apt-get install oha"]))
        );
        let block = &document["sections"][1];
        assert_eq!(block["title"], "response delay 10 ms, 20 users");
        assert_eq!(
            block["blocks"][0]["bars"],
            json!([
                { "name": "siege", "value": 2500.0, "interval": null, "text": "2,500/s", "tone": null },
                { "name": "wrk", "value": 2000.0, "interval": null, "text": "2,000/s", "tone": null },
            ])
        );
        let error = &block["blocks"][1];
        assert_eq!((&error["signed"], &error["bars"][0]["text"]), (&json!(true), &json!("+10.0 %")));
        assert!(document.to_string().contains("siege: <core> dumped"), "{document}");
        assert!(!html(&matrix).contains("<core>"));
        matrix.users.push(50);
        let document = page(&matrix).document();
        let charts = document["sections"][0]["blocks"].as_array().expect("a list");
        let titles: Vec<_> = charts.iter().skip(1).map(|chart| &chart["title"]).collect();
        assert_eq!(
            titles,
            [
                "Requests per second at a response delay of 10 ms",
                "Error of the mean (size) at a response delay of 10 ms",
                "Memory at a response delay of 10 ms"
            ]
        );
        assert_eq!(charts[1]["lines"][0]["name"], "wrk");
    }
}
