//! The body of a response.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use swell_budget::Room;

use crate::Bodies;
use crate::readings::{Reading, Readings};
use crate::spare::SpareBuffers;

/// The body of a response. Copies share a large body, which can be sent to another thread without
/// copying; a small one is copied.
///
/// It never changes: so what a reader makes of it, such as a tree, is kept with it for the readers
/// after it.
#[derive(Clone)]
pub struct Body {
    bytes: Bytes,
    readings: Readings,
}

#[derive(Clone)]
enum Bytes {
    Small(Vec<u8>),
    Large(Arc<Large>),
}

struct Large {
    bytes: Vec<u8>,
    /// What it takes of the memory for all users.
    room: Option<Room>,
    /// Where its buffer goes then.
    spare: Option<Arc<SpareBuffers>>,
}

impl Drop for Large {
    fn drop(&mut self) {
        if let Some(spare) = &self.spare {
            spare.give(std::mem::take(&mut self.bytes));
        }
    }
}

impl Body {
    /// A body with what it takes of the memory for all users, which is given back when its last
    /// copy is dropped.
    pub fn with_room(bytes: Vec<u8>, room: Option<Room>) -> Self {
        Self::new(bytes, room, None)
    }

    /// The same; its buffer is for another body after its last copy.
    pub(crate) fn of_keeper(bytes: Vec<u8>, room: Option<Room>, spare: Arc<SpareBuffers>) -> Self {
        Self::new(bytes, room, Some(spare))
    }

    fn new(bytes: Vec<u8>, room: Option<Room>, spare: Option<Arc<SpareBuffers>>) -> Self {
        if bytes.len() <= Bodies::FREE && room.is_none() {
            return Self { bytes: Bytes::Small(bytes), readings: Readings::default() };
        }
        let bytes = Bytes::Large(Arc::new(Large { bytes, room, spare }));
        Self { bytes, readings: Readings::default() }
    }

    /// What an earlier reader made of it, where `is_same` says that it is what `make` would make;
    /// else what `make` makes, which is kept if there is room for it.
    pub fn reading<R: Reading>(&self, is_same: impl Fn(&R) -> bool, make: impl FnOnce() -> R) -> Arc<R> {
        let room = match &self.bytes {
            Bytes::Small(_) => None,
            Bytes::Large(large) => large.room.as_ref().map(|room| Room::new(room.account().clone())),
        };
        self.readings.find_or_make(is_same, make, room)
    }

    /// Notes a reader for which it is not worth while to keep something; whether there was one
    /// before. Then it is.
    pub fn note_reader(&self) -> bool {
        self.readings.note_reader()
    }

    /// Whether a reader has kept something of this kind.
    pub fn has_reading<R: Reading>(&self) -> bool {
        self.readings.has::<R>()
    }

    /// Keeps the first bytes only.
    pub fn truncate(&mut self, length: usize) {
        if length < self.len() {
            *self = self[..length].to_vec().into();
        }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self { bytes: Bytes::Small(Vec::new()), readings: Readings::default() }
    }
}

impl Deref for Body {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Small(bytes) => bytes,
            Bytes::Large(large) => &large.bytes,
        }
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::with_room(bytes, None)
    }
}

impl From<&[u8]> for Body {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl<const N: usize> From<&[u8; N]> for Body {
    fn from(bytes: &[u8; N]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for Body {
    fn eq(&self, other: &T) -> bool {
        **self == *other.as_ref()
    }
}

impl Eq for Body {}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_body_is_shared_and_a_small_one_copied() {
        for (length, shared) in [(3, false), (Bodies::FREE, false), (Bodies::FREE + 1, true)] {
            let body = Body::from(vec![b'x'; length]);
            let copy = body.clone();
            assert_eq!((copy.as_ptr() == body.as_ptr(), copy == body), (shared, true), "{length}");
        }
    }

    #[test]
    fn the_beginning_of_a_body_is_a_body() {
        let mut body = Body::from(vec![b'x'; Bodies::FREE * 2]);
        let whole = body.clone();
        body.truncate(usize::MAX);
        assert_eq!(body.len(), Bodies::FREE * 2);
        body.truncate(2);
        assert_eq!((&body, whole.len()), (&Body::from("xx"), Bodies::FREE * 2));
    }
}
