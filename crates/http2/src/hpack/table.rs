//! The static table and the dynamic one (RFC 7541 §2.3).

use std::collections::VecDeque;

use super::FIELD_OVERHEAD;

/// RFC 7541, appendix A; the first has index 1.
#[rustfmt::skip]
const STATIC: [(&str, &str); 61] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
    (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
    (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
    ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
    ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""),
    ("content-length", ""), ("content-location", ""), ("content-range", ""), ("content-type", ""),
    ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
    ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
    ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
    ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""),
    ("retry-after", ""), ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""),
    ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
];

/// The number of static entries; the newest dynamic one has the next index.
pub(crate) const STATIC_COUNT: usize = STATIC.len();

/// The static entry with an index of 1 to 61.
pub(crate) fn static_entry(index: usize) -> (&'static [u8], &'static [u8]) {
    let (name, value) = STATIC[index - 1];
    (name.as_bytes(), value.as_bytes())
}

/// The first static index with this name; 0: none.
pub(crate) fn static_name(name: &[u8]) -> usize {
    STATIC.iter().position(|(known, _)| known.as_bytes() == name).map_or(0, |at| at + 1)
}

/// The static index with this name and value; 0: none.
pub(crate) fn static_field(name: &[u8], value: &[u8]) -> usize {
    let is_it = |(known, with): &(&str, &str)| known.as_bytes() == name && with.as_bytes() == value;
    STATIC.iter().position(is_it).map_or(0, |at| at + 1)
}

/// The dynamic table. Names and values stand one after the other in a ring of bytes that grows to
/// what is used: adding an entry allocates nothing once the ring is large enough.
#[derive(Debug)]
pub(crate) struct Table {
    ring: Vec<u8>,
    /// Where the next entry begins.
    next: usize,
    /// Bytes of the ring that entries use.
    used: usize,
    /// The newest first.
    entries: VecDeque<Entry>,
    /// The size as RFC 7541 counts it.
    size: usize,
    size_max: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u32,
    name: u16,
    value: u16,
}

impl Entry {
    fn bytes(self) -> usize {
        usize::from(self.name) + usize::from(self.value)
    }
}

impl Table {
    /// Smallest ring with an entry, in bytes. Rings double.
    const RING_MIN: usize = 128;

    pub(crate) fn new(size_max: usize) -> Self {
        Self { ring: Vec::new(), next: 0, used: 0, entries: VecDeque::new(), size: 0, size_max }
    }

    pub(crate) fn size_max(&self) -> usize {
        self.size_max
    }

    /// Whether an entry fits without any other leaving.
    pub(crate) fn has_room(&self, name: &[u8], value: &[u8]) -> bool {
        self.size + FIELD_OVERHEAD + name.len() + value.len() <= self.size_max
    }

    /// Entries that do not fit leave, the oldest first.
    pub(crate) fn resize(&mut self, size_max: usize) {
        self.size_max = size_max.min(usize::from(u16::MAX));
        self.make_room(0);
    }

    /// Adds an entry as the newest; one that is larger than the table empties it (RFC 7541 §4.4).
    pub(crate) fn insert(&mut self, name: &[u8], value: &[u8]) {
        let size = FIELD_OVERHEAD + name.len() + value.len();
        self.make_room(size);
        if size > self.size_max {
            return;
        }
        let bytes = name.len() + value.len();
        if self.used + bytes > self.ring.len() {
            self.grow(self.used + bytes);
        }
        let entry = Entry { at: self.next as u32, name: name.len() as u16, value: value.len() as u16 };
        self.put(name);
        self.put(value);
        self.entries.push_front(entry);
        self.used += bytes;
        self.size += size;
    }

    fn make_room(&mut self, size: usize) {
        while self.size + size > self.size_max {
            let Some(oldest) = self.entries.pop_back() else { return };
            self.used -= oldest.bytes();
            self.size -= oldest.bytes() + FIELD_OVERHEAD;
        }
    }

    /// Copies the entries, oldest first, to the start of a larger ring.
    fn grow(&mut self, bytes: usize) {
        let mut ring = Vec::with_capacity(bytes.next_power_of_two().max(Self::RING_MIN));
        for index in (0..self.entries.len()).rev() {
            let at = ring.len() as u32;
            self.append_name(index, &mut ring);
            self.append_value(index, &mut ring);
            self.entries[index].at = at;
        }
        self.next = ring.len();
        ring.resize(ring.capacity(), 0);
        self.ring = ring;
    }

    /// Writes at the end of the newest entry, over the end of the ring to its start.
    fn put(&mut self, bytes: &[u8]) {
        let end = self.next + bytes.len();
        if let Some(room) = self.ring.get_mut(self.next..end) {
            room.copy_from_slice(bytes);
            self.next = end;
            return;
        }
        let (first, second) = bytes.split_at(self.ring.len() - self.next);
        self.ring[self.next..].copy_from_slice(first);
        self.ring[..second.len()].copy_from_slice(second);
        self.next = second.len();
    }

    /// A part of the ring, which may run over its end.
    fn part(&self, at: usize, bytes: usize) -> (&[u8], &[u8]) {
        let at = if at >= self.ring.len() { at - self.ring.len() } else { at };
        match self.ring.get(at..at + bytes) {
            Some(whole) => (whole, &[]),
            None => (&self.ring[at..], &self.ring[..at + bytes - self.ring.len()]),
        }
    }

    fn name(&self, entry: Entry) -> (&[u8], &[u8]) {
        self.part(entry.at as usize, usize::from(entry.name))
    }

    fn value(&self, entry: Entry) -> (&[u8], &[u8]) {
        self.part(entry.at as usize + usize::from(entry.name), usize::from(entry.value))
    }

    /// Appends the name of an entry, 0 for the newest. False: there is none.
    pub(crate) fn append_name(&self, index: usize, out: &mut Vec<u8>) -> bool {
        let Some(entry) = self.entries.get(index) else { return false };
        let (first, second) = self.name(*entry);
        out.extend_from_slice(first);
        out.extend_from_slice(second);
        true
    }

    /// Appends the value of an entry that exists.
    pub(crate) fn append_value(&self, index: usize, out: &mut Vec<u8>) {
        let (first, second) = self.value(self.entries[index]);
        out.extend_from_slice(first);
        out.extend_from_slice(second);
    }

    /// The place of an entry with this name and value, 0 for the newest.
    pub(crate) fn find(&self, name: &[u8], value: &[u8]) -> Option<usize> {
        self.entries.iter().position(|entry| {
            usize::from(entry.name) == name.len()
                && usize::from(entry.value) == value.len()
                && equals(self.value(*entry), value)
                && equals(self.name(*entry), name)
        })
    }

    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

fn equals((first, second): (&[u8], &[u8]), wanted: &[u8]) -> bool {
    let (start, end) = wanted.split_at(first.len());
    first == start && second == end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(table: &Table) -> Vec<String> {
        let entry = |index| {
            let mut out = Vec::new();
            table.append_name(index, &mut out);
            out.push(b'=');
            table.append_value(index, &mut out);
            String::from_utf8(out).unwrap()
        };
        (0..table.entries.len()).map(entry).collect()
    }

    #[test]
    fn the_oldest_leave_and_an_entry_that_is_too_large_empties() {
        let mut table = Table::new(3 * 34);
        for value in ["1", "2", "3", "4"] {
            table.insert(b"n", value.as_bytes());
        }
        assert_eq!((shown(&table), table.size()), (vec!["n=4".into(), "n=3".into(), "n=2".to_owned()], 102));
        assert_eq!((table.find(b"n", b"3"), table.find(b"n", b"1")), (Some(1), None));
        table.resize(68);
        assert_eq!(shown(&table), ["n=4", "n=3"]);
        table.insert(b"n", &[b'x'; 36]);
        assert_eq!((shown(&table).len(), table.size()), (0, 0));
    }

    /// A ring that wraps must read like a list.
    #[test]
    fn entries_run_over_the_end_of_the_ring() {
        let mut table = Table::new(4_096);
        let mut list: VecDeque<(String, String)> = VecDeque::new();
        for round in 0_usize..5_000 {
            let name = "n".repeat(round * 7 % 50);
            let value = format!("{round}-{}", "v".repeat(round * 13 % 300));
            table.insert(name.as_bytes(), value.as_bytes());
            list.push_front((name, value));
            list.truncate(table.entries.len());
            let wanted: Vec<String> = list.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(shown(&table), wanted, "round {round}");
            let (name, value) = &list[list.len() - 1];
            assert_eq!(table.find(name.as_bytes(), value.as_bytes()), Some(list.len() - 1));
        }
        assert_eq!(table.ring.len(), 4_096);
        assert_eq!(Table::new(4_096).ring.capacity(), 0, "a table without entries has no ring");
    }

    #[test]
    fn static_entries_are_found() {
        assert_eq!(static_entry(1), (&b":authority"[..], &b""[..]));
        assert_eq!(static_entry(STATIC_COUNT), (&b"www-authenticate"[..], &b""[..]));
        assert_eq!((static_name(b"user-agent"), static_name(b":status"), static_name(b"x")), (58, 8, 0));
        let gzip = static_field(b"accept-encoding", b"gzip, deflate");
        assert_eq!((gzip, static_field(b":method", b"POST"), static_field(b":method", b"PUT")), (16, 3, 0));
    }
}
