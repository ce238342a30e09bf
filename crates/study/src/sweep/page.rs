//! A sweep as a page.

use swell_report::number::rate;
use swell_report::page::{
    Answer, Block, HeatMap, HeatRow, LineChart, PageKind, StudyPage, Tone, Unit, study_file,
};

use super::text::{limit_lines, notes, table};
use super::{Figures, Level, Surface};
use crate::chart::{Curve, chart, page_table};

/// The page as a file.
pub fn html(surface: &Surface) -> String {
    study_file(&page(surface))
}

/// Heat maps of throughput and of the 99th percentile, curves over the load with one line a
/// setting, the table of each setting.
pub(super) fn page(surface: &Surface) -> StudyPage {
    let title = format!("Sweep of {}", surface.subject);
    let mut page = StudyPage::new(PageKind::Sweep, title, &*surface.made_by);
    let settings: Vec<_> =
        (0..surface.grid.combinations().len()).map(|setting| surface.levels(setting)).collect();
    page.answer = answer(surface, settings.len());
    page.fact("Server", surface.server.clone().unwrap_or_default());
    page.fact("Cells", format!("{} of {} s each", surface.cells.len(), surface.each_s));
    page.fact(
        "Order",
        match surface.seed {
            Some(seed) => format!("random, from seed {seed}"),
            None => "as given".to_owned(),
        },
    );
    let steady =
        "Figures are those of the steady part of each cell; with several rounds, the middle one is shown.";
    page.section(
        "Throughput",
        vec![
            Block::text(steady),
            Block::Heat(heat(surface, &settings, ("Throughput", Unit::PerS), |of| Some(of.per_s))),
            Block::Lines(lines(surface, &settings, ("Throughput", Unit::PerS), |of| Some(of.per_s))),
        ],
    );
    page.section(
        "99th percentile",
        vec![
            Block::Heat(heat(surface, &settings, ("99th percentile", Unit::Ms), |of| of.p99_ms)),
            Block::Lines(lines(surface, &settings, ("99th percentile", Unit::Ms), |of| of.p99_ms)),
        ],
    );
    for (setting, levels) in settings.iter().enumerate() {
        let words = surface.setting_words(setting);
        let title = if words.is_empty() { "Figures".to_owned() } else { words };
        page.section(title.clone(), setting_blocks(surface, setting, levels, &title));
    }
    page
}

/// The setting with the most throughput, then each in a line.
fn answer(surface: &Surface, settings: usize) -> Option<Answer> {
    let named = |setting: usize, text: &str| match surface.setting_words(setting) {
        words if words.is_empty() => text.to_owned(),
        words => format!("{words}: {text}"),
    };
    let works = |setting: &usize| surface.nothing_worked(*setting).is_none();
    let most = (0..settings).filter(works).filter_map(|setting| Some((setting, surface.most(setting)?)));
    let best = most.max_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let lines =
        (0..settings).filter_map(|setting| Some(named(setting, &surface.summary(setting)?))).collect();
    let Some((setting, (load, per_s))) = best else {
        let why = (0..settings).find_map(|setting| surface.nothing_worked(setting))?;
        return Some(Answer { tone: Some(Tone::Bad), headline: why, lines });
    };
    let text = format!("{}/s at {} {load}", rate(per_s), surface.grid.load.name);
    let headline = match surface.setting_words(setting) {
        words if words.is_empty() => format!("highest throughput: {text}"),
        words => format!("highest throughput: {text}, with {words}"),
    };
    Some(Answer { tone: None, headline, lines })
}

fn setting_blocks(surface: &Surface, setting: usize, levels: &[Level], title: &str) -> Vec<Block> {
    let mut blocks = vec![Block::Table(page_table(title, table(surface, levels)))];
    blocks.extend(surface.summary(setting).map(Block::text));
    blocks.extend(surface.limit(setting).map(|limit| Block::note(limit_lines(&limit).join("\n"))));
    let load = &surface.grid.load;
    let failures = surface.failures(setting);
    blocks.extend(
        failures
            .into_iter()
            .map(|(at, why)| Block::note(format!("At {} {}: {why}", load.name, load.values[at]))),
    );
    blocks.extend(notes(surface, levels).into_iter().map(Block::text));
    blocks
}

/// The setting; without settings, the figure.
fn line_name(surface: &Surface, setting: usize, title: &str) -> String {
    let words = surface.setting_words(setting);
    if words.is_empty() { title.to_lowercase() } else { words }
}

fn heat(
    surface: &Surface,
    settings: &[Vec<Level>],
    (title, unit): (&str, Unit),
    figure: fn(&Figures) -> Option<f64>,
) -> HeatMap {
    let row = |(setting, levels): (usize, &Vec<Level>)| {
        let value = |load: usize| figure(&levels.iter().find(|level| level.load == load)?.figures);
        let values = (0..surface.grid.load.values.len()).map(value).collect();
        HeatRow { name: line_name(surface, setting, title), values }
    };
    HeatMap {
        title: format!("{title} by setting and {}", surface.grid.load.name),
        across: surface.grid.load.name.clone(),
        unit,
        columns: surface.grid.load.values.clone(),
        rows: settings.iter().enumerate().map(row).collect(),
    }
}

fn lines(
    surface: &Surface,
    settings: &[Vec<Level>],
    (title, unit): (&str, Unit),
    figure: fn(&Figures) -> Option<f64>,
) -> LineChart {
    let load = &surface.grid.load;
    // Loads that are not numbers follow each other at even distances.
    let places = load.numbers().unwrap_or_else(|| (0..load.values.len()).map(|at| at as f64).collect());
    let curve = |(setting, levels): (usize, &Vec<Level>)| {
        let words = surface.setting_words(setting);
        let point = |level: &Level| Some((places[level.load], figure(&level.figures)?));
        let mark = |(at, _)| {
            let of = if words.is_empty() { String::new() } else { format!(" of {words}") };
            (at, format!("knee{of} at {} {}", load.name, Surface::load_words(at)))
        };
        Curve {
            points: levels.iter().filter_map(point).collect(),
            marks: surface.knee(setting).map(mark).into_iter().collect(),
            name: line_name(surface, setting, title),
            computed: false,
        }
    };
    let curves = settings.iter().enumerate().map(curve).collect();
    chart(&format!("{title} over {}", load.name), &load.name, unit, curves, |x| {
        let at = places.iter().position(|place| (place - x).abs() < 1e-9).unwrap_or_default();
        load.values.get(at).cloned().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::surface::tests::surface;
    use serde_json::json;

    #[test]
    fn each_setting_has_a_line_a_row_and_a_table() {
        let document = page(&surface()).document();
        assert_eq!(document["kind"], "sweep");
        let throughput = &document["sections"][0]["blocks"];
        let heat = &throughput[1];
        assert_eq!(
            (&heat["block"], &heat["columns"]),
            (&json!("heat"), &json!(["10", "100", "1000"])),
            "{heat}"
        );
        let names: Vec<_> = heat["rows"].as_array().expect("rows").iter().map(|row| &row["name"]).collect();
        assert_eq!(names, [&json!("maxThreads 25"), &json!("maxThreads <5000>")]);
        assert_eq!(throughput[2]["lines"].as_array().map(Vec::len), Some(2));
        let titles: Vec<_> = document["sections"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|section| &section["title"])
            .collect();
        assert_eq!(titles, ["Throughput", "99th percentile", "maxThreads 25", "maxThreads <5000>"]);
        assert!(
            document.to_string().contains("At users 1000: the server exited with status 1"),
            "{document}"
        );
        assert!(!html(&surface()).contains("<5000>"));
    }
}
