//! The samples that a rule is about.

use std::sync::Arc;

use swell_regex::{Dialect, Reach, Regex};

use crate::{LabelRow, LabelStats, Snapshot};

/// The samples that a rule is about.
#[derive(Clone, Debug)]
pub enum Scope {
    /// All of them, transactions left out.
    All,
    /// Those of labels.
    Rows {
        /// Rows of Transaction Controllers, or those of samplers; where no sampler matches, `label`
        /// takes transactions.
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
    /// Those of a group.
    Of(Group),
}

/// Labels that are judged and shown together.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name.
    pub name: String,
    patterns: Vec<Arc<Pattern>>,
}

impl Group {
    /// One whose patterns are not known yet.
    pub(super) fn named(name: String) -> Self {
        Self { name, patterns: Vec::new() }
    }

    /// Adds `NAME=PATTERN` to groups: labels in which the regular expression is found belong to the
    /// group.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn add(text: &str, groups: &mut Vec<Self>) -> Result<(), String> {
        let (name, pattern) = text.split_once('=').ok_or("expected NAME=PATTERN")?;
        let name = name.trim();
        if name.is_empty() || name.contains(['"', '\'', '\\']) || name.chars().any(char::is_control) {
            return Err(format!("invalid name of a group `{name}`"));
        }
        let regex = Regex::new(pattern, Dialect::Oro, Reach::Anywhere);
        let regex = regex.map_err(|error| format!("invalid regular expression `{pattern}`: {error}"))?;
        let pattern = Arc::new(Pattern { text: pattern.to_owned(), regex });
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.patterns.push(pattern),
            None => groups.push(Self { name: name.to_owned(), patterns: vec![pattern] }),
        }
        Ok(())
    }

    /// Reads groups that [`Group::definitions`] or a user wrote. What cannot be read is left out.
    pub fn of_definitions(texts: &[String]) -> Vec<Self> {
        let mut groups = Vec::new();
        for text in texts {
            let _ = Self::add(text, &mut groups);
        }
        groups
    }

    /// Each of its patterns as `NAME=PATTERN`, which [`Group::add`] reads.
    pub fn definitions(&self) -> impl Iterator<Item = String> {
        self.patterns.iter().map(|pattern| format!("{}={}", self.name, pattern.text))
    }

    /// The counts of its labels: those of samplers, or of transactions if no sampler belongs to it;
    /// none if no label does.
    pub fn stats(&self, counted: &Snapshot) -> Option<LabelStats> {
        let scope = Scope::Rows { transactions: false, each: false, labels: Labels::Of(self.clone()) };
        scope.select(counted).pop().map(|(_, stats)| stats)
    }
}

/// A pattern as written, and its compiled expression.
#[derive(Debug)]
pub struct Pattern {
    pub(crate) text: String,
    pub(crate) regex: Regex,
}

impl Pattern {
    /// Whether it is found in a label. A label on which the search gives up does not match: the end
    /// reports that a rule matched nothing.
    fn finds(&self, label: &str) -> bool {
        self.regex.is_match(label).unwrap_or(false)
    }
}

impl Labels {
    fn include(&self, label: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Named(name) => name == label,
            Self::Matching(pattern) => pattern.finds(label),
            Self::Of(group) => group.patterns.iter().any(|pattern| pattern.finds(label)),
        }
    }
}

impl Scope {
    /// The counts that the rule is about: for `each` one a label with its name, else one without.
    /// None where nothing matches.
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

    /// Whether it is about this label alone, of a transaction or not; without a label, about all
    /// samples.
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

    /// Takes the patterns of its group.
    pub(super) fn find_group(&mut self, groups: &[Group]) -> Result<(), String> {
        let Self::Rows { labels: Labels::Of(wanted), .. } = self else { return Ok(()) };
        if let Some(group) = groups.iter().find(|group| group.name == wanted.name) {
            *wanted = group.clone();
        } else {
            let known: Vec<_> = groups.iter().map(|group| format!("`{}`", group.name)).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(format!(
                "unknown group `{}`: expected one of --group, which names {known}",
                wanted.name
            ));
        }
        Ok(())
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
                    Labels::Of(group) => format!("the group `{}`", group.name),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Observation, Recorder};

    #[test]
    fn a_group_has_the_labels_of_all_its_patterns() {
        let mut recorder = Recorder::default();
        for label in ["GET /cart", "GET /pay", "GET /home"] {
            recorder.record(&Observation { label, ..Observation::default() });
        }
        let counted = recorder.take_interval();
        let mut groups = Vec::new();
        for text in ["checkout=/cart$", "all = .", "checkout=/pay=?", "none=/nothing"] {
            Group::add(text, &mut groups).expect(text);
        }
        let samples: Vec<_> = groups
            .iter()
            .map(|group| (group.name.as_str(), group.stats(&counted).map(|stats| stats.samples)))
            .collect();
        assert_eq!(samples, [("checkout", Some(2)), ("all", Some(3)), ("none", None)]);
        for wrong in ["checkout", "=x", "a\"b=x", "a=("] {
            Group::add(wrong, &mut groups).expect_err(wrong);
        }
    }
}
