//! A search as a page.

use swell_report::number::rate;
use swell_stats::capacity::Outcome;

use super::text::{evidence, table};
use super::{Row, SearchReport};
use crate::page::{LineChart, Page, Series};

/// The page: the answer as text for a developer, curves over the load, every trial.
pub fn html(found: &SearchReport) -> String {
    let mut page = Page::new(&format!("Breaking point of {}", found.subject), &found.made_by);
    if let Some(answer) = &found.answer {
        let mut words = format!("{} {}", found.subject, answer.words);
        for line in evidence(found, answer) {
            words.extend(["\n", &*line]);
        }
        page.note(&words);
    }
    page.text(&format!(
        "{} trials in {:.0} s, random seed {}. A void trial does not count for or against the \
        server; ~ marks a trial with too few samples to be certain.",
        found.trials.len(),
        found.took_s,
        found.seed
    ));
    page.head("Throughput");
    page.chart(&throughput(found));
    page.head("Times");
    let times: [Figure<'_>; 3] =
        [("p50", &|row| row.p50_ms), ("p95", &|row| row.p95_ms), ("p99", &|row| row.p99_ms)];
    page.chart(&chart(found, "Times", "ms", true, &times));
    page.head("Trials in order");
    page.table(&table(found, true));
    if let Some(answer) = found.answer.as_ref().filter(|answer| !answer.classes.is_empty()) {
        let classes: Vec<_> = answer
            .classes
            .iter()
            .map(|(load, class)| format!("{} {class}", found.load_words(*load)))
            .collect();
        page.text(&format!("Loads decided by their own trials alone (RFC 9971): {}.", classes.join(", ")));
    }
    found.notes.iter().for_each(|note| page.note(note));
    page.html()
}

type Figure<'a> = (&'a str, &'a dyn Fn(&Row) -> Option<f64>);

fn chart(
    found: &SearchReport,
    title: &str,
    unit: &str,
    logarithmic: bool,
    figures: &[Figure<'_>],
) -> LineChart {
    let mut rows: Vec<&Row> = found.trials.iter().filter(|row| row.outcome != Outcome::Void).collect();
    rows.sort_by(|a, b| a.load.total_cmp(&b.load));
    let holds = found.answer.as_ref().and_then(|answer| answer.holds);
    let series = figures.iter().enumerate().map(|(at, (name, figure))| Series {
        name: (*name).to_owned(),
        points: rows.iter().filter_map(|row| Some((row.load, figure(row)?))).collect(),
        marks: holds.filter(|_| at == 0).map(|load| (load, "holds".to_owned())).into_iter().collect(),
        ..Series::default()
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

/// With the knee, and the law with its peak where there is one.
fn throughput(found: &SearchReport) -> LineChart {
    let figure: [Figure<'_>; 1] = [("samples per second", &|row| Some(row.level.per_s))];
    let mut chart = chart(found, "Throughput", "/s", false, &figure);
    let Some(answer) = &found.answer else { return chart };
    let knee = answer
        .knee
        .map(|(load, per_s)| (load, format!("knee at {}: {}/s", found.load_words(load), rate(per_s))));
    chart.series[0].marks.extend(knee);
    if let Some(law) = &answer.usl {
        const STEPS: u32 = 60;
        let most = found.trials.iter().map(|row| row.load).fold(0.0, f64::max);
        let point = |step: u32| 1.0 + (most - 1.0) * f64::from(step) / f64::from(STEPS);
        let bounds =
            law.peak_bounds.map(|(low, high)| format!(", {low:.0} to {high:.0}")).unwrap_or_default();
        chart.series.push(Series {
            name: "Universal Scalability Law".to_owned(),
            points: (0..=STEPS).map(point).map(|users| (users, law.throughput(users))).collect(),
            marks: vec![(law.peak, format!("highest throughput at {:.0} users{bounds}", law.peak))],
            computed: true,
        });
    }
    chart
}

/// Loads that are far enough apart to be read.
fn ticks(rows: &[&Row], found: &SearchReport) -> Vec<(f64, String)> {
    let most = rows.last().map_or(0.0, |row| row.load);
    let mut ticks: Vec<(f64, String)> = Vec::new();
    for row in rows {
        if ticks.last().is_none_or(|(last, _)| row.load - last > 0.09 * most) {
            ticks.push((row.load, found.load_words(row.load)));
        }
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Answer, Law, Vary};
    use swell_stats::capacity::Goal;

    #[test]
    fn curves_have_the_knee_and_the_law_with_its_peak() {
        let goal = Goal::between(1.0, 100.0);
        let mut found =
            SearchReport::new("Swell", "http://a/", goal, Vary::Users, vec!["p(99)<1s".to_owned()], 1);
        let law = Law {
            lambda: 50.0,
            sigma: 0.02,
            kappa: 0.001,
            peak: 31.3,
            peak_bounds: Some((28.0, 35.0)),
            r_squared: 0.99,
        };
        found.answer = Some(Answer {
            holds: Some(40.0),
            fails: Some(42.0),
            likely: 41.0,
            probability: 0.97,
            words: "holds 40 users".to_owned(),
            limit: None,
            knee: Some((25.0, 1220.0)),
            usl: Some(law),
            memory: None,
            classes: Vec::new(),
        });
        let html = html(&found);
        for words in
            ["<title>holds</title>", "knee at 25 users: 1,220/s", "highest throughput at 31 users, 28 to 35"]
        {
            assert!(html.contains(words), "{words} in {html}");
        }
        assert_eq!(html.matches("<path class=\"curve computed\"").count(), 1, "{html}");
    }
}
