//! Each worker's own record; they are merged when they are read.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::distribution::Distribution;
use super::log::{Log, LogEntry};
use super::snapshot::{RouteStats, StatsSnapshot};

/// Counts that all workers share; each changes once a connection, not once a request.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) open: AtomicU64,
    pub(crate) open_max: AtomicU64,
    pub(crate) accepted: AtomicU64,
    pub(crate) bad_requests: AtomicU64,
    pub(crate) tls_failures: AtomicU64,
}

impl Counters {
    pub(crate) fn connection_opened(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.open_max.fetch_max(open, Ordering::Relaxed);
    }

    pub(crate) fn connection_closed(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    fn reset(&self) {
        self.open_max.store(self.open.load(Ordering::Relaxed), Ordering::Relaxed);
        for counter in [&self.accepted, &self.bad_requests, &self.tls_failures] {
            counter.store(0, Ordering::Relaxed);
        }
    }
}

/// A request whose answer is about to be handed to the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletedRequest {
    /// Index of the route in the table.
    pub(crate) route: usize,
    pub(crate) arrival_ns: i64,
    pub(crate) asked_ns: i64,
    pub(crate) before_send_ns: i64,
}

#[derive(Clone, Debug, Default)]
struct Times {
    residence: Distribution,
    late: Distribution,
    send: Distribution,
}

impl Times {
    fn merge(&mut self, other: &Self) {
        self.residence.merge(&other.residence);
        self.late.merge(&other.late);
        self.send.merge(&other.send);
    }

    fn stats(&self, route: &str) -> RouteStats {
        RouteStats {
            route: route.into(),
            residence: self.residence.summary(),
            late: self.late.summary(),
            send: self.send.summary(),
        }
    }
}

/// One worker's record. The lock is contended only at the moment in which the statistics are read.
#[derive(Debug)]
pub(crate) struct WorkerMetrics {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// By index of the route in the table; made at its first request.
    times: Vec<Option<Box<Times>>>,
    log: Log,
}

impl WorkerMetrics {
    pub(crate) fn new(routes: usize, log_entries: usize) -> Self {
        let inner = Inner { times: vec![None; routes], log: Log::new(log_entries) };
        Self { inner: Mutex::new(inner) }
    }

    /// Before the send: a client that has its answer finds it counted.
    pub(crate) fn answering(&self, done: &CompletedRequest) {
        let residence_ns = done.before_send_ns - done.arrival_ns;
        let mut inner = self.inner.lock();
        let times = inner.times[done.route].get_or_insert_default();
        times.residence.record(residence_ns);
        if done.asked_ns > 0 {
            times.late.record(residence_ns - done.asked_ns);
        }
    }

    /// After the send.
    pub(crate) fn answered(&self, done: &CompletedRequest, after_send_ns: i64) {
        let mut inner = self.inner.lock();
        inner.times[done.route].get_or_insert_default().send.record(after_send_ns - done.before_send_ns);
    }

    /// Keeps a request that carries an id.
    pub(crate) fn keep(&self, entry: LogEntry) {
        self.inner.lock().log.push(entry);
    }

    /// Requests answered.
    pub(crate) fn requests(&self) -> u64 {
        self.inner.lock().times.iter().flatten().map(|times| times.residence.count()).sum()
    }

    pub(crate) fn entries(&self) -> Vec<LogEntry> {
        self.inner.lock().log.entries().cloned().collect()
    }
}

/// Merges the workers' records; `routes` are the shown names, by place, and `None` leaves one out
/// of the total.
pub(crate) fn snapshot(
    workers: &[WorkerMetrics],
    counters: &Counters,
    routes: &[(&str, bool)],
) -> StatsSnapshot {
    let mut merged: Vec<Option<Box<Times>>> = vec![None; routes.len()];
    for metrics in workers {
        for (into, from) in merged.iter_mut().zip(&metrics.inner.lock().times) {
            if let Some(from) = from {
                into.get_or_insert_default().merge(from);
            }
        }
    }
    let mut total = Times::default();
    for (times, (_, counts)) in merged.iter().zip(routes) {
        if let Some(times) = times.as_ref().filter(|_| *counts) {
            total.merge(times);
        }
    }
    let shown = merged.iter().zip(routes).filter_map(|(times, (name, _))| Some(times.as_ref()?.stats(name)));
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    StatsSnapshot {
        open_connections: count(&counters.open),
        open_connections_max: count(&counters.open_max),
        accepted: count(&counters.accepted),
        bad_requests: count(&counters.bad_requests),
        tls_failures: count(&counters.tls_failures),
        total: total.stats("total"),
        routes: shown.collect(),
    }
}

/// Forgets everything but the connections that are open.
pub(crate) fn reset(workers: &[WorkerMetrics], counters: &Counters) {
    for metrics in workers {
        let mut inner = metrics.inner.lock();
        inner.times.fill(None);
        inner.log.clear();
    }
    counters.reset();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(route: usize, asked_ns: i64, residence_ns: i64) -> CompletedRequest {
        CompletedRequest { route, arrival_ns: 1_000, asked_ns, before_send_ns: 1_000 + residence_ns }
    }

    const ROUTES: [(&str, bool); 3] = [("/a", true), ("/b", true), ("/stats", false)];

    #[test]
    fn workers_merge_and_the_total_leaves_out_what_does_not_count() {
        let workers = [WorkerMetrics::new(3, 0), WorkerMetrics::new(3, 0)];
        workers[0].answering(&done(0, 0, 10));
        workers[0].answered(&done(0, 0, 10), 1_014);
        workers[1].answering(&done(0, 20, 30));
        workers[1].answering(&done(2, 0, 500));
        let seen = snapshot(&workers, &Counters::default(), &ROUTES);
        let a = seen.route("/a").unwrap();
        assert_eq!((a.residence.count, a.residence.mean_ns, a.residence.max_ns), (2, 20.0, 30));
        assert_eq!((a.late.count, a.late.max_ns), (1, 10));
        assert_eq!((a.send.count, a.send.max_ns), (1, 4));
        assert_eq!((seen.total.residence.count, seen.routes.len()), (2, 2));
        assert!(seen.route("/b").is_none());
    }

    #[test]
    fn a_reset_keeps_what_is_open() {
        let workers = [WorkerMetrics::new(3, 9)];
        let counters = Counters::default();
        workers[0].answering(&done(0, 0, 10));
        counters.connection_opened();
        counters.connection_opened();
        counters.connection_closed();
        reset(&workers, &counters);
        let seen = snapshot(&workers, &counters, &ROUTES);
        assert_eq!((seen.open_connections, seen.open_connections_max, seen.accepted), (1, 1, 0));
        assert_eq!(seen.total.residence.count, 0);
    }
}
