//! Charts over a load from the figures of trials.

use swell_report::page::{Line, LineChart, Table as PageTable, TableCell, Unit};

use crate::table::Table;

/// A line, with its points in any order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curve {
    pub(crate) name: String,
    /// Loads and figures; a load can occur more than once.
    pub(crate) points: Vec<(f64, f64)>,
    /// Loads that mean something, with what they mean.
    pub(crate) marks: Vec<(f64, String)>,
    /// It is not measured, but computed from what was.
    pub(crate) computed: bool,
}

/// A chart of curves over `across`; `place` is the text of a measured load. Times and bytes are
/// shown by their logarithms.
pub(crate) fn chart(
    title: &str,
    across: &str,
    unit: Unit,
    curves: Vec<Curve>,
    place: impl Fn(f64) -> String,
) -> LineChart {
    let xs = places(&curves);
    let is_measured = |x: f64| {
        let at = |curve: &Curve| !curve.computed && curve.points.iter().any(|point| same(point.0, x));
        curves.iter().any(at)
    };
    let places = xs.iter().map(|x| if is_measured(*x) { place(*x) } else { String::new() }).collect();
    let lines = curves.into_iter().map(|curve| line(curve, &xs)).collect();
    LineChart {
        title: title.to_owned(),
        across: across.to_owned(),
        places,
        unit,
        logarithmic: matches!(unit, Unit::Ms | Unit::Bytes),
        lines,
        limits: Vec::new(),
        xs,
    }
}

fn same(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}

/// Each load as many times as the curve that has it most often.
fn places(curves: &[Curve]) -> Vec<f64> {
    let mut all: Vec<f64> =
        curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0)).collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup_by(|a, b| same(*a, *b));
    let times = |x: f64, curve: &Curve| curve.points.iter().filter(|point| same(point.0, x)).count();
    let most = |x: f64| curves.iter().map(|curve| times(x, curve)).max().unwrap_or(0);
    all.into_iter().flat_map(|x| std::iter::repeat_n(x, most(x))).collect()
}

fn line(curve: Curve, xs: &[f64]) -> Line {
    let mut points = curve.points;
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rest = points.into_iter().peekable();
    let values = xs.iter().map(|x| rest.next_if(|point| same(point.0, *x)).map(|point| point.1)).collect();
    Line { name: curve.name, values, marks: curve.marks, computed: curve.computed }
}

/// A table of texts on a page.
pub(crate) fn page_table(caption: &str, table: Table) -> PageTable {
    let cells = |row: Vec<String>| row.into_iter().map(TableCell::Text).collect();
    PageTable {
        caption: caption.to_owned(),
        head: table.head,
        rows: table.rows.into_iter().map(cells).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_all_curves_have_a_place() {
        let curve = |points: &[(f64, f64)], computed| Curve {
            name: "c".to_owned(),
            points: points.to_vec(),
            computed,
            ..Curve::default()
        };
        let curves = vec![
            curve(&[(20.0, 5.0), (10.0, 1.0), (20.0, 6.0)], false),
            curve(&[(30.0, 2.0)], false),
            curve(&[(10.0, 0.5), (15.0, 0.7)], true),
        ];
        let chart = chart("t", "users", Unit::Ms, curves, |x| format!("{x} users"));
        assert_eq!(chart.xs, [10.0, 15.0, 20.0, 20.0, 30.0]);
        assert_eq!(chart.places, ["10 users", "", "20 users", "20 users", "30 users"]);
        assert_eq!(chart.lines[0].values, [Some(1.0), None, Some(5.0), Some(6.0), None]);
        assert_eq!(chart.lines[1].values, [None, None, None, None, Some(2.0)]);
        assert_eq!(chart.lines[2].values, [Some(0.5), Some(0.7), None, None, None]);
        assert!(chart.logarithmic && chart.lines[2].computed);
    }
}
