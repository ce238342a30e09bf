//! A sweep: the figures of a server over a grid of settings and loads, a *response surface*.
//!
//! Settings are the outer loop, since the server restarts for each; loads are the inner one, in an
//! order drawn from a seed, so that a drift over time is not taken for an effect of the load.

mod capacity;
mod cell;
mod grid;
mod page;
mod runner;
mod surface;
mod text;

pub use capacity::{Capacities, Capacity};
pub use cell::{Cell, CellEnd, Figures};
pub use grid::{Axis, CellPosition, Grid, Order, combinations, words};
pub use page::html;
pub use runner::{Driver, Say, ServerUse, SweepOptions, run};
pub use surface::{Level, Surface};
pub use text::text;
