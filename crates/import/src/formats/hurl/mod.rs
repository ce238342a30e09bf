//! Files of Hurl: requests as text, with what their responses have to be.
//!
//! The grammar is that of Hurl 6.1: [`entries`] makes a tree of a file, or says what was expected
//! where. The other modules make of each entry a request with captures and checks. An assert is
//! said exactly, or is refused with its place: none passes where Hurl's fails. A failed check ends
//! the iteration, as it ends the file in Hurl.

mod asserts;
mod asserts_hash;
mod asserts_json;
mod asserts_number;
mod asserts_xpath;
mod bodies;
mod captures;
mod clauses;
mod cursor;
mod entries;
mod entry_options;
mod integers;
mod json;
mod jsonpath;
mod placeholders;
mod regex;
mod request;
mod scope;
mod syntax;
mod texts;
mod xml;
mod xpath;

use super::{Format, ReadError};
use crate::model::{Document, Flow, OnError, Text, Variable};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source, SourceText};

use self::placeholders::Placeholders;
use self::scope::{Kind, Scope};
use self::syntax::Entry;

pub(super) const FORMAT: Format = Format { name: "hurl", title: "Hurl file", fits, read };

/// More requests in a file are a matter for a data file.
const MOST_ENTRIES: usize = 10_000;

/// A line of a response, or a section, after a request.
fn fits(start: &str) -> bool {
    let mut lines = start.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_request = lines.next().is_some_and(|line| {
        let (method, url) = line.split_once([' ', '\t']).unwrap_or_default();
        !method.is_empty() && method.chars().all(|c| c.is_ascii_uppercase()) && !url.trim().is_empty()
    });
    is_request && lines.any(is_mark)
}

/// What other files with requests do not have.
pub(super) fn is_mark(line: &str) -> bool {
    const SECTIONS: [&str; 11] = [
        "[Captures]",
        "[Asserts]",
        "[Options]",
        "[QueryStringParams]",
        "[Query]",
        "[FormParams]",
        "[Form]",
        "[MultipartFormData]",
        "[Multipart]",
        "[Cookies]",
        "[BasicAuth]",
    ];
    let line = line.split('#').next().unwrap_or_default().trim_end();
    let mut parts = line.split_whitespace();
    let is_version = parts.next().is_some_and(|first| {
        first == "HTTP"
            || first.strip_prefix("HTTP/").is_some_and(|version| version.starts_with(['1', '2', '3']))
    });
    let is_status = parts.next().is_some_and(|status| status == "*" || status.parse::<u16>().is_ok());
    is_version && is_status && parts.next().is_none() || SECTIONS.contains(&line)
}

fn read(source: &Source<'_>, options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let entries =
        entries::entries(&text.text).map_err(|wrong| ReadError::new(text.place(wrong.at), wrong.message))?;
    if entries.len() > MOST_ENTRIES {
        let message = format!("{} requests are more than the {MOST_ENTRIES} that fit", entries.len());
        return Err(ReadError::new(source.whole(), message));
    }
    let mut reader = Reader {
        text: &text,
        lines: line_starts(&text.text),
        notes,
        options,
        scope: Scope::default(),
        placeholders: Placeholders::default(),
        is_html: None,
    };
    for (name, value) in &options.variables {
        reader.scope.define_given(name, value);
    }
    for column in options.data.iter().flat_map(|data| &data.variables) {
        reader.scope.define(column, Kind::Column);
    }
    let items = entries.iter().map(|entry| reader.entry(entry)).collect();
    let variables = reader.missing_variables()?;
    let name = source.stem();
    let flow =
        Flow { name, items, has_cookie_jar: true, on_error: OnError::NextIteration, ..Flow::default() };
    Ok(Document { flows: vec![flow], variables, ..Document::default() })
}

/// Why a part is not in the plan.
struct Refused {
    at: usize,
    reason: String,
}

impl Refused {
    fn new(at: usize, reason: impl Into<String>) -> Self {
        Self { at, reason: reason.into() }
    }
}

struct Reader<'a, 'n> {
    text: &'a SourceText<'a>,
    /// Bytes at which lines begin.
    lines: Vec<usize>,
    notes: &'n mut Notes,
    options: &'a Options,
    scope: Scope,
    /// Variables in JSONPaths and regular expressions.
    placeholders: Placeholders,
    /// What the entry says of the type of its response: HTML, or another one.
    is_html: Option<bool>,
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

impl Reader<'_, '_> {
    fn place(&self, at: usize) -> Place {
        let line = self.lines.partition_point(|start| *start <= at);
        let start = self.lines.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let column = self.text.text.get(start..at).map_or(0, |before| before.chars().count()) + 1;
        self.text.at(u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    fn refuse(&mut self, at: usize, what: &str, reason: &str) {
        let place = self.place(at);
        self.notes.left_out(&place, what, reason);
    }

    /// An assert that is not in the plan.
    fn refuse_assert(&mut self, at: usize, what: &str, reason: &str) {
        let place = self.place(at);
        if self.options.skips_asserts {
            self.notes.dropped(&place, what, reason);
        } else {
            self.notes.left_out(&place, what, reason);
        }
    }

    fn change(&mut self, at: usize, what: &str, how: &str) {
        let place = self.place(at);
        self.notes.changed(&place, what, how);
    }

    fn drop(&mut self, at: usize, what: &str, reason: &str) {
        let place = self.place(at);
        self.notes.dropped(&place, what, reason);
    }

    fn entry(&mut self, entry: &Entry) -> crate::model::Item {
        let (mut exchange, around) = self.request(&entry.request);
        self.response(entry.response.as_ref(), &mut exchange);
        if let Some(response) = &entry.response {
            self.is_html = asserts_xpath::says_html(response);
            for capture in &response.captures {
                self.capture(capture, &mut exchange);
            }
            for assert in &response.asserts {
                self.assert(assert, &mut exchange);
            }
        }
        for (name, at) in std::mem::take(&mut self.scope.lists) {
            self.refuse(at, &format!("variable {name}"), "it is a list of values, which is no text");
        }
        around.wrap(exchange)
    }

    /// Variables that have no value become properties, or are an error.
    fn missing_variables(&mut self) -> Result<Vec<Variable>, ReadError> {
        let missing = std::mem::take(&mut self.scope.missing);
        if let Some((name, at)) = missing.first().filter(|_| self.options.needs_values) {
            return Err(ReadError::new(self.place(*at), format!("the variable `{name}` has no value"))
                .hint(format!("give it: --variable {name}=…, or a column of --data")));
        }
        for (name, at) in &missing {
            self.change(
                *at,
                &format!("variable {name}"),
                &format!("it has no value in the file: set -J{name}=…"),
            );
        }
        Ok(missing.iter().map(|(name, _)| Variable::new(name, Text::property(name, ""))).collect())
    }
}

#[cfg(test)]
mod tests;
