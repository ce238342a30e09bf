//! Custom figures as text and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use swell_stats::{FigureRow, FigureStats, QUANTILES, Summary};

use crate::label::{fit, pad, width};
use crate::line::line;
use crate::number::{count, without_zeros};
use crate::plain::plain;
use crate::styled::{Role, Styled};

/// Columns of names, at least, and of labels on a terminal.
const NAME: usize = 24;

/// Labels of a figure that a terminal shows.
const MOST_LABELS: usize = 10;

/// A table of all figures; those of labels are below the figure, if several labels have it. Nothing
/// without figures. `is_short`: labels are cut.
pub(crate) fn table(summary: &Summary, is_short: bool, out: &mut Styled) {
    if summary.figures.is_empty() {
        return;
    }
    let mut lines: Vec<(String, &FigureStats)> = Vec::new();
    let mut left_out = 0;
    for of_name in summary.figures.chunk_by(|a, b| a.name == b.name) {
        let (labels, all): (Vec<_>, Vec<_>) = of_name.iter().partition(|row| row.label.is_some());
        let shown = if labels.len() > 1 || all.is_empty() { labels.len().min(MOST_LABELS) } else { 0 };
        left_out += if shown == 0 { 0 } else { labels.len() - shown };
        lines.extend(all.iter().map(|row| (row.name.to_string(), &row.stats)));
        for row in &labels[..shown] {
            let label = plain(row.label.as_deref().unwrap_or_default());
            let label = fit(&[&label], is_short.then_some(NAME - 2)).concat();
            let name = if all.is_empty() { format!("{}, {label}", row.name) } else { format!("  {label}") };
            lines.push((name, &row.stats));
        }
    }
    let column = lines.iter().map(|(name, _)| width(name)).max().unwrap_or(0).max(NAME);
    let heads = ["mean", "min", "p50", "p95", "max"].map(|head| format!("{head:>9}")).concat();
    line!(out);
    out.push(Role::Head, &format!("{}{:>10}{heads}", pad("figures", column), "values"));
    line!(out);
    for (name, stats) in &lines {
        let values = [stats.mean(), stats.min(), stats.quantile(0.5), stats.quantile(0.95), stats.max()];
        let values =
            values.map(|value| format!(" {:>8}", value.map_or_else(|| "-".to_owned(), number))).concat();
        line!(out, "{}{:>10}{values}", pad(name, column), count(stats.count()));
    }
    let wrong = summary.figures.iter().filter(|row| row.label.is_none() && row.stats.not_numbers > 0);
    for row in wrong {
        match row.stats.not_numbers {
            1 => line!(out, "{}: 1 text is not a number, and is not counted", row.name),
            texts => line!(out, "{}: {} texts are not numbers, and are not counted", row.name, count(texts)),
        }
    }
    if left_out > 0 {
        line!(out, "{left_out} more labels are in the summary");
    }
}

/// A value with about four digits, without trailing zeros.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 1.0 => 2,
        _ => 4,
    };
    let text = format!("{value:.decimals$}");
    match without_zeros(&text) {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

/// All figures as JSON.
pub(crate) fn json(summary: &Summary) -> Value {
    summary.figures.iter().map(of_row).collect()
}

fn of_row(row: &FigureRow) -> Value {
    let stats = &row.stats;
    let mut value = json!({
        "name": row.name.as_str(),
        "label": row.label,
        "kind": match (&row.label, row.is_transaction) {
            (None, _) => "total",
            (_, true) => "transaction",
            (_, false) => "sample",
        },
        "count": stats.count(),
        "not_numbers": stats.not_numbers,
        "sum": stats.sum(),
        "mean": stats.mean(),
        "min": stats.min(),
        "max": stats.max(),
    });
    for quantile in QUANTILES {
        let percent = (quantile * 1000.0).round() / 10.0;
        value[format!("p{percent}")] = json!(stats.quantile(quantile));
    }
    value
}

#[cfg(test)]
mod tests {
    use swell_stats::{FigureName, FigureOf, FigureValue, Observation, Recorder};

    use super::*;

    fn summary(values: &[(&str, &str, &str)]) -> Summary {
        let mut recorder = Recorder::default();
        for (label, name, value) in values {
            recorder.record(&Observation { label, success: true, ..Observation::default() });
            let of = FigureOf { label, is_transaction: false, is_part: false };
            recorder.record_figure(of, FigureName::new(name).expect("a name"), FigureValue::parse(value));
        }
        Summary::of(&recorder.take_interval())
    }

    #[test]
    fn figures_are_a_table_with_labels_where_several_have_them() {
        let found = summary(&[
            ("pay", "order_total", "12.5"),
            ("pay", "order_total", "-1"),
            ("refund", "order_total", "x"),
            ("refund", "order_total", "4000"),
            ("pay", "depth", "3"),
        ]);
        let mut out = Styled::default();
        table(&found, true, &mut out);
        let wanted = "
figures                     values     mean      min      p50      p95      max
depth                            1        3        3        3        3        3
order_total                      3     1337       -1     12.5     4000     4000
  pay                            2     5.75       -1       -1     12.5     12.5
  refund                         1     4000     4000     4000     4000     4000
order_total: 1 text is not a number, and is not counted
";
        assert_eq!(&*out, wanted);
        assert!(out.lines().all(|line| line.len() <= 80));
        let mut none = Styled::default();
        table(&summary(&[]), true, &mut none);
        assert_eq!(&*none, "");
    }

    #[test]
    fn json_has_figures_of_all_samples_and_of_labels() {
        let found = json(&summary(&[("pay", "total", "2.5"), ("pay", "total", "x")]));
        assert_eq!(found.as_array().map(Vec::len), Some(2));
        assert_eq!((&found[0]["label"], &found[0]["kind"]), (&Value::Null, &json!("total")));
        assert_eq!(found[1]["label"], "pay");
        for row in [&found[0], &found[1]] {
            let values = ["count", "not_numbers", "sum", "mean", "min", "p50", "p99.9", "max"]
                .map(|name| row[name].as_f64());
            assert_eq!(values, [1.0, 1.0, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5].map(Some));
        }
        let none = json(&summary(&[("pay", "total", "x")]));
        assert_eq!((&none[0]["count"], &none[0]["mean"]), (&json!(0), &Value::Null));
    }
}
