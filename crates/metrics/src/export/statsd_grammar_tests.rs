//! Every line that is sent, read by the grammars that receivers document: StatsD's
//! (`docs/metric_types.md` of the server `statsd/statsd`) and DogStatsD's (Datadog's page
//! "DogStatsD datagram format", versions 1.0 and 1.1).
//!
//! ```text
//! statsd    = name ":" value "|" ("c" | "g") LF
//! dogstatsd = name ":" value *(":" value) "|" ("c" | "g" | "d") ["|@" rate] [tags] LF
//! tags      = "|#" tag *("," tag)
//! ```

use std::sync::Arc;

use swell_stats::reading::{Figure, Known};
use swell_stats::{Interval, Reading};

use super::Identity;
use super::TrialIdentity;
use super::board::Board;
use super::statsd::{Dialect, StatsD};
use super::testing::{identity, interval, with_figures};

/// A line by the parts of its grammar.
#[derive(Debug, PartialEq)]
struct Line<'a> {
    name: &'a str,
    values: Vec<f64>,
    kind: &'a str,
    rate: Option<f64>,
    tags: Vec<&'a str>,
}

/// Reads a line, or says which rule it breaks.
fn parsed(line: &str, dialect: Dialect) -> Result<Line<'_>, String> {
    let is_datadog = dialect == Dialect::Datadog;
    let mut parts = line.split('|');
    let (name, values) = parts.next().and_then(|text| text.split_once(':')).ok_or("no value")?;
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !starts_well || !name.chars().all(is_name_char) {
        return Err(format!("name `{name}`"));
    }
    if is_datadog && (name.len() > 200 || name.contains('-')) {
        return Err(format!("name `{name}` for Datadog"));
    }
    let values: Vec<f64> = values
        .split(':')
        .map(|value| {
            value.parse().ok().filter(|value: &f64| value.is_finite()).ok_or(format!("value `{value}`"))
        })
        .collect::<Result<_, _>>()?;
    let kind = parts.next().ok_or("no type")?;
    let kinds: &[&str] = if is_datadog { &["c", "g", "d"] } else { &["c", "g"] };
    if !kinds.contains(&kind) || values.len() > 1 && kind != "d" {
        return Err(format!("type `{kind}` of {} values", values.len()));
    }
    let mut line = Line { name, values, kind, rate: None, tags: Vec::new() };
    for part in parts {
        match part.split_at_checked(1) {
            Some(("@", rate)) if is_datadog && line.rate.is_none() && line.tags.is_empty() => {
                let rate = rate.parse().ok().filter(|rate| (f64::MIN_POSITIVE..=1.0).contains(rate));
                line.rate = Some(rate.ok_or(format!("rate `{part}`"))?);
            }
            Some(("#", tags)) if is_datadog && line.tags.is_empty() => {
                line.tags = tags.split(',').collect();
                for tag in &line.tags {
                    let is_fine = !tag.is_empty() && tag.len() <= 200 && !tag.contains(char::is_control);
                    let has_value = tag
                        .split_once(':')
                        .is_some_and(|(name, value)| !name.is_empty() && !value.is_empty());
                    if !is_fine || !has_value {
                        return Err(format!("tag `{tag}`"));
                    }
                }
            }
            _ => return Err(format!("part `{part}`")),
        }
    }
    Ok(line)
}

/// Labels of strangers.
fn hostile() -> Vec<String> {
    let long = "ü".repeat(400);
    let all = [
        "",
        " ",
        "a, b|c",
        "x:1|c\ny:2|g",
        "#@|:,",
        "|@0.1|#a:b",
        "\u{0}\u{1b}[31m\u{7f}",
        "GET /a?b=c&d=é",
        ".",
        "-",
        &long,
    ];
    all.iter().map(|text| (*text).to_owned()).collect()
}

fn text_of(dialect: Dialect, identity: Identity) -> String {
    let labels = hostile();
    let samples: Vec<(&str, usize)> = labels.iter().map(|label| (label.as_str(), 2)).collect();
    let mut second: Interval = with_figures(interval(0, &samples), &["-3", "0.5"]);
    second.readings = labels
        .iter()
        .map(|label| {
            let figure = Figure::Named { name: label.as_str().into(), is_rate: false };
            Reading { source: label.as_str().into(), figure, value: -1.5e-7, seconds: 1.0 }
        })
        .chain([Reading::new(&Arc::from("machine"), Known::MachineIdle, f64::NAN, 1.0)])
        .collect();
    let mut board = Board::new(identity, 100);
    board.add(&second);
    let lines = StatsD::new(dialect).take(&board, &second, true).expect("they are due");
    String::from_utf8(lines).expect("text")
}

#[test]
fn all_lines_follow_the_grammar_of_their_receiver() {
    let trial = TrialIdentity { number: "3|c\n".into(), load: "users 50, #a".into() };
    for dialect in [Dialect::StatsD, Dialect::Datadog] {
        for trial in [None, Some(trial.clone())] {
            let text = text_of(dialect, Identity { trial, ..identity() });
            assert!(text.ends_with('\n') && text.lines().count() > 50, "{text}");
            for line in text.split_terminator('\n') {
                if let Err(rule) = parsed(line, dialect) {
                    panic!("{dialect:?}: {rule} in {line:?}");
                }
            }
        }
    }
}

#[test]
fn a_value_below_zero_sets_a_gauge_of_statsd_and_does_not_change_it() {
    let text = text_of(Dialect::StatsD, identity());
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let read = parsed(line, Dialect::StatsD).expect("the grammar");
        // A sign is a change of what was before, which has to be 0 then.
        assert!(!line.contains(":+"), "{line}");
        if read.kind == "g" && line.contains(":-") {
            let before = at.checked_sub(1).and_then(|at| parsed(lines[at], Dialect::StatsD).ok());
            let wanted = Line { name: read.name, values: vec![0.0], kind: "g", rate: None, tags: Vec::new() };
            assert_eq!(before, Some(wanted), "{line}");
        }
    }
    assert!(text.contains(":-"), "no negative value: {text}");
}

#[test]
fn the_grammar_refuses_what_receivers_drop() {
    for line in [
        "",
        "a",
        "a:",
        "a:x|c",
        "a:1",
        "a:1|q",
        "1a:1|c",
        "a b:1|c",
        "a:1|c|@0",
        "a:1|c|@2",
        "a:1|c|#",
        "a:1|c|#x",
        "a:1|c|#x:",
        "a:1|c|#x:y|@0.5",
        "a:1:2|c",
        "a:inf|g",
        "a-b:1|c",
        "a:1|c|x",
    ] {
        assert!(parsed(line, Dialect::Datadog).is_err(), "{line}");
    }
    for line in ["a:1|c|@0.5", "a:1|c|#x:y", "a:1|d", "a:1|ms", "a:1:2|g"] {
        assert!(parsed(line, Dialect::StatsD).is_err(), "{line}");
    }
}
