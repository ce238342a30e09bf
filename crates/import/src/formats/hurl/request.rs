//! The request of an entry.

use crate::inside::inside_path;
use crate::model::{
    Auth, Body as Sent, Exchange, Folder, FolderKind, Item, Part as SentPart, PartValue, Pause, Script,
    ScriptWhen, Text, TextPart, safe_name,
};

use super::Reader;
use super::scope::Kind;
use super::syntax::{
    Body, Content, EntryOption, KeyValue, OptionValue, Part, Piece, Request, Section, Template,
};

/// What the options of an entry ask for besides its request.
#[derive(Debug, Default)]
pub(super) struct Around {
    repeat: Option<Text>,
    skip_if: Option<Text>,
    is_skipped: bool,
}

const FORM: &str = "application/x-www-form-urlencoded";

impl Reader<'_, '_> {
    /// The request. Options are first, since they set variables.
    pub(super) fn request(&mut self, request: &Request) -> (Exchange, Around) {
        let place = self.place(request.at);
        let mut exchange = Exchange::new(&request.method, Text::default(), place);
        exchange.name.clone_from(&request.name);
        let mut around = Around::default();
        for section in &request.sections {
            if let Section::Options(options) = section {
                for one in options {
                    self.option(one, &mut exchange, &mut around);
                }
            }
        }
        exchange.url = self.scope.text(&request.url);
        for header in &request.headers {
            let name = self.name(&header.key);
            let value = self.scope.text(&header.value);
            exchange.add_header(&name, value);
        }
        for section in &request.sections {
            self.section(section, &mut exchange);
        }
        if let Some(body) = &request.body {
            self.body(body, &mut exchange);
        }
        (exchange, around)
    }

    /// A name that has to be known before the run: of a header, a part, a capture.
    pub(super) fn name(&mut self, name: &Template) -> String {
        let text = self.scope.text(name);
        if let Some(text) = text.as_literal() {
            return text.to_owned();
        }
        self.refuse(name.at, "a name with a variable", "names have to be known before the run");
        "unknown".to_owned()
    }

    fn section(&mut self, section: &Section, exchange: &mut Exchange) {
        match section {
            Section::Query(pairs) => {
                let mut separator = if has_query(&exchange.url) { "&" } else { "?" };
                for pair in pairs {
                    exchange.url.push_literal(separator);
                    separator = "&";
                    exchange.url.push(self.pair(pair));
                }
            }
            Section::Form(pairs) => {
                let mut text = Text::default();
                for (number, pair) in pairs.iter().enumerate() {
                    text.push_literal(if number > 0 { "&" } else { "" });
                    text.push(self.pair(pair));
                }
                add_type(exchange, FORM);
                exchange.body = Sent::Text(text);
            }
            Section::Multipart(parts) => {
                let parts = parts.iter().filter_map(|part| self.part(part)).collect();
                exchange.body = Sent::Multipart(parts);
            }
            Section::Cookies(pairs) => {
                let mut text = Text::default();
                for (number, pair) in pairs.iter().enumerate() {
                    text.push_literal(if number > 0 { "; " } else { "" });
                    text.push(self.scope.text(&pair.key));
                    text.push_literal("=");
                    text.push(self.scope.text(&pair.value));
                }
                exchange.add_header("Cookie", text);
            }
            Section::BasicAuth(Some(pair)) => {
                let user = self.scope.text(&pair.key);
                let password = self.scope.text(&pair.value);
                exchange.auth = Some(Auth { user, password, is_digest: false });
            }
            Section::BasicAuth(None) | Section::Options(_) => {}
        }
    }

    /// `name=value`, encoded.
    fn pair(&mut self, pair: &KeyValue) -> Text {
        let mut text = self.scope.encoded(&pair.key);
        text.push_literal("=");
        text.push(self.scope.encoded(&pair.value));
        text
    }

    fn part(&mut self, part: &Part) -> Option<SentPart> {
        match part {
            Part::Text(pair) => {
                let name = self.name(&pair.key);
                let value = PartValue::Text(self.scope.text(&pair.value));
                Some(SentPart { name, value, mime: String::new() })
            }
            Part::File { key, file, mime } => {
                let name = self.name(key);
                let mime = mime.as_ref().map(|mime| self.name(mime)).unwrap_or_default();
                let path = self.file(file)?;
                let mime = if mime.is_empty() { type_of(&path).to_owned() } else { mime };
                Some(SentPart { name, value: PartValue::File(path), mime })
            }
        }
    }

    /// The path of a file that is sent; none, with a note, if it is outside the folder.
    fn file(&mut self, file: &Template) -> Option<String> {
        let path = self.name(file);
        match inside_path(&path) {
            Ok(path) => Some(path),
            Err(reason) => {
                self.refuse(file.at, &format!("file `{path}`"), reason);
                None
            }
        }
    }

    fn body(&mut self, body: &Body, exchange: &mut Exchange) {
        let mime = match &body.content {
            Content::Json(_) | Content::Graphql(..) | Content::Lines("json" | "graphql", _) => {
                "application/json"
            }
            Content::Xml(_) | Content::Lines("xml", _) => "application/xml",
            _ => "",
        };
        exchange.body = match &body.content {
            Content::File(file) => match self.file(file) {
                Some(path) => Sent::File { path, mime: String::new() },
                None => Sent::None,
            },
            Content::Bytes(bytes) => match String::from_utf8(bytes.clone()) {
                Ok(text) => Sent::Text(Text::literal(text)),
                Err(bytes) => Sent::Bytes(bytes.into_bytes()),
            },
            content => Sent::Text(self.body_text(content, body.at)),
        };
        if !mime.is_empty() {
            add_type(exchange, mime);
        }
    }

    /// The text of a body that is one.
    pub(super) fn body_text(&mut self, content: &Content, at: usize) -> Text {
        match content {
            Content::Json(text) => {
                self.note_unknown_kinds(text, at);
                self.scope.text(text)
            }
            Content::Text(text) | Content::Lines(_, text) => self.scope.text(text),
            Content::Xml(text) => Text::literal(text),
            Content::Graphql(query, variables) => {
                let mut out = Text::literal("{\"query\":\"");
                out.push(self.scope.text(&without_blank_ends(query)).map_literals(&mut in_json));
                out.push_literal("\"");
                if let Some(variables) = variables {
                    out.push_literal(",\"variables\":");
                    out.push(self.scope.text(variables));
                }
                out.push_literal("}");
                out
            }
            Content::Bytes(_) | Content::File(_) => Text::default(),
        }
    }

    /// Hurl writes numbers, true, false and null as values of JSON, and refuses texts.
    fn note_unknown_kinds(&mut self, text: &Template, at: usize) {
        for piece in &text.pieces {
            let Piece::JsonValue(expr) = piece else { continue };
            match self.scope.kind(expr) {
                Kind::Json => {
                    let how = "a captured value is written as it is: put quotes around it if it is a text";
                    self.change(at, "JSON with a captured value", how);
                }
                Kind::Text => {
                    let reason = "its value is a text, which is no JSON without quotes: put quotes around it";
                    self.refuse(expr.at, "variable in JSON", reason);
                }
                _ => {}
            }
        }
    }

    fn option(&mut self, option: &EntryOption, exchange: &mut Exchange, around: &mut Around) {
        let name = &*option.name;
        let what = format!("option {name}");
        match (name, &option.value) {
            ("variable", OptionValue::Variable(variable, value)) => {
                let (kind, text) = self.scope.constant(value);
                self.scope.define(variable, kind);
                let text = format!("vars.put({}, {})", groovy_literal(&safe_name(variable)), groovy(&text));
                let language = "groovy".to_owned();
                exchange.scripts.push(Script { when: ScriptWhen::Before, language, text, runs: true });
            }
            ("location" | "location-trusted", OptionValue::Flag(flag)) => exchange.follows_redirects = *flag,
            ("delay", value) => exchange.pause = self.delay(value),
            ("connect-timeout", OptionValue::Time(number, unit)) => {
                exchange.timeout_ms = Some((number.saturating_mul(unit.unwrap_or(1_000)), 0));
            }
            ("header", OptionValue::Text(text)) => match self.scope.text(text).split_once(':') {
                Some((name, value)) if name.as_literal().is_some() => {
                    let value = trimmed(&value);
                    exchange.add_header(name.as_literal().unwrap_or_default().trim(), value);
                }
                _ => self.refuse(option.at, &what, "expected a name, a colon and a value"),
            },
            ("user", OptionValue::Text(text)) => {
                let text = self.scope.text(text);
                let (user, password) = text.split_once(':').unwrap_or((text, Text::default()));
                exchange.auth = Some(Auth { user, password, is_digest: false });
            }
            ("compressed", OptionValue::Flag(true)) => {
                exchange.add_header("Accept-Encoding", "gzip, deflate, br");
            }
            ("proxy", OptionValue::Text(text)) => {
                let text = self.name(text);
                let address = text.strip_prefix("http://").unwrap_or(&text).trim_end_matches('/');
                let parts = address.rsplit_once(':');
                match parts.and_then(|(host, port)| Some((host.to_owned(), port.parse().ok()?))) {
                    Some(proxy) if !address.contains("://") => exchange.proxy = Some(proxy),
                    _ => self.refuse(option.at, &what, "expected host:port"),
                }
            }
            ("repeat", OptionValue::Number(number)) if *number >= 0 => {
                around.repeat = Some(Text::literal(number.to_string()));
            }
            ("repeat", OptionValue::Expr(expr)) => around.repeat = Some(self.scope.value(expr)),
            ("skip", OptionValue::Flag(flag)) => around.is_skipped = *flag,
            ("skip", OptionValue::Expr(expr)) => around.skip_if = Some(self.scope.value(expr)),
            _ => self.other_option(option, &what),
        }
    }

    /// Options that do not change what is sent, or that a plan cannot have.
    fn other_option(&mut self, option: &EntryOption, what: &str) {
        let is_off = matches!(option.value, OptionValue::Flag(false) | OptionValue::Number(0));
        match &*option.name {
            _ if is_off => {}
            // Certificates are not checked in JMeter, and requests are sent in HTTP/1.1.
            "insecure" | "cacert" | "http1.1" | "verbose" | "very-verbose" | "compressed" => {}
            "output" => self.drop(option.at, what, "responses are not written to files"),
            "retry" | "retry-interval" => {
                self.change(option.at, what, "a failed request is not sent again: the iteration ends");
            }
            "http2" | "http3" | "http1.0" => {
                self.change(option.at, what, "it is sent in HTTP/1.1");
            }
            "max-redirs" => self.change(option.at, what, "JMeter's own limit counts: 20 redirects"),
            "limit-rate" | "path-as-is" | "ipv4" | "ipv6" => {
                self.change(option.at, what, "a plan has no such setting");
            }
            _ => self.refuse(option.at, what, "no element of JMeter does this"),
        }
    }

    fn delay(&mut self, value: &OptionValue) -> Option<Pause> {
        match value {
            OptionValue::Time(number, unit) => Some(Pause::Fixed(number.saturating_mul(unit.unwrap_or(1)))),
            OptionValue::Expr(expr) => Some(Pause::Expression(self.scope.value(expr))),
            _ => None,
        }
    }
}

impl Around {
    /// The request with loop and condition around it.
    pub(super) fn wrap(self, mut exchange: Exchange) -> Item {
        exchange.is_disabled |= self.is_skipped;
        let folder = |name: String, kind, item| Item::Folder(Folder { name, kind, items: vec![item] });
        let mut item = Item::Exchange(Box::new(exchange));
        if let Some(count) = self.repeat {
            item = folder("Repeat".to_owned(), FolderKind::Loop(count), item);
        }
        if let Some(condition) = self.skip_if {
            let mut text = Text::function("${__jexl3(\"");
            text.push(condition);
            text.push(Text::function("\" != \"true\",)}"));
            item = folder("Unless skipped".to_owned(), FolderKind::If(text), item);
        }
        item
    }
}

fn has_query(url: &Text) -> bool {
    url.parts().iter().any(|part| matches!(part, TextPart::Literal(text) if text.contains('?')))
}

fn add_type(exchange: &mut Exchange, mime: &str) {
    if exchange.header("Content-Type").is_none() {
        exchange.add_header("Content-Type", mime);
    }
}

/// A text without blanks at its beginning and end.
fn without_blank_ends(template: &Template) -> Template {
    let mut template = template.clone();
    if let Some(Piece::Text(first)) = template.pieces.first_mut() {
        *first = first.trim_start().to_owned();
    }
    if let Some(Piece::Text(last)) = template.pieces.last_mut() {
        *last = last.trim_end().to_owned();
    }
    template
}

fn trimmed(text: &Text) -> Text {
    let leading = text.leading();
    text.split_leading(leading.len() - leading.trim_start().len()).1
}

/// A text as it is between the quotes of a text of JSON.
fn in_json(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// A text as a literal of Groovy.
pub(super) fn groovy_literal(text: &str) -> String {
    let mut out = "'".to_owned();
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // `${` would be a function of JMeter.
            '{' if out.ends_with('$') => out.push_str("' + '{"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// A text as an expression of Groovy, without `${…}`: such a script runs natively.
fn groovy(text: &Text) -> String {
    let part = |part: &TextPart| match part {
        TextPart::Literal(text) => groovy_literal(text),
        TextPart::Variable(name) => format!("vars.get({})", groovy_literal(name)),
        TextPart::Function(call) => format!("\"{call}\""),
    };
    match text.parts() {
        [] => "''".to_owned(),
        [one] => part(one),
        // A text first: adding to a text gives a text.
        all => format!("'' + {}", all.iter().map(part).collect::<Vec<_>>().join(" + ")),
    }
}

/// The type that Hurl takes from the name of a file.
fn type_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase().as_str() {
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain",
        "htm" | "html" => "text/html",
        "pdf" => "application/pdf",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}
