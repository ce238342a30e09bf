//! What is sent: method, headers, body, forms, as properties of an HTTP Request.

use std::time::Duration;

use swell_http1::is_token;
use swell_plan::Element;

use crate::args::HitArgs;
use crate::exit::Failure;

use super::text_file::read_text;
use super::urls::Address;

/// Time-out where none is given: a silent server fails requests instead of holding up the test.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// What goes with each request.
enum Content {
    None,
    Raw(String),
    /// The bytes of a file.
    File(String),
    Form(Vec<(String, String)>),
    Parts(Vec<Part>),
}

/// A part of a multipart body.
struct Part {
    name: String,
    value: Value,
    mime: String,
}

enum Value {
    Text(String),
    File(String),
}

/// The HTTP Request of a URL, called by that name.
///
/// # Errors
/// A method that is none, a body that cannot be read, a field without a name.
pub(super) fn sampler(args: &HitArgs, address: &Address, name: &str) -> Result<Element, Failure> {
    let content = content(args)?;
    let url = &address.url;
    // JMeter's 0 is no limit, too.
    let timeout = args.request.timeout.unwrap_or(DEFAULT_TIMEOUT).as_millis().to_string();
    let sampler = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", &literal(name))
        .with_text("HTTPSampler.domain", url.host_str().unwrap_or_default())
        .with_text("HTTPSampler.port", &url.port().map(|port| port.to_string()).unwrap_or_default())
        .with_text("HTTPSampler.protocol", url.scheme())
        .with_text("HTTPSampler.path", &address.path())
        .with_text("HTTPSampler.method", method(args, &content)?)
        .with_flag("HTTPSampler.follow_redirects", args.request.follow)
        .with_flag("HTTPSampler.auto_redirects", false)
        .with_flag("HTTPSampler.use_keepalive", !args.request.no_keepalive)
        .with_text("HTTPSampler.connect_timeout", &timeout)
        .with_text("HTTPSampler.response_timeout", &timeout);
    Ok(with_content(sampler, content, args.request.functions))
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

fn with_content(sampler: Element, content: Content, functions: bool) -> Element {
    let arguments = |all: Vec<Element>| {
        Element::new("Arguments", "HTTPArgumentsPanel", "").with_elements("Arguments.arguments", all)
    };
    match content {
        Content::None => sampler,
        Content::Raw(body) => sampler.with_flag("HTTPSampler.postBodyRaw", true).with_element(
            "HTTPsampler.Arguments",
            arguments(vec![argument("", &text(&body, functions), false)]),
        ),
        Content::File(path) => sampler
            .with_element("HTTPsampler.Files", files(vec![file(&path, "", "application/octet-stream")])),
        Content::Form(fields) => {
            let fields =
                fields.iter().map(|(name, value)| argument(name, &text(value, functions), true)).collect();
            sampler.with_element("HTTPsampler.Arguments", arguments(fields))
        }
        Content::Parts(parts) => {
            let mut texts = Vec::new();
            let mut sent = Vec::new();
            for Part { name, value, mime } in parts {
                match value {
                    Value::Text(value) => texts.push(argument(&name, &text(&value, functions), false)),
                    Value::File(path) => sent.push(file(&path, &name, &mime)),
                }
            }
            // As browsers and curl do: a part that is no file names no type.
            sampler
                .with_flag("HTTPSampler.DO_MULTIPART_POST", true)
                .with_flag("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", true)
                .with_element("HTTPsampler.Arguments", arguments(texts))
                .with_element("HTTPsampler.Files", files(sent))
        }
    }
}

fn files(all: Vec<Element>) -> Element {
    Element::new("HTTPFileArgs", "", "").with_elements("HTTPFileArgs.files", all)
}

/// A file that is sent: the whole body, where it has no name.
fn file(path: &str, name: &str, mime: &str) -> Element {
    Element::new("HTTPFileArg", "", "")
        .with_text("File.path", &literal(path))
        .with_text("File.paramname", &literal(name))
        .with_text("File.mimetype", &literal(mime))
}

fn argument(name: &str, value: &str, encode: bool) -> Element {
    let argument = Element::new("HTTPArgument", "HTTPArgument", "")
        .with_flag("HTTPArgument.always_encode", encode)
        .with_text("Argument.value", value)
        .with_text("Argument.metadata", "=");
    if name.is_empty() { argument } else { argument.with_text("Argument.name", &literal(name)) }
}

fn content(args: &HitArgs) -> Result<Content, Failure> {
    let request = &args.request;
    if let Some(text) = &request.body {
        return body(text);
    }
    if !request.form.is_empty() {
        let fields = request.form.iter().map(|text| field(text, "--form"));
        let fields: Vec<_> = fields.collect::<Result<_, _>>()?;
        return Ok(Content::Form(fields));
    }
    if !request.multipart.is_empty() {
        let parts = request.multipart.iter().map(|text| part(text));
        return Ok(Content::Parts(parts.collect::<Result<_, _>>()?));
    }
    Ok(Content::None)
}

/// A larger file is read while it is sent, instead of being a part of the plan.
const LARGEST_TEXT: u64 = 1 << 20;

/// The text of `-b`, or what the file that it names holds.
fn body(text: &str) -> Result<Content, Failure> {
    let Some(file) = text.strip_prefix('@') else { return Ok(Content::Raw(text.to_owned())) };
    let cannot =
        |error: std::io::Error| Failure::settings(format!("cannot read the body from `{file}`: {error}"));
    let meta = std::fs::metadata(file).map_err(cannot)?;
    if meta.is_file() {
        std::fs::File::open(file).map_err(cannot)?;
    }
    if meta.is_file() && meta.len() > LARGEST_TEXT {
        return Ok(Content::File(file.to_owned()));
    }
    match read_text(file.as_ref()) {
        // Lines end as they do in the file only where a plan's text holds them as they are.
        Ok(text) if !text.contains(['\0', '\r']) => Ok(Content::Raw(text)),
        Err(error) if !meta.is_file() || error.kind() != std::io::ErrorKind::InvalidData => {
            Err(cannot(error))
        }
        _ => Ok(Content::File(file.to_owned())),
    }
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

fn part(text: &str) -> Result<Part, Failure> {
    let (name, value) = field(text, "--multipart")?;
    let Some(file) = value.strip_prefix('@') else {
        return Ok(Part { name, value: Value::Text(value), mime: String::new() });
    };
    let (file, mime) = file.split_once(";type=").unwrap_or((file, "application/octet-stream"));
    let file = file.to_owned();
    let mime = mime.to_owned();
    std::fs::File::open(&file).map_err(|error| {
        Failure::settings(format!("cannot read `{file}` for --multipart {name}: {error}"))
    })?;
    Ok(Part { name, value: Value::File(file), mime })
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
    add("Content-Type", args.request.content_type.clone());
    add("Authorization", authorization);
    add("User-Agent", Some(concat!("swell/", env!("CARGO_PKG_VERSION")).to_owned()));
    let headers = pairs.into_iter().map(|(name, value)| {
        Element::new("Header", "", "")
            .with_text("Header.name", &name)
            .with_text("Header.value", &text(&value, args.request.functions))
    });
    Ok(Element::new("HeaderManager", "HeaderPanel", "Headers")
        .with_elements("HeaderManager.headers", headers))
}

/// Text of a plan that is evaluated for each request, or goes out as it is.
fn text(text: &str, functions: bool) -> String {
    if functions { text.to_owned() } else { literal(text) }
}

/// Written so that the expression language gives it back as it is. It leaves a text without a reference untouched, even
/// its backslashes, so `\${` alone would stay as it stands.
pub(super) fn literal(text: &str) -> String {
    if text.contains("${") {
        text.replace('\\', "\\\\").replace("${", "${__char(36)}{")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_in_bodies_are_data() {
        assert_eq!(literal("a$b\\c"), "a$b\\c");
        assert_eq!(literal("${x} \\ $"), "${__char(36)}{x} \\\\ $");
    }
}
