//! The answer of a comparison: whether it passed, in a word and a sentence, with one count of
//! changed labels for all forms.

use swell_stats::compare::{Change, Comparison, Finding, LabelComparison};

use super::{ComparedRuns, needed};
use crate::headline::ThresholdCounts;
use crate::plain::plain;

/// Whether a comparison passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Something is worse beyond noise, or a threshold of the second run failed.
    Failed,
    /// Nothing is worse beyond noise.
    Passed,
    /// Nothing is worse beyond noise, but the runs cannot show that the total is the same.
    Unknown,
}

impl Answered {
    /// The answer of two runs.
    pub fn of(compared: &ComparedRuns, comparison: &Comparison) -> Self {
        match comparison.finding() {
            _ if failed_rules(compared).failed > 0 => Self::Failed,
            Finding::Worse => Self::Failed,
            Finding::Better | Finding::Same => Self::Passed,
            Finding::Unknown => Self::Unknown,
        }
    }

    /// The first word of the headline.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Failed => "FAILED",
            Self::Passed => "PASSED",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// How many labels changed; of a comparison without labels, whether the total did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Labels of both runs.
    pub(super) labels: usize,
    /// Those with a figure that is worse.
    pub(super) worse: usize,
    /// Those with a figure that is better, and none that is worse.
    pub(super) better: usize,
    /// Figures of labels that are unknown.
    pub(super) unknown: usize,
    /// All figures of labels.
    pub(super) figures: usize,
}

/// Whether a label changed, and for the better or worse.
pub(super) fn changed(row: &LabelComparison) -> Option<Finding> {
    match (row.is_worse(), row.is_better()) {
        (true, _) => Some(Finding::Worse),
        (false, true) => Some(Finding::Better),
        (false, false) => None,
    }
}

/// Whether more samples could answer it: failed samples leave no answer however long a run is.
fn is_unknown(change: &Change) -> bool {
    change.finding == Finding::Unknown && change.obscured.is_none()
}

impl Counts {
    pub(super) fn of(comparison: &Comparison) -> Self {
        let labels = &comparison.labels;
        let number = |finding| labels.iter().filter(|row| changed(row) == Some(finding)).count();
        let figures = || labels.iter().flat_map(|row| &row.changes);
        Self {
            labels: labels.len(),
            worse: number(Finding::Worse),
            better: number(Finding::Better),
            unknown: figures().filter(|change| is_unknown(change)).count(),
            figures: figures().count(),
        }
    }

    /// `2 of 4 labels are worse, 1 is better`; none where no label changed.
    fn changes(self) -> Option<String> {
        let Self { labels, worse, better, .. } = self;
        let of = |count: usize, word: &str| {
            let noun = if labels == 1 { "label" } else { "labels" };
            let verb = if count == 1 { "is" } else { "are" };
            format!("{count} of {labels} {noun} {verb} {word}")
        };
        match (worse, better) {
            (0, 0) => None,
            (worse, 0) => Some(of(worse, "worse")),
            (0, better) => Some(format!("{}, none is worse", of(better, "better"))),
            (worse, better) => Some(format!(
                "{}, {better} {} better",
                of(worse, "worse"),
                if better == 1 { "is" } else { "are" }
            )),
        }
    }
}

/// The result in a sentence, which begins with whether it passed.
pub(super) fn headline(compared: &ComparedRuns, comparison: &Comparison) -> String {
    let answered = Answered::of(compared, comparison);
    format!("{}: {}", answered.word(), headline_detail(compared, comparison))
}

/// The headline after its first word.
pub(super) fn headline_detail(compared: &ComparedRuns, comparison: &Comparison) -> String {
    let counts = Counts::of(comparison);
    let rules = failed_rules(compared);
    let rules = (rules.failed > 0).then(|| {
        let result = rules.result("thresholds ").unwrap_or_default();
        let result = if rules.all == 1 { "the threshold failed".to_owned() } else { result };
        format!("{result} in {}", plain(&compared.after))
    });
    let unknown = match counts.unknown {
        0 => None,
        unknown => Some(format!("{unknown} of {} figures of labels are unknown", counts.figures)),
    };
    let changes = of_changes(compared, comparison, counts);
    // The sentence on the total says itself what is unknown of it.
    let unknown = unknown.filter(|_| comparison.finding() != Finding::Unknown);
    rules.into_iter().chain([changes]).chain(unknown).collect::<Vec<_>>().join("; ")
}

fn of_changes(compared: &ComparedRuns, comparison: &Comparison, counts: Counts) -> String {
    let band = 100.0 * compared.options.same_within;
    match comparison.finding() {
        Finding::Worse | Finding::Better => counts.changes().unwrap_or_else(|| {
            let word = if comparison.total.is_worse() { "worse" } else { "better" };
            format!("the total is {word}, no label changed by itself")
        }),
        Finding::Same => format!("the total is within ±{band} %"),
        Finding::Unknown if comparison.total.all_failed != (false, false) => {
            "all samples failed, so times are not compared".to_owned()
        }
        Finding::Unknown => {
            let all = &comparison.total.changes;
            format!(
                "{} of {} figures of the total neither changed beyond noise nor stayed within ±{band} %{}",
                all.iter().filter(|change| is_unknown(change)).count(),
                all.len(),
                needed(compared.options, comparison).map(|needed| format!("; {needed}")).unwrap_or_default()
            )
        }
    }
}

fn failed_rules(compared: &ComparedRuns) -> ThresholdCounts {
    let rules = &compared.rules_after;
    let failed = rules.iter().filter(|rule| !rule.passed).count();
    ThresholdCounts { all: rules.len(), failed, open: 0 }
}
