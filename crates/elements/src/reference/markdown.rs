//! The table as the page `docs/reference/elements.md`.

use std::fmt::Write;

use super::{Departure, Entry, Kind, Property, Treatment, Values, entries};

const HEAD: &str = "\
# Elements of a plan

Every element of JMeter 5.6.3 and of common plug-ins, and what Swell makes of it. `swell check PLAN` says the same of the elements of a
plan. This page is made from the table in `crates/elements/src/reference`, which `swell check` reads too; after a change there write it
with `UPDATE_REFERENCE=1 cargo test -p swell-elements --test reference`.

- **native**: runs as in JMeter 5.6.3; what differs is said.
- **ignored**: the run goes on without it.
- **needs the JVM**: runs code that only a Java machine can run; until Swell has one in itself, a plan with it is refused.
- **unsupported**: a plan with it is refused.

A default is what a run takes where the plan lacks the property; `–` is an empty text. `${…}` may stand for every value but those of
check boxes that JMeter reads once.
";

/// The page.
pub fn markdown() -> String {
    let mut page = HEAD.to_owned();
    page.push_str(&overview());
    let mut last = None;
    for entry in entries() {
        if last != Some(entry.kind) {
            let _infallible = writeln!(page, "\n## {}", title(entry.kind));
            last = Some(entry.kind);
        }
        page.push_str(&section(entry));
    }
    page
}

/// How many of each kind are treated how.
fn overview() -> String {
    let mut out =
        "\n| kind | native | ignored | needs the JVM | unsupported |\n|---|--:|--:|--:|--:|\n".to_owned();
    let mut kinds: Vec<_> = entries().map(|entry| entry.kind).collect();
    kinds.dedup();
    for kind in kinds {
        let mut counts = [0; 4];
        for entry in entries().filter(|entry| entry.kind == kind) {
            counts[column(entry.treatment)] += 1;
        }
        let [native, ignored, jvm, unsupported] = counts;
        let _infallible = writeln!(out, "| {} | {native} | {ignored} | {jvm} | {unsupported} |", title(kind));
    }
    out
}

fn column(treatment: Treatment) -> usize {
    match treatment {
        Treatment::Native => 0,
        Treatment::Ignored(_) => 1,
        Treatment::NeedsJvm(_) => 2,
        Treatment::Unsupported(_) => 3,
    }
}

fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Plan => "Test plan and non-test elements",
        Kind::ThreadGroup => "Thread groups",
        Kind::Controller => "Controllers",
        Kind::Sampler => "Samplers",
        Kind::Config => "Config elements",
        Kind::IterationElement => "Data sets, counters, random variables",
        Kind::Timer => "Timers",
        Kind::PreProcessor => "Pre-processors",
        Kind::PostProcessor => "Post-processors",
        Kind::Assertion => "Assertions",
        Kind::Listener => "Listeners",
    }
}

fn section(entry: &Entry) -> String {
    let mut out = format!("\n### {}\n\n", entry.name);
    let classes: Vec<_> = entry.classes().map(|class| format!("`{class}`")).collect();
    let guis: Vec<_> = entry.guis.iter().map(|gui| format!("`{gui}`")).collect();
    let guis = if guis.is_empty() { String::new() } else { format!(" with {}", guis.join(" or ")) };
    let when = entry.when.map_or_else(String::new, |(property, values)| {
        let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
        format!(" where `{property}` is {}", values.join(" or "))
    });
    let (word, why) = match entry.treatment {
        Treatment::Native => ("native", ""),
        Treatment::Ignored(why) => ("ignored", why),
        Treatment::NeedsJvm(why) => ("needs the JVM", why),
        Treatment::Unsupported(why) => ("unsupported", why),
    };
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    let _infallible = writeln!(out, "{}{guis}{when} · **{word}**{why}", classes.join(", "));
    if !entry.does.is_empty() {
        let _infallible = write!(out, "\n{}\n", entry.does);
    }
    if !entry.properties.is_empty() {
        out.push_str("\n| property | values | default | meaning |\n|---|---|---|---|\n");
        entry.properties.iter().for_each(|property| out.push_str(&row(property)));
    }
    if !entry.differs.is_empty() || entry.departure.is_some() {
        out.push_str("\nDiffers from JMeter:\n\n");
        for difference in entry.differs {
            let _infallible = writeln!(out, "- {difference}");
        }
        if let Some(Departure { property, value, what, .. }) = entry.departure {
            let _infallible = writeln!(out, "- With `{property}` = `{value}`: {what}.");
        }
    }
    out
}

fn row(property: &Property) -> String {
    let values = match property.values {
        Values::Text => "text".to_owned(),
        Values::Flag => "`true`, `false`".to_owned(),
        Values::Whole("") => "whole number".to_owned(),
        Values::Whole(unit) => format!("whole number, {unit}"),
        Values::Number(unit) => format!("number, {unit}"),
        Values::Choice(of) => of.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", "),
        Values::List(of) => format!("list of {of}"),
    };
    let default =
        if property.default.is_empty() { "–".to_owned() } else { format!("`{}`", property.default) };
    format!("| `{}` | {values} | {default} | {} |\n", property.name, property.note).replace("`|`", "`\\|`")
}
