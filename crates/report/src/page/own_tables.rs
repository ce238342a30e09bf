//! Tables of custom figures and of groups of labels.

use swell_stats::threshold::Group;
use swell_stats::{FigureRow, FigureStats, LabelStats, Snapshot, SummaryRow};

use super::study::{Table, TableCell};
use crate::figures::number;
use crate::number::count;
use crate::plain::plain;
use crate::text::Column;

/// Rows of a table at most.
const MOST_ROWS: usize = 200;

/// Columns of a group of labels, with their heads.
const OF_GROUPS: [(Column, &str); 9] = [
    (Column::Samples, "samples"),
    (Column::Failed, "failed %"),
    (Column::Mean, "mean ms"),
    (Column::P50, "p50 ms"),
    (Column::P90, "p90 ms"),
    (Column::P95, "p95 ms"),
    (Column::P99, "p99 ms"),
    (Column::Max, "max ms"),
    (Column::PerS, "per s"),
];

/// The tables of what was counted; none without figures and groups. `total`: all samples.
pub(super) fn tables(snapshot: &Snapshot, total: &LabelStats, groups: &[Group]) -> Vec<Table> {
    [figures(snapshot, total), of_groups(snapshot, groups)].into_iter().flatten().collect()
}

fn figures(snapshot: &Snapshot, total: &LabelStats) -> Option<Table> {
    let has_figures = snapshot.rows.iter().any(|row| !row.stats.figures.is_empty());
    if !has_figures {
        return None;
    }
    let head = ["figure", "label", "values", "mean", "min", "p50", "p90", "p95", "p99", "max", "not numbers"];
    let rows = FigureRow::all(snapshot, total).take(MOST_ROWS);
    Some(table("Custom figures", head, rows.map(|row| figure(&row))))
}

fn figure(row: &FigureRow) -> Vec<String> {
    let FigureRow { name, label, stats, .. } = row;
    let label = label.as_ref().map_or("all samples".into(), |label| plain(label).into_owned());
    let value = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
    let quantile = |share| value(FigureStats::quantile(stats, share));
    vec![
        name.to_string(),
        label,
        count(stats.count()),
        value(stats.mean()),
        value(stats.min()),
        quantile(0.5),
        quantile(0.9),
        quantile(0.95),
        quantile(0.99),
        value(stats.max()),
        count(stats.not_numbers),
    ]
}

fn of_groups(snapshot: &Snapshot, groups: &[Group]) -> Option<Table> {
    let rows = SummaryRow::of_groups(groups, snapshot);
    let head = ["group"].into_iter().chain(OF_GROUPS.map(|(_, head)| head));
    (!rows.is_empty()).then(|| table("Groups of labels", head, rows.iter().map(group)))
}

fn group(row: &SummaryRow) -> Vec<String> {
    let name = plain(&row.label).into_owned();
    std::iter::once(name).chain(OF_GROUPS.map(|(column, _)| column.cell(row))).collect()
}

fn table<'a>(
    caption: &str,
    head: impl IntoIterator<Item = &'a str>,
    rows: impl Iterator<Item = Vec<String>>,
) -> Table {
    Table {
        caption: caption.to_owned(),
        head: head.into_iter().map(str::to_owned).collect(),
        rows: rows.map(|row| row.into_iter().map(TableCell::Text).collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use swell_stats::{FigureName, FigureOf, FigureValue, Observation, Recorder};

    use super::*;

    #[test]
    fn figures_and_groups_are_tables_where_there_are_some() {
        let mut recorder = Recorder::default();
        for (label, value) in [("/pay", "12.5"), ("/cart", "x")] {
            recorder.record(&Observation {
                label,
                success: true,
                elapsed_ns: 5_000_000,
                ..Observation::default()
            });
            let of = FigureOf { label, is_transaction: false, is_part: false };
            recorder.record_figure(of, FigureName::new("total").expect("a name"), FigureValue::parse(value));
        }
        let counted = recorder.take_interval();
        let mut groups = Vec::new();
        Group::add("checkout=/", &mut groups).expect("a group");
        Group::add("none=x", &mut groups).expect("a group");
        let all = tables(&counted, &counted.total(), &groups);
        let text = |cell: &TableCell| match cell {
            TableCell::Text(text) | TableCell::Rich { text, .. } => text.clone(),
        };
        let rows: Vec<Vec<_>> =
            all.iter().flat_map(|table| &table.rows).map(|row| row.iter().map(text).collect()).collect();
        assert_eq!(
            rows[0],
            ["total", "all samples", "1", "12.5", "12.5", "12.5", "12.5", "12.5", "12.5", "12.5", "1"]
        );
        assert_eq!(rows[1][..4], ["total", "/pay", "1", "12.5"]);
        assert_eq!(rows[2][..4], ["total", "/cart", "0", "-"]);
        assert_eq!(rows[3][..4], ["checkout", "2", "0.00", "5.00"]);
        assert_eq!((all.len(), rows.len()), (2, 4));
        let plain = Snapshot::default();
        assert_eq!(tables(&plain, &plain.total(), &groups), []);
    }
}
