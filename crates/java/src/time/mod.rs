//! Java's dates: patterns of `java.time.format.DateTimeFormatter` over [`jiff`].
//!
//! JMeter's time functions use such patterns (`yyyy-MM-dd'T'HH:mm:ss.SSSZ`). Weeks (`w`, `W`, `Y`,
//! `e`) are those of the United States in every language.

mod duration;
mod fields;
mod format;
mod locale;
mod names;
mod offset;
mod parse;
mod pattern;
mod resolve;

pub use duration::parse_duration;
pub use fields::Fields;
pub use locale::Locale;
pub use pattern::DatePattern;
pub use resolve::Defaults;
