//! What is sent: method, headers, body, forms, as properties of an HTTP Request.

use std::time::Duration;

use swell_http1::is_token;
use swell_import::elements::{
    Content, ContentPart, ContentValue, FormField, header, header_manager, http_request, literal,
    with_content,
};
use swell_plan::Element;

use crate::args::HitArgs;
use crate::exit::Failure;

use super::text_file::read_text;
use super::urls::Address;

/// Time-out where none is given: a silent server fails requests instead of holding up the test.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The HTTP Request of a URL, called by that name.
///
/// # Errors
/// A method that is none, a body that cannot be read, a field without a name.
pub(super) fn sampler(args: &HitArgs, address: &Address, name: &str) -> Result<Element, Failure> {
    let content = content(args)?;
    let url = &address.url;
    // JMeter's 0 is no limit, too.
    let timeout = args.request.timeout.unwrap_or(DEFAULT_TIMEOUT).as_millis().to_string();
    let method = method(args, &content)?;
    let follows = args.request.follow;
    let keeps_alive = !args.request.no_keepalive;
    let request = http_request(&literal(name), method, &address.path(), follows, keeps_alive)
        .with_text("HTTPSampler.domain", url.host_str().unwrap_or_default())
        .with_text("HTTPSampler.port", &url.port().map(|port| port.to_string()).unwrap_or_default())
        .with_text("HTTPSampler.protocol", url.scheme())
        .with_text("HTTPSampler.connect_timeout", &timeout)
        .with_text("HTTPSampler.response_timeout", &timeout);
    let request = if args.request.sse { request.with_text("swell.http.events", "true") } else { request };
    Ok(with_content(request, content))
}

fn method<'a>(args: &'a HitArgs, content: &Content) -> Result<&'a str, Failure> {
    let Some(method) = &args.request.method else {
        return Ok(if matches!(content, Content::None) { "GET" } else { "POST" });
    };
    if is_token(method) {
        return Ok(method);
    }
    Err(Failure::settings(format!("invalid HTTP method `{method}`"))
        .hint("a method is a word such as GET, POST or PROPFIND, without blanks"))
}

fn content(args: &HitArgs) -> Result<Content, Failure> {
    let request = &args.request;
    if let Some(text) = &request.body {
        return body(text, request.functions);
    }
    if !request.form.is_empty() {
        let fields = request.form.iter().map(|given| form_field(given, request.functions));
        let fields: Vec<_> = fields.collect::<Result<_, _>>()?;
        return Ok(Content::Form(fields));
    }
    if !request.multipart.is_empty() {
        let parts = request.multipart.iter().map(|given| part(given, request.functions));
        return Ok(Content::Parts(parts.collect::<Result<_, _>>()?));
    }
    Ok(Content::None)
}

/// A larger file is read while it is sent, instead of being a part of the plan.
const LARGEST_TEXT: u64 = 1 << 20;

/// The text of `-b`, or what the file that it names holds.
fn body(given: &str, functions: bool) -> Result<Content, Failure> {
    let Some(file) = given.strip_prefix('@') else { return Ok(Content::Raw(text(given, functions))) };
    let whole = || Content::File(literal(file), "application/octet-stream".to_owned());
    let cannot =
        |error: std::io::Error| Failure::settings(format!("cannot read the body from `{file}`: {error}"));
    let meta = std::fs::metadata(file).map_err(cannot)?;
    if meta.is_file() {
        std::fs::File::open(file).map_err(cannot)?;
    }
    if meta.is_file() && meta.len() > LARGEST_TEXT {
        return Ok(whole());
    }
    match read_text(file.as_ref()) {
        // Lines end as they do in the file only where a plan's text holds them as they are.
        Ok(content) if !content.contains(['\0', '\r']) => Ok(Content::Raw(text(&content, functions))),
        Err(error) if !meta.is_file() || error.kind() != std::io::ErrorKind::InvalidData => {
            Err(cannot(error))
        }
        _ => Ok(whole()),
    }
}

fn form_field(given: &str, functions: bool) -> Result<FormField, Failure> {
    let (name, value) = field(given, "--form")?;
    let value = Some(text(&value, functions));
    Ok(FormField { name: literal(&name), value, is_encoded_by_client: true })
}

fn field(text: &str, option: &str) -> Result<(String, String), Failure> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let Some((name, value)) = parts else {
        return Err(Failure::settings(format!("{option} `{text}` has no name"))
            .hint(format!("write {option} NAME=VALUE")));
    };
    if option == "--form" && value.starts_with('@') && std::path::Path::new(&value[1..]).is_file() {
        return Err(Failure::settings(format!(
            "{option} `{text}`: a file does not fit into a URL-encoded form"
        ))
        .hint(format!("send it as a part: --multipart '{text}'")));
    }
    Ok((name.to_owned(), value.to_owned()))
}

fn part(given: &str, functions: bool) -> Result<ContentPart, Failure> {
    let (name, value) = field(given, "--multipart")?;
    let Some(file) = value.strip_prefix('@') else {
        let value = ContentValue::Text(text(&value, functions));
        return Ok(ContentPart { name: literal(&name), value, mime: String::new() });
    };
    let (file, mime) = file.split_once(";type=").unwrap_or((file, "application/octet-stream"));
    std::fs::File::open(file).map_err(|error| {
        Failure::settings(format!("cannot read `{file}` for --multipart {name}: {error}"))
    })?;
    Ok(ContentPart { name: literal(&name), value: ContentValue::File(literal(file)), mime: literal(mime) })
}

/// The Header Manager of all requests; `authorization`: a line of it.
///
/// # Errors
/// A header that is none.
pub(super) fn headers(args: &HitArgs, authorization: Option<String>) -> Result<Element, Failure> {
    let mut pairs = Vec::new();
    for header in &args.request.headers {
        let Some((name, value)) = header.split_once(':').filter(|(name, _)| is_token(name.trim())) else {
            return Err(Failure::settings(format!("invalid header `{header}`")).hint("write `Name: value`"));
        };
        if value.contains(['\r', '\n', '\0']) {
            return Err(Failure::settings(format!("header `{}` has a line end in its value", name.trim()))
                .hint("give each header a separate -H"));
        }
        pairs.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) =
            value.filter(|_| !pairs.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)))
        {
            pairs.push((name.to_owned(), value));
        }
    };
    let is_json = args.request.sse && args.request.body.is_some();
    let json = is_json.then(|| "application/json".to_owned());
    add("Content-Type", args.request.content_type.clone().or(json));
    add("Authorization", authorization);
    add("User-Agent", Some(concat!("swell/", env!("CARGO_PKG_VERSION")).to_owned()));
    let headers = pairs.iter().map(|(name, value)| header(name, &text(value, args.request.functions)));
    Ok(header_manager("Headers", headers))
}

/// Text of a plan that is evaluated for each request, or goes out as it is.
fn text(text: &str, functions: bool) -> String {
    if functions { text.to_owned() } else { literal(text) }
}
