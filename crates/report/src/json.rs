//! The summary for machines (`summary.json`, `--json`), schema `swell.summary/1`.
//!
//! Names end in their unit. Fields may be added within a version; a change of meaning or a removal
//! makes a new version.

use std::fmt::Write;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use swell_stats::threshold::Judgement;
use swell_stats::verdict::{Grade, LostLoad, MachineTcp, ProcessorUse, Program, ScriptTime, Verdict};
use swell_stats::{Delay, Drift, DriftFigure, ErrorRow, ResponseTimes, Summary, SummaryRow};

use crate::advice::advice;
use crate::cause::{cause, total_failure};
use crate::headline::{ThresholdCounts, headline};
use crate::plain::plain;
use crate::reason::{self, reason};

/// Name and version of the form.
pub const SCHEMA: &str = "swell.summary/1";

/// The same with the results of the thresholds (`thresholds`) and of the exports (`exports`), empty
/// lists if there were none, the usage of the event loops (`event_loops`), and the fields of the
/// annotation (`tags`, `note`).
pub fn of_run(
    summary: &Summary,
    verdict: Option<&Verdict>,
    judgements: &[Judgement],
    exports: Value,
    event_loops: Value,
    user_faults: &[(String, u64)],
    annotation: Value,
) -> String {
    let mut value = without_labels(summary, verdict);
    let faults = user_faults.iter().map(|(cause, users)| json!({ "cause": cause, "users": users }));
    value["users"]["ended_by_errors"] = faults.collect();
    value["thresholds"] = crate::thresholds::json(judgements);
    value["result"] = headline(summary, ThresholdCounts::of(judgements)).into();
    value["exports"] = exports;
    value["event_loops"] = event_loops;
    // Fields of the user's own: `tags` and `note`.
    if let (Value::Object(fields), Value::Object(more)) = (&mut value, annotation) {
        fields.extend(more);
    }
    indented(&Document { value: &value, labels: &summary.rows })
}

/// The summary as JSON, indented, with a line end.
pub fn summary(summary: &Summary, verdict: Option<&Verdict>) -> String {
    indented(&Document { value: &without_labels(summary, verdict), labels: &summary.rows })
}

/// A summary whose labels are written one after the other: as values, ten thousand of them take
/// 70 MB.
struct Document<'a> {
    value: &'a Value,
    labels: &'a [SummaryRow],
}

/// The field of the labels.
const LABELS: &str = "labels";

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.value.as_object().into_iter().flatten() {
            if name == LABELS {
                map.serialize_entry(name, &Rows(self.labels))?;
            } else {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

struct Rows<'a>(&'a [SummaryRow]);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Row))
    }
}

/// Data as indented JSON with a line end.
pub fn indented(value: &impl Serialize) -> String {
    ended(serde_json::to_string_pretty(value).expect("numbers and texts are valid JSON"))
}

/// Data as one line of JSON with its end.
pub fn line(value: &impl Serialize) -> String {
    ended(serde_json::to_string(value).expect("numbers and texts are valid JSON"))
}

fn ended(json: String) -> String {
    let mut text = harmless(json);
    text.push('\n');
    text
}

/// JSON text in which characters that a terminal would obey, and that show nothing, are escaped. It
/// means the same.
fn harmless(json: String) -> String {
    // The writer escapes control characters of ASCII but one.
    let is_harmless = |c: char| match c {
        '\u{7f}' => false,
        c => c.is_ascii() || plain(c.encode_utf8(&mut [0; 4])).starts_with(c),
    };
    if json.chars().all(is_harmless) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_harmless(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("a String takes it");
            }
        }
    }
    out
}

/// The summary as a JSON value, with nothing where its labels are.
fn without_labels(summary: &Summary, verdict: Option<&Verdict>) -> Value {
    json!({
        "schema": SCHEMA,
        "start_ms": summary.start_ns.map(|ns| ns.div_euclid(1_000_000)),
        "duration_s": rounded(summary.duration_s, 3),
        "users": {
            "active": summary.users.active,
            "started": summary.users.started,
            "finished": summary.users.finished,
        },
        "total": Row(&summary.total),
        LABELS: null,
        "groups": summary.groups.iter().map(Row).collect::<Vec<_>>(),
        "figures": crate::figures::json(summary),
        "requests": (summary.requests > 0).then_some(summary.requests),
        "beyond_label_limit": summary.beyond_label_limit,
        "result": headline(summary, ThresholdCounts::default()),
        "measurement": verdict.map(|verdict| verdict.grade.measurement()),
        "headline": total_failure(summary),
        "errors": summary.errors.iter().map(|row| error(row, summary.total.samples)).collect::<Vec<_>>(),
        "other_errors": summary.other_errors,
        "warm_up": summary.warm_up.map(|warm_up| json!({
            "seconds": warm_up.seconds,
            "p50_ms": milliseconds(warm_up.p50_ms),
            "p99_ms": milliseconds(warm_up.p99_ms),
        })),
        "drifts": summary.drifts.iter().map(drifting).collect::<Vec<_>>(),
        "verdict": verdict.map(judgement),
    })
}

/// A share of errors is a share of 100, as in all other fields.
fn drifting(drift: &Drift) -> Value {
    let (figure, unit, scale) = match drift.what {
        DriftFigure::P50 => ("p50", "ms", 1.0),
        DriftFigure::P99 => ("p99", "ms", 1.0),
        DriftFigure::ErrorShare => ("error_percent", "percentage points", 100.0),
        DriftFigure::OwnMemory => ("own_memory", "MiB", 1.0),
        DriftFigure::OwnDescriptors => ("own_descriptors", "descriptors", 1.0),
    };
    let (low, high) = drift.interval;
    json!({
        "figure": figure,
        "unit": unit,
        "per_hour": rounded(scale * drift.per_hour, 6),
        "confidence_95": [rounded(scale * low, 6), rounded(scale * high, 6)],
        "hours": rounded(drift.hours, 3),
        "reason": crate::drift::sentence(drift),
    })
}

/// What a kept summary says of the tool itself, as notes of a page: a finished run has no other
/// source for it. Summaries of older versions have none.
pub fn own_drifts(summary: &str) -> Vec<String> {
    let read: Value = serde_json::from_str(summary).unwrap_or_default();
    let drifts = read["drifts"].as_array().into_iter().flatten();
    let own = drifts.filter(|drift| drift["figure"].as_str().is_some_and(|name| name.starts_with("own_")));
    own.filter_map(|drift| drift["reason"].as_str().map(crate::drift::note)).collect()
}

/// `code` and `message` are those of the JTL file.
fn error(row: &ErrorRow, samples: u64) -> Value {
    let cause = cause(row);
    let assertion = (!row.assertion.is_empty()).then_some(&row.assertion);
    json!({
        "code": row.code,
        "message": row.message,
        "count": row.count,
        "percent_of_samples": rounded(100.0 * row.count as f64 / samples.max(1) as f64, 4),
        "kind": row.kind.name(),
        "assertion": assertion,
        "expected": cause.expected,
        "got": cause.got,
        "first": {
            "label": row.first.label,
            "start_ms": row.first.start_ns.div_euclid(1_000_000),
            "elapsed_ms": milliseconds(row.first.elapsed_ns as f64 / 1e6),
        },
    })
}

/// The figures of a label.
struct Row<'a>(&'a SummaryRow);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(row) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("label", &row.label)?;
        map.serialize_entry("transaction", &row.is_transaction)?;
        map.serialize_entry("samples", &row.samples)?;
        map.serialize_entry("errors", &row.errors)?;
        map.serialize_entry("error_percent", &rounded(row.error_percent(), 4))?;
        map.serialize_entry("mean_ms", &milliseconds(row.mean_ms))?;
        map.serialize_entry("sd_ms", &milliseconds(row.sd_ms))?;
        map.serialize_entry("min_ms", &milliseconds(row.min_ms))?;
        for quantile in &row.quantiles {
            map.serialize_entry(&name_of(quantile.quantile), &milliseconds(quantile.ms))?;
        }
        map.serialize_entry("max_ms", &milliseconds(row.max_ms))?;
        let unsupported = row.quantiles.iter().filter(|q| !q.supported).map(|q| name_of(q.quantile));
        map.serialize_entry("unsupported", &unsupported.collect::<Vec<_>>())?;
        map.serialize_entry("confidence_95", &confidence(row))?;
        map.serialize_entry("throughput_per_s", &rounded(row.throughput_per_s, 3))?;
        map.serialize_entry("received_kb_per_s", &rounded(row.received_kb_per_s, 3))?;
        map.serialize_entry("sent_kb_per_s", &rounded(row.sent_kb_per_s, 3))?;
        map.serialize_entry("response", &row.response.as_ref().map(response_times))?;
        for (name, delay) in [
            ("connect", &row.connect),
            ("tls_handshake", &row.handshake),
            ("first_byte", &row.first_byte),
            ("read_delay", &row.read_delay),
            ("start_delay", &row.start_delay),
            ("send_delay", &row.send_delay),
        ] {
            map.serialize_entry(name, &delay_of(delay))?;
        }
        map.end()
    }
}

/// The quantiles that have a confidence interval.
fn confidence(row: &SummaryRow) -> Map<String, Value> {
    let intervals = row.quantiles.iter().filter_map(|q| {
        let (low, high) = q.interval_ms?;
        Some((name_of(q.quantile), json!([milliseconds(low), milliseconds(high)])))
    });
    intervals.collect()
}

/// `p50_ms` to `p999_ms`.
pub(crate) fn name_of(quantile: f64) -> String {
    let percent = format!("{}", (quantile * 1000.0).round() / 10.0);
    format!("p{}_ms", percent.replace('.', ""))
}

/// Times from when the plan wanted the start.
fn response_times(response: &ResponseTimes) -> Value {
    let mut object = Map::new();
    object.insert("samples".to_owned(), json!(response.samples));
    object.insert("mean_ms".to_owned(), milliseconds(response.mean_ms));
    for quantile in &response.quantiles {
        object.insert(name_of(quantile.quantile), milliseconds(quantile.ms));
    }
    object.insert("max_ms".to_owned(), milliseconds(response.max_ms));
    Value::Object(object)
}

fn delay_of(delay: &Delay) -> Value {
    json!({
        "samples": delay.samples,
        "p50_ms": milliseconds(delay.p50_ms),
        "p99_ms": milliseconds(delay.p99_ms),
        "max_ms": milliseconds(delay.max_ms),
    })
}

fn judgement(verdict: &Verdict) -> Value {
    let gates = verdict.gates.iter().map(|gate| {
        let mut value = json!({
            "criterion": format!("{:?}", gate.criterion),
            "value": rounded(gate.value, 6),
            "valid_limit": rounded(gate.valid_limit, 6),
            // Null: there is no worse than degraded by this gate.
            "degraded_limit": gate.degraded_limit.is_finite().then(|| rounded(gate.degraded_limit, 6)),
            "worker": gate.worker,
            "machine": gate.machine,
            "reason": (gate.grade() > Grade::Valid).then(|| reason(gate)),
            "level": gate.grade().to_string(),
        });
        if let Some(lost) = &gate.lost_load {
            value["lost_load"] = lost_load(lost);
        }
        value
    });
    let clock = if verdict.read_delay_counts { "user" } else { "kernel" };
    let neighbour = verdict.neighbour.as_ref().map(|neighbour| {
        let address = neighbour.address.to_string();
        json!({ "address": address, "processors": neighbour.processors, "reason": reason::neighbour(neighbour) })
    });
    let gates: Vec<_> = gates.collect();
    let scripts = verdict.scripts.as_ref().map(script_time);
    let grade = verdict.grade.to_string();
    let refusal = &verdict.refusal;
    json!({
        "level": grade,
        "clock": clock,
        "refusal": refusal,
        "gates": gates,
        "neighbour": neighbour,
        "processors": verdict.processors.as_ref().map(processors),
        "advice": advice(verdict).into_iter().collect::<Vec<_>>(),
        "machine_tcp": verdict.machine_tcp.as_ref().map(machine_tcp),
        "scripts": scripts,
    })
}

/// Load that no agent made.
fn lost_load(lost: &LostLoad) -> Value {
    json!({
        "part": rounded(lost.part, 6),
        "seconds": rounded(lost.seconds, 3),
        "part_then": rounded(lost.part_then, 6),
        "none_left": lost.none_left,
    })
}

/// The programs that used the processors of the machine; 1.5 is one and a half.
fn processors(took: &ProcessorUse) -> Value {
    let program = |program: &Program| {
        json!({
            "name": plain(&program.name).to_string(),
            "processes": program.processes,
            "took": rounded(program.processors, 3),
        })
    };
    json!({
        "count": took.processors,
        "tool": rounded(took.tool, 3),
        "server": rounded(took.server, 3),
        "others": rounded(took.others, 3),
        "unseen": rounded(took.unseen, 3),
        "programs": took.programs.iter().map(program).collect::<Vec<_>>(),
    })
}

/// What TCP of the whole machine did: a hint and no gate.
fn machine_tcp(tcp: &MachineTcp) -> Value {
    json!({
        "opened": tcp.opened,
        "sent": tcp.sent,
        "sent_again": tcp.sent_again,
        "dropped_by_listeners": tcp.dropped_by_listeners,
    })
}

/// Calls of scripts and elements in a JVM.
fn script_time(scripts: &ScriptTime) -> Value {
    json!({
        "calls": scripts.calls,
        "refused": scripts.refused,
        "run_s": rounded(scripts.ran_s, 6),
        "wait_s": rounded(scripts.waited_s, 6),
        "mean_run_ms": milliseconds(scripts.mean_run_ms()),
        "mean_wait_ms": milliseconds(scripts.mean_wait_ms()),
        "max_wait_ms": milliseconds(1e3 * scripts.longest_wait_s),
        "most_threads": scripts.most_threads,
        "thread_limit": scripts.thread_limit,
    })
}

/// Whole nanoseconds.
fn milliseconds(ms: f64) -> Value {
    rounded(ms, 6)
}

fn rounded(value: f64, decimals: i32) -> Value {
    let unit = 10_f64.powi(decimals);
    json!((value * unit).round() / unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use swell_stats::verdict::{Evidence, verdict};

    fn value(of: &Summary, verdict: Option<&Verdict>) -> Value {
        serde_json::from_str(&summary(of, verdict)).expect("JSON")
    }

    #[test]
    fn the_summary_of_a_run() {
        let seen = Evidence { cpu_busy: Some((0, 0.81)), ..Evidence::default() };
        let text = summary(&testing::run().summary(), Some(&verdict(&seen)));
        testing::assert_golden("summary.json", &text);
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["schema"], SCHEMA);
        assert!(read["total"]["confidence_95"]["p99_ms"][0].is_number());
    }

    /// Checks a value against a schema: `properties`, `required`, `type`, `enum`, `const`, `items`,
    /// `anyOf` and references. A property that the schema does not name is an error: it is
    /// undocumented.
    fn mismatch(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
        if let Some(name) = schema["$ref"].as_str() {
            return mismatch(root, root.pointer(&name[1..]).expect("it is defined"), value, at);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let found: Vec<_> = choices.iter().map(|choice| mismatch(root, choice, value, at)).collect();
            return if found.iter().any(Option::is_none) { None } else { found.into_iter().flatten().last() };
        }
        let is = |kind: &str| match kind {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "integer" => value.is_i64() || value.is_u64(),
            _ => value.is_number(),
        };
        let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
        if !kinds.iter().filter_map(Value::as_str).all(|kind| !is(kind)) || schema["type"].is_null() {
            let allowed = schema["enum"].as_array().is_none_or(|all| all.contains(value));
            if !allowed || (!schema["const"].is_null() && schema["const"] != *value) {
                return Some(format!("{at}: invalid value {value}: expected one of the values"));
            }
        } else {
            return Some(format!("{at}: {value} is no {}", schema["type"]));
        }
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(missing) = required.clone().find(|name| value.is_object() && value.get(name).is_none()) {
            return Some(format!("{at}: {missing} is missing"));
        }
        let inner = value.as_object().filter(|_| schema["properties"].is_object()).into_iter().flatten();
        let of_object =
            inner.map(|(name, value)| (&schema["properties"][name], value, format!("{at}.{name}")));
        let of_array =
            value.as_array().into_iter().flatten().map(|value| (&schema["items"], value, format!("{at}[]")));
        of_object.chain(of_array).find_map(|(schema, value, at)| {
            if schema.is_null() {
                Some(format!("{at} is not documented"))
            } else {
                mismatch(root, schema, value, &at)
            }
        })
    }

    #[test]
    fn the_summary_is_what_its_schema_says() {
        let schema = include_str!("../../../docs/reference/summary.schema.json");
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        assert_eq!(schema["properties"]["schema"]["const"], SCHEMA);
        let seen = Evidence { cpu_busy: Some((0, 0.81)), ..Evidence::default() };
        let rules = [crate::thresholds::tests::judgement("p(99)<1s", false)];
        let mut run = testing::run().summary();
        let verdict = verdict(&seen);
        run.drifts = drifts();
        for text in [
            of_run(
                &run,
                Some(&verdict),
                &rules,
                json!([{
                    "kind": "otlp",
                    "place": "http://h/v1/metrics",
                    "delivered": 3,
                    "dropped": 1,
                    "failures": 2,
                    "last_failure": "refused",
                }]),
                json!({ "io": "epoll", "refused": "Operation not permitted" }),
                &[("java.lang.OutOfMemoryError: Java heap space".to_owned(), 2)],
                json!({ "tags": { "branch": "main" }, "note": "after the change" }),
            ),
            of_run(
                &swell_stats::Run::default().summary(),
                None,
                &[],
                json!([]),
                Value::Null,
                &[],
                Value::Null,
            ),
            summary(&run, None),
        ] {
            let mut value: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(mismatch(&schema, &schema, &value, "summary"), None);
            value["total"]["mean_ms"] = json!("slow");
            assert!(mismatch(&schema, &schema, &value, "summary").is_some(), "the check finds what is wrong");
        }
    }

    fn drifts() -> Vec<Drift> {
        use DriftFigure::{ErrorShare, OwnDescriptors, OwnMemory, P50, P99};
        let drift = |what| Drift { what, per_hour: -0.006, interval: (-0.009, -0.003), hours: 8.0 };
        [P50, P99, ErrorShare, OwnMemory, OwnDescriptors].map(drift).to_vec()
    }

    #[test]
    fn a_drift_says_figure_unit_and_interval() {
        let summary = Summary { drifts: drifts(), ..testing::run().summary() };
        let read = value(&summary, None);
        assert_eq!(read["drifts"].as_array().map(Vec::len), Some(5));
        let expected = json!({
            "figure": "error_percent",
            "unit": "percentage points",
            "per_hour": -0.6,
            "confidence_95": [-0.9, -0.3],
            "hours": 8.0,
            "reason": "the error rate falls by 0.600 percentage points an hour over 8 h (0.300 to 0.900)",
        });
        assert_eq!(read["drifts"][2], expected);
        assert_eq!(read["drifts"][1]["per_hour"], -0.006);
        let own = own_drifts(&super::summary(&summary, None));
        assert!(own.len() == 2 && own[0].starts_with("Over the run, the tool's own memory falls"), "{own:?}");
        assert!(own_drifts("{}").is_empty() && own_drifts("").is_empty());
    }

    #[test]
    fn no_text_in_the_json_controls_a_terminal_and_it_means_the_same() {
        for text in ["a\u{9b}2J", "\u{1b}[31m\u{7f}", "x\u{202e}y\u{e0041} ä \u{301}"] {
            let json = harmless(json!({ "text": text }).to_string());
            assert_eq!(plain(&json), json);
            assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON")["text"], text);
        }
    }

    #[test]
    fn a_run_without_samples_has_no_start() {
        let read = value(&swell_stats::Run::default().summary(), None);
        assert!(read["start_ms"].is_null() && read["verdict"].is_null());
        assert_eq!(read["total"]["unsupported"].as_array().map(Vec::len), Some(5));
    }
}
