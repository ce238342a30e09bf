//! `Set-Cookie` (`RFC6265CookieSpec.parse`, `NetscapeDraftSpec.parse`).

use super::matching::Origin;
use super::policy::Policy;
use super::set_cookie::{Attribute, SetCookie, given};
use super::tokens::{raw, take, token, value};
use super::{expires, versioned};

impl SetCookie {
    /// Whether that origin may set it.
    pub(crate) fn is_allowed(&self, origin: &Origin<'_>, policy: Policy) -> bool {
        if policy == Policy::Rfc2109 || policy == Policy::Default && self.version > 0 {
            versioned::allows(self, origin)
        } else if policy == Policy::Netscape {
            origin.may_set_by_netscape(&self.domain)
        } else {
            origin.may_set(&self.domain)
        }
    }
}

/// Reads the value of a `Set-Cookie` header; nothing if HttpClient refuses it or it has no cookie.
pub(crate) fn parse(header: &str, origin: &Origin<'_>, policy: Policy, now_ms: i64) -> Vec<SetCookie> {
    if policy == Policy::Rfc2109 || policy == Policy::Default && versioned::is_versioned(header) {
        return versioned::parse(header, origin, now_ms);
    }
    parse_one(header, origin, policy, now_ms).into_iter().collect()
}

fn parse_one(header: &str, origin: &Origin<'_>, policy: Policy, now_ms: i64) -> Option<SetCookie> {
    let mut rest = header;
    let name = token(&mut rest, &['=', ';']);
    if name.is_empty() || !take(&mut rest, '=') {
        return None;
    }
    let verbatim = matches!(policy, Policy::Netscape | Policy::Default);
    let value = if verbatim { raw(&mut rest) } else { value(&mut rest, &[';']) };
    take(&mut rest, ';');
    let mut attributes = attributes(rest);
    if verbatim {
        // The first of a name counts, and each has to be valid.
        attributes.reverse();
    } else {
        attributes = last_of_each(attributes);
    }
    let mut cookie = SetCookie::new(name, value, origin, &attributes);
    let has_age = given(&attributes, "max-age") && !verbatim;
    for (name, value) in &attributes {
        match name.as_str() {
            "path" => {
                let path = value.as_deref().filter(|v| !v.trim().is_empty());
                path.unwrap_or("/").clone_into(&mut cookie.path);
            }
            "domain" => set_domain(&mut cookie, value.as_deref(), policy)?,
            "secure" => cookie.secure = true,
            "max-age" if has_age => set_age(&mut cookie, value.as_deref(), policy, now_ms)?,
            "expires" if !has_age => set_expires(&mut cookie, value.as_deref(), policy)?,
            _ => {}
        }
    }
    Some(cookie)
}

/// Names in lower case and values.
fn attributes(mut rest: &str) -> Vec<Attribute> {
    let mut all: Vec<Attribute> = Vec::new();
    while !rest.is_empty() {
        let name = token(&mut rest, &['=', ';']).to_ascii_lowercase();
        let mut value = None;
        if take(&mut rest, '=') {
            value = Some(token(&mut rest, &[';']));
        }
        take(&mut rest, ';');
        all.push((name, value));
    }
    all
}

/// The last value of each name, at the place of its first.
fn last_of_each(attributes: Vec<Attribute>) -> Vec<Attribute> {
    let mut all: Vec<Attribute> = Vec::new();
    for (name, value) in attributes {
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => all.push((name, value)),
        }
    }
    all
}

fn set_domain(cookie: &mut SetCookie, value: Option<&str>, policy: Policy) -> Option<()> {
    let value = value.filter(|v| !v.trim().is_empty())?;
    if policy == Policy::Netscape {
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
        (Policy::Strict, None | Some(..0)) => return None,
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
        // `EEE, dd-MMM-yy HH:mm:ss z` alone, and quotes are part of the value.
        Policy::Netscape | Policy::Default if !value.contains('-') || value.contains('"') => None,
        _ => expires::parse(value),
    };
    cookie.expires_ms = Some(date?);
    Some(())
}
