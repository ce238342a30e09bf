//! Figures of some seconds as lines of StatsD, and of its dialect DogStatsD, which has tags.

use std::collections::BTreeMap;

use swell_stats::{Histogram, Interval, Precision};

use super::board::{Board, Value};
use super::datagrams::MOST_BYTES;
use super::definition::{
    CONNECTIONS, DURATION, Definition, ERRORS, FAILURES, RECEIVED, RESPONSE, SAMPLES, SENT,
};
use super::rows::{Number, Row, rows_of, values_of};
use super::text::put;

/// Longest part of a name, and longest tag: Datadog cuts longer ones.
const LONGEST: usize = 200;

/// How metrics are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Names with tags; times are distributions.
    Datadog,
    /// Names with parts; times are percentiles of the seconds that were sent last.
    StatsD,
}

/// Sums up intervals until they are sent.
pub(super) struct StatsD {
    dialect: Dialect,
    sum: Interval,
}

impl StatsD {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, sum: Interval::default() }
    }

    /// Adds an interval that the board has taken, and returns lines if they are due.
    pub(super) fn take(&mut self, board: &Board, interval: &Interval, is_due: bool) -> Option<Vec<u8>> {
        self.sum.merge(interval);
        if !is_due {
            return None;
        }
        let sum = std::mem::take(&mut self.sum);
        let lines = match self.dialect {
            Dialect::Datadog => datadog(board, &sum),
            Dialect::StatsD => statsd(board, &sum),
        };
        Some(lines.into_bytes())
    }
}

fn statsd(board: &Board, sum: &Interval) -> String {
    let identity = board.identity();
    let mut prefix = format!("swell.{}", part(&identity.run));
    if let Some(trial) = &identity.trial {
        put(&mut prefix, format_args!(".trial-{}", part(&trial.number)));
    }
    let mut out = String::new();
    for row in rows_of(board, sum) {
        let place = match row.kind {
            "total" => format!("{prefix}.total"),
            kind => format!("{prefix}.{kind}.{}", part(row.label)),
        };
        put_values(&mut out, &place, row.values());
        for (name, figure) in row.stats.figures.iter() {
            put_values(&mut out, &format!("{place}.figure.{}", part(name.as_str())), values_of(figure));
        }
    }
    for (kind, count) in sum.labels.errors.kinds() {
        put(&mut out, format_args!("{prefix}.failures.{}:{count}|c\n", kind.name()));
    }
    put(&mut out, format_args!("{prefix}.run.connections:{}|c\n", sum.connections_made()));
    each_level(board, |definition, own, level| {
        let name = definition.name();
        let name = name.strip_prefix("swell_").unwrap_or(&name);
        let sources: String = own.iter().flat_map(|(_, value)| [part(value), ".".into()]).collect();
        match name.strip_prefix("target_") {
            Some(figure) => gauge(&mut out, &format!("{prefix}.target.{sources}{figure}"), level),
            None => gauge(&mut out, &format!("{prefix}.run.{name}"), level),
        }
    });
    out
}

fn put_values(out: &mut String, place: &str, values: impl Iterator<Item = (&'static str, Number)>) {
    for (name, value) in values {
        match value {
            Number::Count(count) => put(out, format_args!("{place}.{name}:{count}|c\n")),
            Number::Level(level) => gauge(out, &format!("{place}.{name}"), level),
        }
    }
}

/// A sign makes a change of a gauge, so a negative value is set in two steps.
fn gauge(out: &mut String, name: &str, level: f64) {
    if level < 0.0 {
        put(out, format_args!("{name}:0|g\n"));
    }
    put(out, format_args!("{name}:{level}|g\n"));
}

/// A part of a name: letters, digits, `-` and `_`.
fn part(text: &str) -> String {
    let fine = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let part: String = text.chars().take(LONGEST).map(fine).collect();
    if part.is_empty() { "_".to_owned() } else { part }
}

fn datadog(board: &Board, sum: &Interval) -> String {
    let mut out = String::new();
    let own = board.identity().labels();
    for row in rows_of(board, sum).iter().filter(|row| row.kind != "total") {
        let tags = tags(&[&own, &[("label", row.label), ("kind", row.kind)][..]].concat());
        counts_of(&mut out, row, &tags);
        distribution(&mut out, DURATION.otlp, times(&row.stats.elapsed), &tags);
        distribution(&mut out, RESPONSE.otlp, times(&row.stats.response), &tags);
        for (name, figure) in row.stats.figures.iter() {
            distribution(&mut out, FIGURE, figure.values(), &format!("{tags},figure:{name}"));
        }
    }
    for (kind, count) in sum.labels.errors.kinds() {
        let tags = tags(&[&own, &[("cause", kind.name())][..]].concat());
        put(&mut out, format_args!("{}:{count}|c|{tags}\n", FAILURES.otlp));
    }
    let connections = sum.connections_made();
    put(&mut out, format_args!("{}:{connections}|c|{}\n", CONNECTIONS.otlp, tags(&own)));
    each_level(board, |definition, more, level| {
        put(&mut out, format_args!("{}:{level}|g|{}\n", definition.otlp, tags(&[&own, more].concat())));
    });
    out
}

fn counts_of(out: &mut String, row: &Row<'_>, tags: &str) {
    let stats = &row.stats;
    let counts = [
        (&SAMPLES, stats.samples),
        (&ERRORS, stats.errors),
        (&RECEIVED, stats.bytes),
        (&SENT, stats.sent_bytes),
    ];
    for (definition, count) in counts {
        put(out, format_args!("{}:{count}|c|{tags}\n", definition.otlp));
    }
}

/// The distribution of custom figures, which have it under one name, with the figure as a tag.
const FIGURE: &str = "swell.figure";

/// Times in seconds with how often they occurred. They are off by at most 0.4 %, less than what
/// Datadog keeps.
fn times(times: &Histogram) -> impl Iterator<Item = (f64, u64)> {
    let mut coarse = Histogram::new(Precision::Two);
    coarse.merge(times);
    let middle =
        |(low_ns, high_ns, number): (u64, u64, u64)| ((low_ns + (high_ns - low_ns) / 2) as f64 / 1e9, number);
    coarse.iter().map(middle).collect::<Vec<_>>().into_iter()
}

/// Values, those of one number together. A rate stands for the number: an agent weighs a value with
/// its inverse.
fn distribution(out: &mut String, name: &str, values: impl Iterator<Item = (f64, u64)>, tags: &str) {
    let mut by_number: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (value, number) in values {
        by_number.entry(number).or_default().push(value);
    }
    for (number, values) in by_number {
        let rate = if number == 1 { String::new() } else { format!("|@{}", rate_of(number)) };
        let tail = format!("|d{rate}|{tags}\n");
        let mut line = String::new();
        for value in values {
            let value = format!(":{value}");
            if !line.is_empty() && line.len() + value.len() + tail.len() > MOST_BYTES {
                put(out, format_args!("{line}{tail}"));
                line.clear();
            }
            if line.is_empty() {
                line.push_str(name);
            }
            line.push_str(&value);
        }
        put(out, format_args!("{line}{tail}"));
    }
}

/// The rate whose inverse, cut to a whole number, is this.
fn rate_of(number: u64) -> f64 {
    let mut rate = 1.0 / number as f64;
    while 1.0 / rate < number as f64 {
        rate = rate.next_down();
    }
    rate
}

/// `#run:nightly,label:a`.
fn tags(pairs: &[(&str, &str)]) -> String {
    let fine = |c: char| if c == ',' || c == '|' || c.is_control() { '_' } else { c };
    let tag = |(name, value): &(&str, &str)| {
        let mut tag: String = format!("{name}:{value}").chars().map(fine).collect();
        tag.truncate(tag.floor_char_boundary(LONGEST));
        tag
    };
    let shown = pairs.iter().filter(|(_, value)| !value.is_empty());
    format!("#{}", shown.map(tag).collect::<Vec<_>>().join(","))
}

/// Current values of the run, and figures of the target with source and name.
fn each_level(board: &Board, mut visit: impl FnMut(&Definition, &[(&str, &str)], f64)) {
    let shared = board.identity().labels().len();
    board.each(|series| {
        let is_level = series.definition.labels.is_empty() || series.definition.labels[0] == "source";
        if let (true, Value::Level(level)) = (is_level && series.changed == board.taken, series.value)
            && level.is_finite()
        {
            visit(series.definition, &series.labels[shared..], level);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use swell_stats::reading::{Figure, Known};
    use swell_stats::{Observation, Reading, Recorder};

    use super::super::testing::{identity, interval, with_figures};
    use super::super::{Identity, TrialIdentity};
    use super::*;

    fn lines(dialect: Dialect, identity: Identity, intervals: &[Interval]) -> Vec<String> {
        let mut board = Board::new(identity, 10);
        let mut writer = StatsD::new(dialect);
        let mut request = None;
        for (at, interval) in intervals.iter().enumerate() {
            board.add(interval);
            request = writer.take(&board, interval, at + 1 == intervals.len());
        }
        let text = String::from_utf8(request.expect("the last is due")).expect("text");
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn datadog_gets_counts_distributions_and_gauges_with_tags() {
        let mut second = interval(1000, &[("a, b|c", 1), ("bad", 1)]);
        let named = Figure::Named { name: "pool".into(), is_rate: false };
        second.readings = vec![
            Reading { source: "h:1".into(), figure: named, value: -3.0, seconds: 1.0 },
            Reading::new(&Arc::from("machine"), Known::MachineIdle, 0.5, 1.0),
        ];
        let first = interval(0, &[("bad", 2)]);
        let of_a = "#run:nightly,label:a_ b_c,kind:sample";
        let of_bad = "#run:nightly,label:bad,kind:sample";
        let rate = "0.3333333333333333";
        let wanted = [
            format!("swell.samples:3|c|{of_bad}"),
            format!("swell.errors:3|c|{of_bad}"),
            format!("swell.received:300|c|{of_bad}"),
            format!("swell.sent:30|c|{of_bad}"),
            format!("swell.sample.duration:0.004997119|d|@{rate}|{of_bad}"),
            format!("swell.samples:1|c|{of_a}"),
            format!("swell.errors:0|c|{of_a}"),
            format!("swell.received:100|c|{of_a}"),
            format!("swell.sent:10|c|{of_a}"),
            format!("swell.sample.duration:0.004997119|d|{of_a}"),
            "swell.failures:3|c|#run:nightly,cause:connection_refused".to_owned(),
            "swell.connections:4|c|#run:nightly".to_owned(),
            "swell.users.active:7|g|#run:nightly".to_owned(),
            "swell.paused:0|g|#run:nightly".to_owned(),
            "swell.target.machine_idle:0.5|g|#run:nightly,source:machine".to_owned(),
            "swell.target.other:-3|g|#run:nightly,source:h:1,name:pool".to_owned(),
        ];
        assert_eq!(lines(Dialect::Datadog, identity(), &[first, second]), wanted);
    }

    #[test]
    fn statsd_gets_parts_of_names_and_percentiles_of_the_time_that_was_sent() {
        let trial = TrialIdentity { number: "3".into(), load: "users 50".into() };
        let identity = Identity { trial: Some(trial), ..identity() };
        let mut second = interval(1000, &[("a b/ü", 1), ("bad", 0)]);
        second.readings = vec![Reading::new(&Arc::from("port 80"), Known::LoadAverage, -1.5, 1.0)];
        let all = lines(Dialect::StatsD, identity, &[interval(0, &[("a b/ü", 2)]), second]);
        let run = "swell.nightly.trial-3";
        let counts = ["samples:3|c", "errors:0|c", "received_bytes:300|c", "sent_bytes:30|c"];
        let times = ["mean", "min", "p50", "p90", "p95", "p99", "max"].map(|name| format!("{name}_ms:5|g"));
        let row = |place: &str| {
            let values = counts.iter().map(|text| (*text).to_owned()).chain(times.clone());
            values.map(|value| format!("{run}.{place}.{value}")).collect::<Vec<_>>()
        };
        let rest = [
            "run.connections:3|c",
            "run.users_active:7|g",
            "run.paused:0|g",
            "target.port_80.load_average:0|g",
            "target.port_80.load_average:-1.5|g",
        ];
        let wanted: Vec<_> =
            [row("sample.a_b__"), row("total"), rest.iter().map(|line| format!("{run}.{line}")).collect()]
                .concat();
        assert_eq!(all, wanted);
    }

    #[test]
    fn figures_are_distributions_or_gauges() {
        let second = with_figures(interval(0, &[("a", 1)]), &["-3"]);
        let found = |dialect| {
            let all = lines(dialect, identity(), std::slice::from_ref(&second));
            all.into_iter().filter(|line| line.contains("figure")).collect::<Vec<_>>()
        };
        assert_eq!(
            found(Dialect::Datadog),
            ["swell.figure:-3|d|#run:nightly,label:a,kind:sample,figure:depth"]
        );
        let statsd = found(Dialect::StatsD);
        assert_eq!(
            statsd[..4],
            [
                "swell.nightly.sample.a.figure.depth.count:1|c",
                "swell.nightly.sample.a.figure.depth.sum:0|g",
                "swell.nightly.sample.a.figure.depth.sum:-3|g",
                "swell.nightly.sample.a.figure.depth.mean:0|g",
            ]
        );
        assert!(statsd.iter().any(|line| line == "swell.nightly.total.figure.depth.p95:-3|g"), "{statsd:?}");
    }

    #[test]
    fn a_distribution_keeps_each_time_in_lines_that_fit_a_datagram() {
        let mut recorder = Recorder::default();
        for time in 1..=5000_u64 {
            let elapsed_ns = time * 1_000_000;
            recorder.record(&Observation { label: "a", success: true, elapsed_ns, ..Observation::default() });
        }
        let labels = recorder.take_interval();
        let all = lines(
            Dialect::Datadog,
            identity(),
            &[Interval { length_ms: 1000, labels, ..Interval::default() }],
        );
        let mut count = 0;
        let mut sum_s = 0.0;
        for line in all.iter().filter(|line| line.starts_with("swell.sample.duration")) {
            assert!(line.len() <= MOST_BYTES, "{} bytes", line.len());
            let (values, rest) = line.split_once("|d").expect("a distribution");
            let rate = rest.strip_prefix("|@").and_then(|rest| rest.split('|').next()?.parse::<f64>().ok());
            let weight = rate.map_or(1, |rate| (1.0 / rate) as u64);
            for value in values.split(':').skip(1) {
                count += weight;
                sum_s += value.parse::<f64>().expect("a number") * weight as f64;
            }
        }
        assert_eq!(count, 5000);
        assert!((sum_s / 5000.0 - 2.5005).abs() < 0.002, "{sum_s}");
    }

    #[test]
    fn the_inverse_of_a_rate_is_its_number_even_if_it_is_cut() {
        for number in 1..100_000 {
            assert_eq!((1.0 / rate_of(number)) as u64, number);
        }
    }
}
