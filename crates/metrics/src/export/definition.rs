//! The table of exported metrics: names, units and meanings for Prometheus and OpenTelemetry. It is
//! stable: a name in it keeps its meaning. `docs/reference/exports.md` shows this table.

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricUnit {
    /// Samples.
    Samples,
    /// Virtual users.
    Users,
    /// Connections.
    Connections,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// A share from 0 to 1.
    Ratio,
    /// Samples a second.
    PerSecond,
    /// Things of the kind that the metric's name names.
    Things,
    /// Events a second.
    EventsPerSecond,
    /// 0 or 1.
    Flag,
    /// The unknown unit of an exporter's figure.
    Own,
}

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A count since the start of the run.
    Counter,
    /// A current value.
    Gauge,
    /// A distribution of the values since the start of the run.
    Histogram,
}

/// A metric.
#[derive(Debug, PartialEq)]
pub struct Definition {
    /// Its name in OpenTelemetry; the name in Prometheus is derived from it ([`Definition::name`]).
    pub otlp: &'static str,
    /// Its unit.
    pub unit: MetricUnit,
    /// Its type.
    pub kind: Kind,
    /// Its meaning, as one sentence.
    pub help: &'static str,
    /// Its labels in addition to `run`.
    pub labels: &'static [&'static str],
}

impl MetricUnit {
    /// Returns its UCUM code, which OpenTelemetry requires.
    pub fn ucum(self) -> &'static str {
        match self {
            Self::Samples => "{sample}",
            Self::Users => "{user}",
            Self::Connections => "{connection}",
            Self::Bytes => "By",
            Self::Seconds => "s",
            Self::Ratio => "1",
            Self::PerSecond => "{sample}/s",
            Self::Things => "{thing}",
            Self::EventsPerSecond => "{event}/s",
            Self::Flag | Self::Own => "",
        }
    }

    /// Returns the suffix of a Prometheus name with this unit.
    fn suffix(self) -> &'static str {
        match self {
            Self::Bytes => "_bytes",
            Self::Seconds => "_seconds",
            Self::Ratio => "_ratio",
            Self::PerSecond | Self::EventsPerSecond => "_per_second",
            Self::Samples | Self::Users | Self::Connections | Self::Things | Self::Flag | Self::Own => "",
        }
    }
}

impl Kind {
    /// Returns its name in the formats of Prometheus.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

impl Definition {
    /// Returns its name in Prometheus, derived from the OpenTelemetry name by the rules of both.
    pub fn name(&self) -> String {
        let total = if self.kind == Kind::Counter { "_total" } else { "" };
        format!("{}{}{total}", self.otlp.replace('.', "_"), self.unit.suffix())
    }
}

/// Labels of metrics that are counted per label of the plan.
const OF_LABEL: &[&str] = &["label", "kind"];

/// Labels of custom figures.
const OF_FIGURE: &[&str] = &["figure", "label", "kind"];
const OF_QUANTILE: &[&str] = &["figure", "label", "kind", "quantile"];

const fn counter(
    otlp: &'static str,
    unit: MetricUnit,
    labels: &'static [&'static str],
    help: &'static str,
) -> Definition {
    Definition { otlp, unit, kind: Kind::Counter, help, labels }
}

const fn gauge(otlp: &'static str, unit: MetricUnit, help: &'static str) -> Definition {
    Definition { otlp, unit, kind: Kind::Gauge, help, labels: &[] }
}

const fn histogram(otlp: &'static str, labels: &'static [&'static str], help: &'static str) -> Definition {
    Definition { otlp, unit: MetricUnit::Seconds, kind: Kind::Histogram, help, labels }
}

pub(super) static SAMPLES: Definition =
    counter("swell.samples", MetricUnit::Samples, OF_LABEL, "Samples that ended");
pub(super) static ERRORS: Definition =
    counter("swell.errors", MetricUnit::Samples, OF_LABEL, "Samples that failed");
pub(super) static RECEIVED: Definition =
    counter("swell.received", MetricUnit::Bytes, OF_LABEL, "Bytes received by samples");
pub(super) static SENT: Definition =
    counter("swell.sent", MetricUnit::Bytes, OF_LABEL, "Bytes sent by samples");
pub(super) static DURATION: Definition = histogram(
    "swell.sample.duration",
    OF_LABEL,
    "Service times: start of the sample to arrival of the last byte",
);
pub(super) static RESPONSE: Definition = histogram(
    "swell.response.duration",
    OF_LABEL,
    "Response times: planned start to arrival of the last byte; only if the plan sets a rate",
);
pub(super) static FAILURES: Definition = counter(
    "swell.failures",
    MetricUnit::Samples,
    &["cause"],
    "Failed samples by cause, without transactions",
);
pub(super) static CONNECT: Definition = histogram(
    "swell.connect.duration",
    &[],
    "Start of the sample to open connection, for samples that opened one",
);
pub(super) static HANDSHAKE: Definition = histogram("swell.tls_handshake.duration", &[], "TLS handshakes");
pub(super) static FIRST_BYTE: Definition =
    histogram("swell.first_byte.duration", &[], "Start of the sample to the first byte of the response");
pub(super) static START_DELAY: Definition =
    histogram("swell.start_delay", &[], "Delay before the start of a sample, caused by the tool");
pub(super) static SEND_DELAY: Definition = histogram(
    "swell.send_delay",
    &[],
    "Delay between the start of a sample and the kernel's send, caused by the tool; measured on a random selection of samples",
);
pub(super) static READ_DELAY: Definition =
    histogram("swell.read_delay", &[], "Delay between the arrival of bytes and the read, caused by the tool");
pub(super) static CONNECTIONS: Definition =
    counter("swell.connections", MetricUnit::Connections, &[], "Connections that samples opened");
pub(super) static USERS: Definition = gauge("swell.users.active", MetricUnit::Users, "Running virtual users");
pub(super) static USERS_WANTED: Definition = gauge(
    "swell.users.wanted",
    MetricUnit::Users,
    "Number of virtual users requested by the plan or by live control; absent if the load is an arrival rate",
);
pub(super) static USERS_STARTED: Definition =
    counter("swell.users.started", MetricUnit::Users, &[], "Virtual users that have started");
pub(super) static USERS_FINISHED: Definition =
    counter("swell.users.finished", MetricUnit::Users, &[], "Virtual users that have ended");
pub(super) static WANTED_RATE: Definition = gauge(
    "swell.wanted_rate",
    MetricUnit::PerSecond,
    "Rate of arrivals or samples a second requested by the plan or by live control; absent if the plan sets no rate",
);
pub(super) static WORKER_BUSY: Definition =
    gauge("swell.worker.busy", MetricUnit::Ratio, "Share of time that the busiest worker was running");
pub(super) static WORKER_WAITED: Definition = gauge(
    "swell.worker.waited",
    MetricUnit::Ratio,
    "Share of time that a worker waited for a processor; the largest of all workers",
);
pub(super) static MACHINE_BUSY: Definition =
    gauge("swell.machine.busy", MetricUnit::Ratio, "Share of time that this machine's processors were busy");
pub(super) static MACHINE_STEAL: Definition =
    gauge("swell.machine.steal", MetricUnit::Ratio, "Share of the processors' time that the hypervisor took");
pub(super) static MEMORY_FREE: Definition =
    gauge("swell.machine.memory_free", MetricUnit::Ratio, "Share of this machine's memory that is available");
pub(super) static PAUSED: Definition = gauge("swell.paused", MetricUnit::Flag, "1 while the run is paused");
pub(super) static FIGURE_VALUES: Definition =
    counter("swell.figure.values", MetricUnit::Things, OF_FIGURE, "Values of a custom figure");
pub(super) static FIGURE_SUM: Definition = Definition {
    labels: OF_FIGURE,
    ..gauge("swell.figure.sum", MetricUnit::Own, "Sum of the values of a custom figure, in its own unit")
};
pub(super) static FIGURE_QUANTILE: Definition = Definition {
    labels: OF_QUANTILE,
    ..gauge(
        "swell.figure.quantile",
        MetricUnit::Own,
        "Quantile of a custom figure since the start of the run; all samples together have the label (all) and the kind total",
    )
};
pub(super) static INFO: Definition = Definition {
    otlp: "swell.run_info",
    unit: MetricUnit::Flag,
    kind: Kind::Gauge,
    help: "Always 1; the labels have the plan and the version of Swell",
    labels: &["plan", "version"],
};

/// Returns the metrics of a run, in the order in which they are exported.
pub(super) fn of_a_run() -> impl Iterator<Item = &'static Definition> {
    [
        &INFO,
        &SAMPLES,
        &ERRORS,
        &RECEIVED,
        &SENT,
        &DURATION,
        &RESPONSE,
        &FAILURES,
        &CONNECTIONS,
        &CONNECT,
        &HANDSHAKE,
        &FIRST_BYTE,
        &START_DELAY,
        &SEND_DELAY,
        &READ_DELAY,
        &USERS,
        &USERS_WANTED,
        &USERS_STARTED,
        &USERS_FINISHED,
        &WANTED_RATE,
        &WORKER_BUSY,
        &WORKER_WAITED,
        &MACHINE_BUSY,
        &MACHINE_STEAL,
        &MEMORY_FREE,
        &PAUSED,
        &FIGURE_VALUES,
        &FIGURE_SUM,
        &FIGURE_QUANTILE,
    ]
    .into_iter()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::export::definitions;

    fn repository(file: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn names_for_prometheus_follow_from_those_for_opentelemetry() {
        let names: Vec<_> = definitions().map(Definition::name).collect();
        for name in [
            "swell_samples_total",
            "swell_received_bytes_total",
            "swell_sample_duration_seconds",
            "swell_worker_busy_ratio",
            "swell_wanted_rate_per_second",
            "swell_users_active",
        ] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "each once");
    }

    #[test]
    fn the_reference_page_has_each_metric() {
        let page = repository("docs/reference/exports.md");
        for definition in definitions() {
            let name = definition.name();
            let kind = definition.kind.name();
            let labels =
                definition.labels.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ");
            let row = format!("| `{name}` | `{}` | {kind} | {labels} |\n", definition.otlp);
            assert!(page.contains(&row), "docs/reference/exports.md lacks the row\n{row}");
            let meaning = format!("- `{name}`: {}.\n", definition.help);
            assert!(page.contains(&meaning), "docs/reference/exports.md lacks the line\n{meaning}");
        }
    }

    /// Words that begin with `swell_` in the queries of a dashboard.
    fn names_in(board: &str) -> BTreeSet<String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let value: serde_json::Value = serde_json::from_str(board).expect("a dashboard is JSON");
        let mut names = BTreeSet::new();
        let mut left = vec![&value];
        while let Some(value) = left.pop() {
            match value {
                serde_json::Value::Array(all) => left.extend(all),
                serde_json::Value::Object(fields) => {
                    left.extend(fields.values().filter(|value| !value.is_string()));
                    for text in
                        ["expr", "query", "definition"].iter().filter_map(|key| fields.get(*key)?.as_str())
                    {
                        let words = text.split(|c| !is_part(c)).filter(|word| word.starts_with("swell_"));
                        names.extend(words.map(str::to_owned));
                    }
                }
                _ => {}
            }
        }
        names
    }

    #[test]
    fn dashboards_ask_for_metrics_that_there_are() {
        let mut there: BTreeSet<String> = BTreeSet::new();
        for definition in definitions() {
            there.insert(definition.name());
            if definition.kind == Kind::Histogram {
                there.extend(["bucket", "sum", "count"].map(|part| format!("{}_{part}", definition.name())));
            }
        }
        for board in ["prometheus", "remote-write", "otlp"] {
            let asked = names_in(&repository(&format!("dist/grafana/{board}.json")));
            let wrong: Vec<_> = asked.difference(&there).collect();
            assert!(asked.len() > 10 && wrong.is_empty(), "{board}: {wrong:?} of {asked:?}");
        }
    }
}
