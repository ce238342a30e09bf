//! The streams of a session and what has come for them.

use std::cell::RefCell;
use std::task::{Context, Waker};

use swell_http2::{Data, ErrorCode, Events, PeerSettings, ResponseHead, StreamId, StreamReset, Trailers};
use swell_net::{Deadline, wake_in_turn};

use super::SessionError;
use super::arrivals::Arrivals;
use super::exchange::Arrived;

thread_local! {
    /// Buffers for what comes, of all sessions of a worker: an idle session holds none.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Larger buffers are not kept.
const KEPT_BYTES: usize = 256 << 10;

/// Most buffers that are kept: as many streams as servers usually allow on a connection.
const KEPT_BUFFERS: usize = 128;

/// Adds to a buffer, which is one of the spare ones if it is new.
fn extend(buffer: &mut Vec<u8>, bytes: &[u8]) {
    if buffer.capacity() == 0 && !bytes.is_empty() {
        *buffer = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
    }
    buffer.extend_from_slice(bytes);
}

/// Keeps a buffer for another exchange.
fn give_back(mut buffer: Vec<u8>) {
    if (1..=KEPT_BYTES).contains(&buffer.capacity()) {
        buffer.clear();
        SPARE.with_borrow_mut(|spare| {
            if spare.len() < KEPT_BUFFERS {
                spare.push(buffer);
            }
        });
    }
}

/// Who reads for all: the last that read, or that was woken to do so.
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
    /// The arrival of each piece of the body is noted.
    pub(super) notes_pieces: bool,
    /// When its exchange gives up.
    pub(super) deadline: Deadline,
    waker: Option<Waker>,
}

impl StreamState {
    fn notify(&mut self) {
        self.has_news = true;
        if let Some(waker) = self.waker.take() {
            wake_in_turn(waker);
        }
    }

    /// Makes the place ready for another exchange.
    fn reset(&mut self) {
        let arrived = &mut self.arrived;
        give_back(std::mem::take(&mut arrived.head));
        give_back(std::mem::take(&mut arrived.body));
        give_back(std::mem::take(&mut arrived.trailers));
        (arrived.interim, arrived.status, arrived.ended, arrived.wire) = (0, 0, false, 0);
        (arrived.first, arrived.last) = (None, None);
        arrived.pieces = Vec::new();
        (self.has_news, self.is_sampled, self.notes_pieces) = (false, false, false);
        (self.failed, self.waker) = (None, None);
        self.deadline.set(None);
    }

    /// The exchange looks for itself: nothing need wake it.
    pub(super) fn drop_waker(&mut self) {
        self.waker = None;
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
    /// The numbers of the streams by place; 0: free. Their count is a power of two, so that most
    /// streams are at the place that their number gives.
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
        if self.open > self.numbers.len() {
            let places = (2 * self.numbers.len()).max(1);
            self.numbers.resize(places, 0);
            self.states.resize_with(places, StreamState::default);
        }
        let usual = self.usual_place(id);
        let free = || self.numbers.iter().position(|number| *number == 0);
        let at = if self.numbers[usual] == 0 { Some(usual) } else { free() };
        let at = at.expect("there are at least as many places as open streams");
        self.numbers[at] = id.get();
        at
    }

    /// Where a stream is if no other one was there before it.
    fn usual_place(&self, id: StreamId) -> usize {
        (id.get() >> 1) as usize & (self.numbers.len() - 1)
    }

    /// Where a stream is.
    fn place(&self, id: StreamId) -> Option<usize> {
        if self.numbers.is_empty() {
            return None;
        }
        let usual = self.usual_place(id);
        if self.numbers[usual] == id.get() {
            return Some(usual);
        }
        self.numbers.iter().position(|number| *number == id.get())
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
        self.states[at].reset();
        if self.reader == Some(Reader::At(at)) {
            self.pass_reading_on();
        }
    }

    /// A task that waited for a stream has given up. If it read for all, an exchange does so.
    pub(super) fn stop_waiting(&mut self) {
        if self.reader == Some(Reader::Waiting) {
            self.pass_reading_on();
        }
    }

    /// A task that waited for a stream has opened one: what it read for all, its exchange reads.
    pub(super) fn take_over_reading(&mut self, at: usize) {
        if self.reader == Some(Reader::Waiting) {
            self.reader = Some(Reader::At(at));
        }
    }

    /// Lets an exchange read that waits.
    fn pass_reading_on(&mut self) {
        self.reader = None;
        let waiting =
            self.states.iter_mut().enumerate().find_map(|(at, state)| Some((at, state.waker.take()?)));
        if let Some((at, waker)) = waiting {
            // If it ends before it has read, it passes that on.
            self.reader = Some(Reader::At(at));
            waker.wake();
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
        let Some(place) = self.streams.place(id) else { return };
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
            extend(&mut arrived.head, head.fields);
            arrived.ended |= head.end;
            arrived.wire += head.wire;
        });
    }

    fn informational(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        // A response that is waited for has not begun: only who waits for this is woken.
        let Some(place) = self.streams.place(stream) else { return };
        let state = &mut self.streams.states[place];
        state.arrived.interim = head.status;
        if let Some(waker) = state.waker.take() {
            wake_in_turn(waker);
        }
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        self.came(stream, data.at, |state, _| {
            extend(&mut state.arrived.body, data.bytes);
            if let (true, Some(arrival)) = (state.notes_pieces, state.arrived.last) {
                state.arrived.pieces.push((state.arrived.body.len(), arrival));
            }
            state.arrived.ended |= data.end;
            state.arrived.wire += data.wire;
        });
    }

    fn trailers(&mut self, stream: StreamId, trailers: Trailers<'_>) {
        self.came(stream, trailers.at, |state, _| {
            state.arrived.ended = true;
            extend(&mut state.arrived.trailers, trailers.fields);
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
        let place = self.streams.place(stream);
        if let Some(waker) = place.and_then(|place| self.streams.states[place].waker.take()) {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use swell_http2::client::{Request, Scheme, Session};
    use swell_http2::{Fields, Settings};

    use super::super::wake_counts::WakeCounts;
    use super::*;

    /// Numbers of streams, which only a session gives.
    fn ids<const N: usize>() -> [StreamId; N] {
        let mut session = Session::new(&Settings::default());
        let mut out = Vec::new();
        session.start(&mut out);
        let request = Request {
            method: b"GET",
            scheme: Scheme::Http,
            authority: b"localhost",
            path: b"/",
            path_repeats: false,
            constant: &Fields::default(),
            own: b"",
        };
        [(); N].map(|()| session.request(&request, true, &mut out).expect("a stream"))
    }

    /// An exchange that is woken to read may find its response, and end without waiting for more.
    #[test]
    fn an_exchange_that_ends_after_it_was_woken_to_read_wakes_the_next() {
        swell_net::Runtime::new().expect("three descriptors").block_on(async {
            let counts = WakeCounts::<3>::new();
            let wakers = counts.wakers();
            let mut streams = Streams::default();
            let places = ids::<3>().map(|id| streams.add(id));
            for (place, waker) in places.iter().zip(&wakers) {
                streams.at(*place).keep_waker(&Context::from_waker(waker));
            }
            let woken = || counts.woken();
            // Something has come: the last one was woken, reads, and ends.
            streams.set_reader(Reader::At(places[2]));
            streams.at(places[2]).drop_waker();
            streams.remove(places[2]);
            let [first, second, _] = woken();
            assert_eq!(first + second, 1, "one of them reads from now on");
            let next = usize::from(second == 1);
            streams.remove(places[next]);
            assert_eq!(woken()[1 - next], 1, "and then the other one");
        });
    }
}
