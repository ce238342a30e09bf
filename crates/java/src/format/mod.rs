//! Formats and parses numbers as Java does: `DecimalFormat`, `Double.toString`,
//! `Double.parseDouble`.

mod decimal;
mod decimal_pattern;
mod double;
mod message;

pub use decimal::DecimalFormat;
pub use double::{double_to_string, parse_double};
pub use message::grouped;
