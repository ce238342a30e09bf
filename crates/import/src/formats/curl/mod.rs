//! Commands of curl: lines that were copied from a browser or from a page, and scripts with them.

mod globs;
mod options;
mod request;
mod shell;

use self::request::Asked;
use self::shell::{Command, commands};
use super::{Format, ReadError};
use crate::model::{Document, Exchange, Flow, Text, Variable};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source};

pub(super) const FORMAT: Format = Format { name: "curl", title: "cURL", fits, read };

/// More requests in a file are a matter for a data file.
const MOST_REQUESTS: usize = 10_000;

fn fits(start: &str) -> bool {
    start.lines().any(|line| {
        let pieces = line.split(['|', ';', '&']);
        pieces.map(str::trim_start).any(|piece| {
            let piece = piece.strip_prefix("$ ").or_else(|| piece.strip_prefix("> ")).unwrap_or(piece);
            let word = piece.split_whitespace().next().unwrap_or_default();
            is_curl(word) && piece.len() > word.len()
        })
    })
}

fn is_curl(word: &str) -> bool {
    let last = word.rsplit(['/', '\\']).next().unwrap_or_default();
    last == "curl" || last.eq_ignore_ascii_case("curl.exe")
}

fn read(source: &Source<'_>, _options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let mut reader = Reader { variables: Vec::new(), exchanges: Vec::new(), has_cookie_jar: false, notes };
    let all = commands(&text.text);
    let mut before: Option<&Command> = None;
    for command in &all {
        let place = text.place(command.offset);
        reader.command(command, before.filter(|_| command.is_piped), &place);
        before = Some(command);
    }
    let Reader { variables, exchanges, has_cookie_jar, .. } = reader;
    let used = |variable: &Variable| exchanges.iter().any(|exchange| request::uses(exchange, &variable.name));
    let mut known: Vec<Variable> = variables.into_iter().filter(used).collect();
    for name in exchanges.iter().flat_map(request::variables) {
        if !known.iter().any(|variable| variable.name == name) {
            notes.changed(
                &source.whole(),
                format!("variable ${name}"),
                format!("it is empty: set -J{name}=…"),
            );
            known.push(Variable::new(&name, Text::property(&name, "")));
        }
    }
    if exchanges.len() > MOST_REQUESTS {
        let message = format!("{} requests are more than the {MOST_REQUESTS} that fit", exchanges.len());
        return Err(ReadError::new(source.whole(), message));
    }
    let flow = Flow { has_cookie_jar, ..Flow::of("", exchanges) };
    Ok(Document { flows: vec![flow], variables: known, ..Document::default() })
}

struct Reader<'a> {
    variables: Vec<Variable>,
    exchanges: Vec<Exchange>,
    has_cookie_jar: bool,
    notes: &'a mut Notes,
}

impl Reader<'_> {
    fn command(&mut self, command: &Command, piped_from: Option<&Command>, place: &Place) {
        let mut words = &command.words[..];
        // A prompt, and what stands before a command.
        while let [first, rest @ ..] = words
            && first
                .as_literal()
                .is_some_and(|word| ["$", ">", "%", "#", "time", "sudo", "exec", "!"].contains(&word))
        {
            words = rest;
        }
        let is_export =
            words.first().and_then(Text::as_literal).is_some_and(|word| word == "export" || word == "set");
        let mut assigned = if is_export { &words[1..] } else { words };
        while let [first, rest @ ..] = assigned
            && let Some((name, value)) = assignment(first)
        {
            self.variables.retain(|variable| variable.name != name);
            self.variables.push(Variable::new(&name, value));
            assigned = rest;
        }
        if assigned.len() < words.len() {
            words = assigned;
        }
        let Some(first) = words.first() else { return };
        let name = first.as_literal().unwrap_or_default();
        if !is_curl(name) {
            if !Self::is_known_aside(name, command, is_export) {
                let what: String = first.to_plan().chars().take(40).collect();
                self.notes.left_out(place, format!("command `{what}`"), "only curl is imported");
            }
            return;
        }
        if let Some(trouble) = &command.trouble {
            self.notes.left_out(place, "a curl command", trouble);
            return;
        }
        let input = command.input.clone().or_else(|| piped_from.and_then(output_of_echo));
        let asked = Asked::read(&words[1..], input, place, self.notes);
        self.has_cookie_jar |= asked.has_cookie_jar;
        match asked.exchanges(place, self.notes) {
            Ok(exchanges) => self.exchanges.extend(exchanges),
            Err(reason) => self.notes.left_out(place, "a curl command", reason),
        }
    }

    /// Commands around curl that no plan needs.
    fn is_known_aside(name: &str, command: &Command, is_export: bool) -> bool {
        const ASIDE: [&str; 20] = [
            "echo", "printf", "set", "cd", "sleep", "jq", "grep", "head", "tail", "tee", "exit", "export",
            "sh", "bash", "true", ":", "less", "wc", "sort", "python",
        ];
        is_export || command.is_piped || ASIDE.contains(&name)
    }
}

/// `NAME=value`.
fn assignment(word: &Text) -> Option<(String, Text)> {
    let (name, value) = word.split_once('=')?;
    let name = name.as_literal()?.to_owned();
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_name = starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

/// What `echo …` and `printf '…'` write, for a curl that reads it.
fn output_of_echo(command: &Command) -> Option<Text> {
    let [name, rest @ ..] = &*command.words else { return None };
    let is_echo = name.as_literal() == Some("echo");
    if command.trouble.is_some() || !(is_echo || name.as_literal() == Some("printf") && rest.len() == 1) {
        return None;
    }
    let no_end = rest.first().and_then(Text::as_literal) == Some("-n");
    let mut out = Text::default();
    for (number, word) in rest.iter().skip(usize::from(no_end)).enumerate() {
        out.push_literal(if number > 0 { " " } else { "" });
        out.push(word.clone());
    }
    out.push_literal(if is_echo && !no_end { "\n" } else { "" });
    Some(out)
}

#[cfg(test)]
mod tests;
