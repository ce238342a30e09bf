//! The bytes of a request (`HTTPHC4Impl.setupRequest`, `RequestContent`, `RequestTargetHost`,
//! `RequestUserAgent`).

use std::ops::Range;
use std::rc::Rc;

use swell_api::Text;
use swell_connect::{HeadAgain, Proxy, Target};
use swell_expr::Charset;
use swell_http1::client::{closes, write_header, write_request_line};
use swell_http1::{is_token, latin1};
use swell_http2::InvalidField;

use crate::cache::Validators;
use crate::compile::Settings;
use crate::failure::Failure;
use crate::files::FileRef;
use crate::url::Url;

use super::body::Body;
use super::evaluate::RequestValues;
use super::headers::{Line, apply, set};
use super::http2_form::{HeadOnce, Http2Form, Http2Head};
use super::upload::{FilePart, Upload};
use super::{arguments, multipart};

/// A request that is complete except for cookies.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) url: Rc<Url>,
    pub(crate) method: Rc<str>,
    pub(crate) target: Rc<Target>,
    /// Head and body, but for files.
    pub(crate) bytes: Vec<u8>,
    /// Files, and where in the body's bytes they go.
    pub(crate) files: Vec<(usize, FileRef)>,
    /// Where a `Cookie` line goes: in place of the plan's own, or after the plan's headers.
    pub(crate) cookie_at: Range<usize>,
    /// All headers in order.
    pub(crate) headers: Vec<Line>,
    /// How many of them the plan gave; the rest is HttpClient's.
    pub(crate) own: usize,
    /// The body as JMeter shows it.
    pub(crate) body_text: Text,
    /// The request asks for the connection to be closed.
    pub(crate) closes: bool,
    /// Its body waits for `100 Continue`, or for a while
    /// (`HttpEntityEnclosingRequest.expectContinue`).
    pub(crate) expects_continue: bool,
    /// The same for HTTP/2.
    http2: Http2Form,
    /// Length of the body's bytes.
    body_len: usize,
}

/// What a request is made of. `following`: it answers a redirect, so it has no body. `last`: as in
/// [`Route`].
pub(crate) fn build(
    evaluated: &RequestValues,
    settings: &Settings,
    url: &Rc<Url>,
    method: &Rc<str>,
    (following, last): (bool, Option<&Request>),
) -> Result<Request, Failure> {
    if !is_token(method) {
        return Err(Failure::method(method));
    }
    let mut lines = own_lines(evaluated, settings, url);
    let body = body(evaluated, settings, method, following, &mut lines)?;
    finish(url, method, lines, body, &Route { proxy: evaluated.texts.proxy.as_ref(), settings, last })
}

/// What JMeter shows of a request that HttpClient does not send: the plan's headers and the body.
pub(crate) fn unsent(
    evaluated: &RequestValues,
    settings: &Settings,
    url: &Url,
    method: &str,
    following: bool,
) -> (String, Text) {
    let mut lines = own_lines(evaluated, settings, url);
    let body = body(evaluated, settings, method, following, &mut lines);
    let text = body.ok().flatten().map(|body| body.text).unwrap_or_default();
    (headers_text(&lines), text)
}

/// The cookies that the plan's headers give to a request that is not sent.
pub(crate) fn unsent_cookies(evaluated: &RequestValues, settings: &Settings, url: &Url) -> String {
    own_cookies(&own_lines(evaluated, settings, url))
}

fn own_cookies(lines: &[Line]) -> String {
    let cookies = lines.iter().filter(|(name, _)| name.eq_ignore_ascii_case("Cookie"));
    let lines: Vec<String> = cookies.map(|(name, value)| format!("{name}: {value}")).collect();
    lines.join("\n").get("Cookie: ".len()..).unwrap_or_default().trim().to_owned()
}

/// The headers that the plan gives.
fn own_lines(evaluated: &RequestValues, settings: &Settings, url: &Url) -> Vec<Line> {
    let mut lines = Vec::with_capacity(evaluated.texts.headers.len() + 6);
    let connection = if evaluated.texts.keep_alive { "keep-alive" } else { "close" };
    lines.push((Text::Static("Connection"), Text::Static(connection)));
    apply(&evaluated.texts.headers, url, settings.as_given, &mut lines);
    lines
}

/// Headers as JMeter shows them: all but cookies.
fn headers_text(lines: &[Line]) -> String {
    let shown = lines.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("Cookie"));
    shown.flat_map(|(name, value)| [&**name, ": ", &**value, "\n"]).collect()
}

fn body(
    evaluated: &RequestValues,
    settings: &Settings,
    method: &str,
    following: bool,
    lines: &mut Vec<Line>,
) -> Result<Option<Body>, Failure> {
    match method {
        "HEAD" | "OPTIONS" | "TRACE" => Ok(None),
        "GET" if following || !evaluated.raw && file_body(evaluated).is_none() => Ok(None),
        _ => entity(evaluated, settings, lines).map(Some),
    }
}

/// The file that is the body.
fn file_body(evaluated: &RequestValues) -> Option<&FilePart> {
    evaluated.texts.upload.as_ref().filter(|_| evaluated.texts.parameters.is_empty())?.body()
}

/// The body of a request that has one.
fn entity(evaluated: &RequestValues, settings: &Settings, lines: &mut Vec<Line>) -> Result<Body, Failure> {
    let texts = &evaluated.texts;
    let Some(charset) = Charset::of(texts.encoding()) else {
        return Err(Failure::charset(texts.encoding()));
    };
    let upload = texts.upload.as_ref();
    if let Some(upload) = upload.filter(|upload| upload.is_multipart()) {
        lines.retain(|(name, _)| !name.eq_ignore_ascii_case("Content-Type"));
        return multipart::form(upload, &texts.parameters, charset);
    }
    let form_type = || settings.add_content_type.then_some(Text::Static("application/x-www-form-urlencoded"));
    let own_type = upload
        .filter(|_| evaluated.raw || file_body(evaluated).is_some())
        .and_then(Upload::mime)
        .map(Text::from);
    let own_type = own_type.or_else(form_type);
    if let Some(part) = file_body(evaluated) {
        let file = part.file.clone().expect("files are looked up before the request is built");
        let files = vec![(0, file)];
        let text = Text::Static(multipart::OMITTED);
        return Ok(Body { bytes: Vec::new(), files, text, own_type, content_type: None });
    }
    let (text, kind) = if evaluated.raw {
        (arguments::raw_body(&texts.parameters, charset), "text/plain")
    } else {
        (arguments::form_body(&texts.parameters, charset)?, "application/x-www-form-urlencoded")
    };
    let mut bytes = Vec::with_capacity(text.len());
    charset.encode_into(&text, &mut bytes);
    let content_type = Some(format!("{kind}; charset={}", charset.name()));
    Ok(Body { bytes, files: Vec::new(), text: text.into(), own_type, content_type })
}

fn has(lines: &[Line], name: &str) -> bool {
    lines.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// The route of a request, and the previous request, parts of which can be reused.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    /// The sampler's own proxy.
    pub(crate) proxy: Option<&'a Rc<Proxy>>,
    pub(crate) settings: &'a Settings,
    /// A request by the same sampler and settings: where it went to the same place, what it has of
    /// that is taken over.
    pub(crate) last: Option<&'a Request>,
}

impl Route<'_> {
    /// What of the last request holds for this URL.
    fn same_place(&self, url: &Url) -> Option<&Request> {
        self.last.filter(|last| last.url.is_same_place(url))
    }

    fn target(&self, url: &Url) -> Result<Rc<Target>, Failure> {
        let proxy = self.proxy.or_else(|| self.settings.proxy.as_ref()?.for_host(url.host()));
        if let Some(last) = self.same_place(url).filter(|last| last.target.proxy.as_ref() == proxy) {
            return Ok(last.target.clone());
        }
        let Some(host) = url.target_host() else { return Err(Failure::no_host(url)) };
        let Ok(port) = u16::try_from(url.port_or_default()) else {
            return Err(Failure::port_range(url.port_or_default()));
        };
        let host = host.to_ascii_lowercase().into();
        let user = url.authority().rsplit_once('@').map(|(user, _)| user.into());
        Ok(Rc::new(Target { secure: url.is_secure(), host, port, user, proxy: proxy.cloned() }))
    }

    /// The value of `Host` where the plan gives none.
    fn host(&self, url: &Url) -> Text {
        let added = self.same_place(url).map(|last| &last.headers[last.own..]).unwrap_or_default();
        let known = added.iter().find(|(name, _)| **name == *"Host");
        known.map_or_else(|| Text::from(url.host_header().to_owned()), |(_, value)| value.clone())
    }
}

/// Adds HttpClient's headers and writes the bytes.
pub(crate) fn finish(
    url: &Rc<Url>,
    method: &Rc<str>,
    mut lines: Vec<Line>,
    body: Option<Body>,
    route: &Route<'_>,
) -> Result<Request, Failure> {
    let target = route.target(url)?;
    let own = lines.len();
    let typed =
        lines.iter().any(|(name, value)| name.eq_ignore_ascii_case("Content-Type") && !value.is_empty());
    if let Some(kind) = body.as_ref().and_then(|body| body.own_type.clone()).filter(|_| !typed) {
        set(&mut lines, "Content-Type", kind);
    }
    if let Some(body) = &body {
        if has(&lines, "Transfer-Encoding") {
            return Err(Failure::transfer_encoding());
        }
        lines.push((Text::Static("Content-Length"), body.len().to_string().into()));
        if let Some(kind) = body.content_type.clone().filter(|_| !has(&lines, "Content-Type")) {
            lines.push((Text::Static("Content-Type"), kind.into()));
        }
    }
    if !has(&lines, "Host") {
        lines.push((Text::Static("Host"), route.host(url)));
    }
    if target.is_proxied() && !has(&lines, "Proxy-Connection") {
        lines.push((Text::Static("Proxy-Connection"), Text::Static("Keep-Alive")));
    }
    if let Some(agent) = route.settings.user_agent
        && !has(&lines, "User-Agent")
    {
        lines.push((Text::Static("User-Agent"), Text::Static(agent)));
    }
    let first = first_line(method, &target, url, route.settings.as_given);
    let place = (url.clone(), method.clone(), target);
    let Some(body) = body else {
        return Ok(Request::write(place, &first, lines, own, &[], Text::EMPTY));
    };
    let request = Request::write(place, &first, lines, own, &body.bytes, body.text);
    let expects_continue = expects_continue(&request.headers);
    Ok(Request { files: body.files, expects_continue, ..request })
}

/// The first header of that name counts.
fn expects_continue(lines: &[Line]) -> bool {
    let expect = lines.iter().find(|(name, _)| name.eq_ignore_ascii_case("Expect"));
    expect.is_some_and(|(_, value)| value.eq_ignore_ascii_case("100-continue"))
}

/// The request line. `as_given`: empty segments of the path stay.
fn first_line(method: &str, target: &Target, url: &Url, as_given: bool) -> Vec<u8> {
    let line_target = match (target.is_proxied(), as_given) {
        (true, _) => url.absolute_target(),
        (false, true) => url.target_as_given(),
        (false, false) => url.target(),
    };
    let mut line = Vec::with_capacity(method.len() + line_target.len() + 14);
    write_request_line(method, &line_target, &mut line);
    line
}

impl Request {
    fn write(
        (url, method, target): (Rc<Url>, Rc<str>, Rc<Target>),
        first_line: &[u8],
        lines: Vec<Line>,
        own: usize,
        body: &[u8],
        body_text: Text,
    ) -> Self {
        let in_lines: usize = lines.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
        let mut out = Vec::with_capacity(first_line.len() + 2 + in_lines + body.len());
        out.extend_from_slice(first_line);
        let mut cookie_at = None;
        for (i, (name, value)) in lines.iter().enumerate() {
            let start = out.len();
            if i == own && cookie_at.is_none() {
                cookie_at = Some(start..start);
            }
            write_header(name, value, &mut out);
            if cookie_at.is_none() && name.eq_ignore_ascii_case("Cookie") {
                cookie_at = Some(start..out.len());
            }
        }
        let cookie_at = cookie_at.unwrap_or(out.len()..out.len());
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(body);
        let closes = lines.iter().any(|(n, v)| n.eq_ignore_ascii_case("Connection") && closes(v));
        let files = Vec::new();
        let body_len = body.len();
        Self {
            url,
            method,
            target,
            bytes: out,
            files,
            cookie_at,
            headers: lines,
            own,
            body_text,
            closes,
            expects_continue: false,
            http2: Http2Form::default(),
            body_len,
        }
    }

    /// The head for HTTP/2. `cookie`: what the Cookie Manager adds; `lines`: a buffer for lines.
    ///
    /// # Errors
    /// A header that HTTP/2 does not allow.
    pub(crate) fn http2<'a>(
        &'a self,
        cookie: Option<&str>,
        lines: &'a mut Vec<u8>,
    ) -> Result<Http2Head<'a>, InvalidField> {
        let line = self.first_line();
        let head = &self.bytes[..self.bytes.len() - self.body_len - 2];
        let before = &head[line.len()..self.cookie_at.start];
        let own_cookies = &head[self.cookie_at.clone()];
        let after = &head[self.cookie_at.end..];
        let prepared = self.http2.prepared(line, || [before, after].concat(), &self.target)?;
        lines.clear();
        if prepared.is_none() {
            lines.extend_from_slice(before);
        }
        match cookie {
            Some(cookie) => write_header("Cookie", cookie, lines),
            None => lines.extend_from_slice(own_cookies),
        }
        let Some(prepared) = prepared else {
            lines.extend_from_slice(after);
            return Ok(Http2Head::Once(HeadOnce::with_lines(line, lines, &self.target)));
        };
        Ok(Http2Head::Again(HeadAgain { prepared, own: lines }))
    }

    /// The same request made conditional. JMeter sets these headers before `Cookie`.
    pub(crate) fn conditional(&self, validators: &Validators) -> Self {
        let mut own: Vec<Line> = self.headers[..self.own].to_vec();
        if let Some(date) = &validators.last_modified {
            set(&mut own, "If-Modified-Since", date.clone().into());
        }
        if let Some(etag) = &validators.etag {
            set(&mut own, "If-None-Match", etag.clone().into());
        }
        let len = own.len();
        own.extend_from_slice(&self.headers[self.own..]);
        let body = self.body();
        let request = Self::write(self.place(), self.first_line(), own, len, body, self.body_text.clone());
        Self { files: self.files.clone(), expects_continue: self.expects_continue, ..request }
    }

    /// The same request with an `Authorization` header, at the end as HttpClient sets it, in place
    /// of one that is there.
    pub(crate) fn authorized(&self, value: &str) -> Self {
        self.with_last("Authorization", value)
    }

    /// The same for a proxy.
    pub(crate) fn proxy_authorized(&self, value: &str) -> Self {
        self.with_last("Proxy-Authorization", value)
    }

    fn with_last(&self, name: &'static str, value: &str) -> Self {
        let mut lines = self.headers.clone();
        let mut at = 0;
        lines.retain(|(known, _)| {
            at += 1;
            at <= self.own || **known != *name
        });
        lines.push((Text::Static(name), value.to_owned().into()));
        let body = self.body();
        let text = self.body_text.clone();
        let request = Self::write(self.place(), self.first_line(), lines, self.own, body, text);
        Self { files: self.files.clone(), expects_continue: self.expects_continue, ..request }
    }

    fn place(&self) -> (Rc<Url>, Rc<str>, Rc<Target>) {
        (self.url.clone(), self.method.clone(), self.target.clone())
    }

    /// The request line with its end.
    fn first_line(&self) -> &[u8] {
        let end = self.bytes.iter().position(|&b| b == b'\n').map_or(0, |at| at + 1);
        &self.bytes[..end]
    }

    /// The target in the request line.
    pub(crate) fn line_target(&self) -> String {
        let line = self.bytes.split(|&b| b == b'\r').next().unwrap_or_default();
        let target = line.split(|&b| b == b' ').nth(1).unwrap_or_default();
        latin1::decode(target)
    }

    /// The body with its files.
    ///
    /// # Errors
    /// A file could not be read.
    pub(crate) fn whole_body(&self) -> Result<Vec<u8>, Failure> {
        let body = self.body();
        let mut out = Vec::new();
        let mut from = 0;
        for (at, file) in &self.files {
            out.extend_from_slice(&body[from..*at]);
            out.extend_from_slice(file.content()?);
            from = *at;
        }
        out.extend_from_slice(&body[from..]);
        Ok(out)
    }

    /// Length of the head with a cookie or without, of all bytes.
    pub(crate) fn head_len(&self, bytes: &[u8]) -> usize {
        bytes.len() - self.body_len
    }

    /// The body, but for files.
    pub(crate) fn body(&self) -> &[u8] {
        &self.bytes[self.bytes.len() - self.body_len..]
    }

    /// Appends the bytes with a `Cookie` header.
    pub(crate) fn with_cookie_into(&self, cookie: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..self.cookie_at.start]);
        write_header("Cookie", cookie, out);
        out.extend_from_slice(&self.bytes[self.cookie_at.end..]);
    }

    /// The headers as JMeter shows them: all but cookies.
    pub(crate) fn headers_text(&self) -> String {
        headers_text(&self.headers)
    }

    /// The cookies that the plan's headers give, as JMeter shows them.
    pub(crate) fn own_cookies(&self) -> String {
        own_cookies(&self.headers)
    }
}
