//! What a page says of a run besides its figures when it is over, and what its thresholds say while it goes on.

use serde::Serialize;
use swell_stats::OwnGrowth;
use swell_stats::threshold::Judgement;

use crate::plain::plain;

/// Rules that are listed one by one: `each label` may make one of every label.
const MOST_RULES: usize = 100;

/// What is known of a run only at its end.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// What the tool itself took of its machine.
    pub own: OwnGrowth,
    /// Addresses of the servers that it reached.
    pub servers: Vec<String>,
    /// What became of its thresholds.
    pub thresholds: Vec<Rule>,
    /// Sentences on what went wrong besides failed samples, such as results that could not be written.
    pub problems: Vec<String>,
}

/// What became of a threshold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The rule as it was written.
    pub rule: String,
    /// Kept or broken; none while there is nothing to judge yet.
    pub passed: Option<bool>,
    /// What happened, in a sentence.
    pub text: String,
    /// It ended the run.
    pub aborted: bool,
}

impl Rule {
    /// Of a run that is over.
    pub fn of(judgement: &Judgement) -> Self {
        Self {
            rule: judgement.rule.clone(),
            passed: Some(judgement.passed),
            text: judgement.text.clone(),
            aborted: judgement.aborted,
        }
    }

    /// Of a run that goes on: where there is no figure yet, nothing is broken.
    pub(super) fn so_far(judgement: &Judgement) -> Self {
        match judgement.value {
            Some(_) => Self::of(judgement),
            None => Self {
                passed: None,
                text: "there is no figure to judge yet".to_owned(),
                ..Self::of(judgement)
            },
        }
    }
}

/// All thresholds of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Thresholds {
    kept: usize,
    broken: usize,
    open: usize,
    /// Broken ones first; at most [`MOST_RULES`].
    rules: Vec<Rule>,
}

impl Thresholds {
    pub(super) fn of(mut rules: Vec<Rule>) -> Self {
        let number = |passed| rules.iter().filter(|rule| rule.passed == passed).count();
        let [kept, broken, open] = [Some(true), Some(false), None].map(number);
        rules.sort_by_key(|rule| match rule.passed {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        });
        rules.truncate(MOST_RULES);
        for rule in &mut rules {
            for text in [&mut rule.rule, &mut rule.text] {
                *text = plain(text).into_owned();
            }
        }
        Self { kept, broken, open, rules }
    }
}
