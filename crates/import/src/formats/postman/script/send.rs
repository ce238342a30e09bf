//! `pm.sendRequest`: requests that scripts send become requests of the plan, after what they depend
//! on. What the script does with the response is that of any other.

use super::Reader;
use super::values::{Value, reads};
use crate::model::{Body, Exchange, Field, Text};
use crate::source::Place;

impl<'a> Reader<'a> {
    /// `request, function (error, response) { statements })` of `pm.sendRequest(`.
    pub(super) fn send(&mut self, depth: usize) -> Option<()> {
        if depth >= super::MOST_DEPTH {
            return None;
        }
        let start = self.scan.at;
        let options = self.value()?;
        let mut exchange = self.request(options)?;
        if reads(&exchange).iter().any(|name| self.set_later.contains(name)) {
            // The script sends it before the response that sets the variable.
            return None;
        }
        let mut requests = Vec::new();
        if self.scan.take(",").is_some() && !self.scan.rest().trim_start().starts_with(')') {
            requests = self.callback(&mut exchange, depth)?;
            let _ = self.scan.take(",");
        }
        self.scan.take(")")?;
        if !self.is_after {
            exchange.sets = std::mem::take(&mut self.meaning.sets);
        }
        self.meaning.requests.push((start, exchange));
        self.meaning.requests.extend(requests);
        Some(())
    }

    /// The statements for the response, and the requests that they send.
    fn callback(&mut self, exchange: &mut Exchange, depth: usize) -> Option<Vec<(usize, Exchange)>> {
        let (error, response) = self.parameters()?;
        self.scan.take("{")?;
        let names = self.names.clone();
        self.names.retain(|name, value| value.is_known() && *name != error && Some(*name) != response);
        let outer = Outer {
            meaning: std::mem::take(&mut self.meaning),
            compared: std::mem::take(&mut self.compared),
            is_after: std::mem::replace(&mut self.is_after, true),
            response: std::mem::replace(&mut self.response, response.unwrap_or("no response")),
            error: self.error.replace(error),
        };
        self.statements(depth + 1);
        let inner = std::mem::replace(&mut self.meaning, outer.meaning);
        self.names = names;
        self.compared = outer.compared;
        self.is_after = outer.is_after;
        self.response = outer.response;
        self.error = outer.error;
        let nested = inner.requests.iter().flat_map(|(_, exchange)| &exchange.captures);
        for capture in inner.captures.iter().chain(nested) {
            self.set_later.insert(capture.variable.clone());
            self.forget_reading(&capture.variable);
        }
        self.meaning.left_out.extend(inner.left_out);
        self.meaning.notes.extend(inner.notes);
        exchange.captures = inner.captures;
        exchange.checks = inner.checks;
        self.scan.take("}")?;
        Some(inner.requests)
    }

    /// `function (error, response)` or `(error, response) =>`.
    fn parameters(&mut self) -> Option<(&'a str, Option<&'a str>)> {
        let _ = self.scan.take_word("async");
        let is_function = self.scan.take_word("function").is_some();
        if is_function {
            let _ = self.scan.name();
        }
        self.scan.take("(")?;
        let error = self.scan.name()?;
        let response = if self.scan.take(",").is_some() { Some(self.scan.name()?) } else { None };
        self.scan.take(")")?;
        if !is_function {
            self.scan.take("=>")?;
        }
        Some((error, response))
    }

    /// The request of a URL, or of an object.
    fn request(&mut self, options: Value) -> Option<Exchange> {
        let members = match options {
            Value::Text(url) => vec![("url".to_owned(), Value::Text(url))],
            Value::Object(members) => members,
            _ => return None,
        };
        let mut exchange = Exchange::new("GET", Text::default(), Place::default());
        exchange.follows_redirects = true;
        let mut body = None;
        for (name, value) in members {
            match (&*name, value) {
                ("url", Value::Text(url)) => exchange.url = with_scheme(self.sent(&url)?),
                ("method", Value::Text(method)) => {
                    exchange.method = method.as_literal()?.to_ascii_uppercase();
                }
                ("header" | "headers", value) => self.headers(&mut exchange, value)?,
                ("body", value) => body = Some(value),
                _ => return None,
            }
        }
        match body {
            None | Some(Value::Null) => {}
            Some(Value::Text(text)) => exchange.body = Body::Text(self.sent(&text)?),
            Some(Value::Object(members)) => self.body(&mut exchange, members)?,
            Some(_) => return None,
        }
        if let Body::Text(_) = exchange.body
            && exchange.header("Content-Type").is_none()
        {
            exchange.add_header("Content-Type", "text/plain");
        }
        (!exchange.url.is_empty()).then_some(exchange)
    }

    /// An object, a list of names with values, or a text.
    fn headers(&mut self, exchange: &mut Exchange, headers: Value) -> Option<()> {
        match headers {
            Value::Object(members) => {
                for (name, value) in members {
                    let (Value::Text(value) | Value::Bare(value)) = value else { return None };
                    exchange.add_header(&name, self.sent(&value)?);
                }
            }
            Value::List(_) => {
                for field in self.pairs(headers)? {
                    exchange.add_header(field.name.as_literal()?, field.value);
                }
            }
            Value::Text(text) => {
                let (name, value) = text.split_once(':')?;
                let value = value.map_literals(&mut |text| text.trim_start().to_owned());
                exchange.add_header(name.as_literal()?.trim(), self.sent(&value)?);
            }
            _ => return None,
        }
        Some(())
    }

    /// `{ mode: "raw", raw: … }`
    fn body(&mut self, exchange: &mut Exchange, members: Vec<(String, Value)>) -> Option<()> {
        let is_mode = |name: &str| name == "mode";
        let mode = members.iter().find(|(name, _)| is_mode(name)).map(|(_, value)| value)?;
        let Value::Text(mode) = mode else { return None };
        let mode = mode.as_literal()?.to_owned();
        let content = members.into_iter().find(|(name, _)| *name == mode)?.1;
        exchange.body = match (&*mode, content) {
            ("raw", Value::Text(text)) => Body::Text(self.sent(&text)?),
            ("urlencoded", Value::Text(text)) => {
                exchange.add_header("Content-Type", "application/x-www-form-urlencoded");
                Body::Text(self.sent(&text)?)
            }
            ("urlencoded", list @ Value::List(_)) => Body::Form(self.pairs(list)?),
            _ => return None,
        };
        Some(())
    }

    /// `[{ key: "a", value: "b" }]`
    fn pairs(&mut self, list: Value) -> Option<Vec<Field>> {
        let Value::List(items) = list else { return None };
        let mut fields = Vec::new();
        for item in items {
            let Value::Object(members) = item else { return None };
            let mut field = Field { name: Text::default(), value: Text::default(), is_plain: true };
            for (name, value) in members {
                let (Value::Text(text) | Value::Bare(text)) = value else { return None };
                match &*name {
                    "key" => field.name = self.sent(&text)?,
                    "value" => field.value = self.sent(&text)?,
                    _ => return None,
                }
            }
            fields.push(field);
        }
        Some(fields)
    }

    /// A text as it is sent: with the values of names in braces.
    fn sent(&mut self, text: &Text) -> Option<Text> {
        let mut out = Text::default();
        for part in text.parts() {
            match part {
                crate::model::TextPart::Literal(data) => out.push(self.with_braces(data)?),
                crate::model::TextPart::Variable(name) => out.push(Text::variable(name)),
                crate::model::TextPart::Function(call) => out.push(Text::function(call)),
            }
        }
        Some(out)
    }
}

/// A URL without a scheme is one of HTTP.
fn with_scheme(url: Text) -> Text {
    if url.leading().is_empty() || url.leading().contains("://") {
        return url;
    }
    let mut out = Text::literal("http://");
    out.push(url);
    out
}

/// What a reader knows outside of a callback.
struct Outer<'a> {
    meaning: super::Meaning,
    compared: std::collections::BTreeSet<String>,
    is_after: bool,
    response: &'a str,
    error: Option<&'a str>,
}
