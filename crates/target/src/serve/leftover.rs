//! Bytes that were read but belong to what comes next. Empty, it holds no memory.

/// The unread rest of a connection's input.
#[derive(Debug, Default)]
pub(crate) struct Leftover {
    bytes: Vec<u8>,
    taken: usize,
    /// When the last of the bytes arrived.
    pub(crate) arrival_ns: i64,
}

impl Leftover {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Drops that many bytes from the front.
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
        let mut leftover = Leftover::default();
        leftover.put(b"", 1);
        assert!(leftover.is_empty());
        leftover.put(b"abc", 2);
        leftover.take(2);
        leftover.put(b"d", 3);
        assert_eq!((leftover.rest(), leftover.arrival_ns), (&b"cd"[..], 3));
        leftover.take(2);
        assert!(leftover.is_empty());
        assert_eq!(leftover.bytes.capacity(), 0);
    }
}
