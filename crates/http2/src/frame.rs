//! Frames (RFC 9113 §4.1).

use std::fmt;

/// Bytes of a frame's head.
pub(crate) const HEAD_BYTES: usize = 9;
/// The payload that every peer accepts.
pub(crate) const FRAME_MIN: u32 = 16_384;
/// The largest window.
pub(crate) const WINDOW_MAX: u32 = (1 << 31) - 1;

pub(crate) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const HEADERS: u8 = 1;
    pub(crate) const PRIORITY: u8 = 2;
    pub(crate) const RST_STREAM: u8 = 3;
    pub(crate) const SETTINGS: u8 = 4;
    pub(crate) const PUSH_PROMISE: u8 = 5;
    pub(crate) const PING: u8 = 6;
    pub(crate) const GOAWAY: u8 = 7;
    pub(crate) const WINDOW_UPDATE: u8 = 8;
    pub(crate) const CONTINUATION: u8 = 9;
}

pub(crate) mod flag {
    pub(crate) const END_STREAM: u8 = 0x1;
    pub(crate) const ACK: u8 = 0x1;
    pub(crate) const END_HEADERS: u8 = 0x4;
    pub(crate) const PADDED: u8 = 0x8;
    pub(crate) const PRIORITY: u8 = 0x20;
}

/// Number of a stream: odd for those that the client opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub(crate) u32);

impl StreamId {
    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameHead {
    pub(crate) length: u32,
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
}

impl FrameHead {
    pub(crate) fn new(kind: u8, flags: u8, stream: u32, length: usize) -> Self {
        Self { length: length as u32, kind, flags, stream }
    }

    pub(crate) fn read(bytes: [u8; HEAD_BYTES]) -> Self {
        Self {
            length: u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]),
            kind: bytes[3],
            flags: bytes[4],
            stream: u32::from_be_bytes([bytes[5], bytes[6], bytes[7], bytes[8]]) & WINDOW_MAX,
        }
    }

    pub(crate) fn bytes(self) -> [u8; HEAD_BYTES] {
        let length = self.length.to_be_bytes();
        let mut bytes = [length[1], length[2], length[3], self.kind, self.flags, 0, 0, 0, 0];
        bytes[5..].copy_from_slice(&self.stream.to_be_bytes());
        bytes
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes());
    }

    pub(crate) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Bytes of the whole frame.
    pub(crate) fn wire(self) -> u64 {
        HEAD_BYTES as u64 + u64::from(self.length)
    }
}

/// Appends a whole frame.
pub(crate) fn write_frame(kind: u8, flags: u8, stream: u32, payload: &[u8], out: &mut Vec<u8>) {
    FrameHead::new(kind, flags, stream, payload.len()).write(out);
    out.extend_from_slice(payload);
}

/// Appends a frame of one number: WINDOW_UPDATE, RST_STREAM.
pub(crate) fn write_number(kind: u8, stream: u32, number: u32, out: &mut Vec<u8>) {
    write_frame(kind, 0, stream, &number.to_be_bytes(), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_literal_bytes() {
        let head = FrameHead::new(kind::HEADERS, flag::END_STREAM | flag::END_HEADERS, 3, 0x01_02_03);
        assert_eq!(head.bytes(), [1, 2, 3, 1, 5, 0, 0, 0, 3]);
        assert_eq!(FrameHead::read([1, 2, 3, 1, 5, 0x80, 0, 0, 3]), head, "the reserved bit is ignored");
        let mut out = Vec::new();
        write_number(kind::WINDOW_UPDATE, 0, 0x7fff_ffff, &mut out);
        assert_eq!(out, [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]);
    }
}
