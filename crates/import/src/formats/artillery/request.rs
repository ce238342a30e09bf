//! Steps that send a request.

use super::Reader;
use super::values::duration_ms;
use crate::formats::values::add_query;
use crate::inside::inside_path;
use crate::model::{
    Auth, Body, Capture, CaptureFrom, Check, CheckOf, Comparison, Exchange, Field, Part, PartValue, Pause,
    Text,
};
use crate::tree::{Node, Value};

const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

impl<'a> Reader<'a, '_> {
    /// The request of a step; none, with a note, for another step.
    pub(super) fn request(&mut self, step: &'a Node, pause: Option<Pause>) -> Option<Exchange> {
        let place = self.place(step);
        let found = METHODS.iter().find_map(|method| Some((*method, step.get(method)?)));
        let Some((method, spec)) = found else {
            let name = step.entries().first().map_or("", |(name, _)| name);
            if name == "log" {
                self.notes.dropped(&place, "`log`", "it is about Artillery's console");
            } else {
                let reason =
                    if name == "function" { "JavaScript is not run" } else { "the step is not known" };
                self.notes.left_out(&place, format!("step `{name}`"), reason);
            }
            return None;
        };
        let url = spec.as_text().unwrap_or_else(|| spec.text("url"));
        let url = self.url(url, spec);
        let mut exchange = Exchange::new(&method.to_ascii_uppercase(), url, place.clone());
        exchange.name = Some(spec.text("name").to_owned()).filter(|name| !name.is_empty());
        exchange.follows_redirects = spec.get("followRedirect").is_none() || spec.flag("followRedirect");
        exchange.pause = pause;
        let timeout = self.setting("http").and_then(|http| http.scalar_of("timeout"));
        let timeout = timeout.as_deref().and_then(duration_ms);
        exchange.timeout_ms = timeout.map(|ms| (ms, ms));
        self.headers(&mut exchange, spec);
        self.body(&mut exchange, spec);
        if let Some(auth) = spec.get("auth") {
            let user = self.value(auth.get("user"));
            let password = self.value(auth.get("pass"));
            exchange.auth = Some(Auth { user, password, is_digest: false });
        }
        for hook in ["beforeRequest", "afterResponse", "ifTrue"] {
            self.left_out_function(spec, hook);
        }
        for capture in one_or_many(spec.get("capture")) {
            let capture = self.capture(capture);
            exchange.captures.extend(capture);
        }
        for expected in one_or_many(spec.get("expect")) {
            for (name, value) in expected.entries() {
                self.expect(&mut exchange, name, value);
            }
        }
        for matched in one_or_many(spec.get("match")) {
            if let Some(path) = matched.get("json").and_then(Node::as_text) {
                let how = Comparison::Equals(self.value(matched.get("value")));
                exchange.checks.push(Check::new(CheckOf::JsonPath(path.to_owned(), how)));
            } else {
                let place = self.place(matched);
                self.notes.left_out(&place, "`match`", "only `json` with a `value` is supported");
            }
        }
        Some(exchange)
    }

    fn value(&mut self, node: Option<&Node>) -> Text {
        let Some(node) = node else { return Text::default() };
        let place = self.place(node);
        let text = node.scalar().unwrap_or_else(|| node.to_json());
        self.braces(&text, &place)
    }

    fn url(&mut self, url: &str, spec: &Node) -> Text {
        let place = self.place(spec);
        let is_whole = url.contains("://") || url.starts_with("{{");
        let mut out = if is_whole { Text::default() } else { self.target.clone() };
        if !is_whole && !url.starts_with(['/', '?']) {
            out.push_literal("/");
        }
        out.push(self.braces(url, &place));
        for (name, value) in spec.get("qs").map_or(&[][..], Node::entries) {
            let encode =
                |text: &str| super::super::urls::encoded(text).replace('&', "%26").replace('#', "%23");
            let mut pair = Text::literal(format!("{}=", encode(name)));
            pair.push(self.value(Some(value)).map_literals(&mut |text| encode(text)));
            add_query(&mut out, &pair);
        }
        out
    }

    /// Headers of the request, and those of all requests that it does not have.
    fn headers(&mut self, exchange: &mut Exchange, spec: &Node) {
        let http = self.setting("http").and_then(|http| http.get("defaults"));
        let defaults = [http, self.setting("defaults")];
        let defaults = defaults.into_iter().flatten().filter_map(|defaults| defaults.get("headers"));
        for headers in spec.get("headers").into_iter().chain(defaults) {
            for (name, value) in headers.entries() {
                if exchange.header(name).is_none() {
                    let value = self.value(Some(value));
                    exchange.add_header(name, value);
                }
            }
        }
        let cookies: Vec<Text> = spec
            .get("cookie")
            .map_or(&[][..], Node::entries)
            .iter()
            .map(|(name, value)| {
                let mut pair = Text::literal(format!("{name}="));
                pair.push(self.value(Some(value)));
                pair
            })
            .collect();
        let mut all = Text::default();
        for (number, cookie) in cookies.into_iter().enumerate() {
            all.push_literal(if number > 0 { "; " } else { "" });
            all.push(cookie);
        }
        if !all.is_empty() {
            exchange.add_header("Cookie", all);
        }
    }

    fn body(&mut self, exchange: &mut Exchange, spec: &Node) {
        let mime = if let Some(json) = spec.get("json") {
            let text = json.as_text().map_or_else(|| json.to_json(), str::to_owned);
            let place = self.place(json);
            exchange.body = Body::Text(self.braces(&text, &place));
            "application/json"
        } else if let Some(form) = spec.get("form") {
            exchange.body =
                Body::Form(form.entries().iter().map(|(name, value)| self.field(name, value)).collect());
            "application/x-www-form-urlencoded"
        } else if let Some(form) = spec.get("formData") {
            let parts: Vec<Part> =
                form.entries().iter().filter_map(|(name, value)| self.part(name, value)).collect();
            exchange.body = Body::Multipart(parts);
            return;
        } else if spec.get("body").is_some() {
            exchange.body = Body::Text(self.value(spec.get("body")));
            "text/plain"
        } else {
            return;
        };
        if exchange.header("Content-Type").is_none() {
            exchange.add_header("Content-Type", mime);
        }
    }

    fn field(&mut self, name: &str, value: &Node) -> Field {
        Field { name: Text::literal(name), value: self.value(Some(value)), is_plain: true }
    }

    fn part(&mut self, name: &str, value: &Node) -> Option<Part> {
        let Some(path) = value.get("fromFile").and_then(Node::as_text) else {
            return Some(Part {
                name: name.to_owned(),
                value: PartValue::Text(self.value(Some(value))),
                mime: String::new(),
            });
        };
        match inside_path(path) {
            Ok(path) => {
                let mime = "application/octet-stream".to_owned();
                Some(Part { name: name.to_owned(), value: PartValue::File(path), mime })
            }
            Err(reason) => {
                let place = self.place(value);
                self.notes.left_out(&place, format!("file `{path}`"), reason);
                None
            }
        }
    }

    fn capture(&mut self, capture: &Node) -> Option<Capture> {
        let place = self.place(capture);
        let text = |name: &str| capture.get(name).and_then(Node::as_text).map(str::to_owned);
        let from = if let Some(path) = text("json") {
            CaptureFrom::JsonPath(path)
        } else if let Some(path) = text("xpath") {
            CaptureFrom::XPath { path, is_html: false }
        } else if let Some(pattern) = text("regexp") {
            let group = capture.number("group").filter(|group| (0.0..100.0).contains(group)).unwrap_or(0.0);
            CaptureFrom::Regex(pattern, group as u32)
        } else if let Some(header) = text("header") {
            CaptureFrom::Header(header)
        } else if let Some(selector) = text("selector") {
            CaptureFrom::Css { selector, attribute: text("attr").unwrap_or_default() }
        } else {
            self.notes.left_out(&place, "`capture`", "it has none of json, xpath, regexp, header, selector");
            return None;
        };
        if capture.get("transform").is_some() {
            self.notes.left_out(&place, "`transform` of a capture", "JavaScript is not run");
        }
        let Some(name) = text("as") else {
            self.notes.left_out(&place, "`capture`", "it has no name: `as`");
            return None;
        };
        Some(Capture::new(&name, from))
    }

    /// What the plug-in `expect` checks.
    fn expect(&mut self, exchange: &mut Exchange, name: &str, value: &'a Node) {
        let json_path = |path: &str| format!("$.{}", path.trim_start_matches("$."));
        let of = match name {
            "statusCode" if !value.items().is_empty() => {
                let all = value.items().iter().filter_map(Node::scalar).map(Text::literal);
                CheckOf::Status(Comparison::OneOf(all.collect()))
            }
            "statusCode" => CheckOf::Status(Comparison::Equals(self.value(Some(value)))),
            "notStatusCode" => CheckOf::Status(Comparison::Differs(self.value(Some(value)))),
            "contentType" => {
                let kind = if value.as_text() == Some("json") {
                    Text::literal("application/json")
                } else {
                    self.value(Some(value))
                };
                CheckOf::Header("Content-Type".to_owned(), Comparison::Contains(kind))
            }
            "hasHeader" => CheckOf::Header(value.scalar().unwrap_or_default(), Comparison::Exists),
            "headerEquals" if value.items().len() == 2 => {
                let header = value.items()[0].scalar().unwrap_or_default();
                CheckOf::Header(header, Comparison::Equals(self.value(Some(&value.items()[1]))))
            }
            "hasProperty" => {
                CheckOf::JsonPath(json_path(&value.scalar().unwrap_or_default()), Comparison::Exists)
            }
            "notHasProperty" => {
                CheckOf::JsonPath(json_path(&value.scalar().unwrap_or_default()), Comparison::Missing)
            }
            "matchesRegexp" => {
                CheckOf::Body(Comparison::Matches(Text::literal(value.scalar().unwrap_or_default())))
            }
            "equals" if value.items().len() == 2 => match self.equals(value) {
                Some(of) => of,
                None => return,
            },
            _ => {
                let place = self.place(value);
                let what = format!("expectation `{name}`");
                self.notes.left_out(&place, what, "no assertion of JMeter checks it");
                return;
            }
        };
        exchange.checks.push(Check::new(of));
    }

    /// Two texts, of which the first is a variable.
    fn equals(&mut self, value: &'a Node) -> Option<CheckOf> {
        let texts = [self.value(value.items().first()), self.value(value.items().get(1))];
        for (one, other) in [(0, 1), (1, 0)] {
            if let [crate::model::TextPart::Variable(name)] = texts[one].parts() {
                return Some(CheckOf::Variable(name.clone(), Comparison::Equals(texts[other].clone())));
            }
        }
        let place = self.place(value);
        self.notes.left_out(&place, "expectation `equals`", "none of its values is a variable alone");
        None
    }
}

/// A value that is a list or one of it.
fn one_or_many(node: Option<&Node>) -> &[Node] {
    match node {
        Some(node) if matches!(node.value, Value::List(_)) => node.items(),
        Some(node) => std::slice::from_ref(node),
        None => &[],
    }
}
