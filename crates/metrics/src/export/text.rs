//! Metrics as text that a Prometheus server reads (exposition format 0.0.4).

use std::fmt::Write;

use super::board::{Board, Series, Value};
use super::definition::Definition;

/// Media type of the form.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// All metrics of a run.
pub(super) fn text(board: &Board) -> String {
    let mut out = String::new();
    let mut before = None;
    board.each(|series| {
        if before
            .replace(series.definition)
            .is_none_or(|before: &Definition| !std::ptr::eq(before, series.definition))
        {
            let name = series.definition.name();
            let kind = series.definition.kind.name();
            put(&mut out, format_args!("# HELP {name} {}\n# TYPE {name} {kind}\n", series.definition.help));
        }
        lines(&series, &mut out);
    });
    out
}

/// Writes to memory, which cannot fail.
pub(super) fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes it");
}

fn lines(series: &Series<'_>, out: &mut String) {
    let name = series.definition.name();
    let labels = labels(&series.labels);
    match series.value {
        Value::Count(count) => put(out, format_args!("{name}{{{labels}}} {count}\n")),
        Value::Level(level) => put(out, format_args!("{name}{{{labels}}} {level}\n")),
        Value::Times(times) => {
            for (border, count) in times.cumulative() {
                put(out, format_args!("{name}_bucket{{{labels},le=\"{}\"}} {count}\n", border_text(border)));
            }
            put(
                out,
                format_args!(
                    "{name}_sum{{{labels}}} {}\n{name}_count{{{labels}}} {}\n",
                    times.sum_s, times.count
                ),
            );
        }
    }
}

/// The value of a label `le`.
pub(super) fn border_text(border: f64) -> String {
    if border.is_infinite() { "+Inf".to_owned() } else { border.to_string() }
}

fn labels(pairs: &[(&str, &str)]) -> String {
    let quoted = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| format!("{name}=\"{}\"", quoted(value))).collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{identity, interval};
    use super::super::{Identity, TrialIdentity};
    use super::*;

    #[test]
    fn metrics_have_a_head_and_a_line_a_series() {
        let mut board = Board::new(identity(), 10);
        board.add(&interval(0, &[("a \"b\"\n", 2), ("c", 1)]));
        let text = text(&board);
        let lines = [
            "# HELP swell_samples_total Samples that ended\n# TYPE swell_samples_total counter\n\
             swell_samples_total{run=\"nightly\",label=\"a \\\"b\\\"\\n\",kind=\"sample\"} 2\n\
             swell_samples_total{run=\"nightly\",label=\"c\",kind=\"sample\"} 1\n",
            "swell_sample_duration_seconds_bucket{run=\"nightly\",label=\"c\",kind=\"sample\",le=\"0.0025\"} 0\n\
             swell_sample_duration_seconds_bucket{run=\"nightly\",label=\"c\",kind=\"sample\",le=\"0.005\"} 1\n",
            "le=\"+Inf\"} 1\nswell_sample_duration_seconds_sum{run=\"nightly\",label=\"c\",kind=\"sample\"} 0.005\n\
             swell_sample_duration_seconds_count{run=\"nightly\",label=\"c\",kind=\"sample\"} 1\n",
            "swell_run_info{run=\"nightly\",plan=\"shop.jmx\",version=\"1\"} 1\n",
            "swell_users_active{run=\"nightly\"} 7\n",
        ];
        for line in lines {
            assert!(text.contains(line), "{line}\nis not in\n{text}");
        }
        let heads = text.lines().filter(|line| line.starts_with("# TYPE swell_samples_total "));
        assert_eq!(heads.count(), 1);
    }

    #[test]
    fn series_of_trials_are_told_apart() {
        let trial = TrialIdentity { number: "3".into(), load: "users 50".into() };
        let mut board = Board::new(Identity { trial: Some(trial), ..identity() }, 10);
        board.add(&interval(0, &[("a", 2)]));
        let text = text(&board);
        let of = "run=\"nightly\",trial=\"3\",load=\"users 50\"";
        assert!(
            text.contains(&format!("swell_samples_total{{{of},label=\"a\",kind=\"sample\"}} 2\n")),
            "{text}"
        );
        let series = text.lines().filter(|line| !line.starts_with('#'));
        assert_eq!({ series }.find(|line| !line.contains(of)), None, "{text}");
    }
}
