//! One request, and what came back for it.

use super::check::{Capture, Check, Script};
use super::text::Text;
use crate::source::Place;

/// One request, what came back for it when it was recorded, and what to do with its next response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchange {
    /// Label; none: made of method and path, with `*` for ids.
    pub name: Option<String>,
    /// A remark of the source, or of a later step.
    pub comment: String,
    /// Method. One that is no token of HTTP is refused by the writer.
    pub method: String,
    /// URL: whole, or a path of the base. It may begin with a variable.
    pub url: Text,
    /// Headers in order, with their spelling.
    pub headers: Vec<Header>,
    /// Body.
    pub body: Body,
    /// User and password.
    pub auth: Option<Auth>,
    /// Whether redirects are followed; their targets are no further exchanges then.
    pub follows_redirects: bool,
    /// Limit for connecting, and for the rest of the response.
    pub timeout_ms: Option<(u64, u64)>,
    /// Proxy: host and port.
    pub proxy: Option<(String, u16)>,
    /// Think time before the request.
    pub pause: Option<Pause>,
    /// Variables that are set before the request, in order.
    pub sets: Vec<(String, Text)>,
    /// Values that are taken from the response, in order.
    pub captures: Vec<Capture>,
    /// What must hold for the response.
    pub checks: Vec<Check>,
    /// Scripts, in order.
    pub scripts: Vec<Script>,
    /// Whether the sampler downloads what a page names.
    pub embeds: bool,
    /// Whether it is switched off: in the plan, not in the run.
    pub is_disabled: bool,
    /// The recorded response.
    pub response: Option<Response>,
    /// When it was sent, and how long it took, in milliseconds since some fixed time.
    pub at_ms: Option<(f64, f64)>,
    /// The page or step that it belongs to in a recording.
    pub page: Option<Page>,
    /// Where it is in the source.
    pub place: Place,
}

/// A page or step of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What tells it from others.
    pub id: String,
    /// Its title; may be empty.
    pub title: String,
}

/// A header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Name, with its spelling.
    pub name: String,
    /// Value.
    pub value: Text,
}

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// None.
    #[default]
    None,
    /// A text, sent as it is, in UTF-8.
    Text(Text),
    /// Bytes that are no text: a file next to the plan.
    Bytes(Vec<u8>),
    /// A file in the folder of the plan; see [`crate::inside_path`].
    File {
        /// Its path.
        path: String,
        /// Its type, for requests without `Content-Type`; may be empty.
        mime: String,
    },
    /// Fields of `application/x-www-form-urlencoded`. For POST; other methods send it as a text.
    Form(Vec<Field>),
    /// Parts of `multipart/form-data`. The client makes the boundary and `Content-Type`.
    Multipart(Vec<Part>),
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: Text,
    /// Value.
    pub value: Text,
    /// Name and value are encoded when they are sent; else they are encoded already.
    pub is_plain: bool,
}

/// A part of a multipart body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Content.
    pub value: PartValue,
    /// Type; empty: none for a text.
    pub mime: String,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartValue {
    /// A text.
    Text(Text),
    /// A file in the folder of the plan; see [`crate::inside_path`].
    File(String),
    /// The content of a file that becomes one next to the plan, with its name.
    Bytes(String, Vec<u8>),
}

/// User and password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auth {
    /// User.
    pub user: Text,
    /// Password. Data becomes a property, unless secrets are kept.
    pub password: Text,
    /// Digest instead of basic authentication.
    pub is_digest: bool,
}

/// A think time before a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Pause {
    /// Milliseconds.
    Fixed(u64),
    /// Between two numbers of milliseconds, evenly.
    Between(u64, u64),
    /// An expression that gives milliseconds.
    Expression(Text),
}

/// A recorded response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Status.
    pub status: u16,
    /// Headers, those of redirects before it first.
    pub headers: Vec<(String, String)>,
    /// How many of them redirects have.
    pub redirect_headers: usize,
    /// Type, as `text/html; charset=utf-8`.
    pub mime: String,
    /// Body as text, decoded; empty if it was not recorded or is no text.
    pub text: String,
}

impl Exchange {
    /// A request.
    pub fn new(method: &str, url: Text, place: Place) -> Self {
        Self { method: method.to_owned(), url, place, ..Self::default() }
    }

    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<&Text> {
        self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| &header.value)
    }

    /// Adds a header at the end.
    pub fn add_header(&mut self, name: &str, value: impl Into<Text>) {
        self.headers.push(Header { name: name.to_owned(), value: value.into() });
    }
}

impl Response {
    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }
}
