//! Intervals for tests.

use swell_stats::{FailureKind, FigureName, FigureValue, Interval, Observation, Recorder, Users};

use super::Identity;

pub(super) fn identity() -> Identity {
    Identity {
        run: "nightly".into(),
        plan: "shop.jmx".into(),
        version: "1".into(),
        host: "lab".into(),
        trial: None,
    }
}

/// A second with samples of 5 ms of each label; those of the label `bad` fail.
pub(super) fn interval(start_ms: i64, labels: &[(&str, usize)]) -> Interval {
    let mut recorder = Recorder::default();
    for &(label, samples) in labels {
        let seen = Observation {
            label,
            success: label != "bad",
            kind: FailureKind::Refused,
            elapsed_ns: 5_000_000,
            connect_ns: Some(1_000_000),
            bytes: 100,
            sent_bytes: 10,
            ..Observation::default()
        };
        (0..samples).for_each(|_| recorder.record(&seen));
    }
    let users = Users { active: 7, started: 9, finished: 2 };
    Interval { start_ms, length_ms: 1000, labels: recorder.take_interval(), users, ..Interval::default() }
}

/// The same with a value of the figure `depth` for each label.
pub(super) fn with_figures(mut interval: Interval, values: &[&str]) -> Interval {
    let name = FigureName::new("depth").expect("a name");
    for (row, value) in interval.labels.rows.iter_mut().zip(values) {
        row.stats.figures.record(name, FigureValue::parse(value));
    }
    interval
}
