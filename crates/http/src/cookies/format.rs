//! The `Cookie` header (`formatCookies` of HttpClient's specifications).

use std::cmp::Reverse;

use super::cookie::Cookie;
use super::policy::Policy;

/// Values that RFC 6265's writer puts in quotes.
const SPECIAL: [char; 5] = [' ', '"', ',', ';', '\\'];

/// The value of the header for cookies in the order of the jar.
pub(super) fn format(mut cookies: Vec<&Cookie>, policy: Policy) -> String {
    let version = cookies.iter().map(|cookie| cookie.version).min().unwrap_or(0);
    let mut out = String::with_capacity(cookies.iter().map(|c| c.name.len() + c.value.len() + 3).sum());
    match policy {
        Policy::Netscape => join(&cookies, &mut out, plain),
        Policy::Default if version <= 0 => join(&cookies, &mut out, plain),
        Policy::Default => {
            // A header for each, which JMeter puts together without anything between them.
            cookies.sort_by_key(|cookie| Reverse(path_rank(cookie)));
            for cookie in cookies {
                versioned(&[cookie], cookie.version, &mut out);
            }
        }
        Policy::Rfc2109 => {
            cookies.sort_by_key(|cookie| Reverse(path_rank(cookie)));
            versioned(&cookies, version, &mut out);
        }
        Policy::Lax | Policy::Strict | Policy::Ignore => {
            cookies.sort_by_key(|cookie| Reverse(cookie.path.len()));
            join(&cookies, &mut out, quoted_if_special);
        }
    }
    out
}

/// `CookiePathComparator`: among paths that belong to one request, the longer first, a slash at the
/// end or not.
fn path_rank(cookie: &Cookie) -> usize {
    cookie.path.strip_suffix('/').unwrap_or(&cookie.path).len()
}

fn join(cookies: &[&Cookie], out: &mut String, write: fn(&Cookie, &mut String)) {
    for (i, cookie) in cookies.iter().enumerate() {
        if i > 0 {
            out.push_str("; ");
        }
        write(cookie, out);
    }
}

fn plain(cookie: &Cookie, out: &mut String) {
    out.push_str(&cookie.name);
    out.push('=');
    out.push_str(&cookie.value);
}

fn quoted_if_special(cookie: &Cookie, out: &mut String) {
    if !cookie.value.contains(SPECIAL) {
        plain(cookie, out);
        return;
    }
    out.push_str(&cookie.name);
    out.push_str("=\"");
    for c in cookie.value.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

/// `$Version=1; name="value"; $Path="/"; $Domain="host"` (RFC 2109 §4.3.4); without quotes where
/// the version is not positive.
fn versioned(cookies: &[&Cookie], version: i32, out: &mut String) {
    out.push_str("$Version=");
    out.push_str(&version.to_string());
    let mut pair = |name: &str, value: &str| {
        let quote = if version > 0 { "\"" } else { "" };
        for part in [name, "=", quote, value, quote] {
            out.push_str(part);
        }
    };
    for cookie in cookies {
        pair(&format!("; {}", cookie.name), &cookie.value);
        if cookie.path_given {
            pair("; $Path", &cookie.path);
        }
        if cookie.domain_given {
            pair("; $Domain", &cookie.domain);
        }
    }
}
