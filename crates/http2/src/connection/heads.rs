//! HEADERS and CONTINUATION that arrive.

use crate::error::{ConnectionError, ErrorCode};
use crate::events::{Events, RequestHead, ResponseHead, Trailers};
use crate::frame::{StreamId, flag};
use crate::hpack::ListEnd;

use super::control::check_dependency;
use super::head::{Form, HeadFacts, HeadReader};
use super::streams::UNKNOWN;
use super::{Connection, Scratch, Step, StreamError, flood};

/// Most CONTINUATION frames of a head: a limit on bytes alone does not see empty ones.
const CONTINUATIONS_MAX: u32 = 8;

/// A head of which not all frames have come.
#[derive(Debug)]
pub(super) struct PendingHead {
    pub(super) stream: u32,
    is_end: bool,
    first: u64,
    wire: u64,
    continuations: u32,
    block: Vec<u8>,
}

/// Where a whole head came from.
#[derive(Clone, Copy, Debug)]
struct Origin {
    stream: u32,
    is_end: bool,
    first: u64,
    wire: u64,
}

/// What a head belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// A stream that is gone, or one above this side's GOAWAY.
    Nothing,
    /// A request that exceeds the number of streams.
    Refused,
    Request,
    Response,
    Trailers,
    /// A stream on which nothing may follow.
    Ended,
}

impl Connection {
    pub(super) fn headers<E: Events>(
        &mut self,
        payload: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        let head = self.input.frame;
        if head.stream == 0 {
            return Err(ConnectionError::protocol("HEADERS without a stream"));
        }
        let fragment = self.fragment(payload)?;
        let is_end = head.has(flag::END_STREAM);
        let origin = Origin { stream: head.stream, is_end, first: self.input.first, wire: head.wire() };
        if head.has(flag::END_HEADERS) {
            return self.finish_head(origin, fragment, step);
        }
        let Origin { stream, is_end, first, wire } = origin;
        let block = fragment.to_vec();
        self.pending = Some(Box::new(PendingHead { stream, is_end, first, wire, continuations: 0, block }));
        Ok(())
    }

    /// The part of a HEADERS frame that is the block.
    fn fragment<'p>(&self, payload: &'p [u8]) -> Result<&'p [u8], ConnectionError> {
        let head = self.input.frame;
        let cut = || ConnectionError::new(ErrorCode::FRAME_SIZE_ERROR, "HEADERS that is too short");
        let mut block = payload;
        if head.has(flag::PADDED) {
            let (padding, rest) = block.split_first().ok_or_else(cut)?;
            let Some(length) = rest.len().checked_sub(usize::from(*padding)) else {
                return Err(ConnectionError::protocol("padding longer than its frame"));
            };
            block = &rest[..length];
        }
        if head.has(flag::PRIORITY) {
            let (depends_on, rest) = block.split_first_chunk::<4>().ok_or_else(cut)?;
            check_dependency(*depends_on, head.stream)?;
            block = rest.split_first().ok_or_else(cut)?.1;
        }
        Ok(block)
    }

    pub(super) fn continuation<E: Events>(
        &mut self,
        payload: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        let head = self.input.frame;
        let Some(mut pending) = self.pending.take() else {
            return Err(ConnectionError::protocol("CONTINUATION without HEADERS"));
        };
        pending.continuations += 1;
        pending.wire += head.wire();
        if pending.continuations > CONTINUATIONS_MAX {
            return Err(flood("more than 8 CONTINUATION frames in a head"));
        }
        if pending.block.len() + payload.len() > self.ours.header_list_max as usize {
            return Err(flood("a head larger than was announced"));
        }
        pending.block.extend_from_slice(payload);
        if !head.has(flag::END_HEADERS) {
            self.pending = Some(pending);
            return Ok(());
        }
        let PendingHead { stream, is_end, first, wire, .. } = *pending;
        self.finish_head(Origin { stream, is_end, first, wire }, &pending.block, step)
    }

    fn finish_head<E: Events>(
        &mut self,
        origin: Origin,
        block: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        let owner = self.owner(origin.stream)?;
        let form = match owner {
            Owner::Request | Owner::Refused => Form::Request,
            Owner::Trailers => Form::Trailers,
            Owner::Response | Owner::Nothing | Owner::Ended => Form::Response,
        };
        let read = self.decode(form, block, step)?;
        let id = origin.stream;
        let facts = match (owner, read) {
            (Owner::Nothing, _) => return self.count_idle(),
            (Owner::Refused, _) => {
                let error = StreamError::new(ErrorCode::REFUSED_STREAM, "more streams than were announced");
                return self.fail(id, error, step);
            }
            (Owner::Ended, _) => {
                let error = StreamError::new(ErrorCode::STREAM_CLOSED, "HEADERS after the end of the stream");
                return self.fail(id, error, step);
            }
            (_, Err(rule)) => return self.fail(id, StreamError::protocol(rule), step),
            (_, Ok(facts)) => facts,
        };
        if facts.status < 200 && owner == Owner::Response {
            // Without the count a server could send them for ever.
            self.count_idle()?;
        }
        let taken = match owner {
            Owner::Trailers => self.take_trailers(origin, step),
            Owner::Request => self.take_request(origin, facts, step),
            _ => self.take_response(origin, &facts, step),
        };
        match taken {
            Ok(()) => Ok(()),
            Err(rule) => self.fail(id, StreamError::protocol(rule), step),
        }
    }

    /// Decodes a block to the buffers. The inner error is a rule that the head breaks.
    fn decode<E>(
        &mut self,
        form: Form,
        block: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<Result<HeadFacts, &'static str>, ConnectionError> {
        let list_max = self.ours.header_list_max;
        if form == Form::Response
            && let Some(facts) = step.scratch.repeat(block, list_max, &mut self.decoder)
        {
            return Ok(Ok(facts));
        }
        let Scratch { text, pseudo, table_use, .. } = &mut *step.scratch;
        text.clear();
        pseudo.clear();
        let mut reader = HeadReader::new(form, list_max);
        let each = |text: &mut Vec<u8>, field| reader.take(text, field, pseudo);
        match self.decoder.decode(block, text, table_use, each) {
            Ok(()) => {
                let size = reader.size();
                let read = reader.finish(pseudo);
                if form == Form::Response
                    && let Ok(facts) = &read
                {
                    step.scratch.remember(block, facts, size);
                }
                Ok(read)
            }
            Err(ListEnd::Stopped) => Err(flood("a head larger than was announced")),
            Err(ListEnd::Invalid(error)) => Err(ConnectionError::new(ErrorCode::COMPRESSION_ERROR, error.0)),
        }
    }

    /// What the head on this stream belongs to. A new stream of a client is noted as seen.
    fn owner(&mut self, id: u32) -> Result<Owner, ConnectionError> {
        if self.is_server && id % 2 == 1 && id > self.last {
            if id > self.last + 2 || (self.last == 0 && id > 1) {
                self.left_out = (self.last + 1, id - 1);
            }
            self.last = id;
            let streams_max = self.ours.streams_max.unwrap_or(u32::MAX) as usize;
            return Ok(match self.goes {
                Some(_) => Owner::Nothing,
                None if self.streams.len() >= streams_max => Owner::Refused,
                None => Owner::Request,
            });
        }
        let is_left_out = self.is_server && (self.left_out.0..=self.left_out.1).contains(&id);
        if self.is_idle(id) || is_left_out {
            return Err(ConnectionError::protocol("HEADERS for a stream that cannot be opened"));
        }
        match self.streams.get(id) {
            None => self.check_closed(id).map(|()| Owner::Nothing),
            Some(stream) if stream.has_ended_receiving() => Ok(Owner::Ended),
            Some(stream) if stream.has_head() => Ok(Owner::Trailers),
            Some(_) => Ok(Owner::Response),
        }
    }

    fn take_trailers<E: Events>(
        &mut self,
        origin: Origin,
        step: &mut Step<'_, E>,
    ) -> Result<(), &'static str> {
        let Some(stream) = self.streams.get(origin.stream) else { return Ok(()) };
        if !origin.is_end {
            return Err("a second head that does not end the stream");
        }
        if !matches!(stream.body_left, 0 | UNKNOWN) {
            return Err("a body shorter than its content-length");
        }
        self.idle_frames = 0;
        self.end_receiving(origin.stream);
        let trailers = Trailers { fields: &step.scratch.text, at: self.input.fed, wire: origin.wire };
        step.events.trailers(StreamId(origin.stream), trailers);
        Ok(())
    }

    fn take_request<E: Events>(
        &mut self,
        origin: Origin,
        facts: HeadFacts,
        step: &mut Step<'_, E>,
    ) -> Result<(), &'static str> {
        let mut stream = self.new_stream(origin.stream);
        stream.set_head();
        stream.body_left = facts.content_length.unwrap_or(UNKNOWN);
        if origin.is_end {
            if !matches!(stream.body_left, 0 | UNKNOWN) {
                return Err("a body shorter than its content-length");
            }
            stream.end_receiving();
        }
        self.streams.push(stream);
        self.idle_frames = 0;
        let pseudo = &step.scratch.pseudo;
        let head = RequestHead {
            method: &pseudo[facts.method],
            scheme: &pseudo[facts.scheme],
            authority: &pseudo[facts.authority],
            path: &pseudo[facts.path],
            fields: &step.scratch.text,
            end: origin.is_end,
            content_length: facts.content_length,
            first: origin.first,
            at: self.input.fed,
            wire: origin.wire,
        };
        step.events.request(StreamId(origin.stream), head);
        Ok(())
    }

    fn take_response<E: Events>(
        &mut self,
        origin: Origin,
        facts: &HeadFacts,
        step: &mut Step<'_, E>,
    ) -> Result<(), &'static str> {
        let Some(stream) = self.streams.get(origin.stream) else { return Ok(()) };
        let head = ResponseHead {
            status: facts.status,
            fields: &step.scratch.text,
            end: origin.is_end,
            content_length: facts.content_length,
            first: origin.first,
            at: self.input.fed,
            wire: origin.wire,
        };
        if facts.status < 200 {
            if origin.is_end || facts.status == 101 {
                return Err("an informational response that ends the stream, or 101");
            }
            step.events.informational(StreamId(origin.stream), head);
            return Ok(());
        }
        stream.set_head();
        let has_no_body = stream.is_head_request() || matches!(facts.status, 204 | 304);
        stream.body_left = if has_no_body { 0 } else { facts.content_length.unwrap_or(UNKNOWN) };
        if origin.is_end && !matches!(stream.body_left, 0 | UNKNOWN) {
            return Err("a body shorter than its content-length");
        }
        self.idle_frames = 0;
        if origin.is_end {
            self.end_receiving(origin.stream);
        }
        step.events.response(StreamId(origin.stream), head);
        Ok(())
    }
}
