//! Words and tables from results: summariser lines, final summary, HTML report.

pub mod summariser;

pub use summariser::Summariser;
