//! Received bytes on their way to frames, each with its arrival.

use std::collections::VecDeque;

use swell_net::Arrival;
use swell_websocket::{FrameHead, FrameReader, FrameRules, ProtocolError, Role};

use super::frames::FrameTimes;

/// A frame as it came.
pub(super) struct RawFrame {
    pub(super) head: FrameHead,
    pub(super) head_bytes: usize,
    pub(super) payload: Vec<u8>,
    pub(super) times: FrameTimes,
}

/// Cuts received bytes into frames. Bytes after a frame wait for the next call, with their times.
pub(super) struct Incoming {
    reader: FrameReader,
    /// Bytes after the last frame that was taken; the first `used` are done with.
    unread: Vec<u8>,
    used: usize,
    /// The lengths of the parts that the rest of them arrived in, with their times.
    parts: VecDeque<(usize, FrameTimes)>,
    /// Arrival of the first byte of the frame on its way.
    begun_ns: i64,
}

/// Room for bytes that stays while nothing waits: an idle connection has little.
const KEPT_MAX: usize = 1024;

impl Incoming {
    pub(super) fn new(payload_bytes_max: usize, allows_compression: bool) -> Self {
        let rules = FrameRules { role: Role::Client, allows_compression, payload_bytes_max };
        let reader = FrameReader::new(rules);
        Self { reader, unread: Vec::new(), used: 0, parts: VecDeque::new(), begun_ns: 0 }
    }

    /// Takes a part of a read. `found` gets the first frame that is complete; what follows is kept.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        arrival: Arrival,
        found: &mut Result<Option<RawFrame>, ProtocolError>,
    ) {
        let times = FrameTimes::from(arrival);
        let mut rest = bytes;
        if matches!(found, Ok(None)) && self.parts.is_empty() {
            *found = take_frame(&mut self.reader, &mut self.begun_ns, &mut rest, times);
        }
        self.keep(rest, times);
    }

    /// Keeps bytes for later.
    pub(super) fn keep(&mut self, bytes: &[u8], times: FrameTimes) {
        if !bytes.is_empty() {
            self.unread.extend_from_slice(bytes);
            self.parts.push_back((bytes.len(), times));
        }
    }

    /// The next frame of what was received before.
    pub(super) fn next(&mut self) -> Result<Option<RawFrame>, ProtocolError> {
        while let Some((length, times)) = self.parts.pop_front() {
            let mut rest = &self.unread[self.used..self.used + length];
            let found = take_frame(&mut self.reader, &mut self.begun_ns, &mut rest, times);
            let left = rest.len();
            self.used += length - left;
            if left > 0 {
                self.parts.push_front((left, times));
            }
            if !matches!(found, Ok(None)) {
                return found;
            }
        }
        (self.used, self.parts) = (0, VecDeque::new());
        self.unread.clear();
        self.unread.shrink_to(KEPT_MAX);
        Ok(None)
    }
}

/// The frame that ends in the bytes of a part, if one does.
fn take_frame(
    reader: &mut FrameReader,
    begun_ns: &mut i64,
    bytes: &mut &[u8],
    times: FrameTimes,
) -> Result<Option<RawFrame>, ProtocolError> {
    if !reader.is_inside_frame() {
        *begun_ns = times.at_ns;
    }
    Ok(reader.next(bytes)?.map(|frame| RawFrame {
        head: frame.head,
        head_bytes: frame.head_bytes,
        payload: frame.payload.to_vec(),
        times: FrameTimes { first_ns: *begun_ns, ..times },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at_ns: i64) -> Arrival {
        Arrival { at_ns, kernel_ns: at_ns, read_ns: 100, stamped: true }
    }

    /// Text and times of the first and the last byte of each frame.
    fn frames(incoming: &mut Incoming, parts: &[(&[u8], i64)]) -> Vec<(String, i64, i64)> {
        let mut found = Ok(None);
        for (bytes, at_ns) in parts {
            incoming.feed(bytes, at(*at_ns), &mut found);
        }
        let mut all = Vec::new();
        let mut next = found.expect("valid");
        while let Some(RawFrame { payload, times, .. }) = next {
            all.push((String::from_utf8(payload).expect("text"), times.first_ns, times.at_ns));
            next = incoming.next().expect("valid");
        }
        all
    }

    #[test]
    fn each_frame_of_a_read_has_the_time_of_its_own_part() {
        let mut incoming = Incoming::new(1000, false);
        let read =
            frames(&mut incoming, &[(b"\x81\x01a\x81\x01b", 10), (b"\x81\x02c", 20), (b"d\x81\x01e", 30)]);
        let wanted = [("a", 10, 10), ("b", 10, 10), ("cd", 20, 30), ("e", 30, 30)];
        assert_eq!(read, wanted.map(|(text, first, last)| (text.to_owned(), first, last)));
        assert_eq!(frames(&mut incoming, &[(b"\x81\x01f", 40)]), [("f".to_owned(), 40, 40)]);
    }

    #[test]
    fn a_frame_in_several_reads_begins_with_its_first() {
        let mut incoming = Incoming::new(1000, false);
        assert_eq!(frames(&mut incoming, &[(b"\x81", 10)]), []);
        assert_eq!(frames(&mut incoming, &[(b"\x02g", 20)]), []);
        assert_eq!(
            frames(&mut incoming, &[(b"h\x81\x00", 30)]),
            [("gh".to_owned(), 10, 30), (String::new(), 30, 30)]
        );
    }

    #[test]
    fn many_small_frames_of_a_read_take_no_memory_afterwards() {
        let mut incoming = Incoming::new(1000, false);
        assert_eq!(frames(&mut incoming, &[(&b"\x81\x00".repeat(30_000), 10)]).len(), 30_000);
        assert!(incoming.next().expect("valid").is_none());
        assert!(incoming.unread.capacity() <= KEPT_MAX && incoming.parts.capacity() == 0);
    }

    #[test]
    fn an_error_is_that_of_the_frame_where_it_is() {
        let mut incoming = Incoming::new(1000, false);
        let mut found = Ok(None);
        incoming.feed(b"\x81\x01a\x83\x00", at(10), &mut found);
        assert!(matches!(found, Ok(Some(_))));
        assert!(matches!(incoming.next(), Err(ProtocolError::ReservedOpcode(3))));
    }
}
