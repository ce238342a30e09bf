//! A file of Hurl as a tree.

/// A request, and what its response has to be.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) request: Request,
    pub(super) response: Option<Response>,
}

#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Byte of the method.
    pub(super) at: usize,
    /// Name in a comment before it: `# @name login`.
    pub(super) name: Option<String>,
    pub(super) method: String,
    pub(super) url: Template,
    pub(super) headers: Vec<KeyValue>,
    pub(super) sections: Vec<Section>,
    pub(super) body: Option<Body>,
}

#[derive(Clone, Debug)]
pub(super) struct Response {
    /// `1.0`, `1.1`, `2`, `3`; none: any.
    pub(super) version: Option<&'static str>,
    /// Byte of the version.
    pub(super) at: usize,
    /// None: any.
    pub(super) status: Option<u64>,
    pub(super) headers: Vec<KeyValue>,
    pub(super) captures: Vec<Capture>,
    pub(super) asserts: Vec<Assert>,
    pub(super) body: Option<Body>,
}

#[derive(Clone, Debug)]
pub(super) enum Section {
    Query(Vec<KeyValue>),
    Form(Vec<KeyValue>),
    Multipart(Vec<Part>),
    Cookies(Vec<KeyValue>),
    BasicAuth(Option<KeyValue>),
    Options(Vec<EntryOption>),
}

#[derive(Clone, Debug)]
pub(super) struct KeyValue {
    pub(super) key: Template,
    pub(super) value: Template,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(KeyValue),
    File { key: Template, file: Template, mime: Option<Template> },
}

#[derive(Clone, Debug)]
pub(super) struct EntryOption {
    /// Byte of the name.
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) value: OptionValue,
}

#[derive(Clone, Debug)]
pub(super) enum OptionValue {
    Text(Template),
    Flag(bool),
    Number(i64),
    /// Milliseconds, if a unit is given; else in the unit of the option.
    Time(u64, Option<u64>),
    Expr(Expr),
    Variable(String, Constant),
}

/// A value of a variable.
#[derive(Clone, Debug)]
pub(super) enum Constant {
    Null,
    Flag(bool),
    Number(Number),
    Text(Template),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Big(String),
    Float(f64, String),
}

impl Number {
    /// As it is written.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Integer(number) => number.to_string(),
            Self::Big(text) | Self::Float(_, text) => text.clone(),
        }
    }
}

/// A text with expressions.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    pub(super) at: usize,
    pub(super) pieces: Vec<Piece>,
}

impl Template {
    pub(super) fn literal(at: usize, text: &str) -> Self {
        Self { at, pieces: vec![Piece::Text(text.to_owned())] }
    }

    /// The text, if no expression is in it.
    pub(super) fn as_literal(&self) -> Option<&str> {
        match &*self.pieces {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(String),
    Expr(Expr),
    /// An expression that is a whole value of JSON.
    JsonValue(Expr),
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) at: usize,
    pub(super) kind: ExprKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExprKind {
    Variable(String),
    NewUuid,
    NewDate,
}

#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) at: usize,
    pub(super) content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Json(Template),
    Xml(String),
    /// A text between backticks.
    Text(Template),
    /// A text of several lines with its language: `json`, `xml`, `graphql` or nothing.
    Lines(&'static str, Template),
    /// A query of GraphQL with variables, which are JSON.
    Graphql(Template, Option<Template>),
    Bytes(Vec<u8>),
    File(Template),
}

#[derive(Clone, Debug)]
pub(super) struct Capture {
    pub(super) name: Template,
    pub(super) query: Query,
    pub(super) filters: Vec<Filter>,
    pub(super) is_redacted: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Assert {
    pub(super) query: Query,
    pub(super) filters: Vec<Filter>,
    pub(super) is_not: bool,
    pub(super) predicate: Predicate,
    /// Its text in the file.
    pub(super) source: String,
}

#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) at: usize,
    pub(super) kind: QueryKind,
}

#[derive(Clone, Debug)]
pub(super) enum QueryKind {
    Status,
    Version,
    Url,
    Header(Template),
    Cookie(Template, Option<String>),
    Body,
    XPath(Template),
    JsonPath(Template),
    Regex(Pattern),
    Variable(Template),
    Duration,
    Bytes,
    Sha256,
    Md5,
    Certificate,
    Ip,
}

/// A regular expression; `/…/` or a text in quotes.
#[derive(Clone, Debug)]
pub(super) struct Pattern(pub(super) Template);

#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) at: usize,
    pub(super) kind: FilterKind,
}

#[derive(Clone, Debug)]
pub(super) enum FilterKind {
    Count,
    JsonPath(Template),
    Nth(u64),
    Regex(Pattern),
    ToInt,
    ToFloat,
    ToText,
    XPath,
    /// All matches of an expression, by a text.
    Replace(Pattern, Template),
    /// The parts of a text between others.
    Split(Template),
    /// One that only Hurl can compute.
    Other(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Predicate {
    pub(super) at: usize,
    pub(super) kind: PredicateKind,
}

#[derive(Clone, Debug)]
pub(super) enum PredicateKind {
    Equal(Value),
    NotEqual(Value),
    Greater(Value),
    GreaterOrEqual(Value),
    Less(Value),
    LessOrEqual(Value),
    StartsWith(Value),
    EndsWith(Value),
    Contains(Value),
    Includes(Value),
    Matches(Value),
    Exists,
    IsEmpty,
    /// `isInteger` and others that look at the kind of a value.
    Is(&'static str),
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Flag(bool),
    Number(Number),
    Text(Template),
    Expr(Expr),
    Regex(Template),
    Bytes(Vec<u8>),
    File,
}
