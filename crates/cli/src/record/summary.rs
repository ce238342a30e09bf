//! What was recorded, and what became a part of the plan.

use std::fmt::Write as _;

use swell_api::Role;
use swell_import::{Imported, Note, NoteKind, elements};
use swell_plan::{Element, Node};
use swell_record::Recorded;
use swell_run::table_of_elements;

use super::places::Places;
use crate::args::RecordArgs;

/// Lines of one kind that are shown.
const MOST: usize = 10;

/// The end of a recording.
pub(super) fn text(args: &RecordArgs, places: &Places, recorded: &Recorded, made: &Imported) -> String {
    let mut out = String::new();
    let notes = made.notes.all();
    let samplers = notes.iter().filter(|note| note.kind == NoteKind::Taken).count();
    let registry = table_of_elements();
    let transaction = elements::transaction("").class;
    let transactions = count(&made.plan.root, &|element| element.class == transaction);
    let values = count(&made.plan.root, &|element| registry.role(element) == Some(Role::PostProcessor));
    let steps = match transactions {
        0 => String::new(),
        count => format!(" in {}", counted(count, "transaction")),
    };
    let exchanges = counted(recorded.exchanges as usize, "exchange");
    let samplers = counted(samplers, "sampler");
    let values = counted(values, "value");
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{exchanges}: {samplers}{steps}; {values} taken from responses");
    section(&mut out, "left out", &reasons(notes, |note| note.kind == NoteKind::LeftOut && !note.is_wanted));
    section(&mut out, "changed", &reasons(notes, |note| note.kind == NoteKind::Changed));
    section(&mut out, "not needed", &reasons(notes, |note| note.kind == NoteKind::LeftOut && note.is_wanted));
    let passed = recorded.not_recorded.iter().map(|one| (&*one.why, &*one.host, one.count as usize));
    let passed = grouped(passed);
    section(&mut out, "not recorded", &passed);
    let failed = grouped(recorded.failed.iter().map(|(what, why)| (&**why, &**what, 1)));
    section(&mut out, "without a whole response", &failed);
    let cut: Vec<_> = recorded.cut.iter().map(|what| format!("       {what}")).collect();
    section(&mut out, "bodies that were cut", &cut);
    written(&mut out, args, places);
    swell_report::plain_lines(&out).into_owned()
}

/// The files, and what to do next.
fn written(out: &mut String, args: &RecordArgs, places: &Places) {
    let plan = places.plan.display();
    let raw = places.first.iter().chain([&places.raw]).map(|path| path.display().to_string());
    let raw = raw.collect::<Vec<_>>().join(" and ");
    let _ = writeln!(out, "wrote {plan}; raw recording: {raw} (contains passwords and cookies)");
    if !args.again {
        let from = match (&args.url, args.proxy) {
            (Some(url), _) => quoted(url),
            (None, Some(address)) => format!("--proxy {address}"),
            (None, None) => String::new(),
        };
        let upstream = args.upstream.as_ref();
        // Without its password.
        let upstream = upstream.map(|proxy| format!(" --upstream http://{}", proxy.place()));
        let upstream = upstream.unwrap_or_default();
        let more = "next: do the same once more, so that values that change become variables";
        let plan = quoted(&plan.to_string());
        let _ = writeln!(out, "{more}:\n  swell record {from} -o {plan}{upstream} --again");
    }
    let _ = writeln!(out, "try it with one virtual user:\n  swell debug {}", quoted(&plan.to_string()));
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn section(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "{title}:");
    for line in lines.iter().take(MOST) {
        let _ = writeln!(out, "{line}");
    }
    if lines.len() > MOST {
        let _ = writeln!(out, "       and {} more", lines.len() - MOST);
    }
}

/// Reasons of some notes, with their counts.
fn reasons(notes: &[Note], are: impl Fn(&Note) -> bool) -> Vec<String> {
    let notes = notes.iter().filter(|note| are(note));
    grouped(notes.map(|note| (&*note.reason, &*note.what, 1)))
}

/// Reasons with their counts, the most frequent first, each with the first part that it is for.
fn grouped<'t>(parts: impl Iterator<Item = (&'t str, &'t str, usize)>) -> Vec<String> {
    let mut all: Vec<(&str, &str, usize, bool)> = Vec::new();
    for (reason, what, count) in parts {
        match all.iter_mut().find(|(known, ..)| *known == reason) {
            Some((_, first, sum, has_others)) => {
                *sum += count;
                *has_others |= *first != what;
            }
            None => all.push((reason, what, count, false)),
        }
    }
    all.sort_by_key(|(_, _, count, _)| std::cmp::Reverse(*count));
    let line = |(reason, what, count, has_others): &(&str, &str, usize, bool)| {
        let others = if *has_others { " and others" } else { "" };
        format!("{count:>5}  {}{others}: {reason}", short(what))
    };
    all.iter().map(line).collect()
}

/// A request without its query, and not longer than a line.
fn short(what: &str) -> String {
    what.split(['?', '#']).next().unwrap_or_default().chars().take(80).collect()
}

fn count(node: &Node, is: &dyn Fn(&Element) -> bool) -> usize {
    let below: usize = node.children.iter().map(|child| count(child, is)).sum();
    usize::from(is(&node.element)) + below
}

fn counted(count: usize, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}
