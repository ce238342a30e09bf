//! Whether fields make a valid head (RFC 9113 §8.2, §8.3).

use std::ops::{ControlFlow, Range};

use crate::hpack::{FIELD_OVERHEAD, FieldAt, NameSource};
use crate::lines::{is_lower_token, is_of_connection, is_target, is_token, is_value};

/// What a head is the head of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Request,
    Response,
    Trailers,
}

/// What a head says beyond its fields as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HeadFacts {
    pub(super) status: u16,
    /// In the values of pseudo-header fields, as the next three.
    pub(super) method: Range<usize>,
    pub(super) scheme: Range<usize>,
    pub(super) authority: Range<usize>,
    pub(super) path: Range<usize>,
    pub(super) content_length: Option<u64>,
}

/// Looks at the fields of a head one after the other.
///
/// A broken rule is kept until the end: the whole head is decoded, since later heads may refer to
/// its fields.
#[derive(Debug)]
pub(super) struct HeadReader {
    form: Form,
    size: usize,
    size_max: usize,
    has_fields: bool,
    broken: Option<&'static str>,
    facts: HeadFacts,
}

impl HeadReader {
    pub(super) fn new(form: Form, size_max: u32) -> Self {
        Self {
            form,
            size: 0,
            size_max: size_max as usize,
            has_fields: false,
            broken: None,
            facts: HeadFacts::default(),
        }
    }

    /// Takes the field at the end of `text`: leaves a line there, or moves the value of a
    /// pseudo-header field to `pseudo`. Breaks where the head is too large.
    pub(super) fn take(
        &mut self,
        text: &mut Vec<u8>,
        field: FieldAt,
        pseudo: &mut Vec<u8>,
    ) -> ControlFlow<()> {
        let name = field.name(text);
        let value = field.value(text);
        self.size += FIELD_OVERHEAD + name.len() + value.len();
        if self.size > self.size_max {
            return ControlFlow::Break(());
        }
        if name.first() == Some(&b':') {
            if let Err(rule) = self.pseudo(name, value, pseudo) {
                self.broken.get_or_insert(rule);
            }
            text.truncate(field.start);
        } else {
            self.has_fields = true;
            if let Err(rule) = self.regular(name, value, field.source == NameSource::StaticTable) {
                self.broken.get_or_insert(rule);
            }
            text.extend_from_slice(b"\r\n");
        }
        ControlFlow::Continue(())
    }

    fn regular(&mut self, name: &[u8], value: &[u8], has_static_name: bool) -> Result<(), &'static str> {
        if !has_static_name && !is_lower_token(name) {
            return Err("a field name with capitals or other characters that are not allowed");
        }
        if !is_value(value) {
            return Err("a field value with a line end, NUL, or blanks at its ends");
        }
        if is_of_connection(name, value) {
            return Err("a field about the connection, as HTTP/1.1 has");
        }
        if name == b"content-length" {
            let length = number(value).ok_or("content-length is not a number")?;
            if self.facts.content_length.is_some_and(|before| before != length) {
                return Err("two values of content-length");
            }
            self.facts.content_length = Some(length);
        }
        Ok(())
    }

    fn pseudo(&mut self, name: &[u8], value: &[u8], pseudo: &mut Vec<u8>) -> Result<(), &'static str> {
        if self.has_fields {
            return Err("a pseudo-header field after other fields");
        }
        let facts = &mut self.facts;
        let place = match (self.form, name) {
            (Form::Response, b":status") => {
                if facts.status != 0 {
                    return Err(":status twice");
                }
                facts.status = status(value).ok_or(":status is not a number from 100 to 999")?;
                return Ok(());
            }
            (Form::Request, b":method") => &mut facts.method,
            (Form::Request, b":scheme") => &mut facts.scheme,
            (Form::Request, b":authority") => &mut facts.authority,
            (Form::Request, b":path") => &mut facts.path,
            (Form::Trailers, _) => return Err("a pseudo-header field in trailers"),
            _ => return Err("an unknown pseudo-header field"),
        };
        if *place != (0..0) {
            return Err("a pseudo-header field twice");
        }
        if value.is_empty() || !is_target(value) {
            return Err("a pseudo-header field that is empty or has characters that are not allowed");
        }
        *place = pseudo.len()..pseudo.len() + value.len();
        pseudo.extend_from_slice(value);
        Ok(())
    }

    /// What the fields count together.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The facts of the whole head, or the first rule that it breaks.
    pub(super) fn finish(self, pseudo: &[u8]) -> Result<HeadFacts, &'static str> {
        let facts = self.facts;
        if let Some(rule) = self.broken {
            return Err(rule);
        }
        match self.form {
            Form::Response if facts.status == 0 => return Err("a response without :status"),
            Form::Request => check_request(&facts, pseudo)?,
            _ => {}
        }
        Ok(facts)
    }
}

fn check_request(facts: &HeadFacts, pseudo: &[u8]) -> Result<(), &'static str> {
    let method = &pseudo[facts.method.clone()];
    let path = &pseudo[facts.path.clone()];
    if !is_token(method) {
        return Err("a request without a valid :method");
    }
    if method == b"CONNECT" {
        let is_valid = path.is_empty() && facts.scheme.is_empty() && !facts.authority.is_empty();
        return if is_valid { Ok(()) } else { Err("CONNECT has :authority only") };
    }
    if facts.scheme.is_empty() {
        return Err("a request without :scheme");
    }
    match path.first() {
        Some(b'/') => Ok(()),
        Some(b'*') if path == b"*" => Ok(()),
        Some(_) => Err(":path does not begin with a slash"),
        None => Err("a request without :path"),
    }
}

fn number(value: &[u8]) -> Option<u64> {
    let digits = value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()
}

fn status(value: &[u8]) -> Option<u16> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    let [hundreds, tens, ones] = value else { return None };
    let status = digit(*hundreds)? * 100 + digit(*tens)? * 10 + digit(*ones)?;
    (status >= 100).then_some(status)
}
