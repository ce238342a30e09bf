//! Thresholds: rules that the figures of a run must meet, such as `label("Login"): p(99)<800ms`.
//!
//! ```text
//! rule   = [ scope ":" ] metric ( "<" | "<=" | ">" | ">=" ) limit { clause }
//! scope  = [ "each" ] ( "label" | "transaction" ) [ "(" ( "name" | /pattern/ ) ")" ] | "group" "(" "name" ")"
//! metric = [ times "." ] statistic | errors | rps | samples | "figure" "(" name ")" "." ( statistic | count | sum )
//! statistic = p(N) | median | mean | min | max
//! times  = elapsed | response | latency | connect | handshake
//! limit  = number [ unit ] | baseline [ ( "*" number ) | ( ( "+" | "-" ) number [ unit or "%" ] ) ]
//! clause = for TIME | over TIME | after TIME | abort
//! ```
//!
//! [`Threshold::parse`] parses a rule, a [`Judge`] consumes the intervals of a run and reports the
//! result of each rule. `docs/guide/thresholds.md` explains the syntax to users.

mod grammar;
mod judge;
mod metric;
mod nearest;
mod parse_error;
mod scanner;
mod scope;
mod sliding;
mod text;
mod tracked;

pub use judge::{Judge, Judgement};
pub use metric::{FigurePart, Metric, Statistic, Times, Unit};
pub use nearest::nearest;
pub use parse_error::ParseError;
pub use scope::{Group, Scope};

/// A rule.
#[derive(Clone, Debug)]
pub struct Threshold {
    /// As it was written.
    pub text: String,
    /// Which samples it is about.
    pub scope: Scope,
    /// Which of their figures.
    pub metric: Metric,
    /// How the figure must compare to the limit.
    pub comparison: Comparison,
    /// What it is compared to.
    pub limit: Limit,
    /// Which part of the run is judged as one.
    pub window: Window,
    /// Milliseconds at the beginning of the run that do not count.
    pub after_ms: u64,
    /// The run ends once the rule is broken.
    pub aborts: bool,
}

impl Threshold {
    /// Reads a rule.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        grammar::parse(text)
    }

    /// Gives a rule on a group the patterns of the group.
    ///
    /// # Errors
    /// The group is unknown; in words.
    pub fn find_group(&mut self, groups: &[Group]) -> Result<(), String> {
        self.scope.find_group(groups)
    }

    /// Whether it needs a run to compare with.
    pub fn needs_baseline(&self) -> bool {
        matches!(self.limit, Limit::Baseline { .. })
    }
}

/// How a figure must compare to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Below it.
    Less,
    /// Not above it.
    LessOrEqual,
    /// Above it.
    Greater,
    /// Not below it.
    GreaterOrEqual,
}

impl Comparison {
    /// Whether a figure keeps the limit.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Less => value < limit,
            Self::LessOrEqual => value <= limit,
            Self::Greater => value > limit,
            Self::GreaterOrEqual => value >= limit,
        }
    }
}

/// The limit of a rule, in the unit of the metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A number.
    Fixed(f64),
    /// The same figure of another run, times `factor`, plus `plus`.
    Baseline {
        /// A factor.
        factor: f64,
        /// What is added, in the unit of the metric.
        plus: f64,
    },
}

impl Limit {
    /// The number, given the figure of the baseline; none if that is needed and not there.
    pub fn value(self, baseline: Option<f64>) -> Option<f64> {
        match self {
            Self::Fixed(value) => Some(value),
            Self::Baseline { factor, plus } => Some(baseline? * factor + plus),
        }
    }
}

/// The part of a run that is judged as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// All of it, at its end.
    Whole,
    /// Each interval by itself: broken once N milliseconds in a row break it (`for`).
    For(u64),
    /// The last N milliseconds together, at any time (`over`).
    Over(u64),
}
