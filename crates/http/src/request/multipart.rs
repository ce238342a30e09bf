//! `multipart/form-data` as `MultipartEntityBuilder` writes it (RFC 7578; modes `RFC6532` and
//! `BROWSER_COMPATIBLE`).

use std::fmt::Write as _;
use std::rc::Rc;

use swell_expr::Charset;

use crate::failure::Failure;
use crate::files::FileRef;
use crate::text::mime::ContentType;

use super::arguments::is_skippable;
use super::body::Body;
use super::parameter::Parameter;
use super::upload::{FilePart, Upload};

/// What JMeter shows in place of a file.
pub(super) const OMITTED: &str = "<actual file content, not shown here>";

/// The form of parameters and files.
///
/// # Errors
/// A content type is none, a file has no parameter name.
pub(super) fn form(upload: &Upload, parameters: &[Parameter], charset: Charset) -> Result<Body, Failure> {
    let boundary = boundary();
    let mut form =
        Form { charset, browser: upload.browser, boundary: &boundary, bytes: vec![], files: vec![] };
    for (parameter, kind) in parameters.iter().zip(&upload.types).filter(|(p, _)| !is_skippable(&p.name)) {
        form.field(parameter, kind)?;
    }
    for file in &upload.files {
        form.file(file)?;
    }
    form.dashes_and_boundary();
    form.bytes.extend_from_slice(b"--\r\n");
    let text = form.shown();
    let Form { bytes, files, .. } = form;
    let mut content_type = format!("multipart/form-data; boundary={boundary}");
    if !upload.without_charset {
        content_type.push_str("; charset=");
        content_type.push_str(charset.name());
    }
    Ok(Body { bytes, files, text: text.into(), own_type: None, content_type: Some(content_type) })
}

/// 30 to 40 characters at random.
fn boundary() -> String {
    const CHARS: &[u8; 64] = b"-_1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let length = rand::random_range(30..=40);
    (0..length).map(|_| char::from(CHARS[rand::random_range(0..CHARS.len())])).collect()
}

struct Form<'b> {
    charset: Charset,
    browser: bool,
    boundary: &'b str,
    bytes: Vec<u8>,
    files: Vec<(usize, FileRef)>,
}

impl Form<'_> {
    fn field(&mut self, parameter: &Parameter, kind: &Rc<str>) -> Result<(), Failure> {
        let kind = if kind.contains(';') {
            ContentType::parse(kind)?
        } else {
            ContentType::create(kind, self.charset)?
        };
        self.part(&format!("form-data; name=\"{}\"", escaped(&parameter.name)));
        if !self.browser {
            self.header("Content-Type", &kind.text);
            self.header("Content-Transfer-Encoding", "8bit");
        }
        self.bytes.extend_from_slice(b"\r\n");
        kind.charset.unwrap_or(Charset::Ascii).encode_into(&parameter.value, &mut self.bytes);
        self.bytes.extend_from_slice(b"\r\n");
        Ok(())
    }

    fn file(&mut self, part: &FilePart) -> Result<(), Failure> {
        let kind = ContentType::parse(&part.mime)?;
        if part.name.trim().is_empty() {
            return Err(Failure::blank_name());
        }
        let file = part.file.as_ref().expect("files are looked up before the request is built");
        let charset = if self.browser { self.charset } else { Charset::default() };
        let file_name = escaped(&percent_encoded(&with_entities(file.name(), charset)));
        let name = escaped(&part.name);
        self.part(&format!("form-data; name=\"{name}\"; filename=\"{file_name}\""));
        self.header("Content-Type", &kind.text);
        if !self.browser {
            self.header("Content-Transfer-Encoding", "binary");
        }
        self.bytes.extend_from_slice(b"\r\n");
        self.files.push((self.bytes.len(), file.clone()));
        self.bytes.extend_from_slice(b"\r\n");
        Ok(())
    }

    fn part(&mut self, disposition: &str) {
        self.dashes_and_boundary();
        self.bytes.extend_from_slice(b"\r\n");
        self.header("Content-Disposition", disposition);
    }

    fn dashes_and_boundary(&mut self) {
        self.bytes.extend_from_slice(b"--");
        self.charset.encode_into(self.boundary, &mut self.bytes);
    }

    fn header(&mut self, name: &str, value: &str) {
        let charset = if self.browser { self.charset } else { Charset::default() };
        charset.encode_into(name, &mut self.bytes);
        self.bytes.extend_from_slice(b": ");
        charset.encode_into(value, &mut self.bytes);
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// The form as JMeter shows it.
    fn shown(&self) -> String {
        let mut bytes = Vec::with_capacity(self.bytes.len() + self.files.len() * OMITTED.len());
        let mut from = 0;
        for (at, _) in &self.files {
            bytes.extend_from_slice(&self.bytes[from..*at]);
            bytes.extend_from_slice(OMITTED.as_bytes());
            from = *at;
        }
        bytes.extend_from_slice(&self.bytes[from..]);
        self.charset.decode(&bytes).into_owned()
    }
}

/// `FormBodyPartBuilder.encodeForHeader`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '\r') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The text with `&#n` for characters that the charset does not have: JMeter forgets the semicolon
/// (`ConversionUtils.encodeWithEntities`).
fn with_entities(text: &str, charset: Charset) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '?' || charset.encode(c.encode_utf8(&mut [0; 4])) != b"?" {
            out.push(c);
        } else {
            write!(out, "&#{}", u32::from(c)).expect("writing to a String cannot fail");
        }
    }
    out
}

/// `ConversionUtils.percentEncode`.
fn percent_encoded(text: &str) -> String {
    text.replace('"', "%22").replace('\n', "%0A").replace('\r', "%0D")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_stand_for_what_does_not_fit() {
        let of = |name: &str| with_entities("a?\u{e9}\u{20ac}", Charset::of(name).unwrap());
        assert_eq!(of("ascii"), "a?&#233&#8364");
        assert_eq!(of("iso-8859-1"), "a?\u{e9}&#8364");
        assert_eq!(of("windows-1252"), "a?\u{e9}\u{20ac}");
        assert_eq!(of("koi8-r"), "a?&#233&#8364");
        assert_eq!(of("utf-16"), "a?\u{e9}\u{20ac}");
    }
}
