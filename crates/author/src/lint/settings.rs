//! Settings of elements that are better not in a plan.

use std::collections::BTreeMap;

use swell_api::Role;
use swell_plan::{Edit, PropertyPlace};

use super::context::{Context, finding};
use super::rules::{ABSOLUTE_PATH, CHECKS_NOTHING, HOST, RESULTS_TREE, SECRET};
use super::{Finding, Fix};
use crate::outline::Entry;
use crate::property::{is_hidden, properties, short};

pub(super) fn find(cx: &Context<'_>, all: &mut Vec<Finding>) {
    for entry in cx.entries.iter().filter(|entry| entry.is_enabled) {
        absolute_paths(cx, entry, all);
        secrets(entry, all);
        results_tree(entry, all);
        empty_assertion(entry, all);
    }
    hosts(cx, all);
}

fn absolute_paths(cx: &Context<'_>, entry: &Entry<'_>, all: &mut Vec<Finding>) {
    let element = entry.element();
    for file in cx.registry.files(element).into_iter().filter(|file| is_absolute(file.text)) {
        let relative = (cx.around.relative)(file.text);
        let remedy = match &relative {
            Some(name) => format!("write `{name}`: it is looked for in the plan's folder"),
            None => "put the file next to the plan and write its name only".to_owned(),
        };
        let fix = relative.filter(|_| file.usage.reads()).and_then(|name| path_fix(entry, file.text, &name));
        let message = format!("`{}` is an absolute path", file.text);
        all.push(finding(ABSOLUTE_PATH, element, message, remedy).about(file.property).fixed_by(fix));
    }
}

fn is_absolute(name: &str) -> bool {
    let mut chars = name.chars();
    let is_drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && name[1..].starts_with(":\\")
        || name.get(1..3) == Some(":/");
    is_drive || name.starts_with('/') || name.starts_with("\\\\") || name.starts_with("~/")
}

/// Another name for a file, where a property is that name alone.
fn path_fix(entry: &Entry<'_>, old: &str, new: &str) -> Option<Fix> {
    let of_file = properties(entry.element()).into_iter().filter(|found| found.value.as_text() == Some(old));
    let edits = of_file.filter_map(|found| {
        let value = found.value.with_text(new)?;
        Some(Edit::Value(PropertyPlace { node: entry.node.id, steps: found.steps }, value))
    });
    let edits: Vec<Edit> = edits.collect();
    (!edits.is_empty()).then(|| Fix { does: format!("write `{new}` instead of `{old}`"), edits })
}

/// Values that are no secret, whatever their name is.
const HARMLESS: [&str; 6] = ["true", "false", "null", "none", "***", "0"];

fn secrets(entry: &Entry<'_>, all: &mut Vec<Finding>) {
    let element = entry.element();
    let remedy =
        "set it from outside: `${__P(name)}` with -Jname=… or a file of properties, or `${__env(NAME)}`";
    for found in properties(element) {
        let value = found.value.as_text().unwrap_or_default().trim();
        let has_name = found.value.with_text("x").is_some() && is_hidden(&found.name, value);
        let is_harmless = HARMLESS.iter().any(|harmless| value.eq_ignore_ascii_case(harmless));
        let what = match secret_in(value) {
            Some(what) => what,
            None if has_name && !is_harmless => "a secret",
            None => continue,
        };
        let message = format!("the value of `{}` looks like {what}", short_name(&found.name));
        all.push(finding(SECRET, element, message, remedy).about(&found.name));
    }
}

fn short_name(name: &str) -> &str {
    if name.contains('[') { name } else { short(name) }
}

/// What a value is by its form.
fn secret_in(value: &str) -> Option<&'static str> {
    let after = |mark: &str| value.find(mark).map(|at| &value[at + mark.len()..]);
    let is_key = |rest: &str| {
        rest.chars().take(16).filter(|c| c.is_ascii_uppercase() || c.is_ascii_digit()).count() == 16
    };
    if value.contains("-----BEGIN ") && value.contains("PRIVATE KEY-----") {
        return Some("a private key");
    }
    if after("AKIA").is_some_and(is_key) {
        return Some("an AWS access key");
    }
    let token = |rest: &str| !rest.is_empty() && !rest.contains("${") && rest.len() >= 8;
    let basic = value.strip_prefix("Basic ").or_else(|| value.strip_prefix("Bearer "));
    basic.map(str::trim).is_some_and(token).then_some("credentials")
}

fn results_tree(entry: &Entry<'_>, all: &mut Vec<Finding>) {
    let element = entry.element();
    let is_tree = element.gui_class.rsplit('.').next() == Some("ViewResultsFullVisualizer");
    let file = element.text_or_empty("filename").trim();
    if entry.role == Some(Role::Listener) && is_tree && !file.is_empty() {
        let message = format!("View Results Tree writes to `{file}`");
        let remedy =
            "disable it for load tests; `-l` writes the results file, and `swell debug` shows each step";
        all.push(finding(RESULTS_TREE, element, message, remedy).about("filename"));
    }
}

/// The bit of an assertion's type that asks for one of its texts; without texts it fails.
const ANY_OF: i64 = 32;

fn empty_assertion(entry: &Entry<'_>, all: &mut Vec<Finding>) {
    let element = entry.element();
    let checks = entry.kind.as_ref().map_or(&[][..], |kind| kind.checks);
    let is_empty = |text: &&str| text.trim().is_empty() || text.trim() == "0";
    let any_of = element.text("Assertion.test_type").and_then(|text| text.parse::<i64>().ok());
    let is_any_of = any_of.is_some_and(|kind| kind & ANY_OF != 0);
    if checks.is_empty()
        || is_any_of
        || !checks.iter().all(|name| element.texts_of(name).iter().all(is_empty))
    {
        return;
    }
    let edits = vec![Edit::Attribute(entry.node.id, "enabled".to_owned(), "false".to_owned())];
    let has_property = element.property("TestElement.enabled").is_some();
    let fix = (!has_property).then(|| Fix { does: "disable it".to_owned(), edits });
    let message = "it has nothing to check".to_owned();
    let remedy = "give it what to check, or remove it";
    all.push(finding(CHECKS_NOTHING, element, message, remedy).about(checks[0]).fixed_by(fix));
}

/// One finding for each host.
fn hosts(cx: &Context<'_>, all: &mut Vec<Finding>) {
    let mut hosts: BTreeMap<&str, Vec<&Entry<'_>>> = BTreeMap::new();
    let samplers = cx.entries.iter().filter(|entry| entry.is_enabled && entry.role == Some(Role::Sampler));
    for entry in samplers {
        let host = entry.element().text_or_empty("HTTPSampler.domain").trim();
        let is_here = host.starts_with("127.") || ["localhost", "::1", "[::1]"].contains(&host);
        if !host.is_empty() && !host.contains("${") && !is_here {
            hosts.entry(host).or_default().push(entry);
        }
    }
    for (host, entries) in hosts {
        let more = match entries.len() {
            1 => String::new(),
            count => format!(" in {count} samplers"),
        };
        let message = format!("the host `{host}` is written as text{more}");
        let remedy = format!("put it into HTTP Request Defaults as `${{__P(host,{host})}}`");
        all.push(finding(HOST, entries[0].element(), message, remedy).about("HTTPSampler.domain"));
    }
}
