//! Studies: what is learned from many trials. A server under test is started and stopped with the
//! settings that a study asks for ([`server`]); a sweep measures it over a grid of loads and
//! settings ([`sweep`]); a matrix puts load generators side by side ([`matrix`]).
//!
//! Nothing here reads arguments, handles signals or writes to a terminal; results are values and
//! texts.

pub mod ceiling;
mod chart;
mod error;
pub mod guard;
pub mod limit;
pub mod matrix;
pub mod processes;
pub mod safety;
pub mod search;
pub mod server;
pub mod sweep;
pub mod table;
pub mod trials;

pub use error::StudyError;
