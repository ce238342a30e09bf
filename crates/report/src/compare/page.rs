//! The page of a comparison.

use swell_stats::compare::{Change, Comparison, Finding, LabelComparison, Measure, Options};

use super::answer::{Answered, headline};
use super::changes::lines;
use super::rules::{ComparedRule, RuleResult, compared as compared_rules};
use super::text::within;
use super::{ComparedRuns, Difference, detection, figure, name, relative, word_of};
use crate::page::{Answer, Bar, BarChart, Block, PageKind, StudyPage, Table, TableCell, Tone, study_file};

/// Labels of a chart, at most: those that changed most.
const MOST_BARS: usize = 20;

/// The page as a file.
pub fn html(made_by: &str, compared: &ComparedRuns, comparison: &Comparison) -> String {
    study_file(&page(made_by, compared, comparison))
}

/// The result, the changes of each figure with their intervals, and the table of all labels.
pub fn page(made_by: &str, compared: &ComparedRuns, comparison: &Comparison) -> StudyPage {
    let title = format!("{} → {}", compared.before, compared.after);
    let mut page = StudyPage::new(PageKind::Compare, title, made_by);
    page.answer = Some(Answer {
        tone: Some(match Answered::of(compared, comparison) {
            Answered::Failed => Tone::Bad,
            Answered::Passed => Tone::Good,
            Answered::Unknown => Tone::Doubtful,
        }),
        headline: headline(compared, comparison),
        lines: lines(compared, comparison).into_iter().chain(changed_settings(compared)).collect(),
    });
    page.fact("From", &*compared.before);
    page.fact("To", &*compared.after);
    let (before, after) = comparison.total.samples;
    page.fact("Samples", format!("{before} → {after}"));
    page.fact("Measurement", compared.measurement());
    page.fact("Exit", &*compared.status);
    page.notes.clone_from(&compared.notes);
    let explanation = format!(
        "A change is larger than the noise of both runs; “same” means that the 95 % interval is within ±{} %; \
         everything else is unknown. Lines across the bars are 95 % intervals.",
        100.0 * compared.options.same_within
    );
    let charts = charts(comparison);
    page.section("Changes", charts.into_iter().map(Block::Bars).chain([Block::text(explanation)]).collect());
    page.section("Thresholds", rules(compared).into_iter().map(Block::Table).collect());
    page.section("Changed settings", settings(compared).into_iter().map(Block::Table).collect());
    page.section("Labels", vec![Block::Table(table(compared.options, comparison))]);
    let only = |labels: &[std::sync::Arc<str>], which: &str| {
        (!labels.is_empty()).then(|| Block::text(format!("Only in {which}: {}", labels.join(", "))))
    };
    let only =
        [only(&comparison.only_before, &compared.before), only(&comparison.only_after, &compared.after)];
    page.section("Labels of one run", only.into_iter().flatten().collect());
    page
}

fn tone(finding: Finding) -> Option<Tone> {
    match finding {
        Finding::Worse => Some(Tone::Bad),
        Finding::Better => Some(Tone::Good),
        Finding::Unknown => Some(Tone::Doubtful),
        Finding::Same => None,
    }
}

/// The figures of the total, then each figure by label.
fn charts(comparison: &Comparison) -> Vec<BarChart> {
    let relative_changes = |row: &LabelComparison| -> Vec<Change> {
        row.changes.iter().filter(|change| change.measure != Measure::ErrorPercent).cloned().collect()
    };
    let total = relative_changes(&comparison.total);
    let bars = total.iter().map(|change| bar(measure(change.measure).to_owned(), change)).collect();
    let mut charts = vec![chart("Change of the total".to_owned(), bars)];
    if comparison.labels.len() < 2 {
        return charts;
    }
    for (at, change) in comparison.total.changes.iter().enumerate() {
        let of_label = |row: &LabelComparison| Some((row.label.to_string(), row.changes.get(at)?.clone()));
        let mut rows: Vec<_> = comparison.labels.iter().filter_map(of_label).collect();
        let size = |change: &Change| change.change.map_or(0.0, f64::abs);
        rows.sort_by(|a, b| size(&b.1).total_cmp(&size(&a.1)));
        rows.truncate(MOST_BARS);
        if rows.iter().any(|(_, change)| size(change) > 0.0) {
            let bars = rows.into_iter().map(|(label, change)| bar(label, &change)).collect();
            charts.push(chart(format!("Change of {} by label", measure(change.measure)), bars));
        }
    }
    charts
}

fn chart(title: String, bars: Vec<Bar>) -> BarChart {
    BarChart { title, signed: true, bars }
}

fn bar(name: String, change: &Change) -> Bar {
    Bar {
        name,
        value: change.change,
        interval: change.interval,
        text: format!("{} {}", relative(change), word_of(change)),
        tone: tone(change.finding),
    }
}

/// The names of some settings that differ.
fn changed_settings(compared: &ComparedRuns) -> Option<String> {
    const MOST_NAMED: usize = 4;
    let names: Vec<_> = compared.settings.iter().map(|one| one.name.as_str()).collect();
    let named = names.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!names.is_empty()).then(|| format!("changed settings: {named}{more}"))
}

/// Thresholds of both runs; none without any.
fn rules(compared: &ComparedRuns) -> Option<Table> {
    let cell = |rule: Option<&RuleResult>| match rule {
        None => TableCell::Text("–".to_owned()),
        Some(rule) => {
            let (text, tone) = match (rule.passed, rule.all_failed) {
                (true, false) => ("passed", Some(Tone::Good)),
                (true, true) => ("passed (all failed)", Some(Tone::Doubtful)),
                (false, _) => ("failed", Some(Tone::Bad)),
            };
            TableCell::Rich { text: text.to_owned(), more: rule.text.clone(), tone }
        }
    };
    let row = |rule: ComparedRule<'_>| {
        let name = rule.after.or(rule.before).map(|rule| rule.rule.clone()).unwrap_or_default();
        let more = rule.change().unwrap_or_default();
        vec![TableCell::Rich { text: name, more, tone: None }, cell(rule.before), cell(rule.after)]
    };
    let rows: Vec<_> =
        compared_rules(&compared.rules_before, &compared.rules_after).into_iter().map(row).collect();
    (!rows.is_empty()).then(|| Table {
        caption: "Thresholds of both runs".to_owned(),
        head: vec!["threshold".to_owned(), compared.before.clone(), compared.after.clone()],
        rows,
    })
}

/// Settings that differ; none if none do.
fn settings(compared: &ComparedRuns) -> Option<Table> {
    let cell =
        |value: &str| TableCell::Text(if value.is_empty() { "–".to_owned() } else { value.to_owned() });
    let row = |one: &Difference| vec![cell(&one.name), cell(&one.before), cell(&one.after)];
    (!compared.settings.is_empty()).then(|| Table {
        caption: "Settings that differ".to_owned(),
        head: vec!["setting".to_owned(), compared.before.clone(), compared.after.clone()],
        rows: compared.settings.iter().map(row).collect(),
    })
}

fn measure(measure: Measure) -> &'static str {
    match measure {
        Measure::Mean => "the mean",
        Measure::P50 => "p50",
        Measure::P95 => "p95",
        Measure::P99 => "p99",
        Measure::Rate => "the rate",
        Measure::ErrorPercent => "the error rate",
    }
}

fn table(options: Options, comparison: &Comparison) -> Table {
    let names = comparison.total.changes.iter().map(|change| name(change.measure).to_owned());
    let row = |row: &LabelComparison| {
        let kind = if row.is_transaction { "transaction" } else { "" };
        let label = TableCell::Rich { text: row.label.to_string(), more: kind.to_owned(), tone: None };
        let samples = TableCell::Text(format!("{} → {}", row.samples.0, row.samples.1));
        [label, samples].into_iter().chain(row.changes.iter().map(|change| cell(options, change))).collect()
    };
    Table {
        caption: "Figures of both runs by label".to_owned(),
        head: ["label".to_owned(), "samples".to_owned()].into_iter().chain(names).collect(),
        rows: comparison.rows().map(row).collect(),
    }
}

fn cell(options: Options, change: &Change) -> TableCell {
    let interval = change.interval.map(|interval| within(change.measure == Measure::ErrorPercent, interval));
    let parts =
        [Some(format!("{} {}", relative(change), word_of(change))), interval, detection(options, change)];
    TableCell::Rich {
        text: format!("{} → {}", figure(change.before), figure(change.after)),
        more: parts.into_iter().flatten().collect::<Vec<_>>().join("\n"),
        tone: tone(change.finding),
    }
}
