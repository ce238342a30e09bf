//! The bridge with a real JVM and JMeter's classes. If these are missing, the tests print that and
//! pass.

#[path = "../../../net/tests/net/alone.rs"]
mod alone;
mod child;
mod exit;
mod functions;
mod hosted;
mod installed;
mod jar;
mod limits;
mod real;
mod recorded;
mod scripts;
