//! Parses the counters that a JVM writes for `jstat` to `/tmp/hsperfdata_USER/PID`, format 2.0
//! (`jdk.internal.perf` and `sun.jvmstat.perfdata.monitor.v2_0.PerfDataBuffer` of the JDK;
//! `perfMemory.hpp` of HotSpot).
//!
//! | bytes | contents |
//! |---|---|
//! | 0…3 | `ca fe c0 c0` |
//! | 4 | byte order of the rest: 0 big-endian, 1 little-endian |
//! | 5, 6, 7 | major and minor version, whether it may be read yet |
//! | 8…31 | bytes in use, overflow, time of the last change (8), offset of the first entry, number of entries |
//!
//! An entry: its length, offset of its name, length of its vector (0: a single value), type, flags,
//! unit, variability, offset of its value; then name and value. The value is a long (`J`) or a text
//! (`B`).

use std::collections::HashMap;

const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];

/// More entries are damage: a JVM has some hundreds.
const MOST_ENTRIES: usize = 10_000;

/// Counters by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerfData {
    longs: HashMap<String, i64>,
    texts: HashMap<String, String>,
}

struct Reader<'b> {
    bytes: &'b [u8],
    is_little: bool,
}

impl Reader<'_> {
    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    fn int(&self, at: usize) -> Option<usize> {
        let bytes = self.array(at)?;
        let number = if self.is_little { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) };
        usize::try_from(number).ok()
    }

    fn long(&self, at: usize) -> Option<i64> {
        let bytes = self.array(at)?;
        Some(if self.is_little { i64::from_le_bytes(bytes) } else { i64::from_be_bytes(bytes) })
    }

    /// A text that ends with a zero, or with the space it has.
    fn text(&self, at: usize, end: usize) -> Option<String> {
        let bytes = self.bytes.get(at..end)?;
        let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

impl PerfData {
    /// Parses the file of a JVM; unknown entries are skipped.
    ///
    /// # Errors
    /// It is not such a file, has another version, or is not filled yet.
    pub fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        if bytes.get(..4) != Some(&MAGIC) {
            return Err("it is not a JVM performance file");
        }
        let order = bytes.get(4).copied().ok_or("the file is truncated")?;
        let reader = Reader { bytes, is_little: order == 1 };
        if bytes.get(5) != Some(&2) {
            return Err("its format version is not supported");
        }
        if bytes.get(7) == Some(&0) {
            return Err("the JVM has not filled it yet");
        }
        let (mut at, count) = reader.int(24).zip(reader.int(28)).ok_or("the file is truncated")?;
        let mut found = Self::default();
        for _ in 0..count.min(MOST_ENTRIES) {
            let Some(length) = reader.int(at).filter(|length| *length >= 20) else { break };
            // An unknown entry does not hide those after it.
            let _ = found.entry(&reader, at, length);
            let Some(next) = at.checked_add(length) else { break };
            at = next;
        }
        Ok(found)
    }

    fn entry(&mut self, reader: &Reader, at: usize, length: usize) -> Option<()> {
        let place = |offset| at.checked_add(reader.int(at + offset)?);
        let name_at = place(4)?;
        let vector = reader.int(at + 8)?;
        let value_at = place(16)?;
        let end = at.checked_add(length)?.min(reader.bytes.len());
        let name = reader.text(name_at, end)?;
        match (reader.array::<1>(at + 12)?, vector) {
            ([b'J'], 0) => drop(self.longs.insert(name, reader.long(value_at)?)),
            ([b'B'], 1..) => {
                drop(self.texts.insert(name, reader.text(value_at, value_at.checked_add(vector)?.min(end))?));
            }
            _ => {}
        }
        Some(())
    }

    /// A number.
    pub fn long(&self, name: &str) -> Option<i64> {
        self.longs.get(name).copied()
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The file of a JVM with these counters.
    pub(crate) fn file(longs: &[(&str, i64)], texts: &[(&str, &str)], is_little: bool) -> Vec<u8> {
        let int = |number: usize| {
            let number = number as i32;
            if is_little { number.to_le_bytes() } else { number.to_be_bytes() }
        };
        let long = |number: i64| if is_little { number.to_le_bytes() } else { number.to_be_bytes() };
        let mut file = [&MAGIC[..], &[u8::from(is_little), 2, 0, 1]].concat();
        file.extend([int(0), int(0)].concat());
        file.extend(long(0));
        file.extend([int(32), int(longs.len() + texts.len())].concat());
        let mut entry = |name: &str, kind: u8, vector: usize, value: &[u8]| {
            let name_size = (name.len() + 1).next_multiple_of(8);
            let length = (20 + name_size + value.len()).next_multiple_of(8);
            let mut bytes = [int(length), int(20), int(vector)].concat();
            bytes.extend([kind, 0, 1, 3]);
            bytes.extend(int(20 + name_size));
            bytes.extend(name.as_bytes());
            bytes.resize(20 + name_size, 0);
            bytes.extend(value);
            bytes.resize(length, 0);
            file.extend(bytes);
        };
        for (name, value) in longs {
            entry(name, b'J', 0, &long(*value));
        }
        for (name, value) in texts {
            entry(name, b'B', value.len(), value.as_bytes());
        }
        file
    }

    #[test]
    fn counters_are_read_in_both_orders_of_bytes() {
        for is_little in [true, false] {
            let file = file(&[("java.threads.live", 12), ("a", -1)], &[("sun.gc.cause", "No GC")], is_little);
            let read = PerfData::read(&file).expect("it is one");
            assert_eq!((read.long("java.threads.live"), read.long("a")), (Some(12), Some(-1)));
            assert_eq!((read.text("sun.gc.cause"), read.long("none")), (Some("No GC"), None));
        }
    }

    #[test]
    fn what_is_no_such_file_is_told() {
        let whole = file(&[("a", 1)], &[], true);
        for (file, why) in [
            (&b"x"[..], "it is not a JVM performance file"),
            (&whole[..20], "the file is truncated"),
            (&[&whole[..5], &[3, 0, 1], &whole[8..]].concat(), "its format version is not supported"),
            (&[&whole[..7], &[0], &whole[8..]].concat(), "the JVM has not filled it yet"),
        ] {
            assert_eq!(PerfData::read(file), Err(why));
        }
    }

    proptest! {
        #[test]
        fn damage_is_left_out_and_never_a_panic(at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
            let mut bytes = file(&[("a", 1), ("b", 2), ("c", 3)], &[("d", "text")], true);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = PerfData::read(&bytes);
            let _ = PerfData::read(&bytes[..cut.index(bytes.len())]);
        }
    }
}
