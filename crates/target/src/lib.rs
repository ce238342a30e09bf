//! The web site under test: every delay it makes is known.
//!
//! A small HTTP/1.1 server whose answers take as long as they are asked to take. A delay counts from the moment the
//! kernel received the last byte of the request, and what became of it is on record: `GET /stats` gives the true time
//! each request spent here, so the numbers of a load generator can be held against the truth.
//!
//! Folders: `wire` is HTTP without sockets, `delay` says how long, `routes` holds the routes, `metrics` keeps the record,
//! `serve` joins them to sockets. Only `serve` has effects; the routes are functions from a request to what to do about it.

mod delay;
mod metrics;
mod options;
mod routes;
mod serve;
mod wire;

pub use metrics::{LogEntry, RouteStats, StatsSnapshot, Summary};
pub use options::Options;
pub use serve::{Target, start};
