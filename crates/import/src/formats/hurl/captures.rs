//! Captures of an entry as extractors.

use crate::model::{
    Capture, CaptureFrom, Check, CheckOf, Comparison, Exchange, Script, ScriptWhen, Text, safe_name,
};

use super::asserts::whole;
use super::request::groovy_literal;
use super::scope::Kind;
use super::syntax::{self, Filter, FilterKind, Pattern, Query, QueryKind, Template};
use super::{Reader, Refused, jsonpath, regex, xpath};

/// What a variable has where a response has no such value.
pub(super) const NO_VALUE: &str = "no value of hurl";

impl Reader<'_, '_> {
    /// The extractors of a capture. A capture without a value fails in Hurl, so a check is added.
    pub(super) fn capture(&mut self, capture: &syntax::Capture, exchange: &mut Exchange) {
        let name = self.name(&capture.name);
        if matches!(&*name, "newUuid" | "newDate") {
            self.refuse(capture.name.at, &format!("capture {name}"), "it is the name of a function");
        }
        let line = self.place(capture.name.at).line;
        let before = (exchange.captures.len(), exchange.checks.len());
        match self.captured(&name, capture, exchange) {
            Ok(kind) => {
                self.scope.define_as(&name, kind.0.as_deref().unwrap_or(&name), kind.1);
                let variable = kind.0.unwrap_or(name);
                let there = CheckOf::Variable(variable.clone(), Comparison::Differs(Text::literal(NO_VALUE)));
                exchange.checks.push(Check { name: format!("line {line}: capture {variable}"), of: there });
                if capture.is_redacted {
                    self.change(capture.name.at, "redact", "values of responses are not masked by name");
                }
            }
            Err(refused) => {
                self.refuse(refused.at, &format!("capture {name}"), &refused.reason);
                // Later uses of it are no further errors.
                self.scope.define(&name, Kind::Json);
            }
        }
        self.placeholders.put_back(exchange, before.0, before.1);
    }

    /// Adds extractors that leave the value in a variable; gives its name, if it is another, and
    /// its kind.
    fn captured(
        &mut self,
        name: &str,
        capture: &syntax::Capture,
        exchange: &mut Exchange,
    ) -> Result<(Option<String>, Kind), Refused> {
        let query = &capture.query;
        let mut filters = &*capture.filters;
        let mut kind = Kind::Text;
        // With further filters the value goes from one variable to the next.
        let mut of = None;
        match &query.kind {
            QueryKind::JsonPath(path) => {
                return self.captured_json(name, None, (path, filters), exchange);
            }
            QueryKind::XPath(path) => {
                let (from, is_number) = self.xpath_of(path, &mut filters)?;
                add(exchange, name, from, None);
                kind = if is_number { Kind::Number } else { Kind::Text };
            }
            QueryKind::Duration => {
                let text =
                    format!("vars.put({}, String.valueOf(prev.getTime()))", groovy_literal(&safe_name(name)));
                exchange.scripts.push(after(text));
                kind = Kind::Number;
            }
            QueryKind::Variable(variable) => {
                let variable = self.name(variable);
                let (plan_name, its_kind) = self.scope.lookup(&variable, query.at);
                if filters.is_empty() {
                    let text = format!(
                        "vars.put({}, vars.get({}))",
                        groovy_literal(&safe_name(name)),
                        groovy_literal(&safe_name(&plan_name))
                    );
                    exchange.scripts.push(after(text));
                    return Ok((None, its_kind));
                }
                of = Some(plan_name);
            }
            QueryKind::Body if !filters.is_empty() => {}
            _ => {
                let from = self.text_source(query)?;
                let target = if filters.is_empty() { name.to_owned() } else { self.scope.temporary() };
                add(exchange, &target, from, None);
                kind = if matches!(query.kind, QueryKind::Status) { Kind::Number } else { Kind::Text };
                of = Some(target);
            }
        }
        self.filtered(name, (of, kind), filters, exchange)
    }

    /// The rest of a chain of filters, on a text.
    fn filtered(
        &mut self,
        name: &str,
        (mut of, mut kind): (Option<String>, Kind),
        filters: &[Filter],
        exchange: &mut Exchange,
    ) -> Result<(Option<String>, Kind), Refused> {
        let mut all = filters.iter().enumerate();
        while let Some((index, filter)) = all.next() {
            let is_split = matches!(filter.kind, FilterKind::Split(_));
            let is_last = index + 1 + usize::from(is_split) == filters.len();
            let target = if is_last { name.to_owned() } else { self.scope.temporary() };
            match &filter.kind {
                FilterKind::Split(separator) => {
                    let Some((_, Filter { kind: FilterKind::Nth(number), .. })) = all.next() else {
                        return refused_filter(filter);
                    };
                    let pattern = piece(separator, *number)?;
                    add(exchange, &target, CaptureFrom::Regex(pattern, 1), of.as_deref());
                    kind = Kind::Text;
                }
                FilterKind::Replace(old, new) => {
                    let Some(before) = &of else { return refused_filter(filter) };
                    add(exchange, &target, replaced(before, old, new)?, None);
                    kind = Kind::Text;
                }
                FilterKind::Regex(pattern) => {
                    let pattern = self.pattern(pattern)?;
                    add(exchange, &target, CaptureFrom::Regex(pattern, 1), of.as_deref());
                    kind = Kind::Text;
                }
                FilterKind::JsonPath(path) => {
                    return self.captured_json(name, of.as_deref(), (path, &filters[index + 1..]), exchange);
                }
                FilterKind::ToInt | FilterKind::ToFloat | FilterKind::ToText if is_last => {
                    kind = match filter.kind {
                        FilterKind::ToText => Kind::Text,
                        _ => Kind::Number,
                    };
                    if let Some(before) = of.clone().filter(|before| before != name) {
                        add(exchange, name, CaptureFrom::Body, Some(&before));
                    }
                    if kind == Kind::Number {
                        let number = whole(r"-?\d+(\.\d+)?");
                        exchange.checks.push(Check::new(CheckOf::Variable(name.to_owned(), number)));
                    }
                }
                _ => return refused_filter(filter),
            }
            of = Some(target);
        }
        Ok((None, kind))
    }

    /// A value of JSON, of the body or of a variable.
    fn captured_json(
        &mut self,
        name: &str,
        of: Option<&str>,
        (path, filters): (&Template, &[Filter]),
        exchange: &mut Exchange,
    ) -> Result<(Option<String>, Kind), Refused> {
        let path_at = path.at;
        let path = self.json_path(path)?;
        let json = |text: &str| CaptureFrom::JsonPath(text.to_owned());
        match filters {
            [] if path.is_definite => {
                add(exchange, name, json(&path.text), of);
                Ok((None, Kind::Json))
            }
            [] => {
                add_presence(exchange, of, &path.definite);
                push(exchange, name, json(&path.text), of, -1);
                Ok((Some(format!("{name}_matchNr")), Kind::List))
            }
            [first, rest @ ..] => match &first.kind {
                FilterKind::Nth(index) if path.is_definite => {
                    let text = format!("{}[{index}]", path.text);
                    self.captured_item(name, of, (json(&text), 1), (path_at, rest), exchange)
                }
                FilterKind::Nth(index) => {
                    let number = i32::try_from(*index + 1).unwrap_or(i32::MAX);
                    self.captured_item(name, of, (json(&path.text), number), (path_at, rest), exchange)
                }
                FilterKind::Count if rest.is_empty() => {
                    add_presence(exchange, of, &path.definite);
                    let text = if path.is_definite { format!("{}[*]", path.text) } else { path.text };
                    push(exchange, name, json(&text), of, -1);
                    Ok((Some(format!("{name}_matchNr")), Kind::Number))
                }
                _ => {
                    let target = self.scope.temporary();
                    if !path.is_definite {
                        return refused_filter(first);
                    }
                    add(exchange, &target, json(&path.text), of);
                    self.filtered(name, (Some(target), Kind::Json), filters, exchange)
                }
            },
        }
    }

    fn captured_item(
        &mut self,
        name: &str,
        of: Option<&str>,
        (from, number): (CaptureFrom, i32),
        (_, rest): (usize, &[Filter]),
        exchange: &mut Exchange,
    ) -> Result<(Option<String>, Kind), Refused> {
        let target = if rest.is_empty() { name.to_owned() } else { self.scope.temporary() };
        push(exchange, &target, from, of, number);
        self.filtered(name, (Some(target), Kind::Json), rest, exchange)
    }

    /// Where the text of a query is, for an extractor.
    pub(super) fn text_source(&mut self, query: &Query) -> Result<CaptureFrom, Refused> {
        Ok(match &query.kind {
            QueryKind::Status => CaptureFrom::Status,
            QueryKind::Url => CaptureFrom::Url,
            QueryKind::Body => CaptureFrom::Body,
            QueryKind::Header(name) => CaptureFrom::Header(self.name(name)),
            QueryKind::Cookie(name, attribute) => {
                let name = self.name(name);
                match attribute.as_deref() {
                    None | Some("value") => CaptureFrom::Cookie(name),
                    Some(attribute) => {
                        return Err(Refused::new(query.at, format!("`{attribute}` of a cookie is not read")));
                    }
                }
            }
            QueryKind::Regex(pattern) => CaptureFrom::Regex(self.pattern(pattern)?, 1),
            _ => {
                let reason = "no element of JMeter gives this value";
                return Err(Refused::new(query.at, reason));
            }
        })
    }

    /// A regular expression for JMeter.
    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Result<String, Refused> {
        let text = self.placeholders.flat(&pattern.0, &mut self.scope)?;
        regex::translated(&text).map_err(|reason| Refused::new(pattern.0.at, reason))
    }

    pub(super) fn json_path(&mut self, path: &Template) -> Result<jsonpath::Path, Refused> {
        let text = self.placeholders.flat_path(path, &mut self.scope)?;
        jsonpath::read(&text).map_err(|reason| Refused::new(path.at, reason))
    }

    /// An XPath that gives a text or a number, with the filter `count` in it; and whether it is a
    /// number.
    fn xpath_of(&mut self, path: &Template, filters: &mut &[Filter]) -> Result<(CaptureFrom, bool), Refused> {
        let Some(text) = path.as_literal() else {
            return Err(Refused::new(path.at, "an XPath with a variable is not supported"));
        };
        let is_html = self.is_html.unwrap_or_else(|| xpath::is_html(text));
        let all: &[Filter] = filters;
        match (xpath::kind(text), all) {
            (xpath::Kind::Nodes, [first, rest @ ..]) if matches!(first.kind, FilterKind::Count) => {
                *filters = rest;
                Ok((CaptureFrom::XPath { path: format!("count({text})"), is_html }, true))
            }
            (xpath::Kind::Nodes, _) => {
                Err(Refused::new(path.at, "nodes are no text: write `string(…)` around the XPath"))
            }
            (kind, _) => {
                let from = CaptureFrom::XPath { path: text.to_owned(), is_html };
                Ok((from, kind == xpath::Kind::Number))
            }
        }
    }
}

pub(super) fn refused_filter<T>(filter: &Filter) -> Result<T, Refused> {
    let name = match filter.kind {
        FilterKind::Count => "count",
        FilterKind::JsonPath(_) => "jsonpath",
        FilterKind::Nth(_) => "nth",
        FilterKind::Regex(_) => "regex",
        FilterKind::ToInt => "toInt",
        FilterKind::ToFloat => "toFloat",
        FilterKind::ToText => "toString",
        FilterKind::XPath => "xpath",
        FilterKind::Replace(..) => "replace",
        FilterKind::Split(_) => "split",
        FilterKind::Other(name) => name,
    };
    Err(Refused::new(filter.at, format!("no element of JMeter does what the filter `{name}` does here")))
}

/// An expression whose first group is a part of a text between separators.
pub(super) fn piece(separator: &Template, number: u64) -> Result<String, Refused> {
    let text = separator.as_literal().filter(|text| !text.is_empty());
    let Some(text) = text.filter(|_| number < 1_000) else {
        return Err(Refused::new(separator.at, "it is split only at a text without variables"));
    };
    let separator = regex::quoted(text);
    Ok(format!(r"(?s)\A(?:.*?{separator}){{{number}}}(.*?)(?:{separator}|(?![\s\S]))"))
}

/// The value of a variable with another text instead of each occurrence of one.
pub(super) fn replaced(variable: &str, old: &Pattern, new: &Template) -> Result<CaptureFrom, Refused> {
    // Hurl takes the first for an expression, and `$` in the second for a group.
    let is_plain = |text: &&str| !text.is_empty() && regex::is_plain(text);
    let old_text = old.0.as_literal().filter(is_plain);
    let new_text = new.as_literal().filter(|text| !text.contains('$'));
    let (Some(old_text), Some(new_text)) = (old_text, new_text) else {
        let reason = "only a text without variables and special characters is replaced";
        return Err(Refused::new(old.0.at, reason));
    };
    let variable = groovy_literal(&safe_name(variable));
    let none = groovy_literal(NO_VALUE);
    let call = format!("replace({}, {})", groovy_literal(old_text), groovy_literal(new_text));
    let get = format!("vars.get({variable})");
    Ok(CaptureFrom::Groovy(format!("{get} == {none} ? {none} : {get}.{call}")))
}

/// A list that is not there has no members, but is an error in Hurl.
fn add_presence(exchange: &mut Exchange, of: Option<&str>, path: &str) {
    if of.is_none() {
        exchange.checks.push(Check::new(CheckOf::JsonPath(path.to_owned(), Comparison::Exists)));
    }
}

fn after(text: String) -> Script {
    Script { when: ScriptWhen::After, language: "groovy".to_owned(), text, runs: true }
}

/// Adds an extractor of the first match.
pub(super) fn add(exchange: &mut Exchange, variable: &str, from: CaptureFrom, of: Option<&str>) {
    push(exchange, variable, from, of, 1);
}

/// Adds an extractor.
pub(super) fn push(
    exchange: &mut Exchange,
    variable: &str,
    from: CaptureFrom,
    of: Option<&str>,
    match_number: i32,
) {
    let mut capture = Capture::new(variable, from);
    capture.of = of.map(str::to_owned);
    capture.match_number = match_number;
    NO_VALUE.clone_into(&mut capture.default);
    exchange.captures.push(capture);
}
