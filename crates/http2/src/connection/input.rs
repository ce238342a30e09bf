//! Bytes to frames. A frame that is cut off is kept until its rest arrives; DATA is not.

use crate::PREFACE;
use crate::error::{ConnectionError, ErrorCode};
use crate::events::Events;
use crate::frame::{FrameHead, HEAD_BYTES, flag, kind};

use super::data::DataFrame;
use super::{Connection, HTTP_1_ANSWER, Step};

/// What is being read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    Preface,
    Head,
    Payload,
    Data(DataFrame),
}

/// Where the input is.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) phase: Phase,
    /// Bytes read. While a frame is acted upon: up to and including its last byte.
    pub(super) fed: u64,
    /// Position of the first byte of the frame.
    pub(super) first: u64,
    head: [u8; HEAD_BYTES],
    /// Bytes of `head`, or of the preface, that have come.
    have: usize,
    pub(super) frame: FrameHead,
    /// The payload of a frame that is cut off.
    payload: Vec<u8>,
}

impl Input {
    pub(super) fn new(is_server: bool) -> Self {
        Self {
            phase: if is_server { Phase::Preface } else { Phase::Head },
            fed: 0,
            first: 0,
            head: [0; HEAD_BYTES],
            have: 0,
            frame: FrameHead::default(),
            payload: Vec::new(),
        }
    }

    /// Whether a frame, or the preface, has begun and not ended.
    pub(super) fn is_within_frame(&self) -> bool {
        self.have > 0 || !matches!(self.phase, Phase::Head)
    }

    /// Moves `rest` after that many bytes.
    pub(super) fn take<'b>(&mut self, rest: &mut &'b [u8], count: usize) -> &'b [u8] {
        let (taken, tail) = rest.split_at(count);
        *rest = tail;
        self.fed += count as u64;
        taken
    }

    /// False: the preface has not come completely.
    fn read_preface(&mut self, rest: &mut &[u8]) -> Result<bool, ConnectionError> {
        let wanted = &PREFACE[self.have..];
        let count = wanted.len().min(rest.len());
        let bytes = self.take(rest, count);
        if bytes != &wanted[..count] {
            return Err(ConnectionError::protocol("the client did not begin with the preface of HTTP/2"));
        }
        self.have += count;
        if self.have < PREFACE.len() {
            return Ok(false);
        }
        self.have = 0;
        Ok(true)
    }

    /// False: the head has not come completely.
    fn read_head(&mut self, rest: &mut &[u8]) -> bool {
        if self.have == 0 {
            if rest.is_empty() {
                return false;
            }
            self.first = self.fed + 1;
        }
        let count = (HEAD_BYTES - self.have).min(rest.len());
        let bytes = self.take(rest, count);
        self.head[self.have..self.have + count].copy_from_slice(bytes);
        self.have += count;
        if self.have < HEAD_BYTES {
            return false;
        }
        self.have = 0;
        self.frame = FrameHead::read(self.head);
        true
    }
}

impl Connection {
    pub(super) fn read<E: Events>(
        &mut self,
        bytes: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        let mut rest = bytes;
        loop {
            match self.input.phase {
                Phase::Preface => {
                    if !self.input.read_preface(&mut rest)? {
                        return Ok(());
                    }
                    self.input.phase = Phase::Head;
                }
                Phase::Head => {
                    if !self.input.read_head(&mut rest) {
                        return Ok(());
                    }
                    self.input.phase = self.begin_frame(step)?;
                }
                Phase::Payload => {
                    if !self.read_payload(&mut rest, step)? {
                        return Ok(());
                    }
                    self.input.phase = Phase::Head;
                }
                Phase::Data(mut frame) => {
                    self.read_data(&mut frame, &mut rest, step)?;
                    if !frame.is_done() {
                        self.input.phase = Phase::Data(frame);
                        return Ok(());
                    }
                    self.input.phase = Phase::Head;
                }
            }
        }
    }

    /// Checks what does not need the payload.
    fn begin_frame<E: Events>(&mut self, step: &mut Step<'_, E>) -> Result<Phase, ConnectionError> {
        let frame = self.input.frame;
        if !self.has_settings {
            if !self.is_server && frame.bytes().starts_with(b"HTTP/1.") {
                return Err(ConnectionError::protocol(HTTP_1_ANSWER));
            }
            if frame.kind != kind::SETTINGS || frame.has(flag::ACK) {
                return Err(ConnectionError::protocol("the first frame is not SETTINGS"));
            }
        }
        if frame.length > self.ours.frame_max {
            return Err(ConnectionError::new(
                ErrorCode::FRAME_SIZE_ERROR,
                "a frame longer than was announced",
            ));
        }
        if let Some(pending) = &self.pending
            && (frame.kind != kind::CONTINUATION || frame.stream != pending.stream)
        {
            return Err(ConnectionError::protocol("a head was interrupted by another frame"));
        }
        if frame.kind == kind::DATA { self.begin_data(step).map(Phase::Data) } else { Ok(Phase::Payload) }
    }

    /// False: the payload has not come completely.
    fn read_payload<E: Events>(
        &mut self,
        rest: &mut &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<bool, ConnectionError> {
        let missing = self.input.frame.length as usize - self.input.payload.len();
        if missing > rest.len() {
            let bytes = self.input.take(rest, rest.len());
            self.input.payload.extend_from_slice(bytes);
            return Ok(false);
        }
        let bytes = self.input.take(rest, missing);
        if self.input.payload.is_empty() {
            self.act(bytes, step)?;
        } else {
            let mut payload = std::mem::take(&mut self.input.payload);
            payload.extend_from_slice(bytes);
            self.act(&payload, step)?;
        }
        Ok(true)
    }

    /// Acts upon a whole frame.
    fn act<E: Events>(&mut self, payload: &[u8], step: &mut Step<'_, E>) -> Result<(), ConnectionError> {
        match self.input.frame.kind {
            kind::HEADERS => self.headers(payload, step),
            kind::CONTINUATION => self.continuation(payload, step),
            kind::PRIORITY => self.priority(payload),
            kind::RST_STREAM => self.rst_stream(payload, step),
            kind::SETTINGS => self.settings(payload, step),
            kind::PUSH_PROMISE => Err(ConnectionError::protocol("PUSH_PROMISE, although push is off")),
            kind::PING => self.ping_frame(payload, step),
            kind::GOAWAY => self.goaway(payload, step),
            kind::WINDOW_UPDATE => self.window_update(payload, step),
            // Unknown frames are ignored (RFC 9113 §4.1).
            _ => self.count_idle(),
        }
    }
}
