//! Scripts before and after a request.

use super::Reader;
use super::script;
use crate::model::{Exchange, Script, ScriptWhen};
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

impl Reader<'_, '_> {
    /// Adds what a script does to a request.
    pub(super) fn event(&mut self, exchange: &mut Exchange, event: Event<'_>) {
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
    exchange: &mut Exchange,
    (text, when): (&str, ScriptWhen),
    place: &dyn Fn(usize) -> Place,
    notes: Option<&mut Notes>,
) {
    let meaning = script::read(text, when);
    exchange.sets.extend(meaning.sets);
    exchange.captures.extend(meaning.captures);
    exchange.checks.extend(meaning.checks);
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
