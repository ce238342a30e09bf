//! The properties that plans read, for `-J`.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use swell_report::{json, plain};

use super::Checked;

/// A property of a plan.
#[derive(Serialize)]
struct PropertyLine<'a> {
    name: &'a str,
    /// What the plan reads where it is not set; several where places of the plan differ.
    defaults: Vec<&'a str>,
}

fn of(checked: &Checked) -> Vec<PropertyLine<'_>> {
    let all = checked.properties.with_defaults();
    all.map(|(name, defaults)| PropertyLine { name, defaults: defaults.collect() }).collect()
}

/// `users  [default: 10]` below the name of each plan.
pub(super) fn text(all: &[Checked]) -> String {
    let mut out = String::new();
    for checked in all {
        let found = of(checked);
        let mut line = |text: &str| writeln!(out, "{}", plain(text)).expect("a String takes it");
        line(&checked.plan.display().to_string());
        let column = found.iter().map(|property| property.name.chars().count()).max().unwrap_or_default();
        for PropertyLine { name, defaults } in &found {
            match defaults.as_slice() {
                [] => line(&format!("  {name}")),
                [one] => line(&format!("  {name:<column$}  [default: {one}]")),
                many => line(&format!("  {name:<column$}  [defaults: {}]", many.join(", "))),
            }
        }
        if found.is_empty() {
            line("  reads no property");
        }
        if checked.properties.reads_others() {
            line("  and others, whose names are known only during a run");
        }
    }
    out
}

/// One JSON object a plan.
pub(super) fn json(all: &[Checked]) -> String {
    #[derive(Serialize)]
    struct Properties<'a> {
        schema: &'static str,
        plan: &'a Path,
        #[serde(rename = "properties")]
        lines: Vec<PropertyLine<'a>>,
        /// Names that are known only during a run are read, too.
        reads_others: bool,
    }
    let line = |checked: &Checked| {
        json::line(&Properties {
            schema: "swell.properties/1",
            plan: &checked.plan,
            lines: of(checked),
            reads_others: checked.properties.reads_others(),
        })
    };
    all.iter().map(line).collect()
}
