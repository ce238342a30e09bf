//! Plans as they are read and written.

mod damage;
mod lines;
mod reading;
mod real_plans;
mod round_trip;
