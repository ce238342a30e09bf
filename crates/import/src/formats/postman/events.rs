//! Scripts before and after a request.

use std::collections::BTreeSet;

use super::Reader;
use super::script;
use crate::model::{Exchange, Item, Script, ScriptWhen};
use crate::notes::Notes;
use crate::source::Place;
use crate::tree::Node;

/// A script with the place of each of its lines.
#[derive(Clone, Copy)]
pub(super) struct Event<'a> {
    when: ScriptWhen,
    /// A text, or a list of lines.
    lines: &'a Node,
}

/// Scripts of a request, a folder or a collection.
pub(super) fn of(node: &Node) -> Vec<Event<'_>> {
    let mut found = Vec::new();
    for event in node.list("event").iter().filter(|event| !event.flag("disabled")) {
        let when = match event.text("listen") {
            "test" => ScriptWhen::After,
            "prerequest" => ScriptWhen::Before,
            _ => continue,
        };
        let script = event.get("script");
        let lines = script.and_then(|script| script.get("exec").or_else(|| script.as_text().map(|_| script)));
        found.extend(lines.map(|lines| Event { when, lines }));
    }
    found
}

impl Event<'_> {
    fn text(&self) -> String {
        let lines = self.lines.items().iter().map(|line| line.as_text().unwrap_or_default());
        self.lines.as_text().map_or_else(|| lines.collect::<Vec<_>>().join("\n"), str::to_owned)
    }

    /// Line and column in the file of a byte of the text.
    fn position(&self, text: &str, at: usize) -> (u32, u32) {
        let number = text[..at].matches('\n').count();
        let line = self.lines.items().get(number).unwrap_or(self.lines);
        (line.line, line.column)
    }
}

/// A request with those that its scripts send.
#[derive(Debug)]
pub(in crate::formats) struct WithScripts {
    /// The request.
    pub(in crate::formats) exchange: Exchange,
    /// What is sent before it.
    pub(in crate::formats) before: Vec<Exchange>,
    /// What is sent after it.
    pub(in crate::formats) after: Vec<Exchange>,
    /// Variables that the scripts read.
    pub(in crate::formats) reads: BTreeSet<String>,
}

impl WithScripts {
    /// A request without scripts.
    pub(in crate::formats) fn new(exchange: Exchange) -> Self {
        Self { exchange, before: Vec::new(), after: Vec::new(), reads: BTreeSet::new() }
    }

    /// All requests, in the order in which they are sent.
    pub(in crate::formats) fn into_items(self) -> impl Iterator<Item = Item> {
        let all = self.before.into_iter().chain([self.exchange]).chain(self.after);
        all.map(|exchange| Item::Exchange(Box::new(exchange)))
    }
}

impl Reader<'_, '_> {
    /// Adds what a script does to a request.
    pub(super) fn event(&mut self, exchange: &mut WithScripts, event: Event<'_>) {
        let text = event.text();
        // A script of a folder is read for each request, and reported for the first.
        let is_reported = !self.reported.insert((event.lines.line, event.lines.column));
        let place = |at: usize| {
            let (line, column) = event.position(&text, at);
            self.text.at(line, column)
        };
        let notes = (!is_reported).then_some(&mut *self.notes);
        carry_over(exchange, (&text, event.when), &place, notes);
    }
}

/// Adds what a script does to a request. Without notes, it has been reported for another request.
pub(in crate::formats) fn carry_over(
    to: &mut WithScripts,
    (text, when): (&str, ScriptWhen),
    place: &dyn Fn(usize) -> Place,
    notes: Option<&mut Notes>,
) {
    let exchange = &mut to.exchange;
    let compared = exchange.checks.iter().flat_map(|check| script::compared(&check.of)).collect();
    let mut meaning = script::read(text, when, compared);
    if when == ScriptWhen::Before
        && let Some((_, first)) = meaning.requests.first_mut()
    {
        // What scripts before this one have set is known to its requests.
        first.sets.splice(0..0, std::mem::take(&mut exchange.sets));
    }
    exchange.sets.extend(meaning.sets);
    exchange.captures.extend(meaning.captures);
    exchange.checks.extend(meaning.checks);
    for (at, mut one) in meaning.requests {
        one.place = place(at);
        if one.header("Accept").is_none() {
            one.add_header("Accept", "*/*");
        }
        to.reads.extend(script::reads(&one));
        if when == ScriptWhen::Before { to.before.push(one) } else { to.after.push(one) }
    }
    to.reads.extend(exchange.sets.iter().flat_map(|(_, value)| value.variables()).map(str::to_owned));
    to.reads.extend(exchange.checks.iter().flat_map(|check| script::compared(&check.of)));
    let Some(notes) = notes else { return };
    for (at, reason) in meaning.notes {
        notes.changed(&place(at), shortened(&text[at..]), reason);
    }
    let mut rest = Vec::new();
    for (start, end) in meaning.left_out {
        let statement = text[start..end].trim();
        let reason = "scripts are not run; only usual statements become assertions and extractors";
        notes.left_out(&place(start), format!("script `{}`", shortened(statement)), reason);
        rest.push(statement);
    }
    if !rest.is_empty() {
        let text = rest.join("\n");
        exchange.scripts.push(Script { when, language: "javascript".to_owned(), text, runs: false });
    }
}

fn shortened(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let short: String = line.chars().take(60).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
