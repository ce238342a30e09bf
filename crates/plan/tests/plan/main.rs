//! Tests of reading and writing plans.

mod damage;
mod lines;
mod reading;
mod real_plans;
mod round_trip;
