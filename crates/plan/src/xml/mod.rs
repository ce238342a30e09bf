//! XML as JMX needs it: text out of bytes, a flat document out of text, and escaping as XStream
//! does it.

mod bytes;
mod document;
mod escape;

pub(crate) use bytes::{Decoded, decode};
pub(crate) use document::{DEPTH_LIMIT, Document, Index, XmlError, parse};
pub(crate) use escape::{escape_attribute, escape_text};
