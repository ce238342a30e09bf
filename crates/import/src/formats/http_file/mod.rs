//! `.http` and `.rest` files of JetBrains' editors and of VS Code (REST Client).

mod body;
mod parse;
mod script;
mod values;

use std::collections::BTreeMap;

use super::{Format, ReadError, hurl};
use crate::model::{Auth, Document, Exchange, Flow, Header, Script, ScriptWhen, Text, Variable};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source, SourceText};

use self::parse::{Block, File, Piece};
use self::values::Values;

pub(super) const FORMAT: Format = Format { name: "http", title: "HTTP file (.http, .rest)", fits, read };

/// More requests in a file are a matter for a data file.
const MOST_REQUESTS: usize = 10_000;

/// Bytes of values that variables get from others.
const MOST_INLINED: usize = 1 << 16;

/// Methods of requests. Other words are other protocols in these files: `WEBSOCKET`, `GRPC`,
/// `DUBBO`.
const METHODS: [&str; 22] = [
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "GRAPHQL",
    "QUERY",
    "LIST",
    "SEARCH",
    "PROPFIND",
    "PROPPATCH",
    "MKCOL",
    "MKCALENDAR",
    "COPY",
    "MOVE",
    "LOCK",
    "UNLOCK",
    "ACL",
    "PURGE",
];

/// A separator, a variable, a script or a directive tells these files from others with request
/// lines. A file with one request and nothing else is one too.
fn fits(start: &str) -> bool {
    let lines = || start.lines().map(str::trim_end);
    if lines().any(hurl::is_mark) {
        return false;
    }
    let requests = lines().filter(|line| method_of(line).is_some()).count();
    let has_mark = lines().any(|line| {
        line.starts_with("###")
            || line.starts_with("> {%")
            || line.starts_with("# @")
            || line.starts_with("// @")
            || parse::variable(line).is_some()
    });
    // A body's file, as Vegeta has it.
    let has_file = lines().any(|line| line.starts_with('@') && parse::variable(line).is_none());
    requests > 0 && has_mark || requests == 1 && !has_file || has_mark && lines().any(is_address)
}

fn is_address(line: &str) -> bool {
    line.starts_with("http://") || line.starts_with("https://")
}

/// Method and target of a request line that has a method.
fn method_of(line: &str) -> Option<(&str, &str)> {
    let (method, target) = line.split_once([' ', '\t'])?;
    let target = target.trim();
    let is_method = method.len() > 1 && method.chars().all(|c| c.is_ascii_uppercase() || c == '-');
    let is_target =
        target.starts_with(['/', '{', '*']) || target.contains("://") || target.contains(['.', ':']);
    (is_method && is_target).then_some((method, target))
}

fn read(source: &Source<'_>, options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let File { variables, pieces } = parse::parse(&text.text);
    if pieces.len() > MOST_REQUESTS {
        let message = format!("{} requests are more than the {MOST_REQUESTS} that fit", pieces.len());
        return Err(ReadError::new(source.whole(), message));
    }
    let mut reader =
        Reader { text: &text, values: Values::default(), notes, names: BTreeMap::new(), prompts: Vec::new() };
    for piece in &pieces {
        reader.learn(piece);
    }
    let mut known = reader.variables(&variables);
    known.extend(reader.prompts.iter().map(|name| Variable::new(name, Text::property(name, ""))));
    let mut exchanges: Vec<Exchange> = pieces.iter().filter_map(|piece| reader.request(piece)).collect();
    reader.add_captures(&mut exchanges);
    let values = reader.values;
    let columns = options.data.iter().flat_map(|data| &data.variables);
    let given: Vec<&String> = options.variables.iter().map(|(name, _)| name).chain(columns).collect();
    for name in values.unknown.into_iter().filter(|name| !given.contains(&name)) {
        if options.needs_values {
            return Err(ReadError::new(source.whole(), format!("the variable `{name}` has no value"))
                .hint(format!("give it: --variable {name}=…, or a column of --data")));
        }
        let how = format!("it has no value in the file: set -J{name}=…");
        notes.changed(&source.whole(), format!("variable {name}"), how);
        known.push(Variable::new(&name, Text::property(&name, "")));
    }
    let flow = Flow { has_cookie_jar: true, ..Flow::of("", exchanges) };
    Ok(Document { flows: vec![flow], variables: known, ..Document::default() })
}

fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

struct Reader<'a, 'n> {
    text: &'a SourceText<'a>,
    values: Values,
    notes: &'n mut Notes,
    /// Line of each named request.
    names: BTreeMap<String, usize>,
    /// Variables that the editor asks for.
    prompts: Vec<String>,
}

impl Reader<'_, '_> {
    fn place(&self, line: usize) -> Place {
        self.text.at(line_number(line), 1)
    }

    fn text(&mut self, text: &str, line: usize) -> Text {
        let place = self.place(line);
        self.values.text(text, &place, self.notes)
    }

    /// Variables of the file. One may have a later one in its value, so they are read twice.
    fn variables(&mut self, all: &[(String, String, usize)]) -> Vec<Variable> {
        let names = all.iter().map(|(name, _, _)| name.clone()).chain(self.prompts.iter().cloned());
        self.values.defined.extend(names);
        let mut aside = Notes::default();
        for (name, value, line) in all {
            let value = self.values.text(value, &self.text.at(line_number(*line), 1), &mut aside);
            self.values.known.insert(name.clone(), value);
        }
        let mut known = Vec::new();
        let mut room = MOST_INLINED;
        for (name, value, line) in all {
            let value = self.text(value, *line);
            let value = self.values.inlined(&value, &mut room);
            self.values.known.insert(name.clone(), value.clone());
            if !self.values.is_of_response(&value) {
                known.push(Variable::new(name, value));
            }
        }
        known
    }

    /// Names that later texts refer to.
    fn learn(&mut self, piece: &Piece) {
        if let Some(name) = &piece.name {
            self.names.insert(name.clone(), piece.line);
        } else {
            // Some editors take the title for the name.
            self.names.entry(piece.title.clone()).or_insert(piece.line);
        }
        for block in piece.after.iter().filter(|block| !block.is_file) {
            let captures = script::read(&block.text).captures;
            self.values.set_by_scripts.extend(captures.into_iter().map(|capture| capture.variable));
        }
        for (directive, _) in &piece.directives {
            let mut words = directive.split_whitespace();
            if let (Some("prompt"), Some(name)) = (words.next(), words.next()) {
                self.values.known.insert(name.to_owned(), Text::property(name, ""));
                self.prompts.push(name.to_owned());
            }
        }
    }

    fn request(&mut self, piece: &Piece) -> Option<Exchange> {
        for (line, number) in &piece.others {
            let place = self.place(*number);
            self.notes.left_out(&place, format!("`{line}`"), "other files are not read: import them too");
        }
        if piece.line == 0 {
            return None;
        }
        let place = self.place(piece.line);
        let (method, target) = request_line(&piece.request);
        let what: String = format!("request `{}`", piece.request.chars().take(60).collect::<String>());
        if method == "curl" || target.is_empty() || target == "*" {
            let reason = if method == "curl" { "import it as cURL: --from curl" } else { "it has no path" };
            self.notes.left_out(&place, what, reason);
            return None;
        }
        let method = method.to_ascii_uppercase();
        if !METHODS.contains(&&*method) {
            self.notes.left_out(&place, what, format!("{method} is not a method of HTTP, or not supported"));
            return None;
        }
        let is_graphql = method == "GRAPHQL";
        let mut exchange = Exchange::new(if is_graphql { "POST" } else { &method }, Text::default(), place);
        exchange.name = Some(piece.title.clone()).filter(|title| !title.is_empty());
        exchange.follows_redirects = true;
        self.headers(&mut exchange, piece);
        if is_graphql {
            exchange.add_header(body::REQUEST_TYPE, body::GRAPHQL);
        }
        exchange.url = self.url(target, &mut exchange, piece.line);
        self.directives(&mut exchange, piece);
        self.body(&mut exchange, piece);
        self.scripts(&mut exchange, piece);
        Some(exchange)
    }

    fn headers(&mut self, exchange: &mut Exchange, piece: &Piece) {
        for (line, number) in &piece.headers {
            let Some((name, value)) = line.split_once(':') else {
                let place = self.place(*number);
                self.notes.left_out(&place, format!("header `{line}`"), "it has no colon");
                continue;
            };
            let name = name.trim();
            let value = value.trim();
            if name.eq_ignore_ascii_case("Authorization")
                && let Some(auth) = self.auth(value, *number)
            {
                exchange.auth = Some(auth);
                continue;
            }
            let value = self.text(value, *number);
            exchange.headers.push(Header { name: name.to_owned(), value });
        }
    }

    /// `Basic user password`, `Basic user:password`, `Digest user password`, which the editors
    /// encode.
    fn auth(&mut self, value: &str, line: usize) -> Option<Auth> {
        let (scheme, rest) = value.split_once(' ')?;
        let is_digest = scheme.eq_ignore_ascii_case("Digest");
        if !is_digest && !scheme.eq_ignore_ascii_case("Basic") {
            return None;
        }
        let rest = rest.trim();
        let (user, password) = rest.split_once(char::is_whitespace).or_else(|| split_at_colon(rest))?;
        let user = self.text(user, line);
        let password = self.text(password.trim(), line);
        Some(Auth { user, password, is_digest })
    }

    /// The URL: whole, a host without a scheme, or a path whose host is in a header.
    fn url(&mut self, target: &str, exchange: &mut Exchange, line: usize) -> Text {
        let target = target.split_once('#').map_or(target, |(before, _)| before);
        if target.starts_with('/')
            && let Some(at) =
                exchange.headers.iter().position(|header| header.name.eq_ignore_ascii_case("Host"))
        {
            let host = exchange.headers.remove(at).value;
            let has_scheme = host.leading().contains("://");
            let is_tls =
                host.as_literal().is_some_and(|host| host.ends_with(":443") || host.ends_with(":8443"));
            let scheme = match (has_scheme, is_tls) {
                (true, _) => "",
                (_, true) => "https://",
                (_, false) => "http://",
            };
            let mut url = if host.leading().is_empty() { Text::default() } else { Text::literal(scheme) };
            url.push(host);
            url.push(self.text(target, line));
            return url;
        }
        let has_scheme = target.contains("://") || target.starts_with(['/', '{']);
        let scheme = if has_scheme { "" } else { "http://" };
        self.text(&format!("{scheme}{target}"), line)
    }

    fn directives(&mut self, exchange: &mut Exchange, piece: &Piece) {
        for (directive, line) in &piece.directives {
            let (word, rest) = directive.split_once([' ', '\t']).unwrap_or((directive, ""));
            let place = self.place(*line);
            match word {
                "no-redirect" => exchange.follows_redirects = false,
                "timeout" | "connection-timeout" => {
                    let Some(limit) = milliseconds(rest) else {
                        self.notes.left_out(
                            &place,
                            format!("`@{directive}`"),
                            "it is not a time, as 30 or 500 ms",
                        );
                        continue;
                    };
                    let known = exchange.timeout_ms.unwrap_or((0, 0));
                    exchange.timeout_ms =
                        Some(if word == "timeout" { (known.0, limit) } else { (limit, known.1) });
                }
                "no-cookie-jar" => {
                    self.notes.changed(&place, "`@no-cookie-jar`", "one Cookie Manager serves all requests");
                }
                // About the editor, or done by the writer.
                _ => {}
            }
        }
    }

    fn body(&mut self, exchange: &mut Exchange, piece: &Piece) {
        let lines = piece.trimmed_body();
        if lines.is_empty() {
            return;
        }
        let line = lines[0].1;
        let place = self.place(line);
        let values = &mut self.values;
        body::read(exchange, lines, &mut body::Context { place, values, notes: self.notes });
    }

    fn scripts(&mut self, exchange: &mut Exchange, piece: &Piece) {
        let before = piece.before.iter().map(|block| (block, ScriptWhen::Before));
        let after = piece.after.iter().map(|block| (block, ScriptWhen::After));
        for (block, when) in before.chain(after) {
            self.script(exchange, block, when);
        }
    }

    fn script(&mut self, exchange: &mut Exchange, block: &Block, when: ScriptWhen) {
        let place = self.place(block.line);
        if block.is_file {
            self.notes.left_out(&place, format!("script `{}`", block.text), "scripts in files are not read");
            return;
        }
        let rest = if when == ScriptWhen::After {
            let meaning = script::read(&block.text);
            exchange.captures.extend(meaning.captures);
            exchange.checks.extend(meaning.checks);
            meaning.rest
        } else {
            (!block.text.trim().is_empty()).then_some(0)
        };
        if let Some(rest) = rest {
            let text = block.text[rest..].trim().to_owned();
            let start: String = text.chars().take(40).collect();
            let reason =
                "only usual calls of `client` are carried over; the script is in the plan, switched off";
            self.notes.left_out(&place, format!("script from `{start}`"), reason);
            exchange.scripts.push(Script { when, language: "javascript".to_owned(), text, runs: false });
        }
    }

    /// Puts what later requests refer to at the requests that give it.
    fn add_captures(&mut self, exchanges: &mut [Exchange]) {
        for (name, capture) in std::mem::take(&mut self.values.captures) {
            let line = self.names.get(&name).copied();
            let place = line.map(|line| self.place(line));
            let found = exchanges.iter_mut().find(|exchange| Some(&exchange.place) == place.as_ref());
            if let Some(exchange) = found {
                exchange.captures.push(capture);
            } else {
                let what = format!("value of the response `{name}`");
                self.notes.left_out(&self.text.at(0, 0), what, "no request of this file has that @name");
            }
        }
    }
}

/// Method and target.
fn request_line(line: &str) -> (&str, &str) {
    let line = line.trim();
    let line = match line.rsplit_once(char::is_whitespace) {
        Some((before, version)) if version.starts_with("HTTP/") => before.trim_end(),
        _ => line,
    };
    match line.split_once(char::is_whitespace) {
        Some((method, target)) if method.chars().all(|c| c.is_ascii_alphabetic() || c == '-') => {
            (method, target.trim())
        }
        _ => ("GET", line),
    }
}

/// `user:password`, where it is not one word in base64.
fn split_at_colon(text: &str) -> Option<(&str, &str)> {
    let outside = text
        .match_indices(':')
        .find(|(at, _)| text[..*at].matches("{{").count() == text[..*at].matches("}}").count())?;
    Some((&text[..outside.0], &text[outside.0 + 1..]))
}

/// `30`, in seconds, or with a unit.
fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..end].parse().ok()?;
    let factor = match text[end..].trim() {
        "" | "s" => 1_000,
        "ms" => 1,
        "m" => 60_000,
        _ => return None,
    };
    number.checked_mul(factor)
}

#[cfg(test)]
mod tests;
