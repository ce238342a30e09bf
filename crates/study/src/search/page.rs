//! A search as a page.

use swell_report::number::rate;
use swell_report::page::{Answer, Block, LineChart, PageKind, StudyPage, Tone, Unit, study_file};
use swell_stats::capacity::TrialOutcome;

use super::text::{evidence, table};
use super::{Law, Row, SearchReport, Slo};
use crate::chart::{Curve, chart, page_table};

/// The page as a file.
pub fn html(found: &SearchReport) -> String {
    study_file(&page(found))
}

/// The answer with what it is based on, curves over the load, every trial.
fn page(found: &SearchReport) -> StudyPage {
    let mut page =
        StudyPage::new(PageKind::Search, format!("Breaking point of {}", found.subject), &*found.made_by);
    page.answer = found.answer.as_ref().map(|answer| Answer {
        tone: found.nothing_works().map(|_| Tone::Bad),
        headline: format!("{} {}", found.subject, answer.words),
        lines: evidence(found, answer),
    });
    page.fact("Load", &*found.varied);
    page.fact("Objectives", found.rules.join(", "));
    page.fact("Trials", format!("{} in {:.0} s", found.trials.len(), found.took_s));
    page.fact("Random seed", found.seed.to_string());
    page.notes.clone_from(&found.notes);
    let charts = vec![Block::Lines(throughput(found)), Block::Lines(times(found))];
    page.section("Throughput and times", charts);
    let mut trials = vec![
        Block::text(
            "A void trial does not count for or against the server; ~ marks a trial with too few samples to be \
             certain.",
        ),
        Block::Table(page_table("Trials in order", table(found, true))),
    ];
    if let Some(answer) = found.answer.as_ref().filter(|answer| !answer.classes.is_empty()) {
        let class = |(load, class): &(f64, &str)| format!("{} {class}", found.load_words(*load));
        let classes: Vec<_> = answer.classes.iter().map(class).collect();
        trials.push(Block::text(format!(
            "Loads decided by their own trials alone (RFC 9971): {}.",
            classes.join(", ")
        )));
    }
    page.section("Trials in order", trials);
    page
}

/// The points of a figure of all trials that count.
fn points(found: &SearchReport, figure: fn(&Row) -> Option<f64>) -> Vec<(f64, f64)> {
    let counted = found.trials.iter().filter(|row| row.outcome != TrialOutcome::Void);
    counted.filter_map(|row| Some((row.load, figure(row)?))).collect()
}

fn holds(found: &SearchReport) -> Vec<(f64, String)> {
    let holds = found.answer.as_ref().and_then(|answer| answer.holds);
    holds.map(|load| (load, format!("holds {}", found.load_words(load)))).into_iter().collect()
}

/// A figure of a load; none where too few samples support it.
type Figure = fn(&Row) -> Option<f64>;

/// Percentiles, with the objectives of all samples.
fn times(found: &SearchReport) -> LineChart {
    let figures: [(&str, Figure); 3] =
        [("p50", |row| row.p50_ms), ("p95", |row| row.p95_ms), ("p99", |row| row.p99_ms)];
    let curve = |(name, figure)| Curve {
        name: String::from(name),
        points: points(found, figure),
        marks: if name == "p50" { holds(found) } else { Vec::new() },
        computed: false,
    };
    let curves = figures.into_iter().map(curve).collect();
    let limit = |rule: &String| Some((Slo::parse(rule).ok()?.limit_ms_of_all()?, rule.clone()));
    let limits = found.rules.iter().filter_map(limit).collect();
    let times = chart("Times", &found.varied, Unit::Ms, curves, |load| found.load_words(load));
    LineChart { limits, ..times }
}

/// With the knee, and the law with its peak where there is one.
fn throughput(found: &SearchReport) -> LineChart {
    let mut measured = Curve {
        name: "throughput".to_owned(),
        points: points(found, |row| Some(row.level.per_s)),
        marks: holds(found),
        computed: false,
    };
    let answer = found.answer.as_ref();
    let knee = answer.and_then(|answer| answer.knee);
    measured.marks.extend(
        knee.map(|(load, per_s)| (load, format!("knee at {}: {}/s", found.load_words(load), rate(per_s)))),
    );
    let law = answer.and_then(|answer| answer.usl.as_ref()).map(|law| law_curve(law, &measured.points));
    let curves = [measured].into_iter().chain(law).collect();
    chart("Throughput", &found.varied, Unit::PerS, curves, |load| found.load_words(load))
}

/// The law from one user to the most that were tried, at each load that was measured and between
/// them.
fn law_curve(law: &Law, measured: &[(f64, f64)]) -> Curve {
    const STEPS: u32 = 60;
    let most = measured.iter().map(|point| point.0).fold(1.0, f64::max);
    let between = (0..=STEPS).map(|step| 1.0 + (most - 1.0) * f64::from(step) / f64::from(STEPS));
    let mut loads: Vec<f64> = between.chain(measured.iter().map(|point| point.0)).collect();
    loads.sort_unstable_by(f64::total_cmp);
    loads.dedup();
    let bounds = law.peak_bounds.map(|(low, high)| format!(", {low:.0} to {high:.0}")).unwrap_or_default();
    Curve {
        name: "Universal Scalability Law".to_owned(),
        points: loads.into_iter().map(|load| (load, law.throughput(load))).collect(),
        marks: vec![(law.peak, format!("highest throughput at {:.0} users{bounds}", law.peak))],
        computed: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Law, SearchAnswer, Vary};
    use serde_json::json;
    use swell_stats::capacity::Goal;

    #[test]
    fn a_page_has_the_answer_and_curves_with_the_knee_and_the_law_with_its_peak() {
        let goal = Goal::between(1.0, 100.0);
        let rules = vec!["p(99)<1s".to_owned()];
        let mut found = SearchReport::new("Swell", "http://a/", goal, Vary::Users, rules, 1);
        let law = Law {
            lambda: 50.0,
            sigma: 0.02,
            kappa: 0.001,
            peak: 31.3,
            peak_bounds: Some((28.0, 35.0)),
            r_squared: 0.99,
        };
        found.answer = Some(SearchAnswer {
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
        let document = page(&found).document();
        assert_eq!((&document["kind"], &document["answer"]["tone"]), (&json!("search"), &json!(null)));
        assert_eq!(document["answer"]["headline"], "http://a/ holds 40 users");
        assert_eq!(document["facts"][1], json!(["Objectives", "p(99)<1s"]));
        let chart = &document["sections"][0]["blocks"][0];
        assert_eq!(
            chart["lines"][0]["marks"],
            json!([[40.0, "holds 40 users"], [25.0, "knee at 25 users: 1,220/s"]])
        );
        assert_eq!(chart["lines"][1]["marks"], json!([[31.3, "highest throughput at 31 users, 28 to 35"]]));
        assert_eq!((&chart["lines"][1]["computed"], &chart["unit"]), (&json!(true), &json!("per_s")));
        let times = &document["sections"][0]["blocks"][1];
        assert_eq!(times["limits"], json!([[1000.0, "p(99)<1s"]]));
        assert_eq!((&times["logarithmic"], times["lines"].as_array().map(Vec::len)), (&json!(true), Some(3)));
    }
}
