//! HTTP Request.

use swell_plan::Element;

/// What goes with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    None,
    /// A body.
    Raw(String),
    /// The bytes of a file are the body: path and type.
    File(String, String),
    /// Fields of a form.
    Form(Vec<FormField>),
    /// Parts of a multipart body.
    Parts(Vec<ContentPart>),
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormField {
    /// Name.
    pub name: String,
    /// Value; none: the name alone, without `=`.
    pub value: Option<String>,
    /// Whether the client encodes both.
    pub is_encoded_by_client: bool,
}

/// A part of a multipart body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentPart {
    /// Name.
    pub name: String,
    /// Text or file.
    pub value: ContentValue,
    /// Type; may be empty.
    pub mime: String,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentValue {
    /// A text.
    Text(String),
    /// A file.
    File(String),
}

/// An HTTP Request without content.
pub fn http_request(
    name: &str,
    method: &str,
    path: &str,
    follows_redirects: bool,
    keeps_alive: bool,
) -> Element {
    Element::new("HTTPSamplerProxy", "HttpTestSampleGui", name)
        .with_text("HTTPSampler.path", path)
        .with_text("HTTPSampler.method", method)
        .with_flag("HTTPSampler.follow_redirects", follows_redirects)
        .with_flag("HTTPSampler.auto_redirects", false)
        .with_flag("HTTPSampler.use_keepalive", keeps_alive)
}

/// The request with its content.
#[must_use]
pub fn with_content(request: Element, content: Content) -> Element {
    match content {
        Content::None => request.with_element("HTTPsampler.Arguments", arguments(Vec::new())),
        Content::Raw(body) => {
            let field = FormField { name: String::new(), value: Some(body), is_encoded_by_client: false };
            request
                .with_flag("HTTPSampler.postBodyRaw", true)
                .with_element("HTTPsampler.Arguments", arguments(vec![argument(&field, "")]))
        }
        Content::File(path, mime) => {
            request.with_element("HTTPsampler.Files", files(vec![file(&path, "", &mime)]))
        }
        Content::Form(fields) => {
            let fields = fields.iter().map(|field| argument(field, "")).collect();
            request.with_element("HTTPsampler.Arguments", arguments(fields))
        }
        Content::Parts(parts) => with_parts(request, parts),
    }
}

fn with_parts(request: Element, parts: Vec<ContentPart>) -> Element {
    let mut texts = Vec::new();
    let mut sent = Vec::new();
    for ContentPart { name, value, mime } in parts {
        match value {
            ContentValue::Text(value) => {
                let field = FormField { name, value: Some(value), is_encoded_by_client: false };
                texts.push(argument(&field, &mime));
            }
            ContentValue::File(path) => sent.push(file(&path, &name, &mime)),
        }
    }
    // As browsers and curl do: a part without a file names no type.
    request
        .with_flag("HTTPSampler.DO_MULTIPART_POST", true)
        .with_flag("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", true)
        .with_element("HTTPsampler.Arguments", arguments(texts))
        .with_element("HTTPsampler.Files", files(sent))
}

pub(super) fn arguments(all: Vec<Element>) -> Element {
    Element::new("Arguments", "HTTPArgumentsPanel", "").with_elements("Arguments.arguments", all)
}

fn argument(field: &FormField, mime: &str) -> Element {
    let argument = Element::new("HTTPArgument", "HTTPArgument", "")
        .with_flag("HTTPArgument.always_encode", field.is_encoded_by_client)
        .with_text("Argument.value", field.value.as_deref().unwrap_or_default())
        .with_text("Argument.metadata", "=");
    let argument = match (&*field.name, mime) {
        ("", _) => return argument,
        (_, "") => argument,
        (_, mime) => argument.with_text("HTTPArgument.content_type", mime),
    };
    let argument = argument.with_flag("HTTPArgument.use_equals", field.value.is_some());
    argument.with_text("Argument.name", &field.name)
}

fn files(all: Vec<Element>) -> Element {
    Element::new("HTTPFileArgs", "", "").with_elements("HTTPFileArgs.files", all)
}

/// A file that is sent: the whole body if it has no name.
fn file(path: &str, name: &str, mime: &str) -> Element {
    Element::new("HTTPFileArg", "", "")
        .with_text("File.path", path)
        .with_text("File.paramname", name)
        .with_text("File.mimetype", mime)
}
