//! The streams of a session and what has come for them.

use std::task::{Context, Waker};

use swell_http2::{Data, ErrorCode, Events, PeerSettings, ResponseHead, StreamId, StreamReset, Trailers};

use super::SessionError;
use super::arrivals::Arrivals;
use super::exchange::Arrived;

/// Buffers larger than this are not kept for the next exchange.
const KEPT_BUFFER: usize = 4096;

/// Who reads for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The exchange at this place.
    At(usize),
    /// A task that waits for a stream.
    Waiting,
}

/// A stream, or a place for one.
#[derive(Default)]
pub(super) struct StreamState {
    pub(super) arrived: Arrived,
    /// Something came that its exchange has not seen.
    pub(super) has_news: bool,
    pub(super) failed: Option<SessionError>,
    /// The kernel is asked when it sent the request.
    pub(super) is_sampled: bool,
    /// Pieces of the body have their arrivals.
    pub(super) keeps_arrivals: bool,
    waker: Option<Waker>,
}

impl StreamState {
    fn notify(&mut self) {
        self.has_news = true;
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    pub(super) fn keep_waker(&mut self, cx: &Context<'_>) {
        if !self.waker.as_ref().is_some_and(|kept| kept.will_wake(cx.waker())) {
            self.waker = Some(cx.waker().clone());
        }
    }
}

/// The streams of a session. Places are used again with their buffers.
#[derive(Default)]
pub(super) struct Streams {
    /// The numbers of the streams by place; 0: free.
    numbers: Vec<u32>,
    states: Vec<StreamState>,
    open: usize,
    /// The most that were open.
    peak: usize,
    reader: Option<Reader>,
}

impl Streams {
    pub(super) fn add(&mut self, id: StreamId) -> usize {
        self.open += 1;
        if self.open > self.peak {
            self.peak = self.open;
            swell_net::note_streams_peak(u32::try_from(self.open).unwrap_or(u32::MAX));
        }
        if let Some(at) = self.numbers.iter().position(|number| *number == 0) {
            self.numbers[at] = id.get();
            return at;
        }
        self.numbers.push(id.get());
        self.states.push(StreamState::default());
        self.numbers.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.open
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open == 0
    }

    pub(super) fn at(&mut self, at: usize) -> &mut StreamState {
        &mut self.states[at]
    }

    /// The exchange at this place has ended. If it read for all, another one does so.
    pub(super) fn remove(&mut self, at: usize) {
        self.open -= 1;
        self.numbers[at] = 0;
        let state = &mut self.states[at];
        let Arrived { mut head, mut body, mut trailers, .. } = std::mem::take(&mut state.arrived);
        for buffer in [&mut head, &mut body, &mut trailers] {
            buffer.clear();
            buffer.shrink_to(KEPT_BUFFER);
        }
        let arrived = Arrived { head, body, trailers, ..Arrived::default() };
        *state = StreamState { arrived, ..StreamState::default() };
        if self.reader == Some(Reader::At(at)) {
            self.reader = None;
            if let Some(waker) = self.states.iter_mut().find_map(|state| state.waker.take()) {
                waker.wake();
            }
        }
    }

    pub(super) fn set_reader(&mut self, reader: Reader) {
        self.reader = Some(reader);
    }

    pub(super) fn fail_all(&mut self, error: &SessionError) {
        let open = self.numbers.iter().zip(&mut self.states).filter(|(number, _)| **number != 0);
        for (_, state) in open.filter(|(_, state)| !state.arrived.ended) {
            state.failed.get_or_insert_with(|| error.clone());
            state.notify();
        }
    }

    /// What takes the events of the newest part that arrived.
    pub(super) fn events<'s>(&'s mut self, arrivals: &'s Arrivals) -> StreamEvents<'s> {
        StreamEvents { streams: self, arrivals }
    }
}

/// Sorts what comes into the streams.
pub(super) struct StreamEvents<'s> {
    streams: &'s mut Streams,
    arrivals: &'s Arrivals,
}

impl StreamEvents<'_> {
    /// Something came for a stream; `at`: the position of its last byte. Streams that were given up
    /// get nothing.
    fn came(&mut self, id: StreamId, at: u64, take: impl FnOnce(&mut StreamState, &Arrivals)) {
        let Some(place) = self.streams.numbers.iter().position(|number| *number == id.get()) else { return };
        let state = &mut self.streams.states[place];
        state.arrived.last = self.arrivals.of(at).or_else(|| self.arrivals.newest());
        take(state, self.arrivals);
        state.notify();
    }
}

impl Events for StreamEvents<'_> {
    fn response(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        self.came(stream, head.at, |state, arrivals| {
            let arrived = &mut state.arrived;
            arrived.first = arrivals.of(head.first).or(arrived.last);
            arrived.status = head.status;
            arrived.head.extend_from_slice(head.fields);
            arrived.ended |= head.end;
            arrived.wire += head.wire;
        });
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        self.came(stream, data.at, |state, _| {
            state.arrived.body.extend_from_slice(data.bytes);
            if state.keeps_arrivals
                && let Some(arrival) = state.arrived.last
            {
                state.arrived.pieces.push((state.arrived.body.len(), arrival));
            }
            state.arrived.ended |= data.end;
            state.arrived.wire += data.wire;
        });
    }

    fn trailers(&mut self, stream: StreamId, trailers: Trailers<'_>) {
        self.came(stream, trailers.at, |state, _| {
            state.arrived.ended = true;
            state.arrived.trailers.extend_from_slice(trailers.fields);
            state.arrived.wire += trailers.wire;
        });
    }

    fn reset(&mut self, stream: StreamId, reason: StreamReset, at: u64) {
        self.came(stream, at, |state, _| {
            let error = match reason {
                _ if state.arrived.ended => return,
                StreamReset::NotProcessed | StreamReset::Peer(ErrorCode::REFUSED_STREAM) => {
                    SessionError::NotProcessed
                }
                StreamReset::Peer(code) => SessionError::Reset(code),
                StreamReset::Rule { code, rule } => SessionError::Stream(code, rule),
            };
            state.failed = Some(error);
        });
    }

    fn settings(&mut self, peer: &PeerSettings) {
        if peer.streams_max != u32::MAX {
            swell_net::note_streams_limit(peer.streams_max);
        }
    }

    fn window(&mut self, stream: StreamId) {
        let place = self.streams.numbers.iter().position(|number| *number == stream.get());
        if let Some(waker) = place.and_then(|place| self.streams.states[place].waker.take()) {
            waker.wake();
        }
    }
}
