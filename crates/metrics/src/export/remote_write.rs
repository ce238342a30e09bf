//! Prometheus remote write 1.0: posts series as a compressed message. It is the needed part of
//! `prompb/remote.proto` and `prompb/types.proto`.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use prost::Message;

use super::board::{Board, Series, Value};
use super::definition::Kind;
use super::durations::{Durations, SCHEMA, ZERO_THRESHOLD_S};
use super::text::border_text;

/// Headers of a request, besides its length.
pub(super) const HEADERS: [(&str, &str); 3] = [
    ("Content-Type", "application/x-protobuf"),
    ("Content-Encoding", "snappy"),
    ("X-Prometheus-Remote-Write-Version", "0.1.0"),
];

/// The value that says that a series has ended (`value.StaleNaN`).
const STALE: u64 = 0x7ff0_0000_0000_0002;

/// Writes requests, one after the other.
pub(super) struct RemoteWrite {
    /// Native histograms instead of classic buckets.
    native: bool,
    /// Intervals of the board that the last request had.
    sent: u64,
    /// When the last request was; none before the first.
    sent_at_ms: Option<i64>,
    /// Series that were sent, by a hash of their names.
    known: HashSet<u64>,
}

impl RemoteWrite {
    pub(super) fn new(native: bool) -> Self {
        Self { native, sent: 0, sent_at_ms: None, known: HashSet::new() }
    }

    /// A request with what changed since the last one. `all`: with what did not, too, so that the
    /// other end does not take it for gone; `is_last`: with all, and the word that it has ended.
    pub(super) fn request(&mut self, board: &Board, all: bool, is_last: bool) -> Vec<u8> {
        let mut request = WriteRequest::default();
        board.each(|series| {
            if is_last || all || series.changed > self.sent {
                self.series(board, &series, is_last, &mut request.timeseries);
            }
        });
        if self.sent_at_ms.is_none() {
            request.metadata = metadata();
        }
        (self.sent, self.sent_at_ms) = (board.taken, Some(board.at_ms()));
        compressed(&request.encode_to_vec())
    }

    fn series(&mut self, board: &Board, series: &Series<'_>, is_last: bool, out: &mut Vec<TimeSeries>) {
        let name = series.definition.name();
        let at_ms = board.at_ms();
        let is_new = self.known.insert(hash(&name, series));
        // For a server, a counter that it first sees with a value has not risen: it gets the zero
        // before.
        let zero_ms =
            Some(self.sent_at_ms.unwrap_or(series.since_ms)).filter(|zero_ms| is_new && *zero_ms < at_ms);
        let mut put = |suffix: &str, border: Option<f64>, value: f64, zero_ms: Option<i64>| {
            let labels = labels(board, &format!("{name}{suffix}"), series, border);
            let stale = (is_last, f64::from_bits(STALE), at_ms + 1);
            let all = [(zero_ms.is_some(), 0.0, zero_ms.unwrap_or(0)), (true, value, at_ms), stale];
            let samples = all.into_iter().filter(|(is_there, ..)| *is_there);
            let samples = samples.map(|(_, value, timestamp)| Sample { value, timestamp }).collect();
            out.push(TimeSeries { labels, samples, histograms: Vec::new() });
        };
        match series.value {
            Value::Count(count) => put("", None, count as f64, zero_ms),
            Value::Level(level) => put("", None, level, None),
            Value::Times(times) if self.native => {
                let zero = zero_ms.map(|zero_ms| histogram(&Durations::default(), zero_ms));
                let histograms = zero.into_iter().chain([histogram(times, at_ms)]).collect();
                out.push(TimeSeries {
                    labels: labels(board, &name, series, None),
                    samples: Vec::new(),
                    histograms,
                });
            }
            Value::Times(times) => {
                for (border, count) in times.cumulative() {
                    put("_bucket", Some(border), count as f64, zero_ms);
                }
                put("_sum", None, times.sum_s, zero_ms);
                put("_count", None, times.count as f64, zero_ms);
            }
        }
    }
}

fn hash(name: &str, series: &Series<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (name, &series.labels).hash(&mut hasher);
    hasher.finish()
}

/// Names and values in the order of the names, as the form wants them.
fn labels(board: &Board, name: &str, series: &Series<'_>, border: Option<f64>) -> Vec<Label> {
    let label = |name: &str, value: &str| Label { name: name.to_owned(), value: value.to_owned() };
    let mut all =
        vec![label("__name__", name), label("job", "swell"), label("instance", &board.identity().host)];
    // An empty value is no label.
    all.extend(
        series.labels.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| label(name, value)),
    );
    all.extend(border.map(|border| label("le", &border_text(border))));
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn histogram(times: &Durations, timestamp: i64) -> Histogram {
    let (spans, positive_deltas) = times.spans();
    Histogram {
        count: Some(times.count),
        sum: times.sum_s,
        schema: SCHEMA,
        zero_threshold: ZERO_THRESHOLD_S,
        zero_count: Some(times.zeros),
        positive_spans: spans.into_iter().map(|(offset, length)| BucketSpan { offset, length }).collect(),
        positive_deltas,
        timestamp,
    }
}

fn metadata() -> Vec<MetricMetadata> {
    let of = |definition: &super::Definition| MetricMetadata {
        kind: match definition.kind {
            Kind::Counter => 1,
            Kind::Gauge => 2,
            Kind::Histogram => 3,
        },
        name: definition.name(),
        help: definition.help.to_owned(),
        unit: String::new(),
    };
    super::catalog::definitions().map(of).collect()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(bytes).expect("a message is shorter than 4 GiB")
}

#[derive(Clone, PartialEq, Message)]
struct WriteRequest {
    #[prost(message, repeated, tag = "1")]
    timeseries: Vec<TimeSeries>,
    #[prost(message, repeated, tag = "3")]
    metadata: Vec<MetricMetadata>,
}

#[derive(Clone, PartialEq, Message)]
struct TimeSeries {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    histograms: Vec<Histogram>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(double, tag = "1")]
    value: f64,
    #[prost(int64, tag = "2")]
    timestamp: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Histogram {
    #[prost(uint64, optional, tag = "1")]
    count: Option<u64>,
    #[prost(double, tag = "3")]
    sum: f64,
    #[prost(sint32, tag = "4")]
    schema: i32,
    #[prost(double, tag = "5")]
    zero_threshold: f64,
    #[prost(uint64, optional, tag = "6")]
    zero_count: Option<u64>,
    #[prost(message, repeated, tag = "11")]
    positive_spans: Vec<BucketSpan>,
    #[prost(sint64, repeated, tag = "12")]
    positive_deltas: Vec<i64>,
    #[prost(int64, tag = "15")]
    timestamp: i64,
}

#[derive(Clone, PartialEq, Message)]
struct BucketSpan {
    #[prost(sint32, tag = "1")]
    offset: i32,
    #[prost(uint32, tag = "2")]
    length: u32,
}

#[derive(Clone, PartialEq, Message)]
struct MetricMetadata {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(string, tag = "4")]
    help: String,
    #[prost(string, tag = "5")]
    unit: String,
}

#[cfg(test)]
mod tests {
    use super::super::testing::{identity, interval};
    use super::*;

    fn decoded(bytes: &[u8]) -> WriteRequest {
        let plain = snap::raw::Decoder::new().decompress_vec(bytes).expect("it is Snappy");
        WriteRequest::decode(&*plain).expect("a message")
    }

    /// Times and values of the series of that name, and of a label where one is given.
    fn samples(request: &WriteRequest, name: &str, label: Option<&str>) -> Vec<(i64, f64)> {
        let has = |series: &TimeSeries, name: &str, value: &str| {
            series.labels.iter().any(|pair| pair.name == name && pair.value == value)
        };
        let found = request.timeseries.iter().filter(|series| {
            has(series, "__name__", name) && label.is_none_or(|label| has(series, "label", label))
        });
        found.flat_map(|series| &series.samples).map(|sample| (sample.timestamp, sample.value)).collect()
    }

    #[test]
    fn a_request_has_what_changed_and_new_series_begin_at_zero() {
        let mut board = Board::new(identity(), 10);
        let mut writer = RemoteWrite::new(false);
        board.add(&interval(1000, &[("a", 3)]));
        let first = decoded(&writer.request(&board, false, false));
        assert_eq!(samples(&first, "swell_samples_total", None), [(1000, 0.0), (2000, 3.0)]);
        assert_eq!(samples(&first, "swell_users_active", None), [(2000, 7.0)]);
        assert_eq!(samples(&first, "swell_sample_duration_seconds_count", None), [(1000, 0.0), (2000, 3.0)]);
        assert!(first.metadata.iter().any(|metric| metric.name == "swell_samples_total" && metric.kind == 1));
        for series in &first.timeseries {
            let names: Vec<_> = series.labels.iter().map(|label| &label.name).collect();
            assert!(
                names.is_sorted() && series.labels.iter().all(|label| !label.value.is_empty()),
                "{names:?}"
            );
        }
        board.add(&interval(2000, &[("b", 2)]));
        let second = decoded(&writer.request(&board, false, false));
        assert_eq!(
            (
                samples(&second, "swell_samples_total", Some("a")),
                samples(&second, "swell_samples_total", Some("b"))
            ),
            (vec![], vec![(2000, 0.0), (3000, 2.0)])
        );
        assert!(second.metadata.is_empty());
        let all = decoded(&writer.request(&board, true, false));
        assert_eq!(samples(&all, "swell_samples_total", Some("a")), [(3000, 3.0)]);
        let last = decoded(&writer.request(&board, false, true));
        let seen = samples(&last, "swell_samples_total", Some("a"));
        assert_eq!((seen.len(), seen[1].0, seen[1].1.to_bits()), (2, 3001, STALE));
    }

    #[test]
    fn native_histograms_take_the_place_of_buckets() {
        let mut board = Board::new(identity(), 10);
        let mut writer = RemoteWrite::new(true);
        board.add(&interval(1000, &[("a", 3)]));
        let request = decoded(&writer.request(&board, false, false));
        assert!(samples(&request, "swell_sample_duration_seconds_count", None).is_empty());
        let histograms = request.timeseries.iter().flat_map(|series| &series.histograms);
        let counts: Vec<_> = histograms
            .map(|histogram| (histogram.timestamp, histogram.count, histogram.positive_deltas.clone()))
            .collect();
        assert!(
            counts.contains(&(1000, Some(0), vec![])) && counts.contains(&(2000, Some(3), vec![3])),
            "{counts:?}"
        );
    }
}
