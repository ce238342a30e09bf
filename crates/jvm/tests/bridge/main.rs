//! The bridge against a real JVM and JMeter's own classes. Where there is none, the tests say so
//! and pass.

mod functions;
mod hosted;
mod limits;
mod real;
mod recorded;
mod scripts;
