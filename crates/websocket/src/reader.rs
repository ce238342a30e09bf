//! Received bytes, cut into frames.

use crate::frame::HEAD_MAX;
use crate::{FrameHead, ProtocolError, Role, mask};

/// Which frames are accepted.
#[derive(Clone, Copy, Debug)]
pub struct FrameRules {
    /// This end: a client takes frames without a mask, a server those with one.
    pub role: Role,
    /// Compression was negotiated.
    pub allows_compression: bool,
    /// Bytes of the largest payload.
    pub payload_bytes_max: usize,
}

/// A frame, with its payload unmasked and still compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its head.
    pub head: FrameHead,
    /// Bytes of its head on the wire.
    pub head_bytes: usize,
    /// Its payload.
    pub payload: &'a [u8],
}

/// Cuts received bytes into frames. Nothing is allocated for a length, only for bytes that came.
#[derive(Clone, Debug)]
pub struct FrameReader {
    rules: FrameRules,
    /// The frame whose payload is on its way, with the bytes of its head.
    begun: Option<(FrameHead, usize)>,
    /// The begun head or payload.
    held: Vec<u8>,
    /// What is held was handed out.
    is_given: bool,
}

/// What is held between frames; more is given back.
const KEPT_MAX: usize = 4096;

impl FrameReader {
    /// A reader at the start of a connection.
    #[must_use]
    pub fn new(rules: FrameRules) -> Self {
        Self { rules, begun: None, held: Vec::new(), is_given: false }
    }

    /// The next frame, taken from the front of `input`; none once all of it is used up.
    ///
    /// # Errors
    /// The frame is not allowed, or larger than the limit.
    pub fn next<'a, 'b: 'a>(&'a mut self, input: &mut &'b [u8]) -> Result<Option<Frame<'a>>, ProtocolError> {
        self.forget_given();
        let (head, head_bytes) = match self.begun {
            Some(begun) => begun,
            None => match self.head(input)? {
                Some(begun) => begun,
                None => return Ok(None),
            },
        };
        // The limit was checked: the length fits.
        let length = head.length as usize;
        if head.mask.is_none() && self.held.is_empty() && input.len() >= length {
            self.begun = None;
            let (payload, rest) = input.split_at(length);
            *input = rest;
            return Ok(Some(Frame { head, head_bytes, payload }));
        }
        let held = self.held.len();
        let (more, rest) = input.split_at(input.len().min(length - held));
        *input = rest;
        self.held.extend_from_slice(more);
        if let Some(mask) = head.mask {
            mask::apply(&mut self.held[held..], mask, held);
        }
        if self.held.len() < length {
            return Ok(None);
        }
        self.begun = None;
        self.is_given = true;
        Ok(Some(Frame { head, head_bytes, payload: &self.held }))
    }

    /// The frame whose payload is on its way, with what has come of it.
    pub(crate) fn begun(&self) -> Option<(FrameHead, &[u8])> {
        self.begun.map(|(head, _)| (head, &self.held[..]))
    }

    /// Whether some of a frame has come, and not all.
    #[must_use]
    pub fn is_inside_frame(&self) -> bool {
        self.begun.is_some() || (!self.held.is_empty() && !self.is_given)
    }

    /// Bytes that are held of a frame whose rest has not come.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        if self.is_given { 0 } else { self.held.len() }
    }

    fn forget_given(&mut self) {
        if std::mem::take(&mut self.is_given) {
            self.held.clear();
            if self.held.capacity() > KEPT_MAX {
                self.held = Vec::new();
            }
        }
    }

    /// The head at the front of the input, after what is held of it.
    fn head(&mut self, input: &mut &[u8]) -> Result<Option<(FrameHead, usize)>, ProtocolError> {
        let found = if self.held.is_empty() {
            let found = FrameHead::parse(input)?;
            let used = found.map_or(input.len(), |(_, used)| used);
            if found.is_none() {
                self.held.extend_from_slice(input);
            }
            *input = &input[used..];
            found
        } else {
            let held = self.held.len();
            let more = input.len().min(HEAD_MAX - held);
            self.held.extend_from_slice(&input[..more]);
            let found = FrameHead::parse(&self.held)?;
            *input = &input[found.map_or(more, |(_, used)| used - held)..];
            if found.is_some() {
                self.held.clear();
            }
            found
        };
        if let Some((head, _)) = found {
            self.check(&head)?;
            self.begun = found;
        }
        Ok(found)
    }

    fn check(&self, head: &FrameHead) -> Result<(), ProtocolError> {
        match (self.rules.role, head.mask) {
            (Role::Client, Some(_)) => return Err(ProtocolError::Masked),
            (Role::Server, None) => return Err(ProtocolError::Unmasked),
            _ => {}
        }
        if head.is_compressed && !self.rules.allows_compression {
            return Err(ProtocolError::ReservedBit);
        }
        let most = self.rules.payload_bytes_max;
        if usize::try_from(head.length).is_ok_and(|length| length <= most) {
            return Ok(());
        }
        Err(ProtocolError::TooLarge(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Opcode, write_frame};

    const RULES: FrameRules =
        FrameRules { role: Role::Client, allows_compression: false, payload_bytes_max: 100_000 };

    fn all(
        reader: &mut FrameReader,
        mut input: &[u8],
    ) -> Result<Vec<(Opcode, usize, Vec<u8>)>, ProtocolError> {
        let mut frames = Vec::new();
        while let Some(frame) = reader.next(&mut input)? {
            frames.push((frame.head.opcode, frame.head_bytes, frame.payload.to_vec()));
        }
        Ok(frames)
    }

    fn bytes(mask: Option<[u8; 4]>) -> Vec<u8> {
        let mut out = Vec::new();
        for (opcode, payload) in
            [(Opcode::Text, &b"Hello"[..]), (Opcode::Ping, b""), (Opcode::Binary, &vec![9; 70_000])]
        {
            let head = FrameHead { is_final: true, is_compressed: false, opcode, mask, length: 0 };
            write_frame(head, payload, &mut out);
        }
        out
    }

    #[test]
    fn frames_are_the_same_however_they_arrive() {
        for (role, mask) in [(Role::Client, None), (Role::Server, Some([5, 6, 7, 8]))] {
            let bytes = bytes(mask);
            let reader = || FrameReader::new(FrameRules { role, ..RULES });
            let whole = all(&mut reader(), &bytes).expect("valid");
            assert_eq!(whole.len(), 3);
            assert_eq!(whole[2].2.len(), 70_000);
            for cut in (0..40).chain(69_990..bytes.len()) {
                let mut reader = reader();
                let mut frames = all(&mut reader, &bytes[..cut]).expect("valid");
                frames.extend(all(&mut reader, &bytes[cut..]).expect("valid"));
                assert!(frames == whole, "{cut}");
                assert!(!reader.is_inside_frame());
            }
            let mut reader = reader();
            let mut frames = Vec::new();
            for byte in bytes.chunks(1) {
                frames.extend(all(&mut reader, byte).expect("valid"));
            }
            assert!(frames == whole);
        }
    }

    #[test]
    fn a_length_alone_takes_no_memory() {
        let mut reader = FrameReader::new(FrameRules { payload_bytes_max: usize::MAX, ..RULES });
        let announced = b"\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xffabc";
        assert_eq!(all(&mut reader, announced), Ok(Vec::new()));
        assert!(reader.held.capacity() < 1000 && reader.is_inside_frame());
        let mut limited = FrameReader::new(RULES);
        assert_eq!(all(&mut limited, announced), Err(ProtocolError::TooLarge(100_000)));
    }

    #[test]
    fn memory_of_a_large_frame_is_given_back() {
        let mut reader = FrameReader::new(RULES);
        let bytes = bytes(None);
        assert!(all(&mut reader, &bytes[..100]).is_ok() && all(&mut reader, &bytes[100..]).is_ok());
        assert_eq!(reader.held.capacity(), 0);
    }

    #[test]
    fn masks_belong_to_clients_and_compression_is_negotiated() {
        let masked = bytes(Some([0; 4]));
        assert_eq!(all(&mut FrameReader::new(RULES), &masked), Err(ProtocolError::Masked));
        let server = FrameRules { role: Role::Server, ..RULES };
        assert_eq!(all(&mut FrameReader::new(server), &bytes(None)), Err(ProtocolError::Unmasked));
        assert_eq!(all(&mut FrameReader::new(RULES), b"\xc1\x00"), Err(ProtocolError::ReservedBit));
        let compressed = FrameRules { allows_compression: true, ..RULES };
        assert!(all(&mut FrameReader::new(compressed), b"\xc1\x00").is_ok());
    }
}
