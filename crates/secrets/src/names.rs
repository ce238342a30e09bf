//! Passwords and tokens by their names, in URLs and arguments.

use std::borrow::Cow;

use crate::values::without_protected;

pub(crate) const MASK: &str = "***";

/// Ends of the names of parameters that hold secrets, in small letters and without `-`, `_`, `.`:
/// what scanners of secrets look for (detect-secrets, gitleaks), and what signed URLs of AWS,
/// Google and Azure have.
const SECRET_ENDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signature",
    "credential",
];

/// Names that are too short to be looked for at the end of others.
const SECRET_NAMES: [&str; 8] =
    ["pass", "auth", "authorization", "sig", "jwt", "code_verifier", "cookie", "proxypass"];

/// Longer names are none of these.
const LONGEST_NAME: usize = 64;

/// The text with `***` instead of each password in a URL, as in `http://user:password@host`, of
/// each value of a query whose name says that it is secret, as in `/login?password=…&token=…`, and
/// of each value that [`crate::protect`] was given.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    let steps: [fn(&str) -> Cow<'_, str>; 2] = [of_queries, of_users];
    steps.into_iter().fold(without_protected(text), |text, step| match text {
        Cow::Borrowed(text) => step(text),
        Cow::Owned(text) => Cow::Owned(step(&text).into_owned()),
    })
}

/// `http://user:password@host`.
fn of_users(text: &str) -> Cow<'_, str> {
    if !text.contains("://") || !text.contains('@') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find(ends_authority).unwrap_or(after.len());
        let (authority, following) = after.split_at(end);
        match authority.rsplit_once('@').and_then(|(user, host)| Some((user.split_once(':')?.0, host))) {
            Some((user, host)) => out.extend([user, ":", MASK, "@", host]),
            None => out.push_str(authority),
        }
        rest = following;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn ends_authority(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "/?#\\\"'<>`|,".contains(c)
}

/// `?name=value&name=value` after any text: a label may be a path. `&amp;`, as pages have it, ends
/// with `;`.
fn of_queries(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('=') {
        if at < copied || !is_secret_before(&text[..at]) {
            continue;
        }
        let value = &text[at + 1..];
        let end = value.find(ends_value).unwrap_or(value.len());
        if end > 0 {
            out.extend([&text[copied..=at], MASK]);
            copied = at + 1 + end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Whether the text ends with the name of a secret parameter.
fn is_secret_before(text: &str) -> bool {
    let start = text.len().saturating_sub(LONGEST_NAME);
    let bytes = &text.as_bytes()[start..];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let Some(before) = bytes.iter().rposition(|byte| !is_name(byte)) else { return false };
    let name: String = bytes[before + 1..].iter().copied().map(char::from).collect();
    b"?&;".contains(&bytes[before]) && is_secret(&name)
}

/// A command line with `***` instead of passwords: in options, settings and headers with secret
/// names, and in URLs.
pub fn masked_arguments(arguments: &[String]) -> Vec<String> {
    let mut masked: Vec<String> = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let before = masked.last().map(String::as_str).unwrap_or_default();
        let shown = match before {
            "-a" | "--password" => MASK.to_owned(),
            "-u" | "--user" | "--basic-auth" | "-x" | "--proxy" => after_colon(argument),
            _ => setting(argument),
        };
        masked.push(shown);
    }
    masked
}

/// `name:password`, `name:password@host:port`; a name alone, or a host, stays.
fn after_colon(text: &str) -> String {
    let (user, host) = text.rsplit_once('@').map_or((text, None), |(user, host)| (user, Some(host)));
    match (user.split_once(':'), host) {
        (Some((name, _)), Some(host)) if !name.ends_with("http") => format!("{name}:{MASK}@{host}"),
        // Without an @ it may be a host and its port.
        (Some((name, password)), None) if password.parse::<u16>().is_err() && !password.starts_with("//") => {
            format!("{name}:{MASK}")
        }
        _ => without_passwords(text).into_owned(),
    }
}

/// `-Jname=value`, `--name=value`, `Name: value`.
fn setting(text: &str) -> String {
    let at = text.find([':', '=']).filter(|at| !text[*at..].starts_with("://"));
    let Some(at) = at else { return without_passwords(text).into_owned() };
    let option = text[..at].trim_start_matches('-');
    let name = option.strip_prefix(['J', 'D', 'G']).filter(|_| text.starts_with('-')).unwrap_or(option);
    if is_secret(option) || is_secret(name) {
        return format!("{}{MASK}", &text[..=at]);
    }
    without_passwords(text).into_owned()
}

/// Whether a name says that its value is secret, as `db.password` and `api_key` do.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let letters: String = name.chars().filter(|c| !"-_.".contains(*c)).collect();
    let last = name.rsplit('.').next().unwrap_or_default();
    SECRET_NAMES.contains(&last) || SECRET_ENDS.iter().any(|end| letters.ends_with(end))
}

fn ends_value(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "&#\\\"'<>`".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_go_and_the_rest_stays() {
        for (text, wanted) in [
            ("http://ada:secret@host/x?y=a@b", "http://ada:***@host/x?y=a@b"),
            ("GET https://a:b:c@d@h:8080 and ftp://u:p@h", "GET https://a:***@h:8080 and ftp://u:***@h"),
            ("{\"label\":\"http://u:p@h\",\"x\":1}", "{\"label\":\"http://u:***@h\",\"x\":1}"),
            ("http://:p@h", "http://:***@h"),
            ("http://u@h/", "http://u@h/"),
            ("http://host:80/a:b@c", "http://host:80/a:b@c"),
            ("a@b: c", "a@b: c"),
            ("://", "://"),
        ] {
            assert_eq!(without_passwords(text), wanted);
        }
    }

    #[test]
    fn secrets_in_queries_go_and_the_rest_stays() {
        for (text, wanted) in [
            ("GET /in?user=ada&password=s3c,r(t)&x=1", "GET /in?user=ada&password=***&x=1"),
            ("http://u:p@h/?token=abc#top and more", "http://u:***@h/?token=***#top and more"),
            ("{\"label\":\"/a?Access_Token=t\",\"x\":1}", "{\"label\":\"/a?Access_Token=***\",\"x\":1}"),
            ("<td>/a?x=1&amp;api-key=k&amp;y=2</td>", "<td>/a?x=1&amp;api-key=***&amp;y=2</td>"),
            ("/f?X-Amz-Signature=ab12&X-Amz-Credential=k%2F1", "/f?X-Amz-Signature=***&X-Amz-Credential=***"),
            ("/f?sv=1&sig=a%3D=&client_secret=q", "/f?sv=1&sig=***&client_secret=***"),
            ("?pwd=é\u{fc}&auth=ü", "?pwd=***&auth=***"),
            ("?password=&design=1&key=2&tokens=3", "?password=&design=1&key=2&tokens=3"),
            ("password=1 token=2", "password=1 token=2"),
            ("ü?=a&=", "ü?=a&="),
            ("a = b", "a = b"),
            ("x(); var token=1; a?b:token=2", "x(); var token=1; a?b:token=2"),
        ] {
            assert_eq!(without_passwords(text), wanted);
        }
    }

    #[test]
    fn a_command_line_shows_no_password() {
        let line = "run plan.jmx -Jusers=5 -Jdb.password=x -Japi-key=k -H Authorization:t --header Cookie:s -u ada:secret -a s -Gtoken=1 \
                    http://u:p@h/?sig=1 -x me:pw@proxy:80 -J host=a:8080 --threshold errors<1% -Dhttp.proxyPass=w -u me:9";
        let given: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let wanted = "run plan.jmx -Jusers=5 -Jdb.password=*** -Japi-key=*** -H Authorization:*** --header Cookie:*** -u ada:*** -a *** \
                      -Gtoken=*** http://u:***@h/?sig=*** -x me:***@proxy:80 -J host=a:8080 --threshold errors<1% -Dhttp.proxyPass=*** -u me:9";
        assert_eq!(
            masked_arguments(&given).join(" "),
            wanted.split_whitespace().collect::<Vec<_>>().join(" ")
        );
    }

    #[test]
    fn nothing_is_copied_where_nothing_is_secret() {
        for text in ["plain", "/search?q=1&page=2", "http://h/"] {
            assert!(matches!(without_passwords(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
