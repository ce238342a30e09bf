//! The recorder's responses: a function of the path alone, except for `/count` and `/flaky`.
//!
//! | path | response |
//! |---|---|
//! | `/status/CODE` | that status, with a small body where it may have one |
//! | `/redirect/N?code=302` | N redirects by relative path, then 200 |
//! | `/redirect-to?url=U&code=302` | one redirect to U |
//! | `/cookie?set=C&set=C` | 200 with these `Set-Cookie` lines |
//! | `/headers?NAME=VALUE` | 200 with these header lines |
//! | `/json`, `/html`, `/page`, `/frame`, `/xml`, `/faults`, `/style.css`, `/image.png`, ... | fixed documents, see `parity/pages/` |
//! | `/echo` | the request as text |
//! | `/count/NAME` | number of requests with this path so far, including this one |
//! | `/flaky/NAME` | 500 and 200 alternately |
//! | `/close`, `/drop`, `/truncated`, `/nolength` | various ends of the connection |
//! | `/chunked`, `/trailers`, `/gzip`, `/deflate`, `/broken-gzip`, `/cut/CODING` | various encodings of the body |
//! | `/typed?TYPE` | 200 with that content type, or without one |
//! | `/doc?TYPE&BODY` | 200 with that content type and body |
//! | `/delay/MS` | 200 after that time |
//! | `/bytes/N` | a body of N letters |
//! | `/auth/basic`, `/auth/digest` | 401 without credentials of that scheme, 200 with any |
//! | `/proxyauth/...` | 407 without Basic credentials for the proxy |
//! | `/cache/etag`, `/cache/modified` | 304 to a conditional request |
//! | `/cache/maxage`, `/cache/expires`, `/cache/nostore`, `/cache/vary` | 200 with such caching headers |
//! | `/mark/N` | 200, and all counts are reset |
//! | any other | 200 with the body `ok` |

use std::collections::HashMap;
use std::io::Write as _;

use super::Request;
use super::pages;

/// Visits by path, for `/count` and `/flaky`.
pub(crate) type Visits = HashMap<String, u32>;

/// A response to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The bytes of the response.
    pub(crate) bytes: Vec<u8>,
    /// Delay before it is sent.
    pub(crate) delay_ms: u64,
    /// Whether the connection is closed after it.
    pub(crate) close: bool,
}

/// A response under construction.
struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Returns the response to a request.
pub(crate) fn answer(request: &Request, visits: &mut Visits) -> Answer {
    let target = request.target();
    let target = without_origin(&target);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let visit = visits.entry(path.to_owned()).and_modify(|count| *count += 1).or_insert(1);
    let visit = *visit;
    if path.starts_with("/mark/") {
        visits.clear();
    }
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let is_head = request.method() == "HEAD";
    let plain = |response: Response| Answer { bytes: response.bytes(is_head), delay_ms: 0, close: false };
    match parts.as_slice() {
        ["close"] => {
            let response = text("closing\n").with("Connection", "close");
            Answer { close: true, ..plain(response) }
        }
        ["drop"] => Answer { bytes: Vec::new(), delay_ms: 0, close: true },
        ["truncated"] => {
            let bytes =
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf".to_vec();
            Answer { bytes, delay_ms: 0, close: true }
        }
        ["nolength"] => {
            let bytes = b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end\n".to_vec();
            Answer { bytes, delay_ms: 0, close: true }
        }
        ["trailers"] => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";
            let body = "6;of=one\r\nfirst \r\n7\r\nsecond\n\r\n0\r\nX-After: all\r\n\r\n";
            let body = if is_head { "" } else { body };
            Answer { bytes: format!("{head}{body}").into_bytes(), delay_ms: 0, close: false }
        }
        ["chunked"] => Answer { bytes: chunked(is_head), delay_ms: 0, close: false },
        ["delay", ms] => Answer { delay_ms: ms.parse().unwrap_or(0), ..plain(text("late\n")) },
        _ => plain(response(&parts, query, request, visit)),
    }
}

fn response(parts: &[&str], query: &str, request: &Request, visit: u32) -> Response {
    match parts {
        ["status", code] => status(code.parse().unwrap_or(500)),
        ["redirect", count] => redirect(count.parse().unwrap_or(0), query),
        ["redirect-to"] => redirect_to(query),
        ["cookie"] => values(query, "set").fold(text("cookies\n"), |r, cookie| r.with("Set-Cookie", &cookie)),
        ["headers"] => pairs(query).fold(text("headers\n"), |r, (name, value)| r.with(&name, &value)),
        ["echo"] => echo(request),
        ["count", _] => Response::new(200, "application/json", format!("{{\"count\":{visit}}}")),
        ["flaky", _] if visit % 2 == 1 => Response::new(500, "text/plain", "not now\n"),
        ["gzip"] => compressed("gzip"),
        ["broken-gzip"] => text("no packed words").with("Content-Encoding", "gzip"),
        ["cut", coding] => cut(compressed(coding)),
        ["typed"] => typed(&decoded(query)),
        ["doc"] => document(query),
        ["deflate"] => compressed("deflate"),
        ["bytes", count] => text("x".repeat(count.parse().unwrap_or(0))),
        ["proxyauth", ..] => proxy_auth(request),
        ["auth", scheme] => auth(scheme, request),
        ["cache", kind] => cached(kind, request),
        [name] => pages::page(name).map_or_else(
            || text("ok\n"),
            |(content_type, body)| Response::new(200, content_type, body.to_vec()),
        ),
        _ => text("ok\n"),
    }
}

/// A body of any content type, or without one.
fn typed(content_type: &str) -> Response {
    let response = Response::new(200, content_type, "typed\n");
    let headers = if content_type.is_empty() { Vec::new() } else { response.headers };
    Response { headers, ..response }
}

/// A body of any bytes.
fn document(query: &str) -> Response {
    let (content_type, body) = query.split_once('&').unwrap_or((query, ""));
    Response::new(200, &decoded(content_type), decoded_bytes(body))
}

fn text(body: impl Into<Vec<u8>>) -> Response {
    Response::new(200, "text/plain; charset=utf-8", body)
}

fn status(code: u16) -> Response {
    let body = if matches!(code, 204 | 205 | 304) { String::new() } else { format!("status {code}\n") };
    Response::new(code, "text/plain; charset=utf-8", body)
}

fn redirect(left: u32, query: &str) -> Response {
    if left == 0 {
        return text("arrived\n");
    }
    let suffix = if query.is_empty() { String::new() } else { format!("?{query}") };
    moved(query, &format!("/redirect/{}{suffix}", left - 1))
}

fn redirect_to(query: &str) -> Response {
    let url = values(query, "url").next().unwrap_or_default();
    values(query, "set").fold(moved(query, &url), |response, cookie| response.with("Set-Cookie", &cookie))
}

fn moved(query: &str, location: &str) -> Response {
    let code = values(query, "code").next().and_then(|text| text.parse().ok()).unwrap_or(302);
    Response::new(code, "text/plain; charset=utf-8", "moved\n").with("Location", location)
}

fn echo(request: &Request) -> Response {
    let mut body = request.head.clone();
    body.extend_from_slice(&request.body);
    text(body)
}

fn compressed(coding: &str) -> Response {
    let body = b"the same words again, the same words again, the same words again\n";
    let level = flate2::Compression::new(6);
    // Writing into memory cannot fail.
    let packed = if coding == "gzip" {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        encoder.write_all(body).and_then(|()| encoder.finish())
    } else {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
        encoder.write_all(body).and_then(|()| encoder.finish())
    };
    text(packed.unwrap_or_default()).with("Content-Encoding", coding)
}

/// Removes the last bytes of the body.
fn cut(mut response: Response) -> Response {
    response.body.truncate(response.body.len() - 6);
    response
}

fn chunked(is_head: bool) -> Vec<u8> {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";
    let body = "6\r\nfirst \r\n7\r\nsecond\n\r\n0\r\n\r\n";
    format!("{head}{}", if is_head { "" } else { body }).into_bytes()
}

fn auth(scheme: &str, request: &Request) -> Response {
    let given = request.header("authorization").unwrap_or_default().to_ascii_lowercase();
    if given.starts_with(&format!("{scheme} ")) {
        return text("welcome\n");
    }
    let challenge = match scheme {
        "digest" => {
            "Digest realm=\"parity\", qop=\"auth\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c0\", opaque=\"5ccc\""
        }
        _ => "Basic realm=\"parity\"",
    };
    status(401).with("WWW-Authenticate", challenge)
}

fn proxy_auth(request: &Request) -> Response {
    if request.header("proxy-authorization").is_some_and(|given| given.starts_with("Basic ")) {
        return text("passed\n");
    }
    status(407).with("Proxy-Authenticate", "Basic realm=\"proxy\"")
}

fn cached(kind: &str, request: &Request) -> Response {
    let modified = "Wed, 01 Jan 2020 00:00:00 GMT";
    let fresh = text("cached\n").with("Date", "Thu, 01 Jan 2026 00:00:00 GMT");
    let conditional = request.header("if-none-match").or_else(|| request.header("if-modified-since"));
    match kind {
        "etag" | "modified" if conditional.is_some() => status(304),
        "etag" => fresh.with("ETag", "\"v1\""),
        "modified" => fresh.with("Last-Modified", modified),
        "maxage" => fresh.with("Cache-Control", "public, max-age=3600"),
        "expires" => fresh.with("Expires", "Thu, 01 Jan 2099 00:00:00 GMT"),
        "nostore" => fresh.with("Cache-Control", "no-store").with("ETag", "\"v1\""),
        "vary" => fresh.with("Cache-Control", "max-age=3600").with("Vary", "X-Kind"),
        _ => fresh,
    }
}

impl Response {
    fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        Self { status, headers, body: body.into() }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn bytes(&self, is_head: bool) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\nServer: parity\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        if !matches!(self.status, 204 | 304) {
            head.extend(["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        if !is_head && !matches!(self.status, 204 | 304) {
            bytes.extend_from_slice(&self.body);
        }
        bytes
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        407 => "Proxy Authentication Required",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Other",
    }
}

/// Returns the path of a target that is a complete URL, as proxies receive it.
fn without_origin(target: &str) -> &str {
    match target.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => rest.find('/').map_or("/", |at| &rest[at..]),
        _ => target,
    }
}

fn values<'a>(query: &'a str, name: &'a str) -> impl Iterator<Item = String> + 'a {
    pairs(query).filter(move |(key, _)| key == name).map(|(_, value)| value)
}

fn pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    })
}

fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&decoded_bytes(text)).into_owned()
}

fn decoded_bytes(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], code.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(head: &str, visits: &mut Visits) -> Answer {
        let request = Request {
            connection: 0,
            client: None,
            head: format!("{head}\r\n\r\n").into_bytes(),
            body: b"body".to_vec(),
        };
        answer(&request, visits)
    }

    #[test]
    fn paths_decide() {
        let cases = [
            ("GET /any/thing HTTP/1.1", "200 OK", "\r\n\r\nok\n"),
            ("GET /status/404 HTTP/1.1", "404 Not Found", "status 404\n"),
            ("GET /status/204 HTTP/1.1", "204 No Content", "text/plain; charset=utf-8\r\n\r\n"),
            ("GET /redirect/2?code=301 HTTP/1.1", "301 Moved", "Location: /redirect/1?code=301\r\n"),
            ("GET /redirect/0 HTTP/1.1", "200 OK", "arrived"),
            ("GET /redirect-to?url=%2Fa%3Fb HTTP/1.1", "302 Found", "Location: /a?b\r\n"),
            ("GET /cookie?set=a%3D1&set=b%3D2 HTTP/1.1", "200 OK", "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n"),
            ("GET /headers?X-A=b+c HTTP/1.1", "200 OK", "X-A: b c\r\n"),
            ("POST /echo HTTP/1.1\r\nA: b", "200 OK", "POST /echo HTTP/1.1\r\nA: b\r\n\r\nbody"),
            ("HEAD /json HTTP/1.1", "200 OK", "\r\n\r\n"),
            ("GET /auth/basic HTTP/1.1", "401 Unauthorized", "WWW-Authenticate: Basic"),
            ("GET /auth/basic HTTP/1.1\r\nAuthorization: Basic eA==", "200 OK", "welcome"),
            ("GET /cache/etag HTTP/1.1", "200 OK", "ETag: \"v1\""),
            ("GET /cache/etag HTTP/1.1\r\nIf-None-Match: \"v1\"", "304 Not Modified", "304"),
            ("GET http://there:80/status/500 HTTP/1.1", "500 Internal", "status 500"),
        ];
        for (head, status, part) in cases {
            let said = String::from_utf8(say(head, &mut Visits::new()).bytes).unwrap();
            assert!(said.starts_with(&format!("HTTP/1.1 {status}")) && said.contains(part), "{head}: {said}");
        }
    }

    #[test]
    fn only_counters_remember() {
        let mut visits = Visits::new();
        let mut said = |path: &str| {
            let bytes = say(&format!("GET {path} HTTP/1.1"), &mut visits).bytes;
            String::from_utf8(bytes).unwrap()
        };
        assert!(said("/count/a").ends_with("{\"count\":1}"));
        assert!(said("/count/a").ends_with("{\"count\":2}"));
        assert!(said("/count/b").ends_with("{\"count\":1}"));
        assert!(said("/flaky/a").contains("500"));
        assert!(said("/flaky/a").contains("200"));
        assert!(said("/mark/1").contains("200"));
        assert!(said("/count/a").ends_with("{\"count\":1}"));
    }
}
