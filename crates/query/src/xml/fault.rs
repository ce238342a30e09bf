//! Why a document is not well-formed.

use std::fmt;

/// The corresponding exception of Java.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlErrorKind {
    /// `SAXParseException`: the document is not well-formed.
    Malformed,
    /// `IOException`: the bytes cannot be read, or something else that is needed cannot.
    Input,
}

/// Why parsing failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlError {
    /// Which exception.
    pub kind: XmlErrorKind,
    /// Its message.
    pub message: String,
    /// Line and column, from 1, in UTF-16 units; none where the document ended too early.
    pub place: Option<(usize, usize)>,
}

impl XmlError {
    pub(crate) fn input(message: String) -> Self {
        Self { kind: XmlErrorKind::Input, message, place: None }
    }

    pub(crate) fn malformed(message: String) -> Self {
        Self { kind: XmlErrorKind::Malformed, message, place: None }
    }

    /// As `SAXParseException.toString` shows it.
    pub fn with_place(&self) -> String {
        match self.place {
            Some((line, column)) => format!(
                "org.xml.sax.SAXParseException; lineNumber: {line}; columnNumber: {column}; {}",
                self.message
            ),
            None => format!("org.xml.sax.SAXParseException; {}", self.message),
        }
    }
}

impl fmt::Display for XmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error at a position of a text.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) kind: XmlErrorKind,
    pub(super) message: String,
    /// Bytes from the start; none where Xerces knows no place.
    pub(super) at: Option<usize>,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { kind: XmlErrorKind::Malformed, message: message.into(), at: Some(at) }
    }

    /// The text ends inside of something.
    pub(super) fn cut(at: usize) -> Self {
        Self::new(at, "XML document structures must start and end within the same entity.")
    }

    pub(super) fn located(self, text: &str) -> XmlError {
        XmlError { kind: self.kind, message: self.message, place: self.at.map(|at| place(text, at)) }
    }
}

/// Line and column of a position.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let ends = before.matches('\n').count() + before.matches('\r').count() - before.matches("\r\n").count();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    (ends + 1, before[start..].encode_utf16().count() + 1)
}
