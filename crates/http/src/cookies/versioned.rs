//! `Set-Cookie` as RFC 2109 has it: a list of cookies with versions (`RFC2109Spec`,
//! `CookieSpecBase.parse`, `BasicHeaderValueParser` of HttpCore 4.4).

use super::matching::Origin;
use super::set_cookie::{Attribute, SetCookie, given};
use super::tokens::{take, token, value};

/// Ends of a name.
const NAME_ENDS: [char; 3] = ['=', ';', ','];

/// Ends of a value.
const VALUE_ENDS: [char; 2] = [';', ','];

/// The attribute of a version.
const VERSION: &str = "version";

/// A cookie of a list before its attributes are read (`HeaderElement`).
struct Element {
    name: String,
    value: Option<String>,
    attributes: Vec<Attribute>,
}

/// Whether the policy `default` reads the header by RFC 2109: an attribute is a version, and none
/// is a date of Netscape's form (`DefaultCookieSpec.parse`).
pub(super) fn is_versioned(header: &str) -> bool {
    // Nearly all headers end here.
    if !header.as_bytes().windows(VERSION.len()).any(|part| part.eq_ignore_ascii_case(VERSION.as_bytes())) {
        return false;
    }
    let elements = elements(header);
    let has = |wanted: &str| elements.iter().any(|element| given(&element.attributes, wanted));
    has(VERSION) && !has("expires")
}

/// The cookies of a header. One that HttpClient cannot read spoils all of them.
pub(super) fn parse(header: &str, origin: &Origin<'_>, now_ms: i64) -> Vec<SetCookie> {
    let named = elements(header).into_iter().filter(|element| !element.name.is_empty());
    let cookies: Option<Vec<_>> = named.map(|element| cookie(element, origin, now_ms)).collect();
    cookies.unwrap_or_default()
}

/// Whether a site may set the cookie (`RFC2109Spec.validate`).
pub(super) fn allows(cookie: &SetCookie, origin: &Origin<'_>) -> bool {
    let is_named = !cookie.name.contains(' ') && !cookie.name.starts_with('$');
    is_named && cookie.version >= 0 && allows_domain(&cookie.domain, &origin.host)
}

/// `RFC2109DomainHandler.validate`: the host itself, or its parent with a dot before and one
/// inside.
fn allows_domain(domain: &str, host: &str) -> bool {
    let inner = domain.strip_prefix('.').and_then(|inner| inner.find('.').map(|at| at + 1 < inner.len()));
    domain == host || inner == Some(true) && host.strip_suffix(domain).is_some_and(|name| !name.contains('.'))
}

fn cookie(element: Element, origin: &Origin<'_>, now_ms: i64) -> Option<SetCookie> {
    let Element { name, value, attributes } = element;
    let mut cookie = SetCookie::new(name, value.unwrap_or_default(), origin, &attributes);
    // The first of a name counts, and each has to be valid.
    for (name, value) in attributes.iter().rev() {
        let text = value.as_deref().filter(|text| !text.trim().is_empty());
        match name.as_str() {
            "path" => text.unwrap_or("/").clone_into(&mut cookie.path),
            "domain" => cookie.domain = text?.to_lowercase(),
            "secure" => cookie.secure = true,
            VERSION => cookie.version = text?.parse().ok()?,
            "max-age" => {
                let age = text?.parse().ok().filter(|age: &i32| *age >= 0)?;
                cookie.expires_ms = Some(now_ms + i64::from(age) * 1000);
            }
            _ => {}
        }
    }
    Some(cookie)
}

fn elements(header: &str) -> Vec<Element> {
    let mut rest = header;
    let mut all = Vec::new();
    while !rest.is_empty() {
        let element = element(&mut rest);
        if !element.name.is_empty() || element.value.is_some() {
            all.push(element);
        }
    }
    all
}

fn element(rest: &mut &str) -> Element {
    let (name, value, mut ends) = pair(rest);
    let mut attributes = Vec::new();
    while !ends && !rest.is_empty() {
        let (name, value, is_last) = pair(rest);
        attributes.push((name.to_ascii_lowercase(), value));
        ends = is_last;
    }
    Element { name, value, attributes }
}

/// A name with its value, and whether a comma came after it.
fn pair(rest: &mut &str) -> (String, Option<String>, bool) {
    let name = token(rest, &NAME_ENDS);
    let value = take(rest, '=').then(|| value(rest, &VALUE_ENDS));
    let ends = take(rest, ',');
    if !ends {
        take(rest, ';');
    }
    (name, value, ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000_000;

    fn origin() -> Origin<'static> {
        Origin::new("www.site.example", "/shop/cart", false)
    }

    /// Cookies of a header as `name=value path domain version`.
    fn read(header: &str) -> Vec<String> {
        let shown = |cookie: SetCookie| {
            let SetCookie { name, value, path, domain, version, .. } = cookie;
            format!("{name}={value} {path} {domain} {version}")
        };
        parse(header, &origin(), NOW).into_iter().map(shown).collect()
    }

    #[test]
    fn lists_quotes_and_versions() {
        let table: &[(&str, &[&str])] = &[
            ("a=1", &["a=1 /shop www.site.example 0"]),
            (
                "a=1; Version=1, b=\"x, y; z\"; Path=\"/b\"; version=2",
                &["a=1 /shop www.site.example 1", "b=x, y; z /b www.site.example 2"],
            ),
            ("a=1; Path=/x; Path=/y", &["a=1 /x www.site.example 0"]),
            ("a=1; Path; Domain=.Site.Example", &["a=1 / .site.example 0"]),
            ("a, b=", &["a= /shop www.site.example 0", "b= /shop www.site.example 0"]),
            (", ;x=1, =2; c=3, d=4", &["d=4 /shop www.site.example 0"]),
            (
                "a=1; expires=Wed, 09 Jun 2027 10:18:14 GMT; path=/x",
                &["a=1 /shop www.site.example 0", "09 Jun 2027 10:18:14 GMT= /x www.site.example 0"],
            ),
            ("a=1; Version=1.0", &[]),
            ("a=1, b=2; Domain=", &[]),
            ("a=1; Max-Age=-1, b=2", &[]),
            ("a=1; Max-Age=5; Max-Age=x", &[]),
            ("", &[]),
        ];
        for (header, wanted) in table {
            assert_eq!(read(header), *wanted, "{header}");
        }
        let age = |header| parse(header, &origin(), NOW)[0].expires_ms;
        assert_eq!(
            (age("a=1; max-age=\"60\""), age("a=1; max-age=+60")),
            (Some(NOW + 60_000), Some(NOW + 60_000))
        );
        assert_eq!(age("a=1; expires=\"Wed, 09-Jun-27 10:18:14 GMT\""), None);
    }

    #[test]
    fn a_site_sets_cookies_for_itself_and_its_parent() {
        let table = [
            ("a=1", true),
            ("a=1; Domain=www.site.example", true),
            ("a=1; Domain=.site.example", true),
            ("a=1; Domain=site.example", false),
            ("a=1; Domain=.example", false),
            ("a=1; Domain=.example.", false),
            ("a=1; Domain=.other.example", false),
            ("a b=1", false),
            ("$a=1", false),
            ("a=1; Version=-1", false),
        ];
        for (header, wanted) in table {
            let cookies = parse(header, &origin(), NOW);
            assert_eq!(allows(&cookies[0], &origin()), wanted, "{header}");
        }
        let deeper = Origin::new("a.www.site.example", "/", false);
        assert!(
            !allows(&parse("a=1; Domain=.site.example", &deeper, NOW)[0], &deeper),
            "two names before it"
        );
    }

    #[test]
    fn the_default_policy_reads_versions_where_no_date_is() {
        let table = [
            ("a=1; Version=1", true),
            ("a=1, b=2; VERSION", true),
            ("a=1; Version=1; Expires=x", false),
            ("version=1", false),
            ("a=\"; Version=1\"", false),
        ];
        for (header, wanted) in table {
            assert_eq!(is_versioned(header), wanted, "{header}");
        }
    }
}
