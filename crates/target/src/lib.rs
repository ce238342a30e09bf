//! The web site under test: every delay it makes is known.
//!
//! A small server of HTTP/1.1, HTTP/2 and gRPC whose responses take as long as they are asked to take. A delay starts
//! when the kernel receives the last byte of the request, and the result is recorded: `GET /stats`
//! gives the true time each request spent here, so that the figures of a load generator can be
//! compared with the truth.
//!
//! Folders: `wire` is HTTP without sockets, `delay` computes delays, `routes` has the routes,
//! `metrics` the record, and `serve` connects them to sockets. Only `serve` has effects; the routes
//! are functions from a request to the action.

mod delay;
mod metrics;
mod options;
mod routes;
mod serve;
mod wire;

pub use metrics::{LogEntry, RouteStats, StatsSnapshot, Summary};
pub use options::Options;
pub use routes::PROTO;
pub use serve::{Target, TargetRecord, serve_here, start};
