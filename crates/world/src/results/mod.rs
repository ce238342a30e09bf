//! Worlds of results: samples through the program's rows, writers and statistics, onto a disk that
//! is slow, takes parts, or fills up, and programs that are killed.

mod check;
mod disk;
mod killed;
mod options;
mod run;

pub use options::ResultsOptions;
pub(crate) use run::row_format;
pub use run::{ResultsResult, run};
