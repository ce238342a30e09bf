//! The part of XML that JMX needs: decoding bytes, parsing to a flat document, and escaping as
//! XStream does.

mod bytes;
mod document;
mod escape;

pub(crate) use bytes::{Decoded, decode};
pub(crate) use document::{DEPTH_LIMIT, Document, Index, XmlError, parse};
pub(crate) use escape::{escape_attribute, escape_text, unescape_text};
