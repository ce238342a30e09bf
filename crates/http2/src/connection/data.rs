//! DATA that arrives: handed on in pieces as it comes, and its window given back.

use crate::error::{ConnectionError, ErrorCode};
use crate::events::{Data, Events};
use crate::frame::{FrameHead, HEAD_BYTES, StreamId, flag, kind, write_number};

use super::streams::UNKNOWN;
use super::{Connection, Step, StreamError};

/// A DATA frame of which a part is still to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataFrame {
    stream: u32,
    /// Content, then padding.
    left: u32,
    padding: u32,
    awaits_pad_length: bool,
    is_end: bool,
    /// Its content is handed on. False: the stream is gone.
    is_live: bool,
    /// Bytes of the frame that no event has counted yet.
    wire: u64,
}

impl DataFrame {
    fn new(head: FrameHead, is_live: bool) -> Self {
        Self {
            stream: head.stream,
            left: head.length,
            padding: 0,
            awaits_pad_length: head.has(flag::PADDED),
            is_end: head.has(flag::END_STREAM),
            is_live,
            wire: HEAD_BYTES as u64,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0 && self.padding == 0 && !self.awaits_pad_length
    }
}

impl Connection {
    pub(super) fn begin_data<E: Events>(
        &mut self,
        step: &mut Step<'_, E>,
    ) -> Result<DataFrame, ConnectionError> {
        let head = self.input.frame;
        if head.stream == 0 || self.is_idle(head.stream) {
            return Err(ConnectionError::protocol("DATA for a stream that was never opened"));
        }
        if head.has(flag::PADDED) && head.length == 0 {
            return Err(ConnectionError::new(ErrorCode::FRAME_SIZE_ERROR, "padding without a length"));
        }
        if head.length > self.receive_window {
            let rule = "more data than the window of the connection allows";
            return Err(ConnectionError::new(ErrorCode::FLOW_CONTROL_ERROR, rule));
        }
        self.receive_window -= head.length;
        if head.length == 0 && !head.has(flag::END_STREAM) {
            self.count_idle()?;
        }
        let error = match self.streams.get(head.stream) {
            None => {
                self.check_closed(head.stream)?;
                return Ok(DataFrame::new(head, false));
            }
            Some(stream) if stream.has_ended_receiving() => {
                Some(StreamError::new(ErrorCode::STREAM_CLOSED, "DATA after the end of the stream"))
            }
            Some(stream) if !stream.has_head() => Some(StreamError::protocol("DATA before the head")),
            Some(stream) if head.length > stream.receive_window => {
                let rule = "more data than the window of the stream allows";
                Some(StreamError::new(ErrorCode::FLOW_CONTROL_ERROR, rule))
            }
            Some(stream) => {
                stream.receive_window -= head.length;
                None
            }
        };
        if let Some(error) = error {
            self.fail(head.stream, error, step)?;
        }
        Ok(DataFrame::new(head, error.is_none()))
    }

    /// Hands on what has come of a DATA frame.
    pub(super) fn read_data<E: Events>(
        &mut self,
        frame: &mut DataFrame,
        rest: &mut &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        if frame.awaits_pad_length {
            if rest.is_empty() {
                return Ok(());
            }
            let padding = u32::from(self.input.take(rest, 1)[0]);
            frame.awaits_pad_length = false;
            frame.wire += 1;
            frame.left -= 1;
            if padding > frame.left {
                return Err(ConnectionError::protocol("padding longer than its frame"));
            }
            frame.left -= padding;
            frame.padding = padding;
            if frame.left == 0 && !frame.is_end {
                self.count_idle()?;
            }
        }
        let count = rest.len().min(frame.left as usize);
        let bytes = self.input.take(rest, count);
        frame.left -= count as u32;
        frame.wire += count as u64;
        if frame.left == 0 {
            let count = rest.len().min(frame.padding as usize);
            self.input.take(rest, count);
            frame.padding -= count as u32;
            frame.wire += count as u64;
        }
        let is_done = frame.is_done();
        let is_end = is_done && frame.is_end;
        if frame.is_live && (is_end || !bytes.is_empty()) {
            self.hand_on(frame, bytes, is_end, step)?;
        }
        if is_done {
            self.give_back(frame.stream, step.out);
        }
        Ok(())
    }

    fn hand_on<E: Events>(
        &mut self,
        frame: &mut DataFrame,
        bytes: &[u8],
        is_end: bool,
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        // The stream may have been reset between two pieces.
        let Some(stream) = self.streams.get(frame.stream) else { return Ok(()) };
        if stream.body_left != UNKNOWN {
            let left = stream.body_left.checked_sub(bytes.len() as u64);
            let error = match left {
                None => "a body longer than its content-length",
                Some(1..) if is_end => "a body shorter than its content-length",
                Some(left) => {
                    stream.body_left = left;
                    ""
                }
            };
            if !error.is_empty() {
                frame.is_live = false;
                return self.fail(frame.stream, StreamError::protocol(error), step);
            }
        }
        if !bytes.is_empty() {
            self.idle_frames = 0;
        }
        if is_end {
            self.end_receiving(frame.stream);
        }
        let wire = std::mem::take(&mut frame.wire);
        step.events.data(StreamId(frame.stream), Data { bytes, end: is_end, at: self.input.fed, wire });
        Ok(())
    }

    /// Gives windows back of which half is used.
    fn give_back(&mut self, stream: u32, out: &mut Vec<u8>) {
        let window = self.ours.connection_window;
        if self.receive_window <= window / 2 {
            write_number(kind::WINDOW_UPDATE, 0, window - self.receive_window, out);
            self.receive_window = window;
        }
        let window = self.ours.stream_window;
        if let Some(stream) = self.streams.get(stream)
            && !stream.has_ended_receiving()
            && stream.receive_window <= window / 2
            && stream.receive_window < window
        {
            write_number(kind::WINDOW_UPDATE, stream.id, window - stream.receive_window, out);
            stream.receive_window = window;
        }
    }
}
