//! Differences for a reader.

use std::fmt::{self, Write};

use swell_report::plain;

use super::{Diff, Difference, What};
use crate::property::short;

/// Longer values are shown from just before the place where they differ.
const LONGEST: usize = 60;

/// How much of a value is shown before that place.
const CONTEXT: usize = 15;

impl fmt::Display for Diff {
    /// One block for each element, with its lines in both files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown: Option<(&str, u32, u32)> = None;
        for difference in &self.differences {
            let Difference { element, line_before, line_after, .. } = difference;
            let place = (element.as_str(), *line_before, *line_after);
            if shown != Some(place) {
                let lines = match (line_before, line_after) {
                    (0, after) => format!("line {after} of the second"),
                    (before, 0) => format!("line {before} of the first"),
                    (before, after) if before == after => format!("line {after}"),
                    (before, after) => format!("line {before} -> {after}"),
                };
                writeln!(f, "{}  ({lines})", plain(element))?;
                shown = Some(place);
            }
            writeln!(f, "  {}", plain(&what(difference)))?;
        }
        Ok(())
    }
}

fn what(difference: &Difference) -> String {
    let with_below = |below: &usize| match below {
        0 => String::new(),
        1 => " with 1 element below it".to_owned(),
        below => format!(" with {below} elements below it"),
    };
    let class = short(&difference.class);
    match &difference.what {
        What::Added { below } => format!("+ {class} added{}", with_below(below)),
        What::Removed { below } => format!("- {class} removed{}", with_below(below)),
        What::Moved { from } if *from == difference.element => "~ moved among its siblings".to_owned(),
        What::Moved { from } => format!("~ moved from {from}"),
        What::Renamed { from, to } => format!("~ renamed: {from} -> {to}"),
        What::Enabled { now: true } => "~ enabled".to_owned(),
        What::Enabled { now: false } => "~ disabled".to_owned(),
        What::Order { property } => format!("~ {property}: entries in another order"),
        What::Property { property, before, after } => {
            property_text(property, before.as_deref(), after.as_deref())
        }
    }
}

fn property_text(property: &str, before: Option<&str>, after: Option<&str>) -> String {
    match (before, after) {
        (None, after) => format!("+ {property}: {}", part(after.unwrap_or_default(), 0)),
        (before, None) => format!("- {property}: {}", part(before.unwrap_or_default(), 0)),
        (Some(before), Some(after)) => {
            let start = common(before, after);
            let mut line = format!("~ {property}: ");
            // Writing to a String cannot fail.
            _ = write!(line, "{} -> {}", part(before, start), part(after, start));
            line
        }
    }
}

/// How many characters both texts begin with.
fn common(before: &str, after: &str) -> usize {
    before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count()
}

/// A value, or the part of it around the place where it differs; line ends as `\n`.
fn part(value: &str, differs_at: usize) -> String {
    let escape = |c: char| match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c => c.to_string(),
    };
    let count = value.chars().count();
    if value.is_empty() {
        return "(empty)".to_owned();
    }
    if count <= LONGEST {
        return value.chars().map(escape).collect();
    }
    let start = differs_at.saturating_sub(CONTEXT).min(count.saturating_sub(LONGEST));
    let before = if start > 0 { "…" } else { "" };
    let after = if start + LONGEST < count { "…" } else { "" };
    let shown: String = value.chars().skip(start).take(LONGEST).map(escape).collect();
    format!("{before}{shown}{after}")
}
