//! Figures of a run for other systems: Prometheus, OpenTelemetry, InfluxDB and Graphite.
//!
//! There are two sources: [`export`] takes the intervals of a run, whatever its plan;
//! [`ListenerMetrics`] takes samples from the Prometheus Listeners and Backend Listeners of a plan.
//! Neither ever makes a virtual user wait for another system.

mod backend;
pub mod export;
mod kinds;
mod listener_metrics;
mod metrics_server;
mod post;
mod prometheus;

pub use kinds::kinds;
pub use listener_metrics::ListenerMetrics;
