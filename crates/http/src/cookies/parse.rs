//! `Set-Cookie` (`RFC6265CookieSpec.parse`, `TokenParser`).

use super::matching::Origin;
use super::{Policy, expires};

/// A cookie as a response sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetCookie {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Lower case, without leading dot; the host if none was named.
    pub(crate) domain: String,
    pub(crate) path: String,
    pub(crate) secure: bool,
    /// Milliseconds since the epoch; none for a session cookie.
    pub(crate) expires_ms: Option<i64>,
    /// It came with a `Domain`.
    pub(crate) domain_given: bool,
    /// It came with a `Path`.
    pub(crate) path_given: bool,
}

/// Reads the value of a `Set-Cookie` header; `None` if HttpClient refuses it or it has no cookie.
pub(crate) fn parse(header: &str, origin: &Origin<'_>, policy: Policy, now_ms: i64) -> Option<SetCookie> {
    let mut rest = header;
    let name = token(&mut rest, &['=', ';']);
    if name.is_empty() || !take(&mut rest, '=') {
        return None;
    }
    let verbatim = matches!(policy, Policy::Netscape | Policy::Default);
    let value = if verbatim { raw(&mut rest) } else { value(&mut rest) };
    take(&mut rest, ';');
    let attributes = attributes(rest);
    let mut cookie = SetCookie {
        name,
        value,
        domain: origin.host.to_string(),
        path: origin.default_path().to_owned(),
        secure: false,
        expires_ms: None,
        domain_given: given(&attributes, "domain"),
        path_given: given(&attributes, "path"),
    };
    let has_age = given(&attributes, "max-age") && !matches!(policy, Policy::Netscape | Policy::Default);
    for (name, value) in &attributes {
        match name.as_str() {
            "path" => {
                let path = value.as_deref().filter(|v| !v.trim().is_empty());
                path.unwrap_or("/").clone_into(&mut cookie.path);
            }
            "domain" => set_domain(&mut cookie, value.as_deref(), policy)?,
            "secure" => cookie.secure = true,
            "max-age" if has_age => set_age(&mut cookie, value.as_deref(), policy, now_ms)?,
            "expires" if !has_age && policy != Policy::Rfc2109 => {
                set_expires(&mut cookie, value.as_deref(), policy)?;
            }
            _ => {}
        }
    }
    Some(cookie)
}

/// Names in lower case and values; the last of a name counts, at the place of the first.
fn attributes(mut rest: &str) -> Vec<(String, Option<String>)> {
    let mut all: Vec<(String, Option<String>)> = Vec::new();
    while !rest.is_empty() {
        let name = token(&mut rest, &['=', ';']).to_ascii_lowercase();
        let mut value = None;
        if take(&mut rest, '=') {
            value = Some(token(&mut rest, &[';']));
        }
        take(&mut rest, ';');
        match all.iter_mut().find(|(n, _)| *n == name) {
            Some(known) => known.1 = value,
            None => all.push((name, value)),
        }
    }
    all
}

fn given(attributes: &[(String, Option<String>)], wanted: &str) -> bool {
    attributes.iter().any(|(name, _)| name == wanted)
}

fn set_domain(cookie: &mut SetCookie, value: Option<&str>, policy: Policy) -> Option<()> {
    let value = value.filter(|v| !v.trim().is_empty())?;
    if matches!(policy, Policy::Netscape | Policy::Rfc2109) {
        cookie.domain = value.to_ascii_lowercase();
    } else if !value.ends_with('.') {
        cookie.domain = value.strip_prefix('.').unwrap_or(value).to_ascii_lowercase();
    }
    Some(())
}

fn set_age(cookie: &mut SetCookie, value: Option<&str>, policy: Policy, now_ms: i64) -> Option<()> {
    let digits = value.is_some_and(|v| {
        let digits = v.strip_prefix('-').unwrap_or(v);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    });
    let age = value.filter(|_| digits).and_then(|v| v.parse::<i32>().ok());
    match (policy, age) {
        (Policy::Strict | Policy::Rfc2109, None | Some(..0)) => return None,
        (_, Some(age @ 0..)) => cookie.expires_ms = Some(now_ms + i64::from(age) * 1000),
        (_, Some(_)) => cookie.expires_ms = Some(i64::MIN),
        (_, None) => {}
    }
    Some(())
}

fn set_expires(cookie: &mut SetCookie, value: Option<&str>, policy: Policy) -> Option<()> {
    let Some(value) = value.filter(|v| !v.trim().is_empty()) else {
        return (policy == Policy::Lax).then_some(());
    };
    let date = match policy {
        Policy::Strict => swell_http1::date::parse_http(value),
        // `EEE, dd-MMM-yy HH:mm:ss z` alone.
        Policy::Netscape | Policy::Default if !value.contains('-') => None,
        _ => expires::parse(value),
    };
    cookie.expires_ms = Some(date?);
    Some(())
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn take(rest: &mut &str, c: char) -> bool {
    let Some(after) = rest.strip_prefix(c) else { return false };
    *rest = after;
    true
}

/// Text up to a delimiter; runs of blanks are one blank, none at the ends.
fn token(rest: &mut &str, delimiters: &[char]) -> String {
    let end = rest.find(delimiters).unwrap_or(rest.len());
    let text = &rest[..end];
    *rest = &rest[end..];
    join_words(text)
}

fn join_words(text: &str) -> String {
    let words: Vec<&str> = text.split(is_space).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

fn raw(rest: &mut &str) -> String {
    let end = rest.find(';').unwrap_or(rest.len());
    let text = rest[..end].trim_matches(is_space).to_owned();
    *rest = &rest[end..];
    text
}

/// As [`token`] up to `;`, but text in double quotes loses them, and may hold anything.
fn value(rest: &mut &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    while let Some(c) = rest.chars().next() {
        match c {
            ';' => break,
            c if is_space(c) => {
                *rest = rest.trim_start_matches(is_space);
                blank = true;
                continue;
            }
            _ => {}
        }
        if blank && !out.is_empty() {
            out.push(' ');
        }
        blank = false;
        if c == '"' {
            quoted(rest, &mut out);
        } else {
            let end = rest.find(|c| c == ';' || c == '"' || is_space(c)).unwrap_or(rest.len());
            out.push_str(&rest[..end]);
            *rest = &rest[end..];
        }
    }
    out
}

fn quoted(rest: &mut &str, out: &mut String) {
    let mut escaped = false;
    let mut chars = rest[1..].char_indices();
    for (at, c) in chars.by_ref() {
        match c {
            _ if escaped => {
                if c != '"' && c != '\\' {
                    out.push('\\');
                }
                out.push(c);
                escaped = false;
            }
            '"' => {
                *rest = &rest[at + 2..];
                return;
            }
            '\\' => escaped = true,
            '\r' | '\n' => {}
            c => out.push(c),
        }
    }
    *rest = "";
}
