//! What happens with a response: values that are taken, and what must hold.

use super::text::Text;

/// A value of the response that becomes a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The variable.
    pub variable: String,
    /// Where the value is.
    pub from: CaptureFrom,
    /// A variable whose value is searched instead of the response (a chain of filters). Not for
    /// header, status and URL.
    pub of: Option<String>,
    /// Which match: 1 the first, 0 a random one, -1 all (`name_1`, `name_2`, … and `name_matchNr`).
    pub match_number: i32,
    /// The value where nothing matches.
    pub default: String,
    /// The redirects that led to the response are searched, too.
    pub in_redirects: bool,
    /// A remark, as `guess`.
    pub comment: String,
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureFrom {
    /// A JSONPath expression in the spelling of Jayway.
    JsonPath(String),
    /// The same with variables in it.
    JsonPathText(Text),
    /// An XPath 1 expression.
    XPath {
        /// The expression.
        path: String,
        /// The document is HTML as browsers read it, not XML.
        is_html: bool,
    },
    /// A CSS selector; an empty attribute is the text of the element.
    Css {
        /// Selector.
        selector: String,
        /// Attribute.
        attribute: String,
    },
    /// A regular expression on the body; the value is its group of this number.
    Regex(String, u32),
    /// The same with variables in it.
    RegexText(Text, u32),
    /// What is between two texts in the body.
    Between(String, String),
    /// What is between two texts in the headers of the response.
    HeaderBetween(String, String),
    /// The value of a response header.
    Header(String),
    /// The value of a cookie that the response sets.
    Cookie(String),
    /// The status.
    Status,
    /// The whole body.
    Body,
    /// The URL of the last request, after redirects.
    Url,
    /// This text, whatever the response is. It has no `$`.
    Constant(String),
    /// The value of an expression in Groovy over `prev`, `vars`. Only built by readers, never
    /// copied from a source.
    Groovy(String),
}

/// Something that must hold for the response; else the sample fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Name; empty: made of what is checked.
    pub name: String,
    /// What is checked.
    pub of: CheckOf,
}

/// What is checked.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckOf {
    /// The status.
    Status(Comparison),
    /// The value of a response header. `Exists` holds if the header is there.
    Header(String, Comparison),
    /// The body.
    Body(Comparison),
    /// The final URL.
    Url(Comparison),
    /// A variable, as captures before it set it.
    Variable(String, Comparison),
    /// The value of a JSONPath. `Exists` holds if it has a match.
    JsonPath(String, Comparison),
    /// The same for a path with variables in it.
    JsonPathText(Text, Comparison),
    /// The number of nodes that an XPath finds is not 0, or it is true; `false` inverts it.
    XPath(String, bool),
    /// The same for a document that is HTML as browsers read it.
    HtmlXPath(String, bool),
    /// The duration is at most these milliseconds.
    AtMostMs(u64),
    /// The body has this number of bytes.
    SizeOf(u64),
    /// The body has this MD5 hash, in hexadecimal digits.
    Md5(String),
    /// An expression in Groovy over `prev`, `vars`, that is true. For what the others cannot say;
    /// only built by readers, never copied from a source.
    Groovy(String),
}

/// How a value is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It equals this.
    Equals(Text),
    /// It does not equal this.
    Differs(Text),
    /// It contains this.
    Contains(Text),
    /// It does not contain this.
    Lacks(Text),
    /// A part of it matches this regular expression.
    Matches(Text),
    /// No part of it does.
    MatchesNot(Text),
    /// The whole of it matches this regular expression.
    IsMatch(Text),
    /// It begins with this.
    StartsWith(String),
    /// It ends with this.
    EndsWith(String),
    /// It is there.
    Exists,
    /// It is not there.
    Missing,
    /// It is one of these.
    OneOf(Vec<Text>),
}

/// A script. One that comes from a source is written switched off, so that it never runs unread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// When it runs.
    pub when: ScriptWhen,
    /// Its language, as `groovy` or `javascript`.
    pub language: String,
    /// Its text. In a disabled script it is data; else readers wrote it.
    pub text: String,
    /// Whether it runs.
    pub runs: bool,
}

/// When a script runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptWhen {
    /// Before the request.
    Before,
    /// After the response.
    After,
}

impl Capture {
    /// The first match, `NOT_FOUND` without one.
    pub fn new(variable: &str, from: CaptureFrom) -> Self {
        Self {
            variable: variable.to_owned(),
            from,
            of: None,
            match_number: 1,
            default: "NOT_FOUND".to_owned(),
            in_redirects: false,
            comment: String::new(),
        }
    }
}

impl Check {
    /// A check that is named after what it checks.
    pub fn new(of: CheckOf) -> Self {
        Self { name: String::new(), of }
    }

    /// The status equals this number.
    pub fn status(status: u16) -> Self {
        Self::new(CheckOf::Status(Comparison::Equals(Text::literal(status.to_string()))))
    }
}
