//! A sweep as a page.

use swell_report::number::{ms, rate};

use super::text::{limit_lines, notes, table};
use super::{Figures, Level, Surface};
use crate::page::{HeatMap, LineChart, Page, Series};

/// The page: heat maps of throughput and of the 99th percentile, curves over the load with one line a setting, the table of each
/// setting.
pub fn html(surface: &Surface) -> String {
    let title = format!("Sweep of {}", surface.subject);
    let mut page = Page::new(&title, &surface.made_by);
    page.text(&about(surface));
    if let Some(server) = &surface.server {
        page.text(&format!("Server: {server}"));
    }
    let settings: Vec<_> =
        (0..surface.grid.combinations().len()).map(|setting| surface.levels(setting)).collect();
    page.head("Throughput, samples per second");
    page.heat(&heat(surface, &settings, |of| Some(of.per_s), rate));
    page.chart(&chart(surface, &settings, ("Throughput", "/s"), |of| Some(of.per_s)));
    page.head("99th percentile, milliseconds");
    page.heat(&heat(surface, &settings, |of| of.p99_ms, ms));
    page.chart(&chart(surface, &settings, ("99th percentile", "ms"), |of| of.p99_ms));
    for (setting, levels) in settings.iter().enumerate() {
        let words = surface.setting_words(setting);
        page.head(if words.is_empty() { "Figures" } else { &words });
        page.table(&table(surface, levels));
        if let Some(line) = surface.summary(setting) {
            page.text(&line);
        }
        if let Some(limit) = surface.limit(setting) {
            page.note(&limit_lines(&limit).join("\n"));
        }
        for (load, why) in surface.failures(setting) {
            page.note(&format!("At {} {}: {why}", surface.grid.load.name, surface.grid.load.values[load]));
        }
        for note in notes(surface, levels) {
            page.text(&note);
        }
    }
    page.html()
}

fn about(surface: &Surface) -> String {
    let order = match surface.seed {
        Some(seed) => format!("in an order drawn from seed {seed}"),
        None => "in the order given".to_owned(),
    };
    format!(
        "{} cells of {} s each, {order}. Figures are those of the steady part of each cell; with \
        several rounds, the middle one is shown.",
        surface.cells.len(),
        surface.each_s
    )
}

fn heat(
    surface: &Surface,
    settings: &[Vec<Level>],
    figure: fn(&Figures) -> Option<f64>,
    number: fn(f64) -> String,
) -> HeatMap {
    let row = |(setting, levels): (usize, &Vec<Level>)| {
        let cell = |load: usize| {
            let level = levels.iter().find(|level| level.load == load)?;
            figure(&level.figures).map(|value| (value, number(value)))
        };
        (surface.setting_words(setting), (0..surface.grid.load.values.len()).map(cell).collect())
    };
    HeatMap {
        corner: surface.grid.load.name.clone(),
        columns: surface.grid.load.values.clone(),
        rows: settings.iter().enumerate().map(row).collect(),
    }
}

fn chart(
    surface: &Surface,
    settings: &[Vec<Level>],
    (name, unit): (&str, &str),
    figure: fn(&Figures) -> Option<f64>,
) -> LineChart {
    let load = &surface.grid.load;
    // Loads that are no numbers stand one after the other.
    let places = load.numbers().unwrap_or_else(|| (0..load.values.len()).map(|at| at as f64).collect());
    let mut ticks: Vec<_> = places.iter().copied().zip(load.values.iter().cloned()).collect();
    ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
    let series = settings.iter().enumerate().map(|(setting, levels)| {
        let point = |level: &Level| Some((places[level.load], figure(&level.figures)?));
        let mut points: Vec<_> = levels.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let knee = surface.knee(setting);
        let mark = knee.map(|(at, _)| {
            let place = Surface::load_words(at);
            (at, format!("knee of {} at {} {place}", surface.setting_words(setting), load.name))
        });
        Series {
            name: surface.setting_words(setting),
            points,
            marks: mark.into_iter().collect(),
            ..Series::default()
        }
    });
    LineChart {
        title: format!("{name} over {}", load.name),
        across: load.name.clone(),
        ticks,
        unit: unit.to_owned(),
        series: series.collect(),
        logarithmic: unit == "ms",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::surface::tests::surface;

    #[test]
    fn settings_are_texts_and_each_has_a_line_and_a_table() {
        let html = html(&surface());
        assert!(!html.contains("<5000>") && html.contains("maxThreads &lt;5000&gt;"), "{html}");
        assert_eq!((html.matches("<svg").count(), html.matches("class=\"heat\"").count()), (2, 2));
        assert_eq!(html.matches("<table>").count(), 2);
        assert!(html.contains("the server exited with status 1"));
    }
}
