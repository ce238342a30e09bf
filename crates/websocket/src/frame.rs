//! Heads of frames (RFC 6455 §5.2).

use crate::{ProtocolError, mask};

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It opened the connection, and masks what it sends.
    Client,
    /// It accepted the connection.
    Server,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    /// More of the message before.
    Continuation,
    /// A text message, or its first fragment.
    Text,
    /// A binary message, or its first fragment.
    Binary,
    /// The end of the connection.
    Close,
    /// A question that a pong answers.
    Ping,
    /// The answer to a ping.
    Pong,
}

impl Opcode {
    fn of(bits: u8) -> Result<Self, ProtocolError> {
        Ok(match bits {
            0 => Self::Continuation,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            _ => return Err(ProtocolError::ReservedOpcode(bits)),
        })
    }

    fn bits(self) -> u8 {
        match self {
            Self::Continuation => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    /// Close, ping or pong: short, never a fragment, and allowed between fragments.
    #[must_use]
    pub fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHead {
    /// The last frame of its message.
    pub is_final: bool,
    /// The first frame of a compressed message (RSV1).
    pub is_compressed: bool,
    /// What it is.
    pub opcode: Opcode,
    /// How its payload is masked.
    pub mask: Option<[u8; 4]>,
    /// Bytes of its payload.
    pub length: u64,
}

/// Bytes of the longest head.
pub(crate) const HEAD_MAX: usize = 14;

const FINAL: u8 = 0x80;
const RSV1: u8 = 0x40;
const RSV2_RSV3: u8 = 0x30;
const MASKED: u8 = 0x80;
/// The length that says that the next two bytes have it.
const LENGTH_16: u8 = 0x7e;

impl FrameHead {
    /// Reads the head that the bytes begin with, and its length; none where it is not complete.
    ///
    /// # Errors
    /// What no extension and no role allows.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, ProtocolError> {
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        if first & RSV2_RSV3 != 0 {
            return Err(ProtocolError::ReservedBit);
        }
        let opcode = Opcode::of(first & 0x0f)?;
        let is_final = first & FINAL != 0;
        let is_compressed = first & RSV1 != 0;
        let short = second & 0x7f;
        if opcode.is_control() {
            if short > 125 {
                return Err(ProtocolError::LongControl);
            }
            if !is_final {
                return Err(ProtocolError::FragmentedControl);
            }
        }
        if is_compressed && (opcode.is_control() || opcode == Opcode::Continuation) {
            return Err(ProtocolError::ReservedBit);
        }
        let Some((length, used)) = length(short, rest)? else { return Ok(None) };
        let mut head_bytes = 2 + used;
        let mask = if second & MASKED == 0 {
            None
        } else {
            let Some(mask) = rest[used..].first_chunk() else { return Ok(None) };
            head_bytes += 4;
            Some(*mask)
        };
        Ok(Some((Self { is_final, is_compressed, opcode, mask, length }, head_bytes)))
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut first = self.opcode.bits();
        first |= if self.is_final { FINAL } else { 0 };
        first |= if self.is_compressed { RSV1 } else { 0 };
        let masked = if self.mask.is_some() { MASKED } else { 0 };
        match self.length {
            0..=125 => out.extend_from_slice(&[first, masked | self.length as u8]),
            126..=0xffff => {
                out.extend_from_slice(&[first, masked | LENGTH_16]);
                out.extend_from_slice(&(self.length as u16).to_be_bytes());
            }
            _ => {
                out.extend_from_slice(&[first, masked | 127]);
                out.extend_from_slice(&self.length.to_be_bytes());
            }
        }
        if let Some(mask) = self.mask {
            out.extend_from_slice(&mask);
        }
    }
}

/// The length of the payload, and how many bytes after the first two it takes.
fn length(short: u8, rest: &[u8]) -> Result<Option<(u64, usize)>, ProtocolError> {
    match short {
        126 => {
            let Some(bytes) = rest.first_chunk() else { return Ok(None) };
            let length = u64::from(u16::from_be_bytes(*bytes));
            if length < 126 { Err(ProtocolError::Length) } else { Ok(Some((length, 2))) }
        }
        127 => {
            let Some(bytes) = rest.first_chunk() else { return Ok(None) };
            let length = u64::from_be_bytes(*bytes);
            if length < 0x1_0000 || length >> 63 == 1 {
                return Err(ProtocolError::Length);
            }
            Ok(Some((length, 8)))
        }
        short => Ok(Some((u64::from(short), 0))),
    }
}

/// Appends a frame. Its length is that of the payload; a mask is applied.
pub fn write_frame(head: FrameHead, payload: &[u8], out: &mut Vec<u8>) {
    let head = FrameHead { length: payload.len() as u64, ..head };
    out.reserve(HEAD_MAX + payload.len());
    head.write(out);
    let start = out.len();
    out.extend_from_slice(payload);
    if let Some(mask) = head.mask {
        mask::apply(&mut out[start..], mask, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(opcode: Opcode) -> FrameHead {
        FrameHead { is_final: true, is_compressed: false, opcode, mask: None, length: 0 }
    }

    fn written(head: FrameHead, payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        write_frame(head, payload, &mut out);
        out
    }

    #[test]
    fn frames_are_the_bytes_of_the_rfc() {
        // RFC 6455 §5.7.
        assert_eq!(written(head(Opcode::Text), b"Hello"), b"\x81\x05Hello");
        let masked = FrameHead { mask: Some([0x37, 0xfa, 0x21, 0x3d]), ..head(Opcode::Text) };
        assert_eq!(written(masked, b"Hello"), b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
        let first = FrameHead { is_final: false, ..head(Opcode::Text) };
        assert_eq!(written(first, b"Hel"), b"\x01\x03Hel");
        assert_eq!(written(head(Opcode::Continuation), b"lo"), b"\x80\x02lo");
        assert_eq!(written(head(Opcode::Ping), b"Hello"), b"\x89\x05Hello");
        assert_eq!(written(head(Opcode::Binary), &[0; 256])[..4], [0x82, 0x7e, 1, 0]);
        assert_eq!(
            written(head(Opcode::Binary), &vec![0; 65536])[..10],
            [0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0]
        );
    }

    #[test]
    fn what_was_written_is_read() {
        for length in [0, 1, 125, 126, 127, 65535, 65536] {
            for mask in [None, Some([1, 2, 3, 4])] {
                let payload = vec![7; length];
                let bytes = written(FrameHead { mask, ..head(Opcode::Binary) }, &payload);
                let wanted = FrameHead { mask, length: length as u64, ..head(Opcode::Binary) };
                let (read, used) = FrameHead::parse(&bytes).expect("valid").expect("complete");
                assert_eq!((read, used), (wanted, bytes.len() - length));
                for cut in 0..used {
                    assert_eq!(FrameHead::parse(&bytes[..cut]), Ok(None), "{cut}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_allowed_is_refused() {
        for (bytes, wanted) in [
            (&b"\xa1\x00"[..], ProtocolError::ReservedBit),
            (b"\x91\x00", ProtocolError::ReservedBit),
            (b"\xc9\x00", ProtocolError::ReservedBit),
            (b"\xc0\x00", ProtocolError::ReservedBit),
            (b"\x83\x00", ProtocolError::ReservedOpcode(3)),
            (b"\x87\x00", ProtocolError::ReservedOpcode(7)),
            (b"\x8b\x00", ProtocolError::ReservedOpcode(11)),
            (b"\x8f\x00", ProtocolError::ReservedOpcode(15)),
            (b"\x89\x7e", ProtocolError::LongControl),
            (b"\x88\x7f", ProtocolError::LongControl),
            (b"\x09\x00", ProtocolError::FragmentedControl),
            (b"\x82\x7e\x00\x7d", ProtocolError::Length),
            (b"\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff", ProtocolError::Length),
            (b"\x82\x7f\x80\x00\x00\x00\x00\x00\x00\x00", ProtocolError::Length),
        ] {
            assert_eq!(FrameHead::parse(bytes), Err(wanted), "{bytes:?}");
        }
    }
}
