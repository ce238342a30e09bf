//! All of one plan: its elements, findings, and bugs of JMeter that it may meet.

use std::collections::HashMap;
use std::fmt::Write;

use swell_report::{plain, plain_lines};

use super::{Bug, Checked, Line};

/// The plan with its elements; `verbose`: a reason is written out wherever it applies.
pub(super) fn text(checked: &Checked, verbose: bool) -> String {
    let mut out = format!("{}\n", plain(&checked.plan.display().to_string()));
    let mut told = HashMap::new();
    for line in &checked.elements {
        let name = plain(line.element.rsplit(" > ").next().unwrap_or_default());
        let class = plain(&line.class);
        let depth = line.element.matches(" > ").count() * 2;
        let why = reason(line, verbose, &mut told).map(|why| format!("   ({why})")).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {:<11} {:>5}  {:depth$}{} `{name}`{why}", line.support, line.at, "", class);
    }
    for finding in &checked.findings {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {}", plain_lines(&finding.text));
    }
    for Bug { issue, what, elements } in &checked.bugs {
        let first = plain(elements.first().map_or("", String::as_str));
        let more =
            if elements.len() > 1 { format!(" and {} more", elements.len() - 1) } else { String::new() };
        // Writing to a String cannot fail.
        let _ =
            writeln!(out, "  as in JMeter 5.6.3 (its issue {issue}): {what}; may concern `{first}`{more}");
    }
    if !checked.bugs.is_empty() {
        out.push_str("  hint: `swell run --compat=6.0` follows JMeter 6.0 in these\n");
    }
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "  {}\n",
        if checked.runs { "This plan runs." } else { "This plan cannot run as it is." }
    );
    out
}

/// The reason of a line; where a line above has the same one, the place of that.
fn reason<'a>(line: &'a Line, verbose: bool, told: &mut HashMap<&'a str, u32>) -> Option<String> {
    let why = line.why.as_deref()?;
    if let Some(at) = told.get(why).filter(|_| !verbose) {
        Some(format!("as line {at}"))
    } else {
        told.insert(why, line.at);
        Some(plain(why).into_owned())
    }
}
