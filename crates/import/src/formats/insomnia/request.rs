//! A request of Insomnia.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{Reader, is_enabled, named};
use crate::formats::postman::{WithScripts, carry_over};
use crate::formats::values::add_query;
use crate::inside::inside_path;
use crate::model::{Auth, Body, Exchange, Field, Page, Part, PartValue, ScriptWhen, Text};
use crate::source::Place;
use crate::tree::Node;

/// What cannot be in a part of a query.
const IN_QUERY: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'&').add(b'+').add(b'%');

impl<'a> Reader<'a, '_> {
    pub(super) fn request(&mut self, node: &'a Node, id: &str) -> WithScripts {
        let place = self.place(node);
        let url = self.url(node, &place);
        let mut exchange = Exchange::new(&node.text("method").trim().to_ascii_uppercase(), url, place);
        named(&mut exchange, node);
        exchange.page = Some(Page { id: id.to_owned(), title: String::new() });
        let settings = node.get("settings");
        let follows =
            settings.map_or_else(|| node.text("settingFollowRedirects"), |one| one.text("followRedirects"));
        exchange.follows_redirects = follows != "off";
        for header in node.list("headers").iter().filter(|header| is_enabled(header)) {
            let name = header.text("name").trim();
            if !name.is_empty() {
                let value = self.value(header.get("value"));
                exchange.add_header(name, value);
            }
        }
        if let Some(body) = node.get("body") {
            self.body(&mut exchange, body);
        }
        self.auth(&mut exchange, node);
        if exchange.header("Accept").is_none() {
            exchange.add_header("Accept", "*/*");
        }
        let place = exchange.place.clone();
        let mut all = WithScripts::new(exchange);
        self.scripts(&mut all, node);
        for name in &all.reads {
            self.used.variable(name, &place);
        }
        all
    }

    fn value(&mut self, node: Option<&Node>) -> Text {
        let Some(node) = node else { return Text::default() };
        let place = self.place(node);
        let text = node.scalar().unwrap_or_default();
        self.template(&text, &place)
    }

    /// The URL with path parameters (`:id`) and the query.
    fn url(&mut self, node: &Node, place: &Place) -> Text {
        let url = node.text("url").trim();
        let has_scheme = url.contains("://") || url.starts_with("{{") || url.is_empty();
        let mut url = if has_scheme { url.to_owned() } else { format!("http://{url}") };
        for parameter in node.list("pathParameters") {
            let name = parameter.text("name");
            let value = parameter.scalar_of("value").unwrap_or_default();
            if name.is_empty() || value.is_empty() {
                continue;
            }
            let segments = url.split('/').map(|segment| {
                let (path, rest) = segment.split_at(segment.find(['?', '#']).unwrap_or(segment.len()));
                if path.strip_prefix(':') == Some(name) {
                    format!("{value}{rest}")
                } else {
                    segment.to_owned()
                }
            });
            url = segments.collect::<Vec<_>>().join("/");
        }
        let mut out = self.template(&url, place);
        let encode = |text: &str| utf8_percent_encode(text, IN_QUERY).to_string();
        for parameter in node.list("parameters").iter().filter(|parameter| is_enabled(parameter)) {
            let name = self.value(parameter.get("name"));
            if name.is_empty() {
                continue;
            }
            let mut pair = name.map_literals(&mut |text| encode(text).replace('=', "%3D"));
            pair.push_literal("=");
            pair.push(self.value(parameter.get("value")).map_literals(&mut |text| encode(text)));
            add_query(&mut out, &pair);
        }
        out
    }

    fn body(&mut self, exchange: &mut Exchange, body: &'a Node) {
        let mime = body.text("mimeType");
        let place = self.place(body);
        let params = body.list("params").iter().filter(|param| is_enabled(param));
        let sent = match mime {
            "" if body.text("text").is_empty() => return,
            "multipart/form-data" => {
                let parts: Vec<Part> = params.filter_map(|param| self.part(param)).collect();
                exchange.body = Body::Multipart(parts);
                return;
            }
            "application/x-www-form-urlencoded" => {
                let field = |param: &Node, reader: &mut Self| Field {
                    name: reader.value(param.get("name")),
                    value: reader.value(param.get("value")),
                    is_plain: true,
                };
                exchange.body = Body::Form(params.map(|param| field(param, self)).collect());
                mime
            }
            "application/octet-stream" => {
                if let Some(path) = self.file(body.text("fileName"), &place) {
                    exchange.body = Body::File { path, mime: String::new() };
                }
                mime
            }
            _ => {
                exchange.body = Body::Text(self.template(body.text("text"), &place));
                // Its text is JSON already.
                if mime == "application/graphql" { "application/json" } else { mime }
            }
        };
        if exchange.body != Body::None && !sent.is_empty() && exchange.header("Content-Type").is_none() {
            exchange.add_header("Content-Type", sent);
        }
    }

    fn part(&mut self, param: &Node) -> Option<Part> {
        let name = param.text("name").to_owned();
        let mime = param.text("contentType").to_owned();
        if param.text("type") != "file" {
            return Some(Part { name, value: PartValue::Text(self.value(param.get("value"))), mime });
        }
        let place = self.place(param);
        let path = self.file(param.text("fileName"), &place)?;
        let mime = if mime.is_empty() { "application/octet-stream".to_owned() } else { mime };
        Some(Part { name, value: PartValue::File(path), mime })
    }

    /// A file in the folder of the plan. Insomnia has absolute paths, of which the name is taken.
    fn file(&mut self, path: &str, place: &Place) -> Option<String> {
        if let Ok(path) = inside_path(path) {
            return Some(path);
        }
        let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
        match inside_path(last) {
            Ok(name) => {
                let how = format!("it is taken from the folder of the plan: put `{name}` there");
                self.notes.changed(place, format!("file `{path}`"), how);
                Some(name)
            }
            Err(reason) => {
                self.notes.left_out(place, format!("file `{path}`"), reason);
                None
            }
        }
    }

    /// The authorization of the request, or of the nearest folder that has one.
    fn auth(&mut self, exchange: &mut Exchange, node: &'a Node) {
        let is_set = |auth: &&'a Node| !auth.text("type").is_empty();
        let own = node.get("authentication").filter(is_set);
        let inherited =
            self.folders.iter().rev().find_map(|folder| folder.get("authentication").filter(is_set));
        let Some(auth) = own.or(inherited).filter(|auth| !auth.flag("disabled")) else { return };
        match auth.text("type") {
            "none" => {}
            kind @ ("basic" | "digest") => {
                let user = self.value(auth.get("username"));
                let password = self.value(auth.get("password"));
                exchange.auth = Some(Auth { user, password, is_digest: kind == "digest" });
            }
            "bearer" => {
                let prefix =
                    Some(auth.text("prefix").trim()).filter(|prefix| !prefix.is_empty()).unwrap_or("Bearer");
                let mut value = Text::literal(format!("{prefix} "));
                value.push(self.value(auth.get("token")));
                exchange.headers.retain(|header| !header.name.eq_ignore_ascii_case("Authorization"));
                exchange.add_header("Authorization", value);
            }
            "apikey" => {
                let value = self.value(auth.get("value"));
                let key = auth.text("key");
                if auth.text("addTo") == "queryParams" {
                    let mut pair = Text::literal(format!("{}=", utf8_percent_encode(key, IN_QUERY)));
                    pair.push(value);
                    add_query(&mut exchange.url, &pair);
                } else if !key.is_empty() {
                    exchange.add_header(key, value);
                }
            }
            kind => {
                let reason = "JMeter has no element for it, or it asks for a token first";
                self.notes.left_out(
                    &exchange.place,
                    format!("authorization `{kind}` of the request"),
                    reason,
                );
            }
        }
    }

    /// Scripts have the objects of Postman under another name.
    fn scripts(&mut self, exchange: &mut WithScripts, node: &'a Node) {
        let scripts = node.get("scripts");
        for (when, old, new) in [
            (ScriptWhen::Before, "preRequestScript", "preRequest"),
            (ScriptWhen::After, "afterResponseScript", "afterResponse"),
        ] {
            let script = scripts.and_then(|scripts| scripts.get(new)).or_else(|| node.get(old));
            let Some(text) = script.and_then(Node::as_text) else { continue };
            let text = text.replace("insomnia.", "pm.");
            let place = script.map_or_else(Place::default, |script| self.place(script));
            let lines = |at: usize| {
                let line = u32::try_from(text[..at].matches('\n').count()).unwrap_or(0);
                Place { line: place.line.saturating_add(line), ..place.clone() }
            };
            carry_over(exchange, (&text, when), &lines, Some(self.notes));
        }
    }
}
