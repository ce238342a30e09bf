//! Where to send requests: URLs of the command line and of a file.

use std::fmt::Write;
use std::path::Path;

use percent_encoding::percent_decode_str;
use url::Url;

use super::text_file::read_text;
use crate::args::HitArgs;
use crate::exit::Failure;

/// Each URL is a sampler, which every worker compiles; more are a matter for a plan with a data
/// file.
const MOST: usize = 10_000;

/// The schemes of gRPC, without and with TLS.
pub(super) const GRPC: [&str; 2] = ["grpc", "grpcs"];

/// The schemes of WebSockets, without and with TLS.
pub(super) const WEB_SOCKET: [&str; 2] = ["ws", "wss"];

/// What follows the scheme of a URL, and whether it has TLS; none if it has neither scheme.
pub(super) fn rest_of<'u>(url: &'u str, [plain, secure]: [&str; 2]) -> Option<(bool, &'u str)> {
    let (scheme, rest) = url.split_once("://")?;
    let is_secure = scheme.eq_ignore_ascii_case(secure);
    (is_secure || scheme.eq_ignore_ascii_case(plain)).then_some((is_secure, rest))
}

/// What a URL says besides where to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) user: String,
    pub(super) password: String,
}

/// A URL without its credentials.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) url: Url,
    pub(super) credentials: Option<Credentials>,
    /// Variables and functions in path and query, each of which a mark stands for.
    functions: Vec<String>,
}

/// What stands for a variable or function while a URL is parsed.
fn mark(number: usize) -> String {
    format!("zzswell{number}function")
}

/// A URL with marks, and what they stand for.
fn with_marks(text: &str) -> (String, Vec<String>) {
    let mut out = String::new();
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let mut depth = 0_usize;
        let end = rest[start..].char_indices().find_map(|(at, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => return None,
            }
            (depth == 0).then_some(start + at + 1)
        });
        let Some(end) = end else { break };
        out.push_str(&rest[..start]);
        out.push_str(&mark(found.len()));
        found.push(rest[start..end].to_owned());
        rest = &rest[end..];
    }
    out.push_str(rest);
    (out, found)
}

/// `http//localhost`, `http:/localhost`, `https:localhost`: without this, a request to a host
/// called `http`.
fn is_mistyped_scheme(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let rest = lower.strip_prefix("https").or_else(|| lower.strip_prefix("http"));
    // A port may follow a host called so.
    let has_port = |rest: &str| {
        rest.strip_prefix(':').is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()))
    };
    rest.is_some_and(|rest| {
        rest.starts_with("//") || (rest.starts_with(':') && !rest.starts_with("://") && !has_port(rest))
    })
}

/// `100`, `10s`: a value whose option was forgotten, or takes none. As a URL, a number is an
/// address somewhere in the world.
fn is_value(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains(['.', ':', '/'])
}

/// `sec`: a word that is no place, mostly the rest of a value that was written with a space.
fn is_loose_word(text: &str) -> bool {
    let is_place = text.contains([':', '/', '.', '[']) || text.eq_ignore_ascii_case("localhost");
    !text.is_empty() && !is_place && !is_value(text)
}

/// Units of time that people write, and how `-d` has them.
const UNITS: [(&str, &[&str]); 4] = [
    ("ms", &["ms", "msec", "millis", "milliseconds"]),
    ("s", &["s", "sec", "secs", "second", "seconds"]),
    ("m", &["m", "min", "mins", "minute", "minutes"]),
    ("h", &["h", "hr", "hrs", "hour", "hours"]),
];

/// What a loose word was meant to be.
fn meant_by(word: &str, args: Option<&HitArgs>) -> String {
    let lower = word.to_ascii_lowercase();
    let unit = UNITS.iter().find(|(_, words)| words.contains(&&*lower));
    let time = args.and_then(|args| args.duration).map(|time| time.as_secs());
    let host = format!("a host of that name is http://{word}/");
    match (unit, time) {
        (Some((unit, _)), Some(number)) => format!("did you mean -d {number}{unit}? {host}"),
        (Some((unit, _)), None) => format!("a time is written without a space, as in -d 10{unit}; {host}"),
        _ => host,
    }
}

impl Address {
    /// Reads a URL; one without a scheme is http.
    ///
    /// # Errors
    /// It is none, or of another scheme.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        if is_value(text) {
            return Err(Failure::settings(format!("invalid URL `{text}`: expected http:// or https://"))
                .hint(format!(
                    "a value follows its option, as in -c 50; a host of that name is http://{text}/"
                )));
        }
        if is_loose_word(text) {
            return Err(Failure::settings(format!("invalid URL `{text}`: expected http:// or https://"))
                .hint(meant_by(text, None)));
        }
        let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = Url::parse(&whole).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https") && url.has_host() && !is_mistyped_scheme(text)
        });
        let Some(mut url) = url else {
            return Err(Failure::settings(format!("invalid URL `{text}`: expected http:// or https://"))
                .hint("write it as in http://localhost:8080/path, or localhost:8080/path"));
        };
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let credentials = (!url.username().is_empty() || url.password().is_some()).then(|| Credentials {
            user: decoded(url.username()),
            password: decoded(url.password().unwrap_or_default()),
        });
        let taken = url.set_username("").and_then(|()| url.set_password(None));
        debug_assert!(taken.is_ok(), "it has a host");
        Ok(Self { url, credentials, functions: Vec::new() })
    }

    /// The same, with variables and functions in path and query.
    ///
    /// # Errors
    /// As [`Address::parse`]; a function in another place.
    pub(super) fn parse_with_functions(text: &str) -> Result<Self, Failure> {
        let (marked, functions) = with_marks(text);
        let parsed = Self::parse(&marked)?;
        let path = parsed.path();
        if (0..functions.len()).any(|number| !path.contains(&mark(number))) {
            return Err(Failure::settings(format!(
                "`{text}` has a function before its path or after its query"
            ))
            .hint("functions may be in the path and the query of a URL"));
        }
        Ok(Self { functions, ..parsed })
    }

    fn parse_as(text: &str, args: &HitArgs) -> Result<Self, Failure> {
        if args.request.functions { Self::parse_with_functions(text) } else { Self::parse(text) }
    }

    /// Scheme, host and port.
    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Path and query, what a URI may not hold percent-encoded: no `${` is left but those of
    /// [`Address::parse_with_functions`].
    pub(super) fn path(&self) -> String {
        let mut out = String::new();
        let mut put = |text: &str, wrong: &[char]| {
            for c in text.chars() {
                if c.is_ascii() && wrong.contains(&c) {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "%{:02X}", c as u32);
                } else {
                    out.push(c);
                }
            }
        };
        const WRONG: &[char] = &['|', '^', '{', '}', '`', '\\', '"', '<', '>', ' ', '[', ']'];
        put(self.url.path(), WRONG);
        if let Some(query) = self.url.query() {
            put("?", &[]);
            put(query, &WRONG[..10]);
        }
        for (number, function) in self.functions.iter().enumerate() {
            out = out.replace(&mark(number), function);
        }
        out
    }
}

/// All URLs, those of the command line first.
///
/// # Errors
/// One that is none, with its line; none at all; a file that cannot be read; too many.
pub(super) fn all(args: &HitArgs) -> Result<Vec<Address>, Failure> {
    let mut all = Vec::with_capacity(args.urls.len());
    for text in &args.urls {
        // A file of URLs is given without a word in siege.
        if !text.contains("://") && Path::new(text).is_file() {
            return Err(Failure::settings(format!("`{text}` is a file, not a URL"))
                .hint(format!("URLs from a file are --urls {text}; a plan is `swell run {text}`")));
        }
        let parsed = Address::parse_as(text, args);
        let hinted = |failure: Failure| {
            if is_loose_word(text) { failure.hint(meant_by(text, Some(args))) } else { failure }
        };
        all.push(parsed.map_err(hinted)?);
    }
    if let Some(path) = &args.urls_file {
        read_file(path, args, &mut all)?;
    }
    if all.len() > MOST {
        return Err(Failure::settings(format!("{} URLs are more than the {MOST} that fit", all.len()))
            .hint("a plan with a CSV Data Set Config takes any number"));
    }
    Ok(all)
}

fn read_file(path: &Path, args: &HitArgs, into: &mut Vec<Address>) -> Result<(), Failure> {
    let text = read_text(path)
        .map_err(|error| Failure::settings(format!("cannot read URLs from `{}`: {error}", path.display())))?;
    let before = into.len();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let address = Address::parse_as(line, args).map_err(|failure| Failure {
            message: format!("{}:{}: {}", path.display(), number + 1, failure.message),
            ..failure
        })?;
        into.push(address);
    }
    if into.len() == before {
        return Err(Failure::settings(format!("no URL in `{}`", path.display()))
            .hint("write one a line; lines after # are left out"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_needs_no_scheme() {
        let table = [
            ("localhost:8080", "http://localhost:8080", "/"),
            ("a.test", "http://a.test", "/"),
            ("a.test/x?y=1", "http://a.test", "/x?y=1"),
            ("[::1]:80/p", "http://[::1]", "/p"),
            ("https://a.test:443", "https://a.test", "/"),
            ("127.0.0.1", "http://127.0.0.1", "/"),
            ("http://2130706433/", "http://127.0.0.1", "/"),
        ];
        for (text, origin, path) in table {
            let address = Address::parse(text).unwrap_or_else(|_| panic!("{text}"));
            assert_eq!((&*address.origin(), &*address.path()), (origin, path), "{text}");
        }
        for text in ["ftp://a/", "http://", "", ":80", "http://a:99999/", "100", "10s", "0x7f000001", "sec"] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn credentials_are_taken_out_of_a_url() {
        let address = Address::parse("http://ada:s%40cret@a.test/").unwrap();
        let wanted = Credentials { user: "ada".into(), password: "s@cret".into() };
        assert_eq!((address.credentials, address.url.as_str()), (Some(wanted), "http://a.test/"));
    }
}
