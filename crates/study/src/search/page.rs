//! A search as a page.

use super::text::{evidence, table};
use super::{Found, Row};
use crate::page::{LineChart, Page, Series};

/// The page: the answer in words for a developer, curves over the load, every trial.
pub fn html(found: &Found) -> String {
    let mut page = Page::new(&format!("Breaking point of {}", found.subject), &found.made_by);
    if let Some(answer) = &found.answer {
        let mut words = format!("{} {}", found.subject, answer.words);
        for line in evidence(found, answer) {
            words.extend(["\n", &*line]);
        }
        page.note(&words);
    }
    page.text(&format!(
        "{} trials in {:.0} s, arrivals drawn from seed {}. A trial that is void says nothing of the server; ~ marks one that had too few samples to be sure.",
        found.trials.len(),
        found.took_s,
        found.seed
    ));
    page.head("Throughput");
    page.chart(&chart(
        found,
        "Throughput",
        "/s",
        false,
        &[("samples a second", &|row| Some(row.level.per_s))],
    ));
    page.head("Times");
    let times: [Figure<'_>; 3] =
        [("p50", &|row| row.p50_ms), ("p95", &|row| row.p95_ms), ("p99", &|row| row.p99_ms)];
    page.chart(&chart(found, "Times", "ms", true, &times));
    page.head("Trials in their order");
    page.table(&table(found, true));
    if let Some(answer) = found.answer.as_ref().filter(|answer| !answer.classes.is_empty()) {
        let classes: Vec<_> = answer
            .classes
            .iter()
            .map(|(load, class)| format!("{} {class}", found.load_words(*load)))
            .collect();
        page.text(&format!(
            "Loads that are settled by their own trials alone (RFC 9971): {}.",
            classes.join(", ")
        ));
    }
    found.notes.iter().for_each(|note| page.note(note));
    page.html()
}

type Figure<'a> = (&'a str, &'a dyn Fn(&Row) -> Option<f64>);

fn chart(found: &Found, title: &str, unit: &str, logarithmic: bool, figures: &[Figure<'_>]) -> LineChart {
    let mut rows: Vec<&Row> = found.trials.iter().filter(|row| row.outcome != "void").collect();
    rows.sort_by(|a, b| a.load.total_cmp(&b.load));
    let answer = found.answer.as_ref();
    let series = figures.iter().enumerate().map(|(at, (name, figure))| Series {
        name: (*name).to_owned(),
        points: rows.iter().filter_map(|row| Some((row.load, figure(row)?))).collect(),
        mark: answer.filter(|_| at == 0).and_then(|answer| Some((answer.holds?, "holds".to_owned()))),
    });
    let series = series.collect();
    LineChart {
        title: format!("{title} over {}", found.varied),
        across: found.varied.clone(),
        ticks: ticks(&rows, found),
        unit: unit.to_owned(),
        series,
        logarithmic,
    }
}

/// Loads that are far enough apart to be read.
fn ticks(rows: &[&Row], found: &Found) -> Vec<(f64, String)> {
    let most = rows.last().map_or(0.0, |row| row.load);
    let mut ticks: Vec<(f64, String)> = Vec::new();
    for row in rows {
        if ticks.last().is_none_or(|(last, _)| row.load - last > 0.09 * most) {
            ticks.push((row.load, found.load_words(row.load)));
        }
    }
    ticks
}
