//! The points over time as columns.

use serde::Serialize;
use swell_stats::Histogram;

use super::digits::short;
use super::point::Point;

type OptionalColumn = Vec<Option<f64>>;

/// One entry a point; none where nothing is known. Counts are of the whole point, delays in
/// milliseconds, loads in 0..=1.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Columns {
    seconds: Vec<f64>,
    samples: Vec<u64>,
    errors: Vec<u64>,
    received: Vec<u64>,
    sent: Vec<u64>,
    connects: Vec<u64>,
    users: Vec<Option<u64>>,
    wanted_users: Vec<Option<u64>>,
    wanted_per_s: OptionalColumn,
    p50: OptionalColumn,
    p90: OptionalColumn,
    p95: OptionalColumn,
    p99: OptionalColumn,
    p999: OptionalColumn,
    max: OptionalColumn,
    start_delay: OptionalColumn,
    read_delay: OptionalColumn,
    first_byte_p50: OptionalColumn,
    first_byte_p95: OptionalColumn,
    connect_p50: OptionalColumn,
    connect_p95: OptionalColumn,
    worker_cpu: OptionalColumn,
    machine_cpu: OptionalColumn,
}

impl Columns {
    pub(super) fn push(&mut self, point: &Point) {
        let ms = |times: &Histogram, quantile| {
            (!times.is_empty()).then(|| short(times.quantile(quantile).min(u64::MAX >> 1) as f64 / 1e6))
        };
        let elapsed = |quantile| {
            let max_ms = point.max_ns as f64 / 1e6;
            ms(&point.elapsed, quantile).map(|value| value.min(short(max_ms)))
        };
        self.seconds.push(short(point.seconds));
        self.samples.push(point.samples);
        self.errors.push(point.errors);
        self.received.push(point.received);
        self.sent.push(point.sent);
        self.connects.push(point.connect.count());
        self.users.push(point.users);
        self.wanted_users.push(point.wanted_users);
        self.wanted_per_s.push(point.wanted_per_s().map(short));
        self.p50.push(elapsed(0.5));
        self.p90.push(elapsed(0.9));
        self.p95.push(elapsed(0.95));
        self.p99.push(elapsed(0.99));
        self.p999.push(elapsed(0.999));
        self.max.push((point.samples > 0).then(|| short(point.max_ns as f64 / 1e6)));
        self.start_delay.push(ms(&point.start_delay, 0.99));
        self.read_delay.push(ms(&point.read_delay, 0.99));
        self.first_byte_p50.push(ms(&point.first_byte, 0.5));
        self.first_byte_p95.push(ms(&point.first_byte, 0.95));
        self.connect_p50.push(ms(&point.connect, 0.5));
        self.connect_p95.push(ms(&point.connect, 0.95));
        self.worker_cpu.push(point.worker_busy.map(short));
        self.machine_cpu.push(point.machine_busy.map(short));
    }
}
