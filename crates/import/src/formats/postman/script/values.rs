//! Values of scripts: parts of a response, texts with variables in them, objects.

use std::collections::BTreeSet;

use super::Reader;
use crate::formats::postman::dynamic;
use crate::formats::values::made_by_clients;
use crate::model::{Body, CheckOf, Comparison, Exchange, Text, TextPart};

/// Values in values.
const MOST_DEPTH: usize = 16;

/// Stores of variables; those of JMeter are all of the virtual user.
const READS: [&str; 7] = [
    "pm.environment.get(",
    "pm.collectionVariables.get(",
    "pm.globals.get(",
    "pm.variables.get(",
    "pm.iterationData.get(",
    "postman.getEnvironmentVariable(",
    "postman.getGlobalVariable(",
];

/// A value of a script.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// The whole response.
    Response,
    /// Parts of it.
    Status,
    Time,
    Body,
    Json(String),
    Header(String),
    /// Whether it has a header.
    HasHeader(String),
    /// The length of a list or text of its JSON.
    Length(String),
    /// A text that is known without the response.
    Text(Text),
    /// A number or boolean.
    Bare(Text),
    Null,
    /// An object, with its members in order.
    Object(Vec<(String, Self)>),
    List(Vec<Self>),
}

impl Value {
    /// Whether a variable is in it.
    pub(super) fn reads(&self, variable: &str) -> bool {
        match self {
            Self::Text(text) | Self::Bare(text) => text.variables().any(|name| name == variable),
            Self::Object(members) => members.iter().any(|(_, value)| value.reads(variable)),
            Self::List(items) => items.iter().any(|value| value.reads(variable)),
            _ => false,
        }
    }

    /// Whether it is known without a response.
    pub(super) fn is_known(&self) -> bool {
        match self {
            Self::Text(_) | Self::Bare(_) | Self::Null => true,
            Self::Object(members) => members.iter().all(|(_, value)| value.is_known()),
            Self::List(items) => items.iter().all(Self::is_known),
            _ => false,
        }
    }

    /// Whether it is made again at each use.
    pub(super) fn is_made(&self) -> bool {
        match self {
            Self::Text(text) | Self::Bare(text) => {
                text.parts().iter().any(|part| matches!(part, TextPart::Function(_)))
            }
            Self::Object(members) => members.iter().any(|(_, value)| value.is_made()),
            Self::List(items) => items.iter().any(Self::is_made),
            _ => false,
        }
    }

    /// The text of `JSON.stringify`.
    pub(super) fn to_json(&self) -> Option<Text> {
        let mut out = Text::default();
        match self {
            Self::Text(text) => {
                out.push_literal("\"");
                out.push(text.map_literals(&mut |text| in_json(text)));
                out.push_literal("\"");
            }
            Self::Bare(text) => out.push(text.clone()),
            Self::Null => out.push_literal("null"),
            Self::Object(members) => {
                out.push_literal("{");
                for (number, (name, value)) in members.iter().enumerate() {
                    let comma = if number > 0 { "," } else { "" };
                    out.push_literal(&format!("{comma}\"{}\":", in_json(name)));
                    out.push(value.to_json()?);
                }
                out.push_literal("}");
            }
            Self::List(items) => {
                out.push_literal("[");
                for (number, value) in items.iter().enumerate() {
                    out.push_literal(if number > 0 { "," } else { "" });
                    out.push(value.to_json()?);
                }
                out.push_literal("]");
            }
            _ => return None,
        }
        Some(out)
    }
}

/// A text in JSON, without its quotes.
fn in_json(text: &str) -> String {
    let quoted = crate::tree::quoted(text);
    quoted[1..quoted.len() - 1].to_owned()
}

/// Variables that a request and its checks read.
pub(in crate::formats::postman) fn reads(exchange: &Exchange) -> BTreeSet<String> {
    let mut texts = vec![&exchange.url];
    texts.extend(exchange.headers.iter().map(|header| &header.value));
    texts.extend(exchange.sets.iter().map(|(_, value)| value));
    match &exchange.body {
        Body::Text(text) => texts.push(text),
        Body::Form(fields) => texts.extend(fields.iter().flat_map(|field| [&field.name, &field.value])),
        _ => {}
    }
    let of_texts = texts.into_iter().flat_map(Text::variables).map(str::to_owned);
    of_texts.chain(exchange.checks.iter().flat_map(|check| compared(&check.of))).collect()
}

/// Variables that a check reads.
pub(in crate::formats::postman) fn compared(check: &CheckOf) -> Vec<String> {
    let (how, mut names) = match check {
        CheckOf::Status(how)
        | CheckOf::Body(how)
        | CheckOf::Url(how)
        | CheckOf::Header(_, how)
        | CheckOf::JsonPath(_, how) => (how, Vec::new()),
        CheckOf::Variable(name, how) => (how, vec![name.clone()]),
        CheckOf::JsonPathText(path, how) => (how, path.variables().map(str::to_owned).collect()),
        _ => return Vec::new(),
    };
    let texts = match how {
        Comparison::Equals(text)
        | Comparison::Differs(text)
        | Comparison::Contains(text)
        | Comparison::Lacks(text)
        | Comparison::Matches(text)
        | Comparison::MatchesNot(text)
        | Comparison::IsMatch(text) => std::slice::from_ref(text),
        Comparison::OneOf(texts) => texts,
        Comparison::StartsWith(_) | Comparison::EndsWith(_) | Comparison::Exists | Comparison::Missing => &[],
    };
    names.extend(texts.iter().flat_map(Text::variables).map(str::to_owned));
    names
}

impl<'a> Reader<'a> {
    /// A value, or several texts that are put together.
    pub(super) fn value(&mut self) -> Option<Value> {
        let _ = self.scan.take_word("await");
        let mut value = self.single()?;
        while self.scan.rest().trim_start().starts_with('+') {
            self.scan.take("+")?;
            let (text, has_text) = part(value)?;
            let (other, is_text) = part(self.single()?)?;
            // The sum of two numbers is a number, not a text.
            if !(has_text || is_text) {
                return None;
            }
            let mut whole = text;
            whole.push(other);
            value = Value::Text(whole);
        }
        let rest = self.scan.rest().trim_start();
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        let is_operand = rest.starts_with(['.', '-', '*', '/', '?', '[', '(', '%']) || rest.starts_with("||");
        (!is_operand || is_comment).then_some(value)
    }

    fn single(&mut self) -> Option<Value> {
        if self.depth >= MOST_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = self.bare_value();
        self.depth -= 1;
        // A number as text is the same text.
        let is_text = self.scan.take(".toString()").is_some();
        match value? {
            Value::Bare(text) if is_text => Some(Value::Text(text)),
            value => Some(value),
        }
    }

    fn bare_value(&mut self) -> Option<Value> {
        self.scan.skip();
        let rest = self.scan.rest();
        if rest.starts_with(['{', '[']) {
            return if rest.starts_with('{') { self.object() } else { self.list_of_values() };
        }
        if rest.starts_with('`') {
            return self.template().map(Value::Text);
        }
        if let Some(value) = self.part_of_response() {
            return value;
        }
        if let Some(value) = self.call() {
            return value;
        }
        let start = self.scan.at;
        let is_text = rest.starts_with(['"', '\'']);
        if let Some(literal) = self.scan.literal() {
            let text = Text::literal(literal);
            return Some(if is_text { Value::Text(text) } else { Value::Bare(text) });
        }
        self.scan.at = start;
        if self.scan.take_word("null").is_some() {
            return Some(Value::Null);
        }
        let name = self.scan.name()?;
        self.named(name)
    }

    /// A part of the response. The first `Option` is none if something else is next.
    #[expect(clippy::option_option, reason = "something else is next, or what is next is not understood")]
    fn part_of_response(&mut self) -> Option<Option<Value>> {
        let start = self.scan.at;
        if self.scan.take_word(self.response).is_some() {
            return Some(self.member_of_response());
        }
        if self.response != "pm.response" {
            // The rest is about the response to the request of the collection.
            return None;
        }
        let found = if self.scan.take("JSON.parse(responseBody)").is_some() {
            self.json()
        } else if self.scan.take("postman.getResponseHeader(").is_some() {
            self.header_name(")")
        } else if self.scan.take("responseHeaders[").is_some() {
            self.header_name("]")
        } else if self.scan.take_word("responseCode.code").is_some() {
            Some(Value::Status)
        } else if self.scan.take_word("responseTime").is_some() {
            Some(Value::Time)
        } else if self.scan.take_word("responseBody").is_some() {
            Some(Value::Body)
        } else if self.scan.take("JSON.parse(").is_some() {
            let body = self.value();
            match (body, self.scan.take(")")) {
                (Some(Value::Body), Some(())) => self.json(),
                _ => None,
            }
        } else {
            self.scan.at = start;
            return None;
        };
        Some(found.filter(|_| self.is_after))
    }

    /// What follows the name of a response.
    fn member_of_response(&mut self) -> Option<Value> {
        let value = if self.scan.take(".json()").is_some() {
            self.json()?
        } else if self.scan.take(".text()").is_some() {
            Value::Body
        } else if self.scan.take(".headers.get(").is_some() {
            self.header_name(")")?
        } else if self.scan.take(".headers.has(").is_some() {
            let name = self.scan.string()?;
            self.scan.take(")")?;
            Value::HasHeader(name)
        } else if self.scan.take_word(".responseTime").is_some() {
            Value::Time
        } else if self.scan.take_word(".code").is_some() {
            Value::Status
        } else {
            Value::Response
        };
        self.is_after.then_some(value)
    }

    fn header_name(&mut self, end: &str) -> Option<Value> {
        let name = self.scan.string()?;
        self.scan.take(end)?;
        Some(Value::Header(name))
    }

    /// What is below the JSON of the response.
    fn json(&mut self) -> Option<Value> {
        self.below("$")
    }

    fn below(&mut self, path: &str) -> Option<Value> {
        let path = format!("{path}{}", self.scan.path()?);
        let is_length = self.scan.rest().starts_with(".length") && self.scan.take_word(".length").is_some();
        Some(if is_length { Value::Length(path) } else { Value::Json(path) })
    }

    /// The value of a call that is known without a response.
    #[expect(clippy::option_option, reason = "something else is next, or what is next is not understood")]
    fn call(&mut self) -> Option<Option<Value>> {
        if self.scan.take_any(&READS).is_some() {
            let name = self.scan.string();
            return Some(name.and_then(|name| {
                self.scan.take(")")?;
                Some(Value::Text(Text::variable(name)))
            }));
        }
        if self.scan.take("pm.variables.replaceIn(").is_some() {
            let text = self.scan.string();
            return Some(text.and_then(|text| {
                self.scan.take(")")?;
                self.with_braces(&text).map(Value::Text)
            }));
        }
        if self.scan.take("JSON.stringify(").is_some() {
            let value = self.value();
            return Some(value.and_then(|value| {
                self.scan.take(")")?;
                value.to_json().map(Value::Text)
            }));
        }
        for (call, is_number) in [("String(", false), ("Number(", true), ("parseInt(", true)] {
            if self.scan.take(call).is_some() {
                let value = self.value();
                return Some(value.and_then(|value| {
                    if call == "parseInt(" {
                        let _ = self.scan.take(", 10");
                    }
                    self.scan.take(")")?;
                    let (text, _) = part(value)?;
                    Some(if is_number { Value::Bare(text) } else { Value::Text(text) })
                }));
            }
        }
        if self.scan.take_any(&["Date.now()", "new Date().getTime()"]).is_some() {
            return Some(Some(Value::Bare(Text::function("${__time(,)}"))));
        }
        None
    }

    /// The value of a name.
    fn named(&mut self, name: &'a str) -> Option<Value> {
        let Some(value) = self.names.get(name).cloned() else {
            let is_store = matches!(name, "environment" | "globals" | "data") && !self.is_declared(name);
            let path = if is_store { self.scan.path()? } else { return None };
            // `.a` or `['a']`
            let variable = path.strip_prefix('.').or_else(|| path.strip_prefix("['")?.strip_suffix("']"))?;
            let is_one = !variable.contains(['.', '[']);
            return is_one.then(|| Value::Text(Text::variable(variable)));
        };
        match value {
            Value::Json(path) => self.below(&path),
            Value::Response => self.member_of_response(),
            value => {
                if value.is_made() {
                    // A second use would make another one.
                    self.names.remove(name);
                }
                Some(value)
            }
        }
    }

    /// Whether the script may have given this name to something.
    fn is_declared(&self, name: &str) -> bool {
        let script = self.scan.between(0, self.scan.at);
        script.match_indices(name).any(|(at, _)| {
            let before = script[..at].trim_end();
            let after = script[at + name.len()..].trim_start();
            let is_set = after.starts_with('=') && !after.starts_with("==");
            is_set || ["var", "let", "const", ",", "{", "("].iter().any(|word| before.ends_with(word))
        })
    }

    /// `{ name: value, "name": value, name }`
    fn object(&mut self) -> Option<Value> {
        self.scan.take("{")?;
        let mut members = Vec::new();
        while self.scan.take("}").is_none() {
            self.scan.skip();
            let is_quoted = self.scan.rest().starts_with(['"', '\'']);
            let (name, short) = if is_quoted {
                (self.scan.string()?, None)
            } else {
                let name = self.scan.name()?;
                (name.to_owned(), Some(name))
            };
            let value = match short {
                Some(name) if self.scan.rest().trim_start().starts_with([',', '}']) => self.named(name)?,
                _ => {
                    self.scan.take(":")?;
                    self.value()?
                }
            };
            members.push((name, value));
            self.between_values('}')?;
        }
        Some(Value::Object(members))
    }

    fn list_of_values(&mut self) -> Option<Value> {
        self.scan.take("[")?;
        let mut items = Vec::new();
        while self.scan.take("]").is_none() {
            items.push(self.value()?);
            self.between_values(']')?;
        }
        Some(Value::List(items))
    }

    /// A comma, or the end.
    fn between_values(&mut self, end: char) -> Option<()> {
        if self.scan.take(",").is_some() {
            return Some(());
        }
        self.scan.skip();
        self.scan.rest().starts_with(end).then_some(())
    }

    /// A text in backticks.
    fn template(&mut self) -> Option<Text> {
        self.scan.take("`")?;
        let mut out = Text::default();
        loop {
            let c = self.scan.rest().chars().next()?;
            if self.scan.rest().starts_with("${") {
                self.scan.at += 2;
                let (text, _) = part(self.value()?)?;
                self.scan.take("}")?;
                out.push(text);
                continue;
            }
            self.scan.at += c.len_utf8();
            match c {
                '`' => return Some(out),
                '\\' => {
                    let c = self.scan.rest().chars().next()?;
                    self.scan.at += c.len_utf8();
                    out.push_literal(match c {
                        'n' => "\n",
                        't' => "\t",
                        '`' => "`",
                        '$' => "$",
                        '\\' => "\\",
                        _ => return None,
                    });
                }
                c => out.push_literal(c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    /// A text in which Postman puts values for names in braces.
    pub(super) fn with_braces(&mut self, text: &str) -> Option<Text> {
        let mut is_known = true;
        let mut is_random = false;
        let text = Text::with_braces(text, &mut |name| {
            let Some(call) = name.strip_prefix('$') else { return Some(Text::variable(name)) };
            let found = made_by_clients(call).or_else(|| dynamic::equivalent(call).map(Text::function));
            let found = found.or_else(|| {
                is_random = true;
                dynamic::random(call)
            });
            is_known &= found.is_some();
            found
        });
        if is_random {
            self.meaning.notes.push((self.scan.at, dynamic::RANDOM));
        }
        is_known.then_some(text)
    }
}

/// A value as a part of a text, and whether it is a text, not a number.
fn part(value: Value) -> Option<(Text, bool)> {
    match value {
        Value::Text(text) => Some((text, true)),
        Value::Bare(text) => Some((text, false)),
        _ => None,
    }
}
