//! Metrics as text, as the Java client 0.16 writes them (`TextFormat.write004`).

use std::fmt::Write;

use swell_java::format::double_to_string;

use super::definition::{Definition, Kind};
use super::table::{Counts, SEPARATOR, Table};

/// `jmeter_threads`.
#[derive(Clone, Debug)]
pub(super) struct Users {
    pub(super) name: String,
    pub(super) active: u32,
    pub(super) started: u32,
    pub(super) finished: u32,
}

/// Appends a metric, unless names are given and its own is not among them.
pub(super) fn family(definition: &Definition, table: &Table, names: &[String], out: &mut String) {
    let mut rows: Vec<_> = table.rows.iter().collect();
    rows.sort_by(|a, b| a.0.cmp(b.0));
    let rows: Vec<_> =
        rows.into_iter().map(|(values, counts)| (labels(definition, values), counts)).collect();
    let name = &definition.name;
    match &definition.kind {
        Kind::Counter => {
            counter(definition, &total(definition, name), &rows, names, out, |counts| match counts {
                Counts::Counter(count) => *count,
                _ => 0,
            });
        }
        Kind::SuccessRatio => {
            let joint = if name.ends_with('_') { "" } else { "_" };
            let part = |part: &str| total(definition, &format!("{name}{joint}{part}"));
            let ratio = |counts: &Counts| match counts {
                Counts::Ratio { successes, failures } => (*successes, *failures),
                _ => (0, 0),
            };
            counter(definition, &part("success"), &rows, names, out, |counts| ratio(counts).0);
            counter(definition, &part("failure"), &rows, names, out, |counts| ratio(counts).1);
            counter(definition, &part("total"), &rows, names, out, |counts| {
                let (successes, failures) = ratio(counts);
                successes + failures
            });
        }
        Kind::Gauge => {
            head(name, "gauge", &definition.help, names, out);
        }
        Kind::Histogram(bounds) => {
            if head(name, "histogram", &definition.help, names, out) {
                for (labels, counts) in &rows {
                    histogram(name, labels, bounds, counts, out);
                }
            }
        }
        Kind::Summary { quantiles, .. } => {
            if head(name, "summary", &definition.help, names, out) {
                for (labels, counts) in &rows {
                    summary(name, labels, quantiles, counts, out);
                }
            }
        }
    }
}

/// `jmeter_threads`.
pub(super) fn users(users: &Users, names: &[String], out: &mut String) {
    if head(&users.name, "gauge", "Gauge for jmeter threads", names, out) {
        for (state, count) in
            [("active", users.active), ("finished", users.finished), ("started", users.started)]
        {
            line(&users.name, &format!("state=\"{state}\","), f64::from(count), out);
        }
    }
}

/// The name of a counter. The client of Prometheus in the plug-in's last release leaves it as it
/// is; later clients have it end with `_total`.
fn total(definition: &Definition, name: &str) -> String {
    if !definition.has_suffix {
        return name.to_owned();
    }
    format!("{}_total", name.strip_suffix("_total").unwrap_or(name))
}

fn counter(
    definition: &Definition,
    name: &str,
    rows: &[(String, &Counts)],
    names: &[String],
    out: &mut String,
    value: impl Fn(&Counts) -> u64,
) {
    if head(name, "counter", &definition.help, names, out) {
        for (labels, counts) in rows {
            line(name, labels, value(counts) as f64, out);
        }
    }
}

fn histogram(name: &str, labels: &str, bounds: &[f64], counts: &Counts, out: &mut String) {
    let Counts::Histogram { buckets, sum } = counts else { return };
    let mut below = 0;
    let ends = bounds.iter().map(|bound| number(*bound)).chain(["+Inf".to_owned()]);
    for (end, count) in ends.zip(buckets) {
        below += count;
        line(&format!("{name}_bucket"), &format!("{labels}le=\"{end}\","), below as f64, out);
    }
    line(&format!("{name}_count"), labels, below as f64, out);
    line(&format!("{name}_sum"), labels, *sum, out);
}

fn summary(name: &str, labels: &str, quantiles: &[f64], counts: &Counts, out: &mut String) {
    let Counts::Summary { window, count, sum } = counts else { return };
    for quantile in quantiles {
        let labels = format!("{labels}quantile=\"{}\",", number(*quantile));
        line(name, &labels, window.quantile(*quantile), out);
    }
    line(&format!("{name}_count"), labels, *count as f64, out);
    line(&format!("{name}_sum"), labels, *sum, out);
}

/// Whether the metric is wanted.
fn head(name: &str, kind: &str, help: &str, names: &[String], out: &mut String) -> bool {
    let wanted = names.is_empty() || names.iter().any(|one| one == name);
    if wanted {
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}").expect("a string takes all");
    }
    wanted
}

/// Pairs of names and values, each with a comma after it.
fn labels(definition: &Definition, values: &str) -> String {
    let pairs = definition.labels.iter().zip(values.split(SEPARATOR));
    pairs.fold(String::new(), |mut out, (name, value)| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        write!(out, "{name}=\"{value}\",").expect("a string takes all");
        out
    })
}

fn line(name: &str, labels: &str, value: f64, out: &mut String) {
    let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
    writeln!(out, "{name}{labels} {}", number(value)).expect("a string takes all");
}

fn number(value: f64) -> String {
    if value.is_infinite() {
        if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned()
    } else {
        double_to_string(value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::definition::Measuring;
    use super::super::table::Event;
    use super::*;

    fn shown(kind: Kind, measuring: Measuring, names: &[String]) -> String {
        shown_with(true, kind, measuring, names)
    }

    #[test]
    fn counters_have_the_names_that_the_plan_gives_unless_a_suffix_is_wanted() {
        let shown = shown_with(false, Kind::Counter, Measuring::Count, &[]);
        assert!(shown.contains("# TYPE m counter\nm{") && !shown.contains("m_total"), "{shown}");
        let shown = shown_with(false, Kind::SuccessRatio, Measuring::Ratio, &[]);
        assert!(
            ["m_success{", "m_failure{", "m_total{"].into_iter().all(|name| shown.contains(name)),
            "{shown}"
        );
    }

    fn shown_with(has_suffix: bool, kind: Kind, measuring: Measuring, names: &[String]) -> String {
        let definition = Definition {
            has_suffix,
            name: "m".into(),
            help: "h\\".into(),
            labels: vec!["label".into(), "code".into()],
            kind,
            measuring,
            assertions: false,
        };
        let mut table = Table::default();
        for (success, value) in [(true, 5), (false, 50)] {
            table.count("a \"b\"\u{1f}200", &definition, Event { success, value, at_ns: 0 });
        }
        let mut out = String::new();
        family(&definition, &table, names, &mut out);
        out
    }

    #[test]
    fn metrics_look_as_the_java_client_writes_them() {
        let pair = r#"label="a \"b\"",code="200","#;
        let head = |name: &str, kind: &str| format!("# HELP {name} h\\\\\n# TYPE {name} {kind}\n");
        assert_eq!(
            shown(Kind::Counter, Measuring::Count, &[]),
            format!("{}m_total{{{pair}}} 2.0\n", head("m_total", "counter"))
        );
        assert_eq!(
            shown(Kind::Histogram(vec![10.0]), Measuring::ResponseTime, &[]),
            format!(
                "{}m_bucket{{{pair}le=\"10.0\",}} 1.0\nm_bucket{{{pair}le=\"+Inf\",}} 2.0\nm_count{{{pair}}} 2.0\nm_sum{{{pair}}} 55.0\n",
                head("m", "histogram")
            )
        );
        assert_eq!(
            shown(Kind::SuccessRatio, Measuring::Ratio, &[]),
            ["success", "failure"]
                .map(|part| format!(
                    "{}m_{part}_total{{{pair}}} 1.0\n",
                    head(&format!("m_{part}_total"), "counter")
                ))
                .concat()
                + &format!("{}m_total{{{pair}}} 2.0\n", head("m_total", "counter"))
        );
        let summary = Kind::Summary { quantiles: vec![0.5], window_s: 60 };
        assert_eq!(
            shown(summary, Measuring::ResponseTime, &[]),
            format!(
                "{}m{{{pair}quantile=\"0.5\",}} 5.0\nm_count{{{pair}}} 2.0\nm_sum{{{pair}}} 55.0\n",
                head("m", "summary")
            )
        );
        assert_eq!(shown(Kind::Counter, Measuring::Count, &["other".to_owned()]), "");
    }

    #[test]
    fn users_are_a_gauge_by_state() {
        let mut out = String::new();
        users(&Users { name: "jmeter_threads".into(), active: 2, started: 3, finished: 1 }, &[], &mut out);
        assert!(out.ends_with(
            "# TYPE jmeter_threads gauge\njmeter_threads{state=\"active\",} 2.0\n\
             jmeter_threads{state=\"finished\",} 1.0\njmeter_threads{state=\"started\",} 3.0\n"
        ));
    }
}
