//! What the elements of a step did.

use swell_report::Role as Colour;
use swell_trace::{Action, Check, Extraction, LogLine, ReadVariable, Role};

use super::page::{Page, VALUE, cut, place, quoted};

pub(super) fn of_action(page: &mut Page, action: &Action, is_open: bool) {
    let name = &action.element.name;
    let line = place(action.element.line);
    if let Some(error) = &action.error {
        page.coloured(6, Colour::Bad, &format!("{name}{line}: {error}"));
    }
    for found in &action.extractions {
        of_extraction(page, action, found, is_open);
    }
    for check in &action.checks {
        of_check(page, action, check, is_open);
    }
    for written in &action.output {
        of_line(page, 6, &format!("{name}{line}  "), written, is_open);
    }
    if let (Some(timer), true) = (&action.timer, is_open) {
        let wait = timer.wait_ms.map_or("for other virtual users".to_owned(), |ms| format!("{ms} ms"));
        let skipped = if timer.skipped { ", skipped" } else { "" };
        page.line(6, &format!("{name}  timer: waits {wait}{skipped}"));
    }
    if is_open && action.extractions.is_empty() && action.role != Role::Sampler {
        for change in &action.variables {
            let after = change.after.as_deref().map_or("removed".to_owned(), quoted);
            page.line(6, &format!("{name}  sets {} = {after}", change.name));
        }
    }
    if is_open {
        for change in &action.properties {
            let after = change.after.as_deref().map_or("removed".to_owned(), quoted);
            page.line(6, &format!("{name}  sets property {} = {after}", change.name));
        }
    }
}

/// A line that was logged or printed. Without details, only output, warnings and errors are shown.
pub(super) fn of_line(page: &mut Page, indent: usize, name: &str, line: &LogLine, is_open: bool) {
    let level = line.level;
    let first = line.text.lines().next().unwrap_or_default();
    let text = format!("{name}{level}: {first}");
    match level {
        "error" => page.coloured(indent, Colour::Bad, &text),
        "warn" => page.coloured(indent, Colour::Doubtful, &text),
        "output" => page.line(indent, &text),
        _ if is_open => page.line(indent, &text),
        _ => {}
    }
}

fn language(name: &str) -> &str {
    match name {
        "json" => "JSON",
        "regex" => "regex",
        "css" => "CSS",
        "xpath" => "XPath",
        other => other,
    }
}

fn of_extraction(page: &mut Page, action: &Action, found: &Extraction, is_open: bool) {
    let name = &action.element.name;
    let what = format!("{name}  {}  {}", language(found.language), cut(&found.expression, VALUE));
    if let Some(taken) = &found.taken {
        if is_open {
            let many =
                if found.matches > 1 { format!(" (of {} matches)", found.matches) } else { String::new() };
            page.line(6, &format!("{what}   -> {} = {}{many}", found.variable, quoted(taken)));
        }
        return;
    }
    let default = match &found.default {
        Some(default) => format!(" -> {} = {} (default)", found.variable, quoted(default)),
        None => format!(" -> {} is not set", found.variable),
    };
    let line = place(action.element.line);
    page.coloured(6, Colour::Bad, &format!("{what}   NO MATCH{default}{line}"));
    if let Some(error) = &found.error {
        page.line(8, error);
    }
    if !found.nearby.is_empty() {
        page.line(8, &format!("the {} has: {}", found.subject, found.nearby.join(", ")));
    }
}

fn of_check(page: &mut Page, action: &Action, check: &Check, is_open: bool) {
    let name = &action.element.name;
    if check.passed {
        if is_open {
            page.line(6, &format!("{name}  ok"));
        }
        return;
    }
    let line = place(action.element.line);
    let said = match (&check.field, &check.wanted, &check.got) {
        (Some(field), Some(wanted), Some(got)) => {
            let relation = check.relation.as_deref().unwrap_or("equals");
            format!("{field} is {}, wanted: {relation} {}", quoted(got), quoted(wanted))
        }
        (Some(field), Some(wanted), None) => format!("{field}, wanted {}", quoted(wanted)),
        _ => check.message.as_deref().unwrap_or("it failed").trim().to_owned(),
    };
    page.coloured(6, Colour::Bad, &format!("{name}  FAILED  {said}{line}"));
    if let Some(at) = check.differs_at.filter(|at| *at > 0) {
        page.line(8, &format!("the texts differ from character {at} on"));
    }
}

pub(super) fn read_text(read: &ReadVariable) -> String {
    let value = read.value.as_deref().map_or("no value".to_owned(), quoted);
    let by = match (&read.set_by, read.set_by_step) {
        (Some(by), Some(step)) => format!(", set by `{by}` at step {step}"),
        (Some(by), None) => format!(", set by `{by}`"),
        _ => String::new(),
    };
    let default = if read.is_default { " to its default" } else { "" };
    format!("{} = {value}{by}{default}", read.name)
}
