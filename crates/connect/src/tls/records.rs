//! Where the records of TLS begin and end in what is received (RFC 8446, section 5.1).

/// Type, version and length.
const HEAD: usize = 5;

/// The place in the current record.
#[derive(Default)]
pub(super) struct Records {
    /// Bytes of the head that have come.
    head: usize,
    /// The length, as far as it has come.
    length: [u8; 2],
    /// Bytes of the content that are missing.
    left: usize,
}

impl Records {
    /// Takes the bytes up to the end of the current record off; whether that end is among them.
    pub(super) fn split<'b>(&mut self, bytes: &mut &'b [u8]) -> (&'b [u8], bool) {
        let whole = *bytes;
        while self.head < HEAD {
            let Some((first, rest)) = bytes.split_first() else { return (whole, false) };
            if let Some(at) = self.head.checked_sub(3) {
                self.length[at] = *first;
            }
            self.head += 1;
            *bytes = rest;
            if self.head == HEAD {
                self.left = usize::from(u16::from_be_bytes(self.length));
            }
        }
        let content = self.left.min(bytes.len());
        *bytes = &bytes[content..];
        self.left -= content;
        let is_whole = self.left == 0;
        if is_whole {
            self.head = 0;
        }
        (&whole[..whole.len() - bytes.len()], is_whole)
    }

    /// Passes over bytes that are decrypted at once.
    pub(super) fn skip(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            self.split(&mut bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_end_where_their_heads_say_however_they_are_cut() {
        let wire = [&[23, 3, 3, 0, 2, 8, 9][..], &[21, 3, 3, 0, 0], &[23, 3, 3, 1, 0], &[7; 256]].concat();
        for size in 1..=wire.len() {
            let mut records = Records::default();
            let mut lengths = vec![0];
            for mut bytes in wire.chunks(size) {
                while !bytes.is_empty() {
                    let (part, is_whole) = records.split(&mut bytes);
                    *lengths.last_mut().unwrap() += part.len();
                    if is_whole {
                        lengths.push(0);
                    }
                }
            }
            assert_eq!(lengths, [7, 5, 261, 0], "pieces of {size}");
        }
    }
}
