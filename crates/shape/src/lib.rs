//! Load over time, in words and as a function: `ramp(0..500, 5m) hold(500, 10m)`, waves, days, Gatling's and k6's words, tables, access
//! logs, answers of Prometheus.
//!
//! A [`Shape`] knows its level at each time, the sum of levels up to it, and when a sum is reached; a [`Pacer`] makes arrivals of that,
//! evenly or as a Poisson process. Nothing here has a clock, opens a file or waits. Times are seconds since the shape begins.

mod arrivals;
mod curve;
mod grammar;
mod part;
mod shape;
pub mod sketch;
mod value;
mod words;

pub use arrivals::{Pacer, Spacing};
pub use curve::{Curve, CurveSource};
pub use grammar::{Load, ShapeError};
pub use part::Part;
pub use shape::{Shape, Unit};
