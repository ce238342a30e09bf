//! Load over time, as text and as a function: `ramp(0..500, 5m) hold(500, 10m)`, waves, days, the
//! syntax of Gatling and k6, tables, access logs, responses of Prometheus.
//!
//! A [`Shape`] knows its level at each time, the sum of levels up to it, and when a sum is reached;
//! a [`Pacer`] makes arrivals from that, evenly or as a Poisson process. Nothing here reads a
//! clock, opens a file or waits. Times are seconds since the start of the profile.

mod arrivals;
mod call;
mod calls;
mod curve;
mod error;
mod grammar;
mod part;
mod shape;
pub mod sketch;
mod value;

pub use arrivals::{Pacer, Spacing};
pub use curve::{Curve, CurveSource, Load};
pub use error::ShapeError;
pub use part::ShapePart;
pub use shape::{Shape, ShapeUnit};
