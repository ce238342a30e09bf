//! A sweep as tables: one a setting, as the article has them that the command is made after.

use std::fmt::Write;

use swell_report::number::{count, ms, rate};

use super::{Level, Surface};
use crate::limit::Limit;
use crate::table::Table;

/// A table a setting, with what went wrong under it.
pub fn text(surface: &Surface) -> String {
    let mut out = String::new();
    for setting in 0..surface.grid.combinations().len() {
        if surface.cells.iter().all(|cell| cell.setting != setting) {
            continue;
        }
        let words = surface.setting_words(setting);
        if !words.is_empty() {
            writeln!(out, "{words}").expect("a String takes it");
        }
        let levels = surface.levels(setting);
        if !levels.is_empty() {
            out += &table(surface, &levels).text();
        }
        if let Some(line) = surface.summary(setting) {
            writeln!(out, "{line}").expect("a String takes it");
        }
        for line in surface.limit(setting).iter().flat_map(limit_lines) {
            writeln!(out, "{line}").expect("a String takes it");
        }
        for (load, why) in surface.failures(setting) {
            let name = &surface.grid.load.name;
            let value = &surface.grid.load.values[load];
            writeln!(out, "at {name} {value}: {}", swell_report::plain_lines(why))
                .expect("a String takes it");
        }
        for note in notes(surface, &levels) {
            writeln!(out, "{note}").expect("a String takes it");
        }
        out.push('\n');
    }
    out
}

/// Whose limit it was, and what speaks for it.
pub(super) fn limit_lines(limit: &Limit) -> Vec<String> {
    let evidence = limit.evidence.iter().map(|line| format!("  {}", swell_report::plain(line)));
    std::iter::once(format!("limit: {}", limit.words)).chain(evidence).collect()
}

/// The figures of a setting, a row a load. Columns without figures are left out.
pub(super) fn table(surface: &Surface, levels: &[Level]) -> Table {
    let mut table = Table::new([
        &*surface.grid.load.name,
        "average ms",
        "throughput/s",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "errors",
        "run queue",
        "server CPU",
        "threads",
        "memory MB",
        "warm-up s",
        "verdict",
    ]);
    for level in levels {
        let of = &level.figures;
        let time = |value: Option<f64>| value.map(ms).unwrap_or_default();
        let range = level.per_s_range;
        let per_s = match level.rounds {
            1 => rate(of.per_s),
            _ => format!("{} ({} to {})", rate(of.per_s), rate(range.0), rate(range.1)),
        };
        table.rows.push(vec![
            surface.grid.load.values[level.load].clone(),
            time(of.mean_ms),
            per_s,
            time(of.p50_ms),
            time(of.p95_ms),
            time(of.p99_ms),
            if of.errors == 0 { "0".to_owned() } else { format!("{:.2} %", of.error_percent()) },
            of.run_queue.map(|tasks| format!("{tasks:.1}")).unwrap_or_default(),
            of.server_processors.map(|busy| format!("{busy:.2}")).unwrap_or_default(),
            of.server_threads.map(count).unwrap_or_default(),
            of.server_rss_bytes.map(|bytes| count(bytes / 1_000_000)).unwrap_or_default(),
            if of.is_steady { format!("{:.0}", of.warm_up_s) } else { "not steady".to_owned() },
            of.verdict.clone().unwrap_or_default(),
        ]);
    }
    table.without_empty_columns()
}

/// What failed and why the tool is in doubt, a line each.
pub(super) fn notes(surface: &Surface, levels: &[Level]) -> Vec<String> {
    let mut all = Vec::new();
    for level in levels {
        let name = &surface.grid.load.name;
        let value = &surface.grid.load.values[level.load];
        if let Some(error) = level.figures.error.as_ref().filter(|_| level.figures.errors > 0) {
            all.push(format!("{name} {value}: most samples failed with {}", swell_report::plain(error)));
        }
        if let (true, Some(limit)) = (level.figures.is_at_process_limit(), level.figures.server_process_limit)
        {
            all.push(format!(
                "{name} {value}: the server has all {limit} threads that its process limit allows \
                (ulimit -u)"
            ));
        }
        if let Some(why) = &level.figures.aborted {
            all.push(format!("{name} {value}: ended early, {}", swell_report::plain(why)));
        }
        if let Some(reason) = level.figures.reasons.first() {
            all.push(format!("{name} {value}: {}", swell_report::plain(reason)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::surface::tests::surface;

    #[test]
    fn a_limit_of_processes_is_told_where_it_is_reached() {
        let mut surface = surface();
        for (cell, threads) in surface.cells.iter_mut().zip([399, 120]) {
            let figures = cell.figures.as_mut().expect("measured");
            (figures.server_threads, figures.server_process_limit) = (Some(threads), Some(400));
        }
        let text = text(&surface);
        assert_eq!(text.matches("all 400 threads that its process limit allows").count(), 1, "{text}");
        assert!(text.contains("users 1000: the server has all"), "{text}");
    }

    #[test]
    fn a_table_a_setting() {
        let text = text(&surface());
        let lines: Vec<_> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines[0], "maxThreads 25");
        assert_eq!(lines[1], "users average ms throughput/s p99 ms errors run queue warm-up s verdict");
        assert_eq!(lines[3], "100 20.50 1,190 (1,150 to 1,210) 25.00 0 1.5 not steady VALID");
        assert!(lines.contains(&"at users 1000: the server exited with status 1".to_owned()), "{text}");
    }
}
