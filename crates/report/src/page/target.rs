//! Figures of the machine and processes under test, as series over time.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use swell_stats::Reading;
use swell_stats::reading::{Figure, Unit};

use super::digits::short;
use super::point::Point;
use crate::plain::plain;

/// Series of a page, at most.
const MOST_SERIES: usize = 200;

/// One figure of one source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct TargetSeries {
    source: String,
    name: String,
    /// The title of the chart that shows it.
    chart: &'static str,
    unit: Unit,
    /// It is how much there may be of another figure of its chart.
    limit: bool,
    /// One entry a point; none where it was not read.
    values: Vec<Option<f64>>,
}

impl TargetSeries {
    fn of(reading: &Reading) -> Self {
        Self {
            source: plain(&reading.source).into_owned(),
            name: plain(reading.figure.name()).into_owned(),
            chart: reading.figure.group().title(),
            unit: reading.figure.unit(),
            limit: reading.figure.is_limit(),
            values: Vec::new(),
        }
    }
}

/// The series of all points, in the order of their charts.
pub(super) fn series<'p>(points: impl ExactSizeIterator<Item = &'p Point>) -> Vec<TargetSeries> {
    let count = points.len();
    let mut places: HashMap<(Arc<str>, Figure), usize> = HashMap::new();
    let mut found = Vec::new();
    for (at, point) in points.enumerate() {
        for reading in &point.readings {
            let next = found.len();
            let key = (reading.source.clone(), reading.figure.clone());
            let place = *places.entry(key).or_insert(next);
            if place == found.len() && place < MOST_SERIES {
                let empty = TargetSeries { values: vec![None; count], ..TargetSeries::of(reading) };
                found.push((reading.figure.group(), empty));
            }
            if let Some((_, series)) = found.get_mut(place) {
                series.values[at] = Some(short(reading.value));
            }
        }
    }
    found.sort_by_key(|(group, _)| *group);
    found.into_iter().map(|(_, series)| series).collect()
}
