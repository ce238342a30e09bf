//! `{{ _.name }}` and `{% tag … %}`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Reader;
use crate::formats::values::made_by_clients;
use crate::model::{Capture, CaptureFrom, Text};
use crate::source::Place;

impl Reader<'_, '_> {
    /// A text with its variables and tags.
    pub(super) fn template(&mut self, text: &str, place: &Place) -> Text {
        let mut out = Text::default();
        let mut rest = text;
        while let Some(start) = rest.find("{%") {
            let Some(length) = rest[start..].find("%}") else { break };
            out.push(self.variables(&rest[..start], place));
            let tag = &rest[start + 2..start + length];
            match self.tag(tag.trim_matches(['-', ' ']), place) {
                Some(made) => out.push(made),
                None => out.push_literal(&rest[start..start + length + 2]),
            }
            rest = &rest[start + length + 2..];
        }
        out.push(self.variables(rest, place));
        out
    }

    fn variables(&mut self, text: &str, place: &Place) -> Text {
        Text::with_braces(text, &mut |name| {
            if name.contains('|') || name.contains('(') {
                let what = format!("value `{{{{ {name} }}}}`");
                self.notes.left_out(place, what, "filters and expressions are not supported");
                return None;
            }
            let name = name.strip_prefix("_.").unwrap_or(name);
            self.used.variable(name.trim_start_matches("vault."), place)
        })
    }

    /// A function of JMeter, or the variable that gets a part of a response.
    fn tag(&mut self, tag: &str, place: &Place) -> Option<Text> {
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let arguments = arguments(rest);
        let arguments: Vec<&str> = arguments.iter().map(|argument| &**argument).collect();
        let made = match (name, &arguments[..]) {
            ("uuid", _) | ("faker", ["guid" | "randomUUID"]) => made_by_clients("uuid"),
            ("timestamp", []) | ("now", ["unix" | "seconds" | "s", ..]) => made_by_clients("timestamp"),
            ("now", [] | ["iso-8601" | "iso", ..]) => made_by_clients("isoTimestamp"),
            ("now", ["millis" | "ms", ..]) => Some(Text::function("${__time(,)}")),
            ("response", ["body", request, filter, ..]) => self.of_response(request, body_filter(filter)),
            ("response", ["header", request, header, ..]) => {
                self.of_response(request, Some(CaptureFrom::Header(plain(header))))
            }
            ("response", ["raw", request, ..]) => self.of_response(request, Some(CaptureFrom::Body)),
            _ => None,
        };
        if made.is_none() {
            let shown: String = tag.chars().take(60).collect();
            self.notes.left_out(place, format!("tag `{{% {shown} %}}`"), "no function of JMeter gives it");
        }
        made
    }

    fn of_response(&mut self, request: &str, from: Option<CaptureFrom>) -> Option<Text> {
        let from = from?;
        if let Some((_, known)) = self.captures.iter().find(|(of, known)| of == request && known.from == from)
        {
            return Some(Text::variable(&known.variable));
        }
        let variable = format!("response_{}", self.captures.len() + 1);
        self.captures.push((request.to_owned(), Capture::new(&variable, from)));
        Some(Text::variable(variable))
    }
}

/// JSONPath, or XPath.
fn body_filter(filter: &str) -> Option<CaptureFrom> {
    let path = plain(filter);
    if path.starts_with('$') {
        return Some(CaptureFrom::JsonPath(path));
    }
    path.starts_with('/').then_some(CaptureFrom::XPath { path, is_html: false })
}

/// Insomnia writes some arguments as `b64::…::46b`.
fn plain(argument: &str) -> String {
    let coded = argument.strip_prefix("b64::").and_then(|rest| rest.strip_suffix("::46b"));
    let decoded =
        coded.and_then(|coded| STANDARD.decode(coded).ok()).and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.unwrap_or_else(|| argument.to_owned())
}

/// Arguments in quotes or as words, with commas between them.
fn arguments(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let (argument, after) = if let Some(quote) = quote {
            rest[1..].split_once(quote).unwrap_or((&rest[1..], ""))
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            rest.split_at(end)
        };
        all.push(argument.trim().to_owned());
        rest = after.trim_start().trim_start_matches(',').trim_start();
    }
    all
}
