//! Metrics as protocol buffers for a Prometheus server: the only format with native histograms. It
//! is the needed part of `io/prometheus/client/metrics.proto` (prometheus/client_model).

use prost::Message;

use super::board::{Board, Series, Value};
use super::definition::Kind;
use super::durations::{Durations, SCHEMA, ZERO_THRESHOLD_S};

/// Media type of the form.
pub(super) const CONTENT_TYPE: &str =
    "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited";

/// Whether a server that accepts this wants the form: a server names it first if it keeps native
/// histograms.
pub(super) fn is_wanted(accept: &[u8]) -> bool {
    let accept = String::from_utf8_lossy(accept);
    let quality = |one: &str| {
        let given =
            one.split(';').find_map(|part| part.trim().strip_prefix("q=")?.trim().parse::<f64>().ok());
        given.unwrap_or(1.0)
    };
    let best =
        |is_it: fn(&str) -> bool| accept.split(',').filter(|one| is_it(one)).map(quality).fold(0.0, f64::max);
    let protobuf = best(|one| {
        one.contains("application/vnd.google.protobuf")
            && one.contains("io.prometheus.client.MetricFamily")
            && one.contains("delimited")
    });
    protobuf > 0.0 && protobuf >= best(|one| one.contains("text/plain"))
}

/// All metrics of a run.
pub(super) fn bytes(board: &Board) -> Vec<u8> {
    let mut families: Vec<MetricFamily> = Vec::new();
    board.each(|series| {
        let name = series.definition.name();
        if families.last().is_none_or(|last| last.name.as_ref() != Some(&name)) {
            let kind = match series.definition.kind {
                Kind::Counter => 0,
                Kind::Gauge => 1,
                Kind::Histogram => 4,
            };
            let help = Some(series.definition.help.to_owned());
            families.push(MetricFamily { name: Some(name), help, kind: Some(kind), metric: Vec::new() });
        }
        if let Some(family) = families.last_mut() {
            family.metric.push(metric(&series));
        }
    });
    let mut out = Vec::new();
    for family in &families {
        family.encode_length_delimited(&mut out).expect("a Vec grows");
    }
    out
}

fn metric(series: &Series<'_>) -> Metric {
    let pair = |&(name, value): &(&str, &str)| LabelPair {
        name: Some(name.to_owned()),
        value: Some(value.to_owned()),
    };
    let mut metric = Metric { label: series.labels.iter().map(pair).collect(), ..Metric::default() };
    match series.value {
        Value::Count(count) => metric.counter = Some(Number { value: Some(count as f64) }),
        Value::Level(level) => metric.gauge = Some(Number { value: Some(level) }),
        Value::Times(times) => metric.histogram = Some(histogram(times)),
    }
    metric
}

fn histogram(times: &Durations) -> Histogram {
    let (spans, positive_delta) = times.spans();
    let bucket = |(border, count)| Bucket { cumulative_count: Some(count), upper_bound: Some(border) };
    Histogram {
        sample_count: Some(times.count),
        sample_sum: Some(times.sum_s),
        bucket: times.cumulative().map(bucket).collect(),
        schema: Some(SCHEMA),
        zero_threshold: Some(ZERO_THRESHOLD_S),
        zero_count: Some(times.zeros),
        positive_span: spans
            .into_iter()
            .map(|(offset, length)| BucketSpan { offset: Some(offset), length: Some(length) })
            .collect(),
        positive_delta,
    }
}

#[derive(Clone, PartialEq, Message)]
struct MetricFamily {
    #[prost(string, optional, tag = "1")]
    name: Option<String>,
    #[prost(string, optional, tag = "2")]
    help: Option<String>,
    #[prost(int32, optional, tag = "3")]
    kind: Option<i32>,
    #[prost(message, repeated, tag = "4")]
    metric: Vec<Metric>,
}

#[derive(Clone, PartialEq, Message)]
struct Metric {
    #[prost(message, repeated, tag = "1")]
    label: Vec<LabelPair>,
    #[prost(message, optional, tag = "2")]
    gauge: Option<Number>,
    #[prost(message, optional, tag = "3")]
    counter: Option<Number>,
    #[prost(message, optional, tag = "7")]
    histogram: Option<Histogram>,
}

#[derive(Clone, PartialEq, Message)]
struct LabelPair {
    #[prost(string, optional, tag = "1")]
    name: Option<String>,
    #[prost(string, optional, tag = "2")]
    value: Option<String>,
}

/// `Counter` and `Gauge`.
#[derive(Clone, PartialEq, Message)]
struct Number {
    #[prost(double, optional, tag = "1")]
    value: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
struct Histogram {
    #[prost(uint64, optional, tag = "1")]
    sample_count: Option<u64>,
    #[prost(double, optional, tag = "2")]
    sample_sum: Option<f64>,
    #[prost(message, repeated, tag = "3")]
    bucket: Vec<Bucket>,
    #[prost(sint32, optional, tag = "5")]
    schema: Option<i32>,
    #[prost(double, optional, tag = "6")]
    zero_threshold: Option<f64>,
    #[prost(uint64, optional, tag = "7")]
    zero_count: Option<u64>,
    #[prost(message, repeated, tag = "12")]
    positive_span: Vec<BucketSpan>,
    /// Not packed: the file is of the second version of the language.
    #[prost(sint64, repeated, packed = "false", tag = "13")]
    positive_delta: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Bucket {
    #[prost(uint64, optional, tag = "1")]
    cumulative_count: Option<u64>,
    #[prost(double, optional, tag = "2")]
    upper_bound: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
struct BucketSpan {
    #[prost(sint32, optional, tag = "1")]
    offset: Option<i32>,
    #[prost(uint32, optional, tag = "2")]
    length: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::super::testing::{identity, interval};
    use super::*;

    #[test]
    fn a_server_that_keeps_native_histograms_gets_protocol_buffers() {
        let wanted = b"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";
        assert!(is_wanted(wanted));
        for accept in [&b""[..], b"*/*", b"text/plain", b"application/openmetrics-text;version=1.0.0,text/plain;q=0.5", b"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", b"text/plain,application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.1", b"\xff"] {
            assert!(!is_wanted(accept), "{}", String::from_utf8_lossy(accept));
        }
    }

    #[test]
    fn families_stand_one_after_the_other_each_with_its_length() {
        let mut board = Board::new(identity(), 10);
        board.add(&interval(0, &[("a", 3), ("b", 2)]));
        let bytes = bytes(&board);
        let mut left = &bytes[..];
        let mut families = Vec::new();
        while !left.is_empty() {
            families.push(MetricFamily::decode_length_delimited(&mut left).expect("a family"));
        }
        let find =
            |name: &str| families.iter().find(|family| family.name.as_deref() == Some(name)).expect("there");
        let samples = find("swell_samples_total");
        let counts: Vec<_> = samples
            .metric
            .iter()
            .map(|metric| metric.counter.as_ref().and_then(|count| count.value))
            .collect();
        assert_eq!((samples.kind, counts), (Some(0), vec![Some(3.0), Some(2.0)]));
        let histogram = find("swell_sample_duration_seconds").metric[0].histogram.clone().expect("one");
        assert_eq!(
            (histogram.sample_count, histogram.schema, histogram.positive_delta),
            (Some(3), Some(SCHEMA), vec![3])
        );
        assert_eq!(histogram.bucket.last().and_then(|bucket| bucket.upper_bound), Some(f64::INFINITY));
    }
}
