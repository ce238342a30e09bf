//! The goal of a search.

/// The quantity to search for, and the required precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The first load.
    pub first: f64,
    /// No load below this is tried.
    pub least: f64,
    /// No load above this is tried.
    pub most: f64,
    /// The limit is wanted within this part: 0.05.
    pub width: f64,
    /// Loads are whole numbers.
    pub whole: bool,
    /// Length of trials that only show the way, in seconds.
    pub short_s: f64,
    /// Length of trials that settle a bound, in seconds.
    pub long_s: f64,
    /// The interval holds the limit with this probability (0..1).
    pub confidence: f64,
}
