//! Fields that many heads share.

use std::hash::{DefaultHasher, Hasher};

use crate::error::InvalidField;
use crate::hpack::{Class, Known, static_field, static_name};
use crate::lines;

/// Header fields that many heads share, checked once. Any number of connections can use them: each
/// inserts them into its table once, and then sends a block of indices that it remembers.
///
/// `authorization`, `proxy-authorization` and `cookie` are never inserted.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Identifies the content.
    key: u64,
    /// Names and values, one after the other.
    text: Box<[u8]>,
    list: Box<[Field]>,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    name: u32,
    value: u32,
    class: Class,
    name_index: u8,
    table_index: u8,
}

impl Fields {
    /// Reads HTTP/1 shaped lines, `Name: value` each with CR LF. Names become lower case. Left out
    /// are `Host` and fields about an HTTP/1.1 connection: `Connection`, `Keep-Alive`,
    /// `Proxy-Connection`, `Transfer-Encoding`, `Upgrade`, `HTTP2-Settings`, and `TE` other than
    /// `trailers`.
    ///
    /// # Errors
    /// A line has no colon, or its name or value cannot be sent.
    pub fn from_lines(lines: &[u8]) -> Result<Self, InvalidField> {
        Self::with_pseudo(&[], lines)
    }

    /// As [`Self::from_lines`], after pseudo-header fields.
    pub(crate) fn with_pseudo(pseudo: &[(&[u8], &[u8])], lines: &[u8]) -> Result<Self, InvalidField> {
        let mut text = Vec::new();
        let mut list = Vec::new();
        let mut add = |name: &[u8], value: &[u8]| {
            text.extend_from_slice(name);
            text.extend_from_slice(value);
            list.push(Field {
                name: name.len() as u32,
                value: value.len() as u32,
                class: Class::of(name, Class::Insert),
                name_index: static_name(name) as u8,
                table_index: static_field(name, value) as u8,
            });
        };
        for (name, value) in pseudo {
            add(name, value);
        }
        lines::for_each(lines, add)?;
        let mut hasher = DefaultHasher::new();
        hasher.write(&text);
        for field in &list {
            hasher.write_u32(field.name);
            hasher.write_u32(field.value);
        }
        Ok(Self { key: hasher.finish(), text: text.into(), list: list.into() })
    }

    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    /// Whether there is nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Known<'_>> {
        let mut rest = &self.text[..];
        self.list.iter().map(move |field| {
            let (name, tail) = rest.split_at(field.name as usize);
            let (value, tail) = tail.split_at(field.value as usize);
            rest = tail;
            Known {
                name,
                value,
                class: field.class,
                name_index: usize::from(field.name_index),
                field_index: usize::from(field.table_index),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order_and_know_their_indices() {
        let text = b"Accept-Encoding: gzip, deflate\r\nHost: x\r\nCookie: a=b\r\nX-A: 1\r\n";
        let fields = Fields::from_lines(text).unwrap();
        let seen: Vec<_> = fields
            .iter()
            .map(|field| (field.name, field.value, field.class, field.name_index, field.field_index))
            .collect();
        assert_eq!(
            seen,
            [
                (&b"accept-encoding"[..], &b"gzip, deflate"[..], Class::Insert, 16, 16),
                (b"cookie", b"a=b", Class::Never, 32, 0),
                (b"x-a", b"1", Class::Insert, 0, 0),
            ]
        );
    }

    #[test]
    fn the_key_depends_on_names_and_values() {
        let key = |lines: &str| Fields::from_lines(lines.as_bytes()).unwrap().key();
        assert_eq!(key("A: bc\r\n"), key("a:bc"));
        assert_ne!(key("a: bc\r\n"), key("ab: c\r\n"));
        assert!(Fields::default().is_empty() && !Fields::from_lines(b"a: b").unwrap().is_empty());
    }
}
