//! The bridge against a real JVM and JMeter's own classes. Where there is none, the tests say so
//! and pass.

#[path = "../../../net/tests/net/alone.rs"]
mod alone;
mod child;
mod exit;
mod functions;
mod hosted;
mod jar;
mod limits;
mod real;
mod recorded;
mod scripts;
