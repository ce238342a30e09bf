//! An exchange as an HTTP Request with what is below it.

use swell_plan::{Element, Node};

use super::form;
use super::label::path_label;
use super::responses;
use super::url::{Origin, Target, target};
use super::{Files, is_made_by_client};
use crate::elements::{self, Content, ContentPart, ContentValue, FormField, literal};
use crate::model::{Auth, Body, Exchange, Field, Header, Part, PartValue, Pause, Text, safe_name};
use crate::notes::Notes;

/// What the requests of a thread group share.
pub(super) struct Shared<'a> {
    /// Where requests without a host go.
    pub(super) defaults: Option<&'a Origin>,
    /// Headers of the thread group.
    pub(super) headers: Vec<Header>,
}

/// The request, or none with a note if it cannot be sent.
pub(super) fn sampler(
    exchange: &Exchange,
    shared: &Shared<'_>,
    files: &mut Files,
    notes: &mut Notes,
) -> Option<Node> {
    let place = &exchange.place;
    let wanted = match checked(exchange) {
        Ok(wanted) => wanted,
        Err(reason) => {
            let what: String = format!("{} {:?}", exchange.method, exchange.url).chars().take(100).collect();
            notes.left_out(place, what, reason);
            return None;
        }
    };
    let label = label(exchange, &wanted, shared);
    if !wanted.encoded.is_empty() {
        let reason = format!("`{}` is sent percent-encoded: JMeter refuses it in a URL", wanted.encoded);
        notes.changed(place, &label, reason);
    }
    let path = wanted.path.to_plan();
    let element =
        elements::http_request(&literal(&label), &exchange.method, &path, exchange.follows_redirects, true);
    let element = with_origin(element, &wanted, shared);
    let element = with_options(elements::with_comment(element, &literal(&exchange.comment)), exchange);
    let (content, is_plain) = content(exchange, files);
    let element = if is_plain { element } else { element.with_text("HTTPSampler.contentEncoding", "UTF-8") };
    note_type(exchange, &content, &label, notes);
    note_order(exchange, &label, notes);
    let element = elements::with_content(element, content);
    let element = if exchange.is_disabled { element.disabled() } else { element };
    let auth = exchange.auth.clone().or_else(|| {
        wanted.user.as_ref().map(|(user, password)| Auth {
            user: Text::literal(user),
            password: Text::literal(password),
            is_digest: false,
        })
    });
    let below = below(exchange, auth.as_ref(), shared, notes, &label);
    notes.taken(place, label, "");
    Some(below.into_iter().fold(Node::new(element), |node, child| node.with(Node::new(child))))
}

fn checked(exchange: &Exchange) -> Result<Target, String> {
    let is_token = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    };
    if !is_token(&exchange.method) {
        return Err(format!("invalid method `{}`", exchange.method.chars().take(40).collect::<String>()));
    }
    if exchange.method.contains('$') {
        return Err("JMeter would read `$` in its method as a variable".to_owned());
    }
    target(&exchange.url)
}

fn label(exchange: &Exchange, wanted: &Target, shared: &Shared<'_>) -> String {
    if let Some(name) = exchange.name.as_ref().filter(|name| !name.trim().is_empty()) {
        return name.trim().to_owned();
    }
    let path = path_label(&wanted.path);
    if wanted.is_whole {
        // The place is in a variable, as in `{{host}}/login`.
        let after = path.split_once("://").map_or(&*path, |(_, after)| after);
        let path = after.find('/').map_or(after, |slash| &after[slash..]);
        return format!("{} {path}", exchange.method);
    }
    match &wanted.origin {
        Some(origin) if shared.defaults != Some(origin) => {
            format!("{} {}{path}", exchange.method, origin.authority())
        }
        _ => format!("{} {path}", exchange.method),
    }
}

fn with_origin(element: Element, wanted: &Target, shared: &Shared<'_>) -> Element {
    match &wanted.origin {
        Some(origin) if shared.defaults != Some(origin) => element
            .with_text("HTTPSampler.domain", &literal(&origin.host))
            .with_text("HTTPSampler.port", &origin.port.to_string())
            .with_text("HTTPSampler.protocol", &origin.protocol),
        _ => element,
    }
}

fn with_options(mut element: Element, exchange: &Exchange) -> Element {
    if let Some((connect, response)) = exchange.timeout_ms {
        for (name, time) in [("connect", connect), ("response", response)] {
            if time > 0 {
                element.set_text(&format!("HTTPSampler.{name}_timeout"), &time.to_string());
            }
        }
    }
    if let Some((host, port)) = &exchange.proxy {
        element = element
            .with_text("HTTPSampler.proxyHost", &literal(host))
            .with_text("HTTPSampler.proxyPort", &port.to_string());
    }
    if exchange.embeds {
        element = element
            .with_flag("HTTPSampler.image_parser", true)
            .with_flag("HTTPSampler.concurrentDwn", true)
            .with_text("HTTPSampler.concurrentPool", "6");
    }
    element
}

/// The content, and whether all of it is ASCII.
fn content(exchange: &Exchange, files: &mut Files) -> (Content, bool) {
    let file = |path: &str, mime: &str| Content::File(literal(path), literal(mime));
    match &exchange.body {
        Body::None => (Content::None, true),
        Body::Text(text) => text_content(exchange, text, files),
        Body::Bytes(bytes) => (file(&files.add("bin", bytes), ""), true),
        Body::File { path, mime } => (file(path, mime), true),
        Body::Form(fields) if exchange.method == "POST" && fields.iter().all(form::can_be_a_field) => {
            form_content(fields)
        }
        Body::Form(fields) => (Content::Raw(form::text(fields).to_plan()), true),
        // JMeter would put its texts into the query.
        Body::Multipart(_) if has_no_parts(&exchange.method) => (Content::None, true),
        Body::Multipart(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| content_part(part, files)).collect();
            let is_plain = parts.iter().all(|part| {
                part.name.is_ascii() && !matches!(&part.value, ContentValue::Text(text) if !text.is_ascii())
            });
            (Content::Parts(parts), is_plain)
        }
    }
}

/// More than this makes a plan hard to read; it is a file next to it.
const LARGEST_TEXT: usize = 1 << 20;

/// Whether a body is too long for a plan, or has characters that XML cannot have.
fn belongs_in_file(text: &str) -> bool {
    text.len() > LARGEST_TEXT || text.chars().any(is_not_xml)
}

pub(super) fn is_not_xml(c: char) -> bool {
    c < ' ' && !matches!(c, '\t' | '\n' | '\r') || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

fn text_content(exchange: &Exchange, text: &Text, files: &mut Files) -> (Content, bool) {
    if text.is_empty() {
        return (Content::None, true);
    }
    if let Some(text) = text.as_literal().filter(|text| belongs_in_file(text)) {
        return (Content::File(literal(&files.add("txt", text.as_bytes())), String::new()), true);
    }
    let mime = exchange.header("Content-Type").and_then(Text::as_literal).unwrap_or_default();
    let is_form = exchange.method == "POST" && mime.to_ascii_lowercase().starts_with(form::TYPE);
    if let Some(fields) = is_form.then(|| form::fields(text)).flatten() {
        return form_content(&fields);
    }
    let plan = text.to_plan();
    let is_plain = plan.is_ascii();
    (Content::Raw(plan), is_plain)
}

fn form_content(fields: &[Field]) -> (Content, bool) {
    let field = |field: &Field| FormField {
        name: field.name.to_plan(),
        value: Some(field.value.to_plan()),
        is_encoded_by_client: field.is_plain,
    };
    let fields: Vec<FormField> = fields.iter().map(field).collect();
    let is_ascii =
        |field: &FormField| field.name.is_ascii() && field.value.as_deref().is_none_or(str::is_ascii);
    let is_plain = fields.iter().all(is_ascii);
    (Content::Form(fields), is_plain)
}

fn content_part(part: &Part, files: &mut Files) -> ContentPart {
    let value = match &part.value {
        PartValue::Text(text) => ContentValue::Text(text.to_plan()),
        PartValue::File(path) => ContentValue::File(literal(path)),
        PartValue::Bytes(name, bytes) => ContentValue::File(literal(&files.add_named(name, bytes))),
    };
    ContentPart { name: literal(&part.name), value, mime: literal(&part.mime) }
}

/// JMeter sends a type where the source has none.
fn note_type(exchange: &Exchange, content: &Content, label: &str, notes: &mut Notes) {
    if exchange.header("Content-Type").is_some() {
        return;
    }
    let added = match content {
        Content::None if matches!(&*exchange.method, "POST" | "PUT" | "PATCH" | "DELETE") => {
            "application/x-www-form-urlencoded"
        }
        Content::Raw(_) => "text/plain",
        _ => return,
    };
    let reason = format!("JMeter sends `Content-Type: {added}` with it, the source has no type");
    notes.changed(&exchange.place, label, reason);
}

/// Whether JMeter has no body in parts for a method.
fn has_no_parts(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}

/// JMeter sends texts before files.
fn note_order(exchange: &Exchange, label: &str, notes: &mut Notes) {
    let Body::Multipart(parts) = &exchange.body else { return };
    if has_no_parts(&exchange.method) {
        let reason = format!("JMeter sends no body in parts with {}", exchange.method);
        notes.left_out(&exchange.place, format!("body of {label}"), reason);
        return;
    }
    let is_text = |part: &Part| matches!(part.value, PartValue::Text(_));
    let first_file = parts.iter().position(|part| !is_text(part)).unwrap_or(parts.len());
    if parts[first_file..].iter().any(is_text) {
        notes.changed(&exchange.place, label, "JMeter sends the texts of a multipart body before its files");
    }
}

/// Headers, credentials, think time, scripts, extractors and assertions.
fn below(
    exchange: &Exchange,
    auth: Option<&Auth>,
    shared: &Shared<'_>,
    notes: &mut Notes,
    label: &str,
) -> Vec<Element> {
    let mut all = Vec::new();
    let headers: Vec<_> = own_headers(exchange, shared, notes, label);
    if !headers.is_empty() {
        let headers =
            headers.iter().map(|header| elements::header(&literal(&header.name), &header.value.to_plan()));
        all.push(elements::header_manager("Headers", headers));
    }
    if let Some(auth) = auth {
        // An empty URL would fit no request, so it is the beginning of all.
        let entry = |scheme: &str| {
            elements::authorization(scheme, &auth.user.to_plan(), &auth.password.to_plan(), auth.is_digest)
        };
        all.push(elements::auth_manager("Credentials", [entry("http"), entry("https")]));
    }
    if !exchange.sets.is_empty() {
        let values = exchange.sets.iter().map(|(name, value)| (safe_name(name), value.to_plan()));
        all.push(elements::user_parameters("Variables", values));
    }
    all.extend(exchange.pause.as_ref().map(timer));
    all.extend(exchange.scripts.iter().map(responses::script));
    all.extend(exchange.captures.iter().map(responses::extractor));
    all.extend(exchange.checks.iter().map(responses::assertion));
    all
}

pub(super) fn timer(pause: &Pause) -> Element {
    match pause {
        Pause::Fixed(ms) => elements::constant_timer("Think time", &ms.to_string()),
        Pause::Between(least, most) => elements::random_timer("Think time", *least, *most),
        Pause::Expression(text) => elements::constant_timer("Think time", &text.to_plan()),
    }
}

/// Headers that the thread group does not have.
fn own_headers<'a>(
    exchange: &'a Exchange,
    shared: &Shared<'_>,
    notes: &mut Notes,
    label: &str,
) -> Vec<&'a Header> {
    let mut own = Vec::new();
    for header in &exchange.headers {
        if shared.headers.contains(header)
            || is_made_by_client(&header.name) && !is_other_host(header, exchange)
        {
            continue;
        }
        if matches!(exchange.body, Body::Multipart(_)) && header.name.eq_ignore_ascii_case("content-type") {
            continue;
        }
        let value = header.value.to_plan();
        if !is_header_name(&header.name) || value.chars().any(|c| c.is_control() && c != '\t') {
            let name: String = header.name.chars().take(60).collect();
            notes.left_out(
                &exchange.place,
                format!("header `{name}` of {label}"),
                "it is not a valid header",
            );
            continue;
        }
        own.push(header);
    }
    own
}

/// A `Host` that the URL does not say, for a site that is asked for under another name.
fn is_other_host(header: &Header, exchange: &Exchange) -> bool {
    if !header.name.eq_ignore_ascii_case("host") {
        return false;
    }
    let origin = target(&exchange.url).ok().and_then(|target| target.origin);
    let Some(origin) = origin else { return header.value.as_literal().is_none() };
    let given = header.value.to_plan();
    let with_port = format!("{}:{}", origin.host, origin.port);
    ![&origin.host, &with_port].iter().any(|host| host.eq_ignore_ascii_case(&given))
}

pub(super) fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic() && c != ':')
}
