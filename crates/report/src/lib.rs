//! Text, tables and pages from results: summariser lines, final summary, HTML report.
//!
//! Everything here is a function from counts to text; the caller handles clocks and files.

mod advice;
mod cause;
mod codes;
pub mod compare;
mod drift;
mod earlier;
mod figures;
mod headline;
pub mod histogram;
pub mod json;
mod label;
mod lead;
mod line;
mod markdown;
pub mod number;
pub mod page;
mod plain;
mod reason;
mod requests;
mod standing;
pub mod statistics;
mod styled;
pub mod summariser;
pub mod text;
pub mod thresholds;
mod transactions;
pub mod windows;
mod wrap;

#[cfg(test)]
mod testing;

pub use advice::{advice, others};
pub use cause::total_failure;
pub use earlier::Earlier;
pub use headline::{ThresholdCounts, headline, headline_role};
pub use lead::leading_causes;
pub use plain::{plain, plain_lines};
pub use reason::reasons;
pub use standing::{Standing, standing};
pub use styled::{Role, Styled};
pub use summariser::Summariser;
pub use swell_secrets::{is_secret, masked_arguments, without_passwords};
