//! Received bytes on their way to frames, each with its arrival.

use std::collections::VecDeque;

use swell_net::Arrival;
use swell_websocket::{FrameHead, FrameReader, FrameRules, Opcode, ProtocolError, Role};

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
    /// What came while no sampler was reading.
    early: EarlyFrames,
    /// Bytes after the last frame that was taken; the first `used` are done with.
    unread: Vec<u8>,
    used: usize,
    /// The lengths of the parts that the rest of them arrived in, with their times.
    parts: VecDeque<(usize, FrameTimes)>,
    /// Arrival of the first byte of the frame on its way.
    begun_ns: i64,
}

/// Frames that came while no sampler was reading, in their order.
#[derive(Default)]
struct EarlyFrames {
    frames: VecDeque<RawFrame>,
    /// Memory of them.
    bytes: usize,
    /// What is wrong with the bytes after them.
    error: Option<ProtocolError>,
    /// The last one closes the connection.
    has_close: bool,
}

/// Room for bytes that stays while nothing waits: an idle connection has little.
const KEPT_MAX: usize = 1024;

/// Bytes that a connection holds at most while no sampler reads, a read of 64 KiB more excepted:
/// the rest waits in the kernel, and then at the server.
const EARLY_MAX: usize = 256 * 1024;

impl Incoming {
    pub(super) fn new(payload_bytes_max: usize, allows_compression: bool) -> Self {
        let rules = FrameRules { role: Role::Client, allows_compression, payload_bytes_max };
        let reader = FrameReader::new(rules);
        let early = EarlyFrames::default();
        Self { reader, early, unread: Vec::new(), used: 0, parts: VecDeque::new(), begun_ns: 0 }
    }

    /// Whether it takes more while no sampler reads.
    pub(super) fn has_room(&self) -> bool {
        let held = self.early.bytes + self.unread.len() + self.reader.held_bytes();
        self.early.has_room() && held < EARLY_MAX
    }

    /// Cuts what was kept into frames while no sampler reads. `answers` takes the payload of a ping
    /// that it answers, and says so: no sampler sees that ping.
    pub(super) fn sort(&mut self, mut answers: impl FnMut(&[u8]) -> bool) {
        while !self.parts.is_empty() && self.early.has_room() {
            match self.next_of_bytes() {
                Ok(Some(frame)) if frame.head.opcode == Opcode::Ping && answers(&frame.payload) => {}
                Ok(Some(frame)) => self.early.push(frame),
                Ok(None) => break,
                Err(error) => self.early.error = Some(error),
            }
        }
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
        if let Some(frame) = self.early.pop() {
            return Ok(Some(frame));
        }
        match self.early.error.take() {
            Some(error) => Err(error),
            None => self.next_of_bytes(),
        }
    }

    fn next_of_bytes(&mut self) -> Result<Option<RawFrame>, ProtocolError> {
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

impl EarlyFrames {
    /// Nothing follows a close frame or an error.
    fn has_room(&self) -> bool {
        self.bytes < EARLY_MAX && !self.has_close && self.error.is_none()
    }

    fn push(&mut self, frame: RawFrame) {
        self.bytes += cost(&frame);
        self.has_close |= frame.head.opcode == Opcode::Close;
        self.frames.push_back(frame);
    }

    fn pop(&mut self) -> Option<RawFrame> {
        let frame = self.frames.pop_front()?;
        self.bytes -= cost(&frame);
        if self.frames.is_empty() {
            self.frames = VecDeque::new();
        }
        Some(frame)
    }
}

/// Memory of a frame that waits.
fn cost(frame: &RawFrame) -> usize {
    size_of::<RawFrame>() + frame.payload.len()
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
    fn early_frames_come_first_and_hold_little() {
        let mut incoming = Incoming::new(1 << 20, false);
        incoming.keep(b"\x81\x01a\x89\x01p\x81\x02b", at(10).into());
        incoming.sort(|ping| ping == b"p");
        let mut found = Ok(None);
        assert!(incoming.has_room());
        incoming.keep(b"c\x83\x00\x81\x00", at(20).into());
        incoming.sort(|_| false);
        assert!(!incoming.has_room(), "nothing follows an error");
        for (text, first_ns, at_ns) in [("a", 10, 10), ("bc", 10, 20)] {
            let frame = incoming.next().expect("valid").expect("a frame");
            assert_eq!(frame.payload, text.as_bytes());
            assert_eq!((frame.times.first_ns, frame.times.at_ns), (first_ns, at_ns));
        }
        assert!(matches!(incoming.next(), Err(ProtocolError::ReservedOpcode(3))));
        incoming.feed(b"", at(30), &mut found);
        assert!(matches!(found, Ok(None)));
    }

    #[test]
    fn room_for_early_frames_is_bounded_for_frames_of_any_size() {
        for frame in [b"\x81\x00".to_vec(), [&b"\x82\x7e\x10\x00"[..], &[7; 4096]].concat()] {
            let mut incoming = Incoming::new(1 << 30, false);
            let read = frame.repeat((1 << 16) / frame.len());
            let mut reads = 0;
            while incoming.has_room() {
                incoming.keep(&read, at(10).into());
                incoming.sort(|_| false);
                reads += 1;
                assert!(reads < 10);
            }
            let spare = incoming.early.frames.capacity() * size_of::<RawFrame>() + incoming.unread.capacity();
            assert!(spare < 4 * EARLY_MAX, "{spare}");
            let mut left = reads * read.len() / frame.len();
            while incoming.next().expect("valid").is_some() {
                left -= 1;
            }
            assert_eq!((left, incoming.early.bytes, incoming.early.frames.capacity()), (0, 0, 0));
            assert!(incoming.has_room());
        }
        let mut incoming = Incoming::new(1 << 30, false);
        incoming.keep(b"\x82\x7f\x00\x00\x00\x00\x10\x00\x00\x00", at(10).into());
        let mut held = 0;
        while incoming.has_room() {
            incoming.keep(&vec![7; 1 << 16], at(10).into());
            incoming.sort(|_| false);
            held += 1 << 16;
        }
        assert!(held <= EARLY_MAX, "of a frame on its way, too: {held}");
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
