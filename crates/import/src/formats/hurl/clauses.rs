//! Queries, filters and predicates of captures and asserts.

use super::bodies::{bytes, file, several_lines};
use super::cursor::{Cursor, Rule, hard, no_match, wrong};
use super::syntax::{
    Content, Filter, FilterKind, Number, Pattern, Predicate, PredicateKind, Query, QueryKind, Template, Value,
};
use super::texts::{backtick, placeholder, quoted, unquoted};

/// `status`, `header "Location"`, `jsonpath "$.id"` and others.
pub(super) fn query(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Query> {
    let at = cursor.at;
    let text = |cursor: &mut Cursor<'_>| {
        cursor.some_spaces()?;
        quoted(whole, cursor).map_err(hard)
    };
    let plain = [
        ("status", QueryKind::Status),
        ("version", QueryKind::Version),
        ("url", QueryKind::Url),
        ("body", QueryKind::Body),
        ("duration", QueryKind::Duration),
        ("bytes", QueryKind::Bytes),
        ("sha256", QueryKind::Sha256),
        ("md5", QueryKind::Md5),
    ];
    let kind = if let Some((_, kind)) = plain.into_iter().find(|(name, _)| cursor.eat(name)) {
        kind
    } else if cursor.eat("header") {
        QueryKind::Header(text(cursor)?)
    } else if cursor.eat("cookie") {
        cookie(cursor)?
    } else if cursor.eat("xpath") {
        QueryKind::XPath(text(cursor)?)
    } else if cursor.eat("jsonpath") {
        QueryKind::JsonPath(text(cursor)?)
    } else if cursor.eat("regex") {
        cursor.some_spaces()?;
        QueryKind::Regex(pattern(whole, cursor)?)
    } else if cursor.eat("variable") {
        QueryKind::Variable(text(cursor)?)
    } else if cursor.eat("certificate") {
        certificate(cursor)?
    } else if cursor.eat("ip") {
        QueryKind::Ip
    } else {
        return no_match(
            at,
            "expected one of status, version, url, header, cookie, body, xpath, jsonpath, regex, variable, \
             duration, bytes, sha256, md5, certificate, ip",
        );
    };
    Ok(Query { at, kind })
}

/// A cookie, and the attribute of it that is meant: `cookie "name[Path]"`.
fn cookie(cursor: &mut Cursor<'_>) -> Rule<QueryKind> {
    cursor.some_spaces()?;
    cursor.expect("\"")?;
    let start = cursor.at;
    let path = cursor.take_while(|c| c != '"' && c != '\n');
    cursor.expect("\"")?;
    let name_end = path.find('[').unwrap_or(path.len());
    let mut inside = Cursor::new(&path[..name_end]);
    let mut name = unquoted(&path[..name_end], &mut inside).map_err(|mut error| {
        error.at += start;
        error
    })?;
    name.at = start;
    if name_end == path.len() {
        return Ok(QueryKind::Cookie(name, None));
    }
    let mut inside = Cursor::new(path);
    inside.at = name_end + 1;
    inside.spaces();
    let attribute = inside.take_while(|c| c.is_alphabetic() || c == '-').to_lowercase();
    const ATTRIBUTES: [&str; 8] =
        ["value", "expires", "max-age", "domain", "path", "secure", "httponly", "samesite"];
    if !ATTRIBUTES.contains(&&*attribute) {
        return wrong(start + name_end + 1, format!("expected one of {}", ATTRIBUTES.join(", ")));
    }
    inside.spaces();
    if !inside.eat("]") {
        return wrong(start + inside.at, "expected `]`");
    }
    Ok(QueryKind::Cookie(name, Some(attribute)))
}

fn certificate(cursor: &mut Cursor<'_>) -> Rule<QueryKind> {
    cursor.some_spaces()?;
    const FIELDS: [&str; 5] = ["Subject", "Issuer", "Start-Date", "Expire-Date", "Serial-Number"];
    cursor.expect("\"")?;
    let at = cursor.at;
    if FIELDS.into_iter().any(|field| cursor.eat(&format!("{field}\""))) {
        Ok(QueryKind::Certificate)
    } else {
        wrong(at, format!("expected one of {}", FIELDS.join(", ")))
    }
}

/// `/a+/`, or the same in quotes.
fn pattern(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Pattern> {
    let at = cursor.at;
    if let Some(text) = cursor.optional(|cursor| quoted(whole, cursor))? {
        return Ok(Pattern(text));
    }
    match regex(cursor) {
        Err(error) if error.is_soft => wrong(at, "expected `\"` or `/`"),
        regex => regex.map(Pattern),
    }
}

/// `/a+/`, in which `\/` is a slash.
fn regex(cursor: &mut Cursor<'_>) -> Rule<Template> {
    cursor.begin("/")?;
    let at = cursor.at;
    let mut text = String::new();
    loop {
        match cursor.next() {
            None => return wrong(at, "expected `/` at the end of the regular expression"),
            Some('/') => break,
            Some('\\') if cursor.eat("/") => text.push('/'),
            Some(c) => text.push(c),
        }
    }
    super::regex::check(&text).or_else(|message| wrong(at, message))?;
    Ok(Template::literal(at, &text))
}

pub(super) fn filters(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Vec<Filter>> {
    let mut all = Vec::new();
    loop {
        let mut ahead = *cursor;
        if !ahead.spaces() {
            return Ok(all);
        }
        match filter(whole, &mut ahead) {
            Ok(filter) => all.push(filter),
            Err(error) if error.is_soft => return Ok(all),
            Err(error) => return Err(error),
        }
        *cursor = ahead;
    }
}

fn filter(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Filter> {
    let at = cursor.at;
    let text = |cursor: &mut Cursor<'_>| {
        cursor.some_spaces()?;
        quoted(whole, cursor).map_err(hard)
    };
    const PLAIN: [&str; 10] = [
        "base64Decode",
        "base64Encode",
        "daysAfterNow",
        "daysBeforeNow",
        "htmlEscape",
        "htmlUnescape",
        "urlDecode",
        "urlEncode",
        "decode",
        "format",
    ];
    let kind = if cursor.eat("count") {
        FilterKind::Count
    } else if let Some(name) = PLAIN.into_iter().find(|name| cursor.eat(name)) {
        if matches!(name, "decode" | "format") {
            cursor.some_spaces()?;
            quoted(whole, cursor)?;
        }
        FilterKind::Other(name)
    } else if cursor.eat("jsonpath") {
        FilterKind::JsonPath(text(cursor)?)
    } else if cursor.eat("nth") {
        cursor.some_spaces()?;
        FilterKind::Nth(natural(cursor)?)
    } else if cursor.eat("regex") {
        cursor.some_spaces()?;
        FilterKind::Regex(pattern(whole, cursor)?)
    } else if cursor.eat("replace") {
        cursor.some_spaces()?;
        let old = pattern(whole, cursor)?;
        FilterKind::Replace(old, text(cursor)?)
    } else if cursor.eat("split") {
        FilterKind::Split(text(cursor)?)
    } else if cursor.eat("toDate") {
        cursor.some_spaces()?;
        quoted(whole, cursor)?;
        FilterKind::Other("toDate")
    } else if cursor.eat("toFloat") {
        FilterKind::ToFloat
    } else if cursor.eat("toInt") {
        FilterKind::ToInt
    } else if cursor.eat("toString") {
        FilterKind::ToText
    } else if cursor.eat("xpath") {
        text(cursor)?;
        FilterKind::XPath
    } else {
        return no_match(at, "expected a filter");
    };
    Ok(Filter { at, kind })
}

/// A whole number without leading zeros.
pub(super) fn natural(cursor: &mut Cursor<'_>) -> Rule<u64> {
    let at = cursor.at;
    let digits = cursor.take_while(|c| c.is_ascii_digit());
    if digits.is_empty() {
        return no_match(at, "expected a whole number");
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return wrong(at + 1, "expected a whole number without zeros before it");
    }
    digits.parse().or_else(|_| wrong(at, "expected a smaller whole number"))
}

/// A number with its sign.
pub(super) fn number(cursor: &mut Cursor<'_>) -> Rule<Number> {
    let at = cursor.at;
    cursor.eat("-");
    let digits = cursor.take_while(|c| c.is_ascii_digit());
    if digits.is_empty() {
        return no_match(at, "expected a number");
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return wrong(cursor.at, "expected a number without zeros before it");
    }
    if cursor.eat(".") {
        if cursor.take_while(|c| c.is_ascii_digit()).is_empty() {
            return wrong(cursor.at, "expected digits after the point");
        }
        let text = cursor.since(at);
        return text.parse().map_or_else(
            |_| wrong(at, "expected a number"),
            |number| Ok(Number::Float(number, text.to_owned())),
        );
    }
    let text = cursor.since(at);
    Ok(text.parse().map_or_else(|_| Number::Big(text.to_owned()), Number::Integer))
}

pub(super) fn predicate(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Predicate> {
    let at = cursor.at;
    match predicate_kind(whole, cursor) {
        Ok(kind) => Ok(Predicate { at, kind }),
        Err(error) if error.is_soft => wrong(
            at,
            "expected a predicate: one of ==, !=, >, >=, <, <=, startsWith, endsWith, contains, includes, \
             matches, exists, isEmpty, isInteger, isFloat, isNumber, isBoolean, isString, isCollection, isDate, \
             isIsoDate, isIpv4, isIpv6",
        ),
        Err(error) => Err(error),
    }
}

const SIGNS: [&str; 6] = ["==", "!=", ">=", ">", "<=", "<"];
const VERBS: [&str; 5] = ["startsWith", "endsWith", "contains", "includes", "matches"];
const KINDS: [&str; 10] = [
    "isInteger",
    "isFloat",
    "isBoolean",
    "isString",
    "isCollection",
    "isDate",
    "isIsoDate",
    "isNumber",
    "isIpv4",
    "isIpv6",
];

fn predicate_kind(whole: &str, cursor: &mut Cursor<'_>) -> Rule<PredicateKind> {
    let at = cursor.at;
    if let Some(sign) = SIGNS.into_iter().find(|sign| cursor.eat(sign)) {
        cursor.spaces();
        let at = cursor.at;
        let value = value(whole, cursor)?;
        let is_ordered = matches!(value, Value::Number(_) | Value::Text(_) | Value::Expr(_));
        if !is_ordered && !matches!(sign, "==" | "!=") {
            return wrong(at, "expected a number or a text");
        }
        return Ok(match sign {
            "==" => PredicateKind::Equal(value),
            "!=" => PredicateKind::NotEqual(value),
            ">=" => PredicateKind::GreaterOrEqual(value),
            ">" => PredicateKind::Greater(value),
            "<=" => PredicateKind::LessOrEqual(value),
            _ => PredicateKind::Less(value),
        });
    }
    if let Some(verb) = VERBS.into_iter().find(|verb| cursor.eat(verb)) {
        cursor.some_spaces()?;
        let at = cursor.at;
        let value = value(whole, cursor)?;
        let is_text = matches!(value, Value::Text(_));
        let is_bytes = matches!(value, Value::Bytes(_));
        let is_regex = matches!(value, Value::Regex(_));
        return match verb {
            "contains" => Ok(PredicateKind::Contains(value)),
            "includes" => Ok(PredicateKind::Includes(value)),
            "startsWith" if is_text || is_bytes => Ok(PredicateKind::StartsWith(value)),
            "endsWith" if is_text || is_bytes => Ok(PredicateKind::EndsWith(value)),
            "matches" if is_text || is_regex => Ok(PredicateKind::Matches(value)),
            "matches" => wrong(at, "expected a text or a regular expression"),
            _ => wrong(at, "expected a text or bytes"),
        };
    }
    if let Some(kind) = KINDS.into_iter().find(|kind| cursor.eat(kind)) {
        return Ok(PredicateKind::Is(kind));
    }
    if cursor.eat("exists") {
        return Ok(PredicateKind::Exists);
    }
    if cursor.eat("isEmpty") {
        return Ok(PredicateKind::IsEmpty);
    }
    no_match(at, "expected a predicate")
}

fn value(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Value> {
    let at = cursor.at;
    if cursor.eat("null") {
        return Ok(Value::Null);
    }
    if let Some(flag) = ["true", "false"].into_iter().find(|flag| cursor.eat(flag)) {
        return Ok(Value::Flag(flag == "true"));
    }
    if let Some(number) = cursor.optional(number)? {
        return Ok(Value::Number(number));
    }
    if cursor.optional(file)?.is_some() {
        return Ok(Value::File);
    }
    if let Some(bytes) = cursor.optional(bytes)? {
        return Ok(Value::Bytes(bytes));
    }
    if let Some(expr) = cursor.optional(placeholder)? {
        return Ok(Value::Expr(expr));
    }
    if let Some(text) = cursor.optional(|cursor| quoted(whole, cursor))? {
        return Ok(Value::Text(text));
    }
    match cursor.optional(|cursor| several_lines(whole, cursor))? {
        Some(Content::Lines(_, text)) => return Ok(Value::Text(text)),
        // A query as it would be sent: nothing a response has.
        Some(_) => return Ok(Value::File),
        None => {}
    }
    if let Some(text) = cursor.optional(|cursor| backtick(whole, cursor))? {
        return Ok(Value::Text(text));
    }
    if let Some(text) = cursor.optional(regex)? {
        return Ok(Value::Regex(text));
    }
    wrong(
        at,
        "expected a value: a text in quotes, a number, true, false, null, {{name}}, /…/, hex,…; or base64,…;",
    )
}
