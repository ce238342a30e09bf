//! Asserts of an entry as assertions. One that cannot be said exactly is refused: none may pass
//! where Hurl's fails.

use std::fmt::Write as _;

use crate::model::{CaptureFrom, Check, CheckOf, Comparison, Exchange, Text, safe_name};

use super::asserts_hash::hash_check;
use super::asserts_number::{NumberOf, number_checks};
use super::captures::{NO_VALUE, add, piece, push, refused_filter, replaced};
use super::regex;
use super::request::groovy_literal;
use super::scope::Kind;
use super::syntax::{
    Assert, Body, Content, Filter, FilterKind, Predicate, PredicateKind, QueryKind, Response, Value,
};
use super::{Reader, Refused};
use crate::formats::json_conditions::{accepts, exists, is_array, is_text};

/// What an assert looks at.
pub(super) enum Subject {
    /// A text; it may be missing.
    Text(TextOf),
    /// A whole number.
    Number(NumberOf),
    /// A value of JSON in the body.
    Json(super::jsonpath::Path),
    /// The number of values of a path.
    JsonCount(super::jsonpath::Path),
    /// An expression of XPath.
    XPath(String, super::xpath::Kind),
    /// The parts of a text between separators.
    Pieces(TextOf, super::syntax::Template),
}

/// Where a text is.
#[derive(Clone)]
pub(super) enum TextOf {
    Header(String),
    Body,
    Url,
    Variable(String),
}

impl TextOf {
    fn check(&self, how: Comparison) -> CheckOf {
        match self {
            Self::Header(name) => CheckOf::Header(name.clone(), how),
            Self::Body => CheckOf::Body(how),
            Self::Url => CheckOf::Url(how),
            Self::Variable(name) => CheckOf::Variable(name.clone(), how),
        }
    }

    /// The name of a header that a response may have several times.
    fn repeatable_header(&self) -> Option<String> {
        match self {
            Self::Header(name) if !SINGLE.iter().any(|single| name.eq_ignore_ascii_case(single)) => {
                Some(name.clone())
            }
            _ => None,
        }
    }

    /// The text is there.
    fn exists(&self) -> Option<CheckOf> {
        match self {
            Self::Header(_) => Some(self.check(Comparison::Exists)),
            Self::Variable(_) => Some(self.check(Comparison::Differs(Text::literal(NO_VALUE)))),
            Self::Body | Self::Url => None,
        }
    }
}

impl Reader<'_, '_> {
    /// What an entry says of its response before its section of asserts.
    pub(super) fn response(&mut self, response: Option<&Response>, exchange: &mut Exchange) {
        let status = response.and_then(|response| response.status);
        let of = match status {
            Some(status) => Comparison::Equals(Text::literal(status.to_string())),
            // Any status of a server; JMeter has texts where there was none.
            None => whole("[0-9]{3}"),
        };
        let line = self.place(response.map_or(0, |response| response.at)).line;
        let name = match status {
            Some(status) => format!("line {line}: status {status}"),
            None => "a response came".to_owned(),
        };
        exchange.checks.push(Check { name, of: CheckOf::Status(of) });
        let Some(response) = response else { return };
        if let Some(version) = response.version {
            if matches!(version, "1.0" | "1.1") {
                let text = groovy_literal(&format!("HTTP/{version} "));
                let of = CheckOf::Groovy(format!("prev.getResponseHeaders().startsWith({text})"));
                exchange.checks.push(Check { name: format!("line {line}: HTTP/{version}"), of });
            } else {
                self.refuse_assert(response.at, &format!("HTTP/{version}"), "requests are sent in HTTP/1.1");
            }
        }
        for header in &response.headers {
            let line = self.place(header.key.at).line;
            let name = self.name(&header.key);
            let value = self.scope.text(&header.value);
            let title = format!("line {line}: header {name}");
            if value.as_literal().is_some() {
                let of = CheckOf::Header(name, Comparison::Equals(value));
                exchange.checks.push(Check { name: title, of });
            } else {
                let variable = self.scope.temporary();
                add(exchange, &variable, CaptureFrom::Header(name), None);
                let of = CheckOf::Variable(variable, Comparison::Equals(value));
                exchange.checks.push(Check { name: title, of });
            }
        }
        if let Some(body) = &response.body {
            self.expected_body(body, exchange);
        }
    }

    fn expected_body(&mut self, body: &Body, exchange: &mut Exchange) {
        let text = match &body.content {
            Content::Bytes(bytes) => std::str::from_utf8(bytes).ok().map(Text::literal),
            Content::File(_) => None,
            content => Some(self.body_text(content, body.at)),
        };
        let Some(text) = text else {
            self.refuse_assert(body.at, "body", "it is compared with texts only");
            return;
        };
        let line = self.place(body.at).line;
        let of = CheckOf::Body(Comparison::Equals(text));
        exchange.checks.push(Check { name: format!("line {line}: body"), of });
    }

    /// The assertions of an assert.
    pub(super) fn assert(&mut self, assert: &Assert, exchange: &mut Exchange) {
        let (captures, checks_before) = (exchange.captures.len(), exchange.checks.len());
        let line = self.place(assert.query.at).line;
        let found = match hash_check(assert) {
            Some(found) => found.map(|check| vec![check]),
            None => self.subject(assert, exchange).and_then(|subject| self.checks(assert, subject, exchange)),
        };
        match found {
            Ok(checks) => {
                let name: String = format!("line {line}: {}", assert.source).chars().take(120).collect();
                let name = name.replace("${", "$ {").replace(char::is_control, " ");
                exchange.checks.extend(checks.into_iter().map(|of| Check { name: name.clone(), of }));
                self.placeholders.put_back(exchange, captures, checks_before);
            }
            Err(refused) => {
                exchange.captures.truncate(captures);
                exchange.checks.truncate(checks_before);
                self.refuse_assert(refused.at, &format!("assert `{}`", assert.source), &refused.reason);
            }
        }
    }

    fn subject(&mut self, assert: &Assert, exchange: &mut Exchange) -> Result<Subject, Refused> {
        let query = &assert.query;
        let subject = match &query.kind {
            QueryKind::Status => Subject::Number(NumberOf::Status),
            QueryKind::Duration => Subject::Number(NumberOf::Duration),
            QueryKind::Url => Subject::Text(TextOf::Url),
            QueryKind::Body => Subject::Text(TextOf::Body),
            QueryKind::Header(name) => Subject::Text(TextOf::Header(self.name(name))),
            QueryKind::JsonPath(path) => Subject::Json(self.json_path(path)?),
            QueryKind::XPath(path) => match path.as_literal() {
                Some(text) => Subject::XPath(text.to_owned(), super::xpath::kind(text)),
                None => return Err(Refused::new(path.at, "an XPath with a variable is not supported")),
            },
            QueryKind::Variable(name) => {
                let name_text = self.name(name);
                let (variable, kind) = self.scope.lookup(&name_text, name.at);
                match kind {
                    Kind::Text => Subject::Text(TextOf::Variable(variable)),
                    Kind::Number => Subject::Number(NumberOf::Variable(variable)),
                    _ => {
                        return Err(Refused::new(
                            query.at,
                            "the type of this variable is known only in the run",
                        ));
                    }
                }
            }
            QueryKind::Bytes if matches!(&*assert.filters, [one] if matches!(one.kind, FilterKind::Count)) => {
                return Ok(Subject::Number(NumberOf::Size));
            }
            _ => {
                let from = self.text_source(query)?;
                let variable = self.scope.temporary();
                add(exchange, &variable, from, None);
                Subject::Text(TextOf::Variable(variable))
            }
        };
        assert
            .filters
            .iter()
            .try_fold(subject, |subject, filter| self.filtered_subject(subject, filter, exchange))
    }

    fn filtered_subject(
        &mut self,
        subject: Subject,
        filter: &Filter,
        exchange: &mut Exchange,
    ) -> Result<Subject, Refused> {
        match (subject, &filter.kind) {
            (Subject::Json(path), FilterKind::Count) => Ok(Subject::JsonCount(path)),
            (Subject::Json(mut path), FilterKind::Nth(index)) if path.is_definite => {
                let _ = write!(path.text, "[{index}]");
                path.definite.clone_from(&path.text);
                Ok(Subject::Json(path))
            }
            (Subject::XPath(path, super::xpath::Kind::Nodes), FilterKind::Count) => {
                Ok(Subject::XPath(format!("count({path})"), super::xpath::Kind::Number))
            }
            (Subject::Text(text), FilterKind::Regex(pattern)) => {
                let pattern = self.pattern(pattern)?;
                let of = self.in_variable(&text, exchange);
                let variable = self.scope.temporary();
                add(exchange, &variable, CaptureFrom::Regex(pattern, 1), of.as_deref());
                Ok(Subject::Text(TextOf::Variable(variable)))
            }
            (Subject::Text(text), FilterKind::Split(separator)) => {
                Ok(Subject::Pieces(text, separator.clone()))
            }
            (Subject::Pieces(text, separator), FilterKind::Nth(number)) => {
                let of = self.in_variable(&text, exchange);
                let variable = self.scope.temporary();
                let from = CaptureFrom::Regex(piece(&separator, *number)?, 1);
                add(exchange, &variable, from, of.as_deref());
                Ok(Subject::Text(TextOf::Variable(variable)))
            }
            (Subject::Text(text), FilterKind::Replace(old, new)) => {
                let of = self.in_variable(&text, exchange).unwrap_or_else(|| self.body_variable(exchange));
                let variable = self.scope.temporary();
                add(exchange, &variable, replaced(&of, old, new)?, None);
                Ok(Subject::Text(TextOf::Variable(variable)))
            }
            (Subject::Json(path), FilterKind::Regex(_) | FilterKind::Split(_) | FilterKind::Replace(..))
                if path.is_definite =>
            {
                // Another value of JSON than a text is an error in Hurl.
                exchange.checks.push(Check::new(accepts(&is_text(&path.text))));
                let variable = self.scope.temporary();
                add(exchange, &variable, CaptureFrom::JsonPath(path.text), None);
                self.filtered_subject(Subject::Text(TextOf::Variable(variable)), filter, exchange)
            }
            (Subject::Text(text), FilterKind::ToInt) => {
                let variable = self.in_variable(&text, exchange);
                let variable = variable.unwrap_or_else(|| self.body_variable(exchange));
                Ok(Subject::Number(NumberOf::Variable(variable)))
            }
            (subject @ (Subject::Number(_) | Subject::JsonCount(_)), FilterKind::ToInt)
            | (subject @ Subject::Text(_), FilterKind::ToText) => Ok(subject),
            _ => refused_filter(filter),
        }
    }

    /// A variable that has the body.
    fn body_variable(&mut self, exchange: &mut Exchange) -> String {
        let variable = self.scope.temporary();
        add(exchange, &variable, CaptureFrom::Body, None);
        variable
    }

    /// The variable that has a text; none: the body.
    fn in_variable(&mut self, text: &TextOf, exchange: &mut Exchange) -> Option<String> {
        let from = match text {
            TextOf::Body => return None,
            TextOf::Variable(variable) => return Some(variable.clone()),
            TextOf::Header(name) => CaptureFrom::Header(name.clone()),
            TextOf::Url => CaptureFrom::Url,
        };
        let variable = self.scope.temporary();
        add(exchange, &variable, from, None);
        Some(variable)
    }

    fn checks(
        &mut self,
        assert: &Assert,
        subject: Subject,
        exchange: &mut Exchange,
    ) -> Result<Vec<CheckOf>, Refused> {
        let is_not = assert.is_not;
        let predicate = &assert.predicate;
        match subject {
            Subject::Text(text) => self.text_checks(text, is_not, predicate, exchange),
            Subject::Number(of) => number_checks(&of, is_not, predicate),
            Subject::Json(path) => self.json_checks(&path, is_not, predicate, exchange),
            Subject::JsonCount(path) => {
                let variable = self.scope.temporary();
                let list = if path.is_definite { format!("{}[*]", path.text) } else { path.text.clone() };
                push(exchange, &variable, CaptureFrom::JsonPath(list), None, -1);
                let of = NumberOf::Variable(format!("{variable}_matchNr"));
                let mut checks = number_checks(&of, is_not, predicate)?;
                checks.push(exists(&path.definite));
                if path.is_definite {
                    checks.push(accepts(&is_array(&path.text)));
                }
                Ok(checks)
            }
            Subject::XPath(path, kind) => self.xpath_checks(&path, kind, is_not, predicate),
            Subject::Pieces(_, separator) => {
                let reason = "a list of parts is not compared; take one with `nth`";
                Err(Refused::new(separator.at, reason))
            }
        }
    }

    /// Checks that a text is empty, or is not. JMeter's Response Assertion never looks at an empty
    /// one.
    fn empty_checks(
        &mut self,
        text: &TextOf,
        is_not: bool,
        predicate: &Predicate,
        exchange: &mut Exchange,
    ) -> Vec<CheckOf> {
        let variable = self.in_variable(text, exchange).unwrap_or_else(|| self.body_variable(exchange));
        let is_not_equal = matches!(predicate.kind, PredicateKind::NotEqual(_));
        let sign = if is_not_equal == is_not { "==" } else { "!=" };
        let name = groovy_literal(&safe_name(&variable));
        let mut checks = Vec::new();
        if is_not_equal || !is_not {
            checks.extend(TextOf::Variable(variable).exists());
        }
        checks.push(CheckOf::Groovy(format!("vars.get({name}) {sign} ''")));
        checks.extend(text.repeatable_header().filter(|_| !is_not).as_deref().map(once));
        checks
    }

    /// Checks of a text that may be missing.
    fn text_checks(
        &mut self,
        text: TextOf,
        is_not: bool,
        predicate: &Predicate,
        exchange: &mut Exchange,
    ) -> Result<Vec<CheckOf>, Refused> {
        let at = predicate.at;
        if is_about_empty(&predicate.kind) {
            return Ok(self.empty_checks(&text, is_not, predicate, exchange));
        }
        let how = match &predicate.kind {
            PredicateKind::Exists => {
                return match (text.exists(), is_not, &text) {
                    (Some(there), false, _) => Ok(vec![there]),
                    (None, false, _) => Ok(Vec::new()),
                    (_, true, TextOf::Header(_)) => Ok(vec![text.check(Comparison::Missing)]),
                    (_, true, TextOf::Variable(_)) => {
                        Ok(vec![text.check(Comparison::Equals(Text::literal(NO_VALUE)))])
                    }
                    _ => Err(Refused::new(at, "it is always there")),
                };
            }
            PredicateKind::Is("isString") if !is_not => return Ok(text.exists().into_iter().collect()),
            PredicateKind::Equal(value) | PredicateKind::NotEqual(value) => {
                Comparison::Equals(self.compared_text(value, at)?)
            }
            PredicateKind::Contains(value) => Comparison::Contains(self.compared_text(value, at)?),
            PredicateKind::StartsWith(value) => Comparison::StartsWith(Self::constant_text(value, at)?),
            PredicateKind::EndsWith(value) => Comparison::EndsWith(Self::constant_text(value, at)?),
            PredicateKind::Matches(value) => Comparison::Matches(self.regex(value, at)?),
            PredicateKind::Is("isIpv4") => whole(IPV4),
            PredicateKind::Is("isIsoDate") => whole(ISO_DATE),
            _ => return Err(Refused::new(at, "a text is compared only with texts")),
        };
        // The text of all headers is searched, so only plain comparisons can be made in it.
        let is_plain = match &how {
            Comparison::Equals(text) | Comparison::Contains(text) => {
                text.as_literal().is_some_and(|text| !text.is_empty())
            }
            Comparison::StartsWith(_) | Comparison::EndsWith(_) => true,
            _ => false,
        };
        let header = text.repeatable_header();
        let text = match &text {
            TextOf::Header(_) if !is_plain || is_not => {
                TextOf::Variable(self.in_variable(&text, exchange).unwrap_or_default())
            }
            _ => text,
        };
        let mut checks = Vec::new();
        let is_not_equal = matches!(predicate.kind, PredicateKind::NotEqual(_));
        if is_not_equal || !is_not {
            checks.extend(text.exists());
        }
        let how = if is_not_equal == is_not { how } else { negated(how, at)? };
        checks.push(text.check(how));
        checks.extend(header.filter(|_| !is_not).as_deref().map(once));
        Ok(checks)
    }

    /// A text that is compared with another one.
    pub(super) fn compared_text(&mut self, value: &Value, at: usize) -> Result<Text, Refused> {
        match value {
            Value::Text(text) => Ok(self.scope.text(text)),
            Value::Expr(expr) => match self.scope.kind(expr) {
                Kind::Text | Kind::Column => Ok(self.scope.value(expr)),
                Kind::Json => {
                    let how = "values of variables are compared as texts: a number equals its digits";
                    self.change(at, "comparison with a captured value", how);
                    Ok(self.scope.value(expr))
                }
                _ => Err(Refused::new(at, "a text never equals this value")),
            },
            _ => Err(Refused::new(at, "a text never equals a value that is none: write it in quotes")),
        }
    }

    pub(super) fn constant_text(value: &Value, at: usize) -> Result<String, Refused> {
        match value {
            Value::Text(text) => match text.as_literal() {
                Some(text) => Ok(text.to_owned()),
                None => Err(Refused::new(at, "a variable in this comparison is not supported")),
            },
            _ => Err(Refused::new(at, "a text is compared only with texts")),
        }
    }

    pub(super) fn regex(&mut self, value: &Value, at: usize) -> Result<Text, Refused> {
        let (Value::Text(text) | Value::Regex(text)) = value else {
            return Err(Refused::new(at, "expected a regular expression"));
        };
        let pattern = self.pattern(&super::syntax::Pattern(text.clone()))?;
        Ok(Text::literal(pattern))
    }
}

/// Whether a text is compared with an empty one.
fn is_about_empty(predicate: &PredicateKind) -> bool {
    match predicate {
        PredicateKind::IsEmpty => true,
        PredicateKind::Equal(Value::Text(text)) | PredicateKind::NotEqual(Value::Text(text)) => {
            text.as_literal() == Some("")
        }
        _ => false,
    }
}

/// The whole text matches. JMeter's own whole match takes the first of alternatives that begins the
/// text.
pub(super) fn whole(pattern: &str) -> Comparison {
    Comparison::Matches(Text::literal(format!("\\A(?:{pattern})(?![\\s\\S])")))
}

/// The negation of a comparison.
pub(super) fn negated(how: Comparison, at: usize) -> Result<Comparison, Refused> {
    Ok(match how {
        Comparison::Equals(text) => Comparison::Differs(text),
        Comparison::Contains(text) => Comparison::Lacks(text),
        Comparison::Matches(text) => Comparison::MatchesNot(text),
        Comparison::StartsWith(text) => {
            Comparison::MatchesNot(Text::literal(format!("\\A{}", regex::quoted(&text))))
        }
        Comparison::EndsWith(text) => {
            Comparison::MatchesNot(Text::literal(format!("{}(?![\\s\\S])", regex::quoted(&text))))
        }
        _ => return Err(Refused::new(at, "`not` is not supported here")),
    })
}

/// A header with several values is a list in Hurl, which equals no text.
fn once(name: &str) -> CheckOf {
    let any_case: String = name
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphabetic() => format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase()),
            c => regex::quoted(c.encode_utf8(&mut [0; 4])),
        })
        .collect();
    let second = format!("[\\s\\S]*^{any_case}:[\\s\\S]*");
    CheckOf::Header(name.to_owned(), Comparison::MatchesNot(Text::literal(second)))
}

/// Headers that no response has twice.
const SINGLE: [&str; 8] = [
    "content-type",
    "content-length",
    "location",
    "etag",
    "date",
    "server",
    "last-modified",
    "transfer-encoding",
];

/// A path that may have variables in it.
pub(super) fn path_check(path: Text, how: Comparison) -> CheckOf {
    match path.as_literal() {
        Some(text) => CheckOf::JsonPath(text.to_owned(), how),
        None => CheckOf::JsonPathText(path, how),
    }
}

pub(super) const IPV4: &str = r"((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)";

pub(super) const ISO_DATE: &str = concat!(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?",
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)"
);
