//! Dates in Java's words: patterns of `java.time.format.DateTimeFormatter` over [`jiff`].
//!
//! JMeter's time functions take such patterns (`yyyy-MM-dd'T'HH:mm:ss.SSSZ`). Names of months and days are English.

mod fields;
mod format;
mod names;
mod offset;
mod pattern;

pub use fields::Fields;
pub use pattern::DatePattern;
