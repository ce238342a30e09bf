//! What `/stats` shows.

use serde::Serialize;

/// Count, moments and quantiles of durations, in nanoseconds. Mean and deviation are exact,
/// quantiles to three digits.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct Summary {
    pub count: u64,
    pub mean_ns: f64,
    pub sd_ns: f64,
    pub min_ns: u64,
    pub p50_ns: u64,
    pub p90_ns: u64,
    pub p95_ns: u64,
    pub p99_ns: u64,
    pub p999_ns: u64,
    pub max_ns: u64,
}

/// The times of one route, or of all.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RouteStats {
    /// First part of the path, such as `/delay`; `total` for all routes.
    pub route: String,
    /// From the kernel's receive stamp of the request's last byte to just before the answer is
    /// handed to the kernel (its last piece, where there are several).
    pub residence: Summary,
    /// Residence minus the delay asked for, of requests that asked for one: how exact this server
    /// was.
    pub late: Summary,
    /// How long handing the answer to the kernel took; residence plus this is the upper bound of
    /// the true time.
    pub send: Summary,
}

/// Everything on record since the start or the last reset, over all workers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StatsSnapshot {
    /// Connections that are open now.
    pub open_connections: u64,
    /// The most that were open at once.
    pub open_connections_max: u64,
    /// Connections accepted.
    pub accepted: u64,
    /// Requests refused because they were no HTTP, too large or unfinished.
    pub bad_requests: u64,
    /// TLS handshakes that failed.
    pub tls_failures: u64,
    /// All requests but those for `/stats`.
    pub total: RouteStats,
    /// Routes that were asked for, in the order of the table.
    pub routes: Vec<RouteStats>,
}

impl StatsSnapshot {
    /// The times of one route, such as `/delay`, if it was asked for.
    pub fn route(&self, route: &str) -> Option<&RouteStats> {
        self.routes.iter().find(|stats| stats.route == route)
    }
}
