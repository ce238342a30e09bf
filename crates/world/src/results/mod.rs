//! Worlds of results: samples through the program's rows, writers and statistics, onto a disk that
//! is slow, takes parts, or fills up.

mod check;
mod disk;
mod options;
mod run;

pub use options::ResultsOptions;
pub use run::{ResultsResult, run};
