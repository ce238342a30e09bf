//! What this side sends: heads, bodies, trailers.

use crate::error::InvalidField;
use crate::fields::Fields;
use crate::frame::{FrameHead, HEAD_BYTES, StreamId, flag, kind, write_frame};
use crate::hpack::{Class, Encoder, Known};
use crate::lines;

use super::{Connection, STREAM_MAX};

/// The fields of a head after the pseudo-header fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content<'a> {
    /// Fields that many heads share.
    pub(crate) constant: &'a Fields,
    /// Lines of this head only.
    pub(crate) own: &'a [u8],
    /// Nothing follows.
    pub(crate) end: bool,
}

impl Connection {
    /// Opens the next stream of a client. Its head must be written next.
    pub(crate) fn open(&mut self, is_head_request: bool) -> u32 {
        debug_assert!(self.last <= STREAM_MAX, "asked before");
        let id = self.last;
        self.last += 2;
        self.idle_frames = 0;
        let mut stream = self.new_stream(id);
        if is_head_request {
            stream.set_head_request();
        }
        self.streams.push(stream);
        id
    }

    /// Whether the stream is open and its sending side has not ended.
    pub(crate) fn can_send(&mut self, stream: StreamId) -> bool {
        self.streams.get(stream.0).is_some_and(|stream| !stream.has_ended_sending())
    }

    /// Writes a head. `pseudo` writes the pseudo-header fields. `own` must have been checked.
    pub(crate) fn write_head(
        &mut self,
        stream: u32,
        content: Content<'_>,
        out: &mut Vec<u8>,
        pseudo: impl FnOnce(&mut Encoder, &mut Vec<u8>),
    ) {
        let start = out.len();
        out.extend_from_slice(&[0; HEAD_BYTES]);
        let encoder = &mut self.encoder;
        encoder.begin(out);
        pseudo(encoder, out);
        encoder.constant(content.constant, out);
        let checked = lines::for_each(content.own, |name, value| {
            encoder.field(name, value, Class::of(name, Class::Literal), out);
        });
        debug_assert!(checked.is_ok(), "lines are checked before a head is written");
        let end = if content.end { flag::END_STREAM } else { 0 };
        self.frame_head(stream, end, start, out);
        if content.end {
            self.end_sending(stream);
        }
    }

    /// Writes the heads of the frames around a block that is in the output after `start`.
    fn frame_head(&self, stream: u32, end: u8, start: usize, out: &mut Vec<u8>) {
        let block = start + HEAD_BYTES;
        let frame_max = self.peer.frame_max as usize;
        let length = out.len() - block;
        if length <= frame_max {
            let head = FrameHead::new(kind::HEADERS, flag::END_HEADERS | end, stream, length);
            out[start..block].copy_from_slice(&head.bytes());
            return;
        }
        let rest = out.split_off(block + frame_max);
        let head = FrameHead::new(kind::HEADERS, end, stream, frame_max);
        out[start..block].copy_from_slice(&head.bytes());
        let pieces = rest.len().div_ceil(frame_max);
        for (place, piece) in rest.chunks(frame_max).enumerate() {
            let flags = if place + 1 == pieces { flag::END_HEADERS } else { 0 };
            write_frame(kind::CONTINUATION, flags, stream, piece, out);
        }
    }

    fn end_sending(&mut self, stream: u32) {
        if let Some(open) = self.streams.get(stream) {
            open.end_sending();
            if open.is_closed() {
                self.streams.remove(stream);
                self.resets = self.resets.saturating_sub(1);
            }
        }
    }

    /// Writes as much of a body as both windows allow and returns how much that is.
    pub(crate) fn send_data(&mut self, id: StreamId, bytes: &[u8], end: bool, out: &mut Vec<u8>) -> usize {
        let frame_max = self.peer.frame_max as usize;
        let Some(stream) = self.streams.get(id.0).filter(|stream| !stream.has_ended_sending()) else {
            return 0;
        };
        let window = i64::from(stream.send_window).min(self.send_window).max(0);
        let count = bytes.len().min(window as usize);
        stream.send_window -= count as i32;
        self.send_window -= count as i64;
        let is_all = count == bytes.len();
        if !is_all {
            stream.set_blocked();
        }
        let end = end && is_all;
        let mut left = &bytes[..count];
        while !left.is_empty() {
            let (piece, rest) = left.split_at(left.len().min(frame_max));
            left = rest;
            let flags = if end && left.is_empty() { flag::END_STREAM } else { 0 };
            write_frame(kind::DATA, flags, id.0, piece, out);
        }
        if end && bytes.is_empty() {
            write_frame(kind::DATA, flag::END_STREAM, id.0, &[], out);
        }
        if count > 0 {
            self.idle_frames = 0;
        }
        if end {
            self.end_sending(id.0);
        }
        count
    }

    /// Writes trailers, which end this side of the stream.
    pub(crate) fn send_trailers(
        &mut self,
        stream: StreamId,
        lines: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), InvalidField> {
        lines::for_each(lines, |_, _| {})?;
        let content = Content { constant: &Fields::default(), own: lines, end: true };
        if self.can_send(stream) {
            self.write_head(stream.0, content, out, |_, _| {});
        }
        Ok(())
    }
}

/// Writes a pseudo-header field that is not in the static table with its value.
pub(crate) fn write_pseudo(
    encoder: &mut Encoder,
    name: &'static [u8],
    name_index: usize,
    value: &[u8],
    class: Class,
    out: &mut Vec<u8>,
) {
    encoder.known(Known { name, value, class, name_index, field_index: 0 }, out);
}
