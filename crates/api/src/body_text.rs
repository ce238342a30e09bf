//! The text of a body, by its charset.

use std::borrow::Cow;

use swell_expr::{Charset, Properties};

use crate::Body;

/// A body that is decoded when its text is needed.
#[derive(Clone, Debug)]
pub struct BodyText {
    pub(crate) body: Body,
    pub(crate) coding: Coding,
}

impl BodyText {
    /// Bytes of the body.
    pub fn body_len(&self) -> usize {
        self.body.len()
    }

    /// Bytes of the body, where its text is a copy and not the body itself.
    pub fn is_copied_for_its_text(&self) -> Option<usize> {
        let same = self.coding == Coding::Of(Charset::Web(encoding_rs::UTF_8))
            && std::str::from_utf8(&self.body).is_ok();
        (!same).then_some(self.body.len())
    }

    /// Its text.
    pub fn text(&self) -> Cow<'_, str> {
        self.coding.decode(&self.body)
    }
}

/// How a body is decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coding {
    /// By Java's ISO 8859-1, in which each byte is a character.
    Latin1,
    /// By another charset.
    Of(Charset),
}

impl Coding {
    /// The text of bytes in it.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Latin1 => encoding_rs::mem::decode_latin1(bytes),
            Self::Of(charset) => charset.decode(bytes),
        }
    }
}

/// Property: the charset of bodies that name none.
pub(crate) const FALLBACK_CHARSET: &str = "sampleresult.default.encoding";

/// The charset of bodies that name none, as the properties of the run say; UTF-8 if they do not.
///
/// # Errors
/// Java does not know the name.
pub fn fallback_charset(props: &Properties) -> Result<Charset, String> {
    let named = props.get(FALLBACK_CHARSET).filter(|name| !name.is_empty());
    named.map_or(Ok(Charset::default()), |name| {
        Charset::of(name.trim()).ok_or_else(|| {
            format!(
                "{FALLBACK_CHARSET}: unknown charset `{name}`: use a charset such as \
                                    `UTF-8`"
            )
        })
    })
}

/// Whether it is a name of ISO 8859-1, which browsers take for Windows-1252 and Java does not.
pub(crate) fn is_latin_1(charset: &str) -> bool {
    ["iso-8859-1", "iso8859-1", "iso_8859-1", "iso8859_1", "latin1", "latin-1", "l1", "cp819", "ibm819"]
        .iter()
        .any(|name| charset.trim().eq_ignore_ascii_case(name))
}
