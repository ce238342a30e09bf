//! The samples that a rule is about.

use std::sync::Arc;

use swell_regex::Regex;

use crate::{LabelRow, LabelStats, Snapshot};

/// The samples that a rule is about.
#[derive(Clone, Debug)]
pub enum Scope {
    /// All of them, transactions left out.
    All,
    /// Those of labels.
    Rows {
        /// Rows of Transaction Controllers, or those of samplers; where no sampler matches, `label` takes transactions.
        transactions: bool,
        /// Each label is judged by itself.
        each: bool,
        /// Which labels.
        labels: Labels,
    },
}

/// The labels of a scope.
#[derive(Clone, Debug)]
pub enum Labels {
    /// All.
    Any,
    /// This one.
    Named(String),
    /// Those in which the pattern is found.
    Matching(Arc<Pattern>),
}

/// A pattern as written, and its compiled expression.
#[derive(Debug)]
pub struct Pattern {
    pub(crate) text: String,
    pub(crate) regex: Regex,
}

impl Labels {
    fn include(&self, label: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Named(name) => name == label,
            // A label on which the search gives up does not match: the end reports that the rule
            // matched nothing.
            Self::Matching(pattern) => pattern.regex.is_match(label).unwrap_or(false),
        }
    }
}

impl Scope {
    /// The counts that the rule is about: for `each` one a label with its name, else one without. None where nothing matches.
    pub fn select(&self, counted: &Snapshot) -> Vec<(String, LabelStats)> {
        match self {
            Self::All => one(counted.rows.iter().filter(|row| !row.is_transaction)),
            Self::Rows { transactions, each, labels } => {
                let found = |kind: bool| {
                    let rows = counted.rows.iter();
                    rows.filter(move |row| row.is_transaction == kind && labels.include(&row.label))
                };
                let of_samplers = !*transactions && found(false).next().is_some();
                let rows = found(!of_samplers);
                if *each {
                    rows.map(|row| (row.label.to_string(), row.stats.clone())).collect()
                } else {
                    one(rows)
                }
            }
        }
    }

    /// Whether it is about this label alone, of a transaction or not; without a label, about all samples.
    pub fn is_of(&self, label: Option<(&str, bool)>) -> bool {
        match (self, label) {
            (Self::All, None) => true,
            (Self::Rows { transactions, each, labels }, Some((label, is_transaction))) => {
                let is_one = *each || matches!(labels, Labels::Named(_));
                // `label` takes transactions where no sampler matches.
                let is_kind = is_transaction || !*transactions;
                is_one && is_kind && labels.include(label)
            }
            _ => false,
        }
    }

    /// Each label is judged by itself.
    pub fn is_each(&self) -> bool {
        matches!(self, Self::Rows { each: true, .. })
    }

    /// The scope as text.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::All => "a sample".to_owned(),
            Self::Rows { transactions, labels, .. } => {
                let kind = if *transactions { "transaction" } else { "label" };
                match labels {
                    Labels::Any => format!("any {kind}"),
                    Labels::Named(name) => format!("the {kind} `{name}`"),
                    Labels::Matching(pattern) => format!("a {kind} that matches /{}/", pattern.text),
                }
            }
        }
    }

    /// The name that it looks for.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Rows { labels: Labels::Named(name), .. } => Some(name),
            _ => None,
        }
    }
}

fn one<'r>(rows: impl Iterator<Item = &'r LabelRow>) -> Vec<(String, LabelStats)> {
    let mut all: Option<LabelStats> = None;
    for row in rows {
        match &mut all {
            Some(all) => all.merge(&row.stats),
            None => all = Some(row.stats.clone()),
        }
    }
    all.map(|stats| (String::new(), stats)).into_iter().collect()
}
