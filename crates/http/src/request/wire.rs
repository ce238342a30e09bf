//! The bytes of a request (`HTTPHC4Impl.setupRequest`, `RequestContent`, `RequestTargetHost`, `RequestUserAgent`).

use std::ops::Range;
use std::rc::Rc;

use crate::cache::Validators;
use crate::compile::Settings;
use crate::failure::Failure;
use crate::text::charset::Charset;
use crate::url::Url;
use crate::wire::head::closes;
use crate::wire::latin1;

use super::arguments;
use super::evaluate::Evaluated;
use super::headers::{Line, apply, set};

/// Where a request goes: what connections are kept by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) secure: bool,
    /// As in the URL, in lower case.
    pub(crate) host: Rc<str>,
    pub(crate) port: u16,
}

/// A request, ready but for cookies.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) url: Rc<Url>,
    pub(crate) method: Rc<str>,
    pub(crate) target: Rc<Target>,
    /// Head and body.
    pub(crate) bytes: Rc<[u8]>,
    /// Where a `Cookie` line goes: in place of the plan's own, or after the plan's headers.
    pub(crate) cookie_at: Range<usize>,
    /// All headers in order.
    pub(crate) headers: Rc<[Line]>,
    /// How many of them the plan gave; the rest is HttpClient's.
    pub(crate) own: usize,
    /// The body as JMeter shows it.
    pub(crate) body_text: Rc<str>,
    /// The request asks for the connection to be closed.
    pub(crate) closes: bool,
    /// Length of the body.
    body_len: usize,
}

/// A body that goes out.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: Rc<str>,
    /// `Content-Type` where the plan gives none.
    pub(crate) content_type: String,
}

/// What a request is made of. `following`: it answers a redirect, so it has no body.
pub(crate) fn build(
    evaluated: &Evaluated,
    settings: &Settings,
    url: &Rc<Url>,
    method: &Rc<str>,
    following: bool,
) -> Result<Request, Failure> {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if method.is_empty() || !method.bytes().all(is_token) {
        return Err(Failure::method(method));
    }
    let mut lines = Vec::with_capacity(evaluated.headers.len() + 6);
    let connection = if evaluated.keep_alive { "keep-alive" } else { "close" };
    lines.push(("Connection".into(), connection.into()));
    apply(&evaluated.headers, url, &mut lines);
    let body = match &**method {
        "HEAD" | "OPTIONS" | "TRACE" => None,
        "GET" if following || !evaluated.raw => None,
        _ => Some(entity(evaluated)?),
    };
    finish(url, method, lines, body, settings)
}

/// The body of a request that has one.
fn entity(evaluated: &Evaluated) -> Result<Body, Failure> {
    let Some(charset) = Charset::for_name(&evaluated.encoding) else {
        return Err(Failure::charset(&evaluated.encoding));
    };
    let (text, kind) = if evaluated.raw {
        (arguments::raw_body(&evaluated.parameters, charset), "text/plain")
    } else {
        (arguments::form_body(&evaluated.parameters, charset)?, "application/x-www-form-urlencoded")
    };
    let mut bytes = Vec::with_capacity(text.len());
    charset.encode_into(&text, &mut bytes);
    Ok(Body { bytes, text: text.into(), content_type: format!("{kind}; charset={}", charset.name()) })
}

fn has(lines: &[Line], name: &str) -> bool {
    lines.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// Adds HttpClient's headers and writes the bytes.
pub(crate) fn finish(
    url: &Rc<Url>,
    method: &Rc<str>,
    mut lines: Vec<Line>,
    body: Option<Body>,
    settings: &Settings,
) -> Result<Request, Failure> {
    let Some(host) = url.target_host() else { return Err(Failure::no_host(url)) };
    let Ok(port) = u16::try_from(url.port_or_default()) else {
        return Err(Failure::port_range(url.port_or_default()));
    };
    let target = Rc::new(Target { secure: url.is_secure(), host: host.to_ascii_lowercase().into(), port });
    let own = lines.len();
    if body.is_some() && settings.add_content_type && !has(&lines, "Content-Type") {
        lines.push(("Content-Type".into(), "application/x-www-form-urlencoded".into()));
    }
    if let Some(body) = &body {
        if has(&lines, "Transfer-Encoding") {
            return Err(Failure::transfer_encoding());
        }
        lines.push(("Content-Length".into(), body.bytes.len().to_string().into()));
        if !has(&lines, "Content-Type") {
            lines.push(("Content-Type".into(), body.content_type.as_str().into()));
        }
    }
    if !has(&lines, "Host") {
        lines.push(("Host".into(), url.host_header().into()));
    }
    if let Some(agent) = settings.user_agent
        && !has(&lines, "User-Agent")
    {
        lines.push(("User-Agent".into(), agent.into()));
    }
    let (bytes, text) = body.map_or((Vec::new(), "".into()), |body| (body.bytes, body.text));
    Ok(Request::write(url.clone(), method.clone(), target, lines, own, &bytes, text))
}

impl Request {
    fn write(
        url: Rc<Url>,
        method: Rc<str>,
        target: Rc<Target>,
        lines: Vec<Line>,
        own: usize,
        body: &[u8],
        body_text: Rc<str>,
    ) -> Self {
        let mut out = Vec::with_capacity(256 + body.len());
        latin1::encode_into(&method, &mut out);
        out.push(b' ');
        latin1::encode_into(&url.target(), &mut out);
        out.extend_from_slice(b" HTTP/1.1\r\n");
        let mut cookie_at = None;
        for (i, (name, value)) in lines.iter().enumerate() {
            let start = out.len();
            if i == own && cookie_at.is_none() {
                cookie_at = Some(start..start);
            }
            line_into(name, value, &mut out);
            if cookie_at.is_none() && name.eq_ignore_ascii_case("Cookie") {
                cookie_at = Some(start..out.len());
            }
        }
        let cookie_at = cookie_at.unwrap_or(out.len()..out.len());
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(body);
        let closes = lines.iter().any(|(n, v)| n.eq_ignore_ascii_case("Connection") && closes(v));
        let (bytes, headers, body_len) = (out.into(), lines.into(), body.len());
        Self { url, method, target, bytes, cookie_at, headers, own, body_text, closes, body_len }
    }

    /// The same request made conditional. JMeter sets these headers before `Cookie`.
    pub(crate) fn conditional(&self, validators: &Validators) -> Self {
        let mut own: Vec<Line> = self.headers[..self.own].to_vec();
        if let Some(date) = &validators.last_modified {
            set(&mut own, "If-Modified-Since", date.clone());
        }
        if let Some(etag) = &validators.etag {
            set(&mut own, "If-None-Match", etag.clone());
        }
        let len = own.len();
        own.extend_from_slice(&self.headers[self.own..]);
        let body = self.body();
        let (url, method, target) = (self.url.clone(), self.method.clone(), self.target.clone());
        Self::write(url, method, target, own, len, body, self.body_text.clone())
    }

    /// The body.
    pub(crate) fn body(&self) -> &[u8] {
        &self.bytes[self.bytes.len() - self.body_len..]
    }

    /// Appends the bytes with a `Cookie` header.
    pub(crate) fn with_cookie_into(&self, cookie: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..self.cookie_at.start]);
        line_into("Cookie", cookie, out);
        out.extend_from_slice(&self.bytes[self.cookie_at.end..]);
    }

    /// The headers as JMeter shows them: all but cookies.
    pub(crate) fn headers_text(&self) -> String {
        let mut out = String::with_capacity(self.bytes.len() - self.body_len);
        for (name, value) in self.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("Cookie")) {
            out.push_str(name);
            out.push_str(": ");
            out.push_str(value);
            out.push('\n');
        }
        out
    }

    /// The cookies that the plan's headers give, as JMeter shows them.
    pub(crate) fn own_cookies(&self) -> String {
        let cookies = self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("Cookie"));
        let lines: Vec<String> = cookies.map(|(name, value)| format!("{name}: {value}")).collect();
        lines.join("\n").get("Cookie: ".len()..).unwrap_or_default().trim().to_owned()
    }
}

fn line_into(name: &str, value: &str, out: &mut Vec<u8>) {
    latin1::encode_into(name, out);
    out.extend_from_slice(b": ");
    latin1::encode_into(value, out);
    out.extend_from_slice(b"\r\n");
}
