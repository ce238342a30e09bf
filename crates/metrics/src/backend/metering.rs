//! Selects what is summed up for a client: which labels are separate, and over which windows.

use swell_expr::Properties;
use swell_regex::{Dialect, Reach, Regex};

use super::arguments::number;
use super::estimator::Estimator;

/// Which labels have separate figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    None,
    /// In which the expression of Java's dialect is found.
    Finding(String),
    /// Which match it from end to end.
    Matching(String),
    /// Named ones.
    Of(Vec<String>),
}

/// A compiled test of labels.
pub(super) enum Filter {
    None,
    Expression(Box<Regex>),
    Names(Vec<String>),
}

/// What a table sums up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Metering {
    pub(super) labels: Labels,
    /// Values in a window; of a fixed one the last ones, of a timed one all of an interval, up to
    /// this.
    pub(super) window: usize,
    pub(super) percentile_window: usize,
    pub(super) timed: bool,
    pub(super) estimator: Estimator,
}

impl Metering {
    /// With the properties of all backend listeners.
    pub(super) fn new(labels: Labels, props: &Properties) -> Self {
        let small = number(props, "backend_metrics_window", 100) as usize;
        let mode = props.get("backend_metrics_window_mode").unwrap_or_default();
        let timed = mode.eq_ignore_ascii_case("timed");
        let window = if timed { number(props, "backend_metrics_large_window", 5000) as usize } else { small };
        let estimator = Estimator::of_run(props);
        Self { labels, window: window.max(1), percentile_window: small.max(1), timed, estimator }
    }

    /// The test of labels.
    ///
    /// # Errors
    /// What is wrong with the expression.
    pub(super) fn filter(&self) -> Result<Filter, String> {
        let expression = |text: &str, reach| {
            let built = Regex::new(text, Dialect::Java, reach);
            built.map(|regex| Filter::Expression(Box::new(regex))).map_err(|bad| bad.message().to_owned())
        };
        match &self.labels {
            Labels::None => Ok(Filter::None),
            Labels::Finding(text) => expression(text, Reach::Anywhere),
            // Java's `matches` tries every way to reach the end.
            Labels::Matching(text) => expression(&format!(r"\A(?:{text})\z"), Reach::Anywhere),
            Labels::Of(names) => Ok(Filter::Names(names.clone())),
        }
    }
}

impl Filter {
    pub(super) fn takes(&self, label: &str) -> bool {
        match self {
            Self::None => false,
            Self::Expression(regex) => regex.is_match(label).unwrap_or(false),
            Self::Names(names) => names.iter().any(|name| name == label),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_matched_or_named() {
        let takes = |labels: Labels| {
            let filter = Metering::new(labels, &Properties::default()).filter().expect("a filter");
            ["ab", "b", "abc"].map(|label| filter.takes(label))
        };
        assert_eq!(takes(Labels::None), [false; 3]);
        assert_eq!(takes(Labels::Finding("^a".into())), [true, false, true]);
        assert_eq!(takes(Labels::Matching("a|ab".into())), [true, false, false]);
        assert_eq!(takes(Labels::Of(vec!["b".into()])), [false, true, false]);
        let bad = Metering::new(Labels::Finding("(".into()), &Properties::default());
        assert!(bad.filter().is_err());
    }

    #[test]
    fn timed_windows_are_the_large_ones() {
        let props = Properties::default();
        assert_eq!(Metering::new(Labels::None, &props).window, 100);
        props.set("backend_metrics_window_mode", "timed");
        let timed = Metering::new(Labels::None, &props);
        assert_eq!((timed.window, timed.percentile_window, timed.timed), (5000, 100, true));
    }
}
