//! HAR 1.1 and 1.2 of browsers, proxies and test tools. Fields that the specification requires are
//! missing in many files, so all are optional.

mod file;
mod multipart;
mod places;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use self::file::{Content, Entry, File, NameValue, PostData, Request};
use self::places::entry_offsets;
use super::{Format, ReadError};
use crate::inside::inside_path;
use crate::model::{Body, Document, Exchange, Field, Flow, Header, Page, Part, PartValue, Response, Text};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source, SourceText};
use crate::time::milliseconds;

pub(super) const FORMAT: Format = Format { name: "har", title: "HAR", fits, read };

fn fits(start: &str) -> bool {
    let start = start.trim_start();
    start.starts_with('{')
        && start.contains("\"log\"")
        && ["\"entries\"", "\"creator\"", "\"pages\""].iter().any(|name| start.contains(name))
}

fn read(source: &Source<'_>, _options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let file: File<'_> = serde_json::from_str(&text.text).map_err(|error| json_error(&text, &error))?;
    let Some(log) = file.log else {
        return Err(ReadError::new(text.at(1, 1), "not a HAR file: it has no `log`"));
    };
    let offsets = entry_offsets(&text.text);
    let mut exchanges: Vec<Exchange> = Vec::new();
    let mut sites = Sites::new(&text, &offsets);
    for (index, entry) in log.entries.iter().enumerate() {
        let place = sites.place(index);
        match exchange(entry, &place, notes) {
            Ok(mut exchange) => {
                exchange.page = entry.pageref.as_deref().map(|id| Page {
                    id: id.to_owned(),
                    title: log
                        .pages
                        .iter()
                        .find(|page| page.id == id)
                        .map(|page| page.title.to_string())
                        .unwrap_or_default(),
                });
                exchanges.push(exchange);
            }
            Err(LeftOut { what, reason, is_noise: true }) => notes.dropped(&place, what, reason),
            Err(LeftOut { what, reason, is_noise: false }) => notes.left_out(&place, what, reason),
        }
    }
    // Proxies write entries when they end. A stable sort keeps those without a time where they are.
    if exchanges.iter().all(|exchange| exchange.at_ms.is_some()) {
        exchanges.sort_by(|a, b| start(a).total_cmp(&start(b)));
    }
    let flow = Flow { is_recording: true, ..Flow::of("", exchanges) };
    Ok(Document { flows: vec![flow], ..Document::default() })
}

fn start(exchange: &Exchange) -> f64 {
    exchange.at_ms.map_or(0.0, |(start, _)| start)
}

fn json_error(text: &SourceText<'_>, error: &serde_json::Error) -> ReadError {
    let place = text.at(
        u32::try_from(error.line()).unwrap_or(u32::MAX),
        u32::try_from(error.column().max(1)).unwrap_or(u32::MAX),
    );
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    if error.is_eof() {
        let hint = "the file was cut off: save or copy it again";
        return ReadError::new(place, format!("not a whole HAR file: {message}")).hint(hint);
    }
    ReadError::new(place, format!("not a HAR file: {message}"))
}

/// Places of entries, counted on from one to the next.
struct Sites<'a> {
    text: &'a SourceText<'a>,
    offsets: &'a [usize],
    at: usize,
    line: u32,
    /// Byte at which the line begins.
    start: usize,
}

impl<'a> Sites<'a> {
    fn new(text: &'a SourceText<'a>, offsets: &'a [usize]) -> Self {
        Self { text, offsets, at: 0, line: 1, start: 0 }
    }

    fn place(&mut self, index: usize) -> Place {
        let Some(offset) = self.offsets.get(index).copied().filter(|offset| *offset >= self.at) else {
            return self.text.at(0, 0);
        };
        // A file in one line is read once, too.
        let between = &self.text.text.as_bytes()[self.at..offset];
        let lines = memchr::memchr_iter(b'\n', between).count();
        if let Some(last) = memchr::memrchr(b'\n', between) {
            self.start = self.at + last + 1;
        }
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.at = offset;
        // In bytes: a line may have the whole file.
        self.text.at(self.line, u32::try_from(offset - self.start + 1).unwrap_or(u32::MAX))
    }
}

struct LeftOut {
    what: String,
    reason: String,
    /// It is not a request of the user.
    is_noise: bool,
}

fn exchange(entry: &Entry<'_>, place: &Place, notes: &mut Notes) -> Result<Exchange, LeftOut> {
    let Some(request) = entry.request.as_ref() else {
        let what = "an entry".to_owned();
        return Err(LeftOut { what, reason: "it has no request".to_owned(), is_noise: false });
    };
    let method = request.method.trim();
    let short: String = request.url.split(['?', '#']).next().unwrap_or_default().chars().take(100).collect();
    let what = format!("{method} {short}").trim().to_owned();
    if let Some((reason, is_noise)) = obstacle(entry, request) {
        return Err(LeftOut { what, reason: reason.to_owned(), is_noise });
    }
    let mut exchange = Exchange::new(method, Text::literal(&*request.url), place.clone());
    for header in request.headers.iter().filter(|header| is_header(header, method)) {
        let is_cookie = |known: &&mut Header| {
            known.name.eq_ignore_ascii_case("cookie") && header.name.eq_ignore_ascii_case("cookie")
        };
        match exchange.headers.iter_mut().find(is_cookie) {
            // HTTP/2 sends each cookie in a field, HTTP/1.1 all in one.
            Some(cookies) => cookies.value.push_literal(&format!("; {}", header.value())),
            None => exchange.add_header(&header.name, header.value().to_owned()),
        }
    }
    if exchange.header("Cookie").is_none() && !request.cookies.is_empty() {
        let pairs = request.cookies.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value()));
        exchange.add_header("Cookie", pairs.collect::<Vec<_>>().join("; "));
    }
    if let Some(data) = &request.post_data {
        body(&mut exchange, data).map_err(|reason| LeftOut {
            what: what.clone(),
            reason,
            is_noise: false,
        })?;
    }
    exchange.response = entry.response.as_ref().map(response);
    if exchange.response.as_ref().is_some_and(|response| response.status == 0) {
        notes.changed(place, &what, "it had no response when it was recorded, so nothing is checked");
    }
    exchange.at_ms = entry
        .started
        .as_deref()
        .and_then(milliseconds)
        .map(|start| (start, entry.time.filter(|time| time.is_finite() && *time >= 0.0).unwrap_or(0.0)));
    Ok(exchange)
}

/// Not a pseudo-header of HTTP/2, nor the request line, which WebPageTest writes among the headers.
fn is_header(header: &NameValue<'_>, method: &str) -> bool {
    let is_line = header.name.strip_prefix(method).is_some_and(|rest| rest.starts_with(' '));
    !header.name.starts_with(':') && !is_line
}

/// Why an entry is no request that can be sent, and whether the browser made it by itself.
fn obstacle(entry: &Entry<'_>, request: &Request<'_>) -> Option<(&'static str, bool)> {
    let method = request.method.trim();
    let scheme = request.url.split(':').next().unwrap_or_default().to_ascii_lowercase();
    match &*scheme {
        "http" | "https" => {}
        "data" | "blob" | "chrome-extension" | "about" | "file" | "chrome" => {
            return Some(("it does not use the network", true));
        }
        "ws" | "wss" => return Some(("a WebSocket cannot be imported", false)),
        _ => return Some(("its URL is neither http:// nor https://", false)),
    }
    if method.eq_ignore_ascii_case("CONNECT") {
        return Some(("it is the tunnel of a proxy", true));
    }
    if method.is_empty() {
        return Some(("it has no method", false));
    }
    let is_socket = entry.resource_type.as_deref() == Some("websocket") || has_upgrade(request);
    is_socket.then_some(("a WebSocket cannot be imported", false))
}

fn response(response: &file::Response<'_>) -> Response {
    let content = response.content.as_ref();
    let headers = response.headers.iter();
    Response {
        status: u16::try_from(response.status).unwrap_or(0),
        headers: headers.map(|header| (header.name.to_string(), header.value().to_owned())).collect(),
        mime: content.and_then(|content| content.mime_type.as_deref()).unwrap_or_default().to_owned(),
        text: content.map(content_text).unwrap_or_default(),
        redirect_headers: 0,
    }
}

fn has_upgrade(request: &Request<'_>) -> bool {
    request.headers.iter().any(|header| {
        header.name.eq_ignore_ascii_case("upgrade") && header.value().eq_ignore_ascii_case("websocket")
    })
}

fn content_text(content: &Content<'_>) -> String {
    let text = content.text.as_deref().unwrap_or_default();
    if content.encoding.as_deref() != Some("base64") {
        return text.to_owned();
    }
    STANDARD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// The body: the text if there is one, else what the parameters say.
///
/// # Errors
/// Why it cannot be sent.
fn body(exchange: &mut Exchange, data: &PostData<'_>) -> Result<(), String> {
    let declared = data.mime_type.as_deref().unwrap_or_default();
    let mime = exchange.header("Content-Type").and_then(Text::as_literal).unwrap_or(declared).to_owned();
    let text = data.text.as_deref().unwrap_or_default();
    let is_multipart = mime.to_ascii_lowercase().starts_with("multipart/form-data");
    if !text.is_empty() {
        let whole = match data.encoding.as_deref() {
            Some("base64") => {
                Body::Bytes(STANDARD.decode(text).map_err(|_| "its base64 body is invalid".to_owned())?)
            }
            _ => Body::Text(Text::literal(text)),
        };
        let parts = match &whole {
            Body::Bytes(bytes) => multipart::parts(&mime, bytes),
            _ => multipart::parts(&mime, text.as_bytes()),
        };
        exchange.body = parts.map_or(whole, Body::Multipart);
    } else if is_multipart && !data.params.is_empty() {
        exchange.body = Body::Multipart(data.params.iter().map(part).collect::<Result<_, _>>()?);
        return Ok(());
    } else if !data.params.is_empty() {
        exchange.body = form(&data.params);
    } else {
        return Ok(());
    }
    if exchange.header("Content-Type").is_none() && !declared.is_empty() {
        exchange.add_header("Content-Type", declared.to_owned());
    }
    Ok(())
}

/// Chrome writes parameters decoded, Firefox and others as they were sent: what has an escape or a
/// plus, and nothing that would need one, is sent as it is.
fn form(params: &[NameValue<'_>]) -> Body {
    let is_encoded =
        |text: &str| text.contains(['+', '%']) && text.is_ascii() && !text.contains([' ', '&', '=', '#']);
    let field = |param: &NameValue<'_>| Field {
        name: Text::literal(&*param.name),
        value: Text::literal(param.value()),
        is_plain: !is_encoded(&param.name) && !is_encoded(param.value()),
    };
    Body::Form(params.iter().map(field).collect())
}

fn part(param: &NameValue<'_>) -> Result<Part, String> {
    let mime = param.content_type.as_deref().unwrap_or_default().to_owned();
    let name = param.name.to_string();
    let Some(file) = param.file_name.as_deref().filter(|file| !file.is_empty()) else {
        return Ok(Part { name, value: PartValue::Text(Text::literal(param.value())), mime });
    };
    let value = match param.value.as_deref() {
        Some(content) if !content.is_empty() => {
            PartValue::Bytes(file.to_owned(), content.as_bytes().to_vec())
        }
        _ => {
            let path = inside_path(file).map_err(|reason| format!("it uploads `{file}`: {reason}"))?;
            return Err(format!("it uploads `{path}`, whose content was not recorded"));
        }
    };
    let mime = if mime.is_empty() { "application/octet-stream".to_owned() } else { mime };
    Ok(Part { name, value, mime })
}

#[cfg(test)]
mod tests;
