//! OpenTelemetry's protocol for metrics over HTTP: the needed part of
//! `opentelemetry/proto/metrics/v1/metrics.proto` and related messages. Sums and histograms are
//! cumulative: a request that a collector misses costs detail but no counts.

use prost::Message;

use super::board::{Board, Series, Value};
use super::durations::{Durations, SCHEMA, ZERO_THRESHOLD_S};

/// Headers of a request, besides its length.
pub(super) const HEADERS: [(&str, &str); 1] = [("Content-Type", "application/x-protobuf")];

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
const CUMULATIVE: i32 = 2;

/// Writes requests, one after the other.
#[derive(Default)]
pub(super) struct Otlp {
    /// Intervals of the board that the last request had.
    sent: u64,
}

impl Otlp {
    /// A request with what changed since the last one. `all`: with what did not, too.
    pub(super) fn request(&mut self, board: &Board, all: bool) -> Vec<u8> {
        let mut metrics: Vec<Metric> = Vec::new();
        board.each(|series| {
            if all || series.changed > self.sent {
                put(&mut metrics, board, &series);
            }
        });
        self.sent = board.taken;
        let identity = board.identity();
        let about = [
            ("service.name", "swell"),
            ("service.instance.id", &identity.run),
            ("service.version", &identity.version),
            ("host.name", &identity.host),
        ];
        let scope = Scope { name: "swell".to_owned(), version: identity.version.clone() };
        let resource =
            Resource { attributes: about.iter().map(|&(name, value)| attribute(name, value)).collect() };
        let scope_metrics = vec![ScopeMetrics { scope: Some(scope), metrics }];
        Request { resource_metrics: vec![ResourceMetrics { resource: Some(resource), scope_metrics }] }
            .encode_to_vec()
    }
}

/// What a collector says of a request that it took.
///
/// # Errors
/// It did not take all of it, or what it says is no answer of the protocol; in words.
pub(super) fn check_answer(body: &[u8]) -> Result<(), String> {
    let answer = Answer::decode(body).map_err(|_| "invalid OTLP response".to_owned())?;
    match answer.partial_success {
        Some(partial) if partial.rejected > 0 => {
            Err(format!("it refused {} data points: {}", partial.rejected, partial.message))
        }
        _ => Ok(()),
    }
}

fn put(metrics: &mut Vec<Metric>, board: &Board, series: &Series<'_>) {
    let definition = series.definition;
    if metrics.last().is_none_or(|last| last.name != definition.otlp) {
        let name = definition.otlp.to_owned();
        let description = definition.help.to_owned();
        let unit = definition.unit.ucum().to_owned();
        metrics.push(Metric { name, description, unit, ..Metric::default() });
    }
    let Some(metric) = metrics.last_mut() else { return };
    let [start, time] = [series.since_ms, board.at_ms()].map(|ms| u64::try_from(ms).unwrap_or(0) * 1_000_000);
    let attributes: Vec<_> = series.labels.iter().map(|&(name, value)| attribute(name, value)).collect();
    match series.value {
        Value::Count(count) => {
            let sum = metric.sum.get_or_insert_with(|| Sum {
                temporality: CUMULATIVE,
                is_monotonic: true,
                ..Sum::default()
            });
            sum.points.push(NumberPoint {
                start,
                time,
                int: Some(count as i64),
                attributes,
                ..NumberPoint::default()
            });
        }
        Value::Level(level) => {
            let points = &mut metric.gauge.get_or_insert_default().points;
            points.push(NumberPoint { time, double: Some(level), attributes, ..NumberPoint::default() });
        }
        Value::Times(times) => {
            let histogram = metric
                .histogram
                .get_or_insert_with(|| Histogram { temporality: CUMULATIVE, ..Histogram::default() });
            histogram.points.push(HistogramPoint { attributes, start, time, ..point(times) });
        }
    }
}

fn point(times: &Durations) -> HistogramPoint {
    // Its bucket `n` has the values above `2^(n/16)`, ours those up to that.
    let positive = Buckets { offset: times.first - 1, counts: times.buckets.clone() };
    HistogramPoint {
        count: times.count,
        sum: Some(times.sum_s),
        scale: SCHEMA,
        zero_count: times.zeros,
        positive: Some(positive),
        zero_threshold: ZERO_THRESHOLD_S,
        ..HistogramPoint::default()
    }
}

fn attribute(name: &str, value: &str) -> KeyValue {
    KeyValue { key: name.to_owned(), value: Some(AnyValue { string: Some(value.to_owned()) }) }
}

/// `ExportMetricsServiceRequest`.
#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(message, repeated, tag = "1")]
    resource_metrics: Vec<ResourceMetrics>,
}

/// `ExportMetricsServiceResponse`.
#[derive(Clone, PartialEq, Message)]
struct Answer {
    #[prost(message, optional, tag = "1")]
    partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, Message)]
struct PartialSuccess {
    #[prost(int64, tag = "1")]
    rejected: i64,
    #[prost(string, tag = "2")]
    message: String,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceMetrics {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scope_metrics: Vec<ScopeMetrics>,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(string, optional, tag = "1")]
    string: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeMetrics {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    metrics: Vec<Metric>,
}

/// `InstrumentationScope`.
#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
}

#[derive(Clone, PartialEq, Message)]
struct Metric {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    description: String,
    #[prost(string, tag = "3")]
    unit: String,
    #[prost(message, optional, tag = "5")]
    gauge: Option<Gauge>,
    #[prost(message, optional, tag = "7")]
    sum: Option<Sum>,
    #[prost(message, optional, tag = "10")]
    histogram: Option<Histogram>,
}

#[derive(Clone, PartialEq, Message)]
struct Gauge {
    #[prost(message, repeated, tag = "1")]
    points: Vec<NumberPoint>,
}

#[derive(Clone, PartialEq, Message)]
struct Sum {
    #[prost(message, repeated, tag = "1")]
    points: Vec<NumberPoint>,
    #[prost(int32, tag = "2")]
    temporality: i32,
    #[prost(bool, tag = "3")]
    is_monotonic: bool,
}

/// `NumberDataPoint`. Times are nanoseconds since the epoch.
#[derive(Clone, PartialEq, Message)]
struct NumberPoint {
    #[prost(fixed64, tag = "2")]
    start: u64,
    #[prost(fixed64, tag = "3")]
    time: u64,
    #[prost(double, optional, tag = "4")]
    double: Option<f64>,
    #[prost(sfixed64, optional, tag = "6")]
    int: Option<i64>,
    #[prost(message, repeated, tag = "7")]
    attributes: Vec<KeyValue>,
}

/// `ExponentialHistogram`.
#[derive(Clone, PartialEq, Message)]
struct Histogram {
    #[prost(message, repeated, tag = "1")]
    points: Vec<HistogramPoint>,
    #[prost(int32, tag = "2")]
    temporality: i32,
}

/// `ExponentialHistogramDataPoint`. Times are nanoseconds since the epoch.
#[derive(Clone, PartialEq, Message)]
struct HistogramPoint {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
    #[prost(fixed64, tag = "2")]
    start: u64,
    #[prost(fixed64, tag = "3")]
    time: u64,
    #[prost(fixed64, tag = "4")]
    count: u64,
    #[prost(double, optional, tag = "5")]
    sum: Option<f64>,
    #[prost(sint32, tag = "6")]
    scale: i32,
    #[prost(fixed64, tag = "7")]
    zero_count: u64,
    #[prost(message, optional, tag = "8")]
    positive: Option<Buckets>,
    #[prost(double, tag = "14")]
    zero_threshold: f64,
}

#[derive(Clone, PartialEq, Message)]
struct Buckets {
    #[prost(sint32, tag = "1")]
    offset: i32,
    #[prost(uint64, repeated, tag = "2")]
    counts: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::super::testing::{identity, interval};
    use super::*;

    fn metrics(bytes: &[u8]) -> Vec<Metric> {
        let request = Request::decode(bytes).expect("a message");
        request
            .resource_metrics
            .into_iter()
            .flat_map(|all| all.scope_metrics)
            .flat_map(|all| all.metrics)
            .collect()
    }

    #[test]
    fn metrics_are_cumulative_with_exponential_histograms() {
        let mut board = Board::new(identity(), 10);
        let mut writer = Otlp::default();
        board.add(&interval(1000, &[("a", 3), ("b", 1)]));
        let first = metrics(&writer.request(&board, false));
        let find = |all: &[Metric], name: &str| all.iter().find(|metric| metric.name == name).cloned();
        let sum = find(&first, "swell.samples").and_then(|metric| metric.sum).expect("a sum");
        let points: Vec<_> = sum.points.iter().map(|point| (point.start, point.time, point.int)).collect();
        assert_eq!((sum.temporality, sum.is_monotonic), (CUMULATIVE, true));
        assert_eq!(
            points,
            [(1_000_000_000, 2_000_000_000, Some(3)), (1_000_000_000, 2_000_000_000, Some(1))]
        );
        let names: Vec<_> = sum.points[0].attributes.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(names, ["run", "label", "kind"]);
        let duration = find(&first, "swell.sample.duration").expect("there");
        let point = &duration.histogram.expect("one").points[0];
        let buckets = point.positive.clone().expect("some");
        // 5 ms lies above 2^(-123/16) s and not above 2^(-122/16) s.
        assert_eq!(
            (duration.unit.as_str(), point.count, buckets.offset, buckets.counts),
            ("s", 3, -123, vec![3])
        );
        board.add(&interval(2000, &[("b", 1)]));
        let second = metrics(&writer.request(&board, false));
        assert_eq!(
            find(&second, "swell.samples").and_then(|metric| metric.sum).map(|sum| sum.points.len()),
            Some(1)
        );
        let all = metrics(&writer.request(&board, true));
        assert_eq!(
            find(&all, "swell.samples").and_then(|metric| metric.sum).map(|sum| sum.points.len()),
            Some(2)
        );
    }

    #[test]
    fn a_collector_may_take_a_part_or_say_nothing_sensible() {
        assert_eq!(check_answer(b""), Ok(()));
        let partial = PartialSuccess { rejected: 3, message: "too old".into() };
        let told = check_answer(&Answer { partial_success: Some(partial) }.encode_to_vec());
        assert_eq!(told, Err("it refused 3 data points: too old".to_owned()));
        assert!(check_answer(b"<html>hello</html>").is_err());
    }
}
