//! Bytes that were read but belong to what comes next. Empty, it holds no memory.

/// The unread rest of a connection's input.
#[derive(Debug, Default)]
pub(crate) struct Carry {
    bytes: Vec<u8>,
    taken: usize,
    /// When the last of the bytes arrived.
    pub(crate) arrival_ns: i64,
}

impl Carry {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Drops so many bytes from the front.
    pub(crate) fn take(&mut self, count: usize) {
        self.taken += count;
        if self.taken == self.bytes.len() {
            *self = Self::default();
        }
    }

    /// Adds bytes that arrived at that time.
    pub(crate) fn put(&mut self, bytes: &[u8], arrival_ns: i64) {
        if !bytes.is_empty() {
            self.bytes.extend_from_slice(bytes);
            self.arrival_ns = arrival_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_leave_in_order_and_memory_with_them() {
        let mut carry = Carry::default();
        carry.put(b"", 1);
        assert!(carry.is_empty());
        carry.put(b"abc", 2);
        carry.take(2);
        carry.put(b"d", 3);
        assert_eq!((carry.rest(), carry.arrival_ns), (&b"cd"[..], 3));
        carry.take(2);
        assert!(carry.is_empty());
        assert_eq!(carry.bytes.capacity(), 0);
    }
}
