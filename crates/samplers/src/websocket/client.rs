//! A WebSocket of a user, frame by frame (`WebSocketClient`).

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use swell_connect::Stream;
use swell_net::{now_ns, yield_now};
use swell_websocket::{FrameHead, Inflater, MaskKeys, Opcode, ProtocolError, write_frame};

use super::failure::Failure;
use super::frames::{Content, ReceivedFrame, content_of};
use super::incoming::{Incoming, RawFrame};
use super::upgrade::{Upgraded, deadline};

/// The plug-in's message where the server has ended.
const END_OF_STREAM: &str = "end of stream";

/// What a text frame shows that is compressed and not the last of its message.
const INCOMPLETE: &str = "<not showing response data, because it is compressed and at this stage incomplete>";

/// Status of a connection, by the names of the plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Connected,
    /// This end has closed.
    ClosedClient,
    /// The server has closed.
    ClosedServer,
    Closed,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Connected => "CONNECTED",
            Self::ClosedClient => "CLOSED_CLIENT",
            Self::ClosedServer => "CLOSED_SERVER",
            Self::Closed => "CLOSED",
        }
    }
}

/// How a sampler reads: as the plug-in does, unless the plan asks for more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReadMode {
    /// Longest wait for data, 0 for none.
    pub(super) timeout_ms: i64,
    /// Fragments are put together (`swell.websocket.messages`).
    pub(super) joins_fragments: bool,
    /// Pings are answered and not seen (`swell.websocket.pings`).
    pub(super) answers_pings: bool,
}

impl ReadMode {
    fn reads_several(self) -> bool {
        self.joins_fragments || self.answers_pings
    }
}

/// Bytes of the largest head of a frame (RFC 6455 §5.2).
const HEAD_ROOM: usize = 14;

/// Frames that are read before other users have their turn.
const FRAMES_IN_A_TURN: u32 = 64;

/// An open WebSocket.
pub(super) struct Client {
    stream: Stream,
    incoming: Incoming,
    decompression: Option<Decompression>,
    /// What the fragments of the message on its way contain.
    begun: Option<Content>,
    /// Fragments are being put together: none shows a text instead of what is still compressed.
    joins_fragments: bool,
    state: State,
    keys: MaskKeys,
    payload_bytes_max: usize,
    idle: Idle,
    pub(super) url: String,
}

/// What happens while no sampler uses a connection.
#[derive(Default)]
struct Idle {
    /// Pings are answered, as the sampler that read last answers them.
    answers_pings: bool,
    /// Answers to pings; the first `sent` bytes have gone.
    pongs: Vec<u8>,
    sent: usize,
    /// How the connection ended; none: it has not.
    end: Option<io::Result<()>>,
}

struct Decompression {
    inflater: Inflater,
    content: Vec<u8>,
    /// The message on its way is compressed.
    is_begun: bool,
}

impl Client {
    /// The WebSocket of an upgrade; `payload_bytes_max`: bytes of the largest message.
    pub(super) fn new(upgraded: Upgraded, url: String, payload_bytes_max: usize) -> Self {
        let Upgraded { stream, keys, compression, rest, times, .. } = upgraded;
        let decompression = compression.map(|agreed| Decompression {
            inflater: Inflater::new(!agreed.server_no_context),
            content: Vec::new(),
            is_begun: false,
        });
        let mut incoming = Incoming::new(payload_bytes_max, decompression.is_some());
        incoming.keep(&rest, times);
        let state = State::Connected;
        Self {
            stream,
            incoming,
            decompression,
            begun: None,
            joins_fragments: false,
            state,
            keys,
            payload_bytes_max,
            idle: Idle::default(),
            url,
        }
    }

    /// From now on no sampler uses it.
    pub(super) fn rest(&mut self) {
        self.stream.set_deadline(None);
    }

    /// Pings are answered between samples.
    pub(super) fn answer_pings(&mut self, answers_pings: bool) {
        self.idle.answers_pings = answers_pings;
    }

    /// Reads while no sampler does, so that frames get the times of their arrival, and answers
    /// pings. The task is woken when there is more to do.
    pub(super) fn poll_idle(&mut self, cx: &Context<'_>) {
        if self.idle.end.is_some() {
            return;
        }
        // A ping may have come with the frame that ended a sample.
        self.sort_arrived();
        let Self { stream, incoming, idle, .. } = self;
        if idle.sent < idle.pongs.len() {
            match stream.poll_send_all(cx, &idle.pongs, &mut idle.sent) {
                Poll::Pending => return,
                Poll::Ready(Ok(())) => (idle.pongs, idle.sent) = (Vec::new(), 0),
                Poll::Ready(Err(error)) => {
                    idle.end = Some(Err(error));
                    return;
                }
            }
        }
        if !incoming.has_room() {
            return;
        }
        match stream.poll_recv_parts(cx, |bytes, arrival| incoming.keep(bytes, arrival.into())) {
            Poll::Pending => return,
            Poll::Ready(Ok(0)) => idle.end = Some(Ok(())),
            Poll::Ready(Ok(_)) => {}
            Poll::Ready(Err(error)) => idle.end = Some(Err(error)),
        }
        // Other users have their turn before the next step.
        cx.waker().wake_by_ref();
    }

    /// Cuts what has arrived into frames, and writes answers to its pings.
    fn sort_arrived(&mut self) {
        let Self { incoming, idle, keys, .. } = self;
        incoming.sort(|ping| {
            if idle.answers_pings {
                put_frame(keys, Opcode::Pong, ping, &mut idle.pongs);
            }
            idle.answers_pings
        });
    }

    pub(super) fn is_connected(&self) -> bool {
        self.state == State::Connected
    }

    /// Sends a data frame, or a ping or pong; its bytes on the wire.
    pub(super) async fn send(&mut self, opcode: Opcode, payload: &[u8]) -> Result<u64, Failure> {
        if self.state != State::Connected {
            let kind = match opcode {
                Opcode::Ping => "ping",
                Opcode::Pong => "pong",
                _ => "data",
            };
            return Err(Failure::illegal_state(&format!("send {kind} frame"), self.state.name()));
        }
        self.write(opcode, payload, None).await
    }

    /// Sends a close frame.
    pub(super) async fn send_close(&mut self, payload: &[u8]) -> Result<u64, Failure> {
        self.state = match self.state {
            State::Connected => State::ClosedClient,
            State::ClosedServer => State::Closed,
            state => return Err(Failure::illegal_state("close", state.name())),
        };
        self.write(Opcode::Close, payload, None).await
    }

    async fn write(&mut self, opcode: Opcode, payload: &[u8], until_ns: Option<i64>) -> Result<u64, Failure> {
        if let Some(Err(error)) = &self.idle.end {
            return Err(Failure::of_io(error));
        }
        self.send_pongs(until_ns).await?;
        let mut out = Vec::with_capacity(payload.len() + HEAD_ROOM);
        put_frame(&mut self.keys, opcode, payload, &mut out);
        self.stream.set_deadline(until_ns);
        self.stream.send_all(&out).await.map_err(|error| Failure::of_io(&error))?;
        Ok(out.len() as u64)
    }

    /// Sends what is left of the answers to pings: half a frame may have gone.
    async fn send_pongs(&mut self, until_ns: Option<i64>) -> Result<(), Failure> {
        let Idle { pongs, sent, .. } = &mut self.idle;
        let (pongs, sent) = (std::mem::take(pongs), std::mem::take(sent));
        if sent < pongs.len() {
            self.stream.set_deadline(until_ns);
            self.stream.send_all(&pongs[sent..]).await.map_err(|error| Failure::of_io(&error))?;
        }
        Ok(())
    }

    /// Receives the next frame, or the next message where fragments are put together. The timeout
    /// is that of one read, as in the plug-in; of the whole wait where several frames are read.
    pub(super) async fn receive(&mut self, mode: ReadMode) -> Result<ReceivedFrame, Failure> {
        self.joins_fragments = mode.joins_fragments;
        self.idle.answers_pings = mode.answers_pings;
        if !mode.reads_several() {
            return self.receive_frame(mode.timeout_ms, None).await;
        }
        let until_ns = deadline(mode.timeout_ms);
        let mut message: Option<ReceivedFrame> = None;
        for number in 1_u32.. {
            // A server may send frames without end, and other users want their turn.
            if number.is_multiple_of(FRAMES_IN_A_TURN) {
                yield_now().await;
                if until_ns.is_some_and(|until_ns| now_ns() > until_ns) {
                    break;
                }
            }
            let frame = self.receive_frame(mode.timeout_ms, until_ns).await?;
            if frame.content == Content::Ping && mode.answers_pings {
                self.write(Opcode::Pong, &frame.payload, until_ns).await?;
                continue;
            }
            if !mode.joins_fragments || !frame.is_data() {
                return Ok(frame);
            }
            let is_final = frame.is_final;
            let whole = match message.take() {
                Some(begun) => begun.joined(&frame),
                None => frame,
            };
            if whole.payload.len() > self.payload_bytes_max {
                return self.checked(Err(ProtocolError::TooLarge(self.payload_bytes_max)));
            }
            if is_final {
                let is_valid = whole.content != Content::Text || std::str::from_utf8(&whole.payload).is_ok();
                return if is_valid { Ok(whole) } else { self.checked(Err(ProtocolError::Text)) };
            }
            message = Some(whole);
        }
        Err(Failure::Silence)
    }

    /// `until_ns`: the end of the whole wait; none: the timeout counts from each read.
    async fn receive_frame(
        &mut self,
        timeout_ms: i64,
        until_ns: Option<i64>,
    ) -> Result<ReceivedFrame, Failure> {
        if !matches!(self.state, State::Connected | State::ClosedClient) {
            return Err(Failure::illegal_state("receive data frame", self.state.name()));
        }
        let found = self.incoming.next();
        if let Some(raw) = self.checked(found)? {
            return self.accept(raw);
        }
        match self.idle.end.take() {
            Some(Err(error)) => return Err(Failure::of_io(&error)),
            Some(Ok(())) => return Err(Failure::Io(END_OF_STREAM.to_owned())),
            None => self.send_pongs(until_ns.or_else(|| deadline(timeout_ms))).await?,
        }
        loop {
            self.stream.set_deadline(until_ns.or_else(|| deadline(timeout_ms)));
            let (stream, incoming) = (&mut self.stream, &mut self.incoming);
            let mut found = Ok(None);
            let received = poll_fn(|cx| {
                stream.poll_recv_parts(cx, |bytes, arrival| incoming.feed(bytes, arrival, &mut found))
            });
            let count = received.await.map_err(|error| Failure::of_io(&error))?;
            if count == 0 {
                return Err(Failure::Io(END_OF_STREAM.to_owned()));
            }
            if let Some(raw) = self.checked(found)? {
                return self.accept(raw);
            }
        }
    }

    /// A connection whose protocol was broken is not used again.
    fn checked<T>(&mut self, found: Result<T, ProtocolError>) -> Result<T, Failure> {
        found.map_err(|error| {
            self.state = State::Closed;
            Failure::of_protocol(&error)
        })
    }

    /// Brings the state of the connection up to date with a frame.
    fn accept(&mut self, raw: RawFrame) -> Result<ReceivedFrame, Failure> {
        let RawFrame { head, head_bytes, payload, times } = raw;
        let found = content_of(head.opcode, self.begun).ok_or(ProtocolError::LoneContinuation);
        let content = self.checked(found)?;
        let is_continuation = head.opcode == Opcode::Continuation;
        let is_data = !head.opcode.is_control();
        let size = (head_bytes + payload.len()) as u64;
        if is_data && !is_continuation && self.begun.is_some() {
            return self.checked(Err(ProtocolError::MissingContinuation));
        }
        if is_data {
            self.begun = (!head.is_final).then_some(content);
        }
        let payload = if is_data { self.decompressed(&head, content, payload)? } else { payload };
        if content == Content::Close {
            self.state = if self.state == State::Connected { State::ClosedServer } else { State::Closed };
        }
        Ok(ReceivedFrame { content, is_continuation, is_final: head.is_final, payload, size, times })
    }

    /// The content of a data frame. The last frame of a compressed message has all of it.
    fn decompressed(
        &mut self,
        head: &FrameHead,
        content: Content,
        payload: Vec<u8>,
    ) -> Result<Vec<u8>, Failure> {
        let most = self.payload_bytes_max;
        let shows_incomplete = !self.joins_fragments;
        let Some(decompression) = &mut self.decompression else { return Ok(payload) };
        if head.opcode != Opcode::Continuation {
            decompression.is_begun = head.is_compressed;
        }
        if !decompression.is_begun {
            return Ok(payload);
        }
        let out = &mut decompression.content;
        let fed = decompression.inflater.piece(&payload, head.is_final, most, out);
        if head.is_final {
            decompression.is_begun = false;
        }
        let whole = if head.is_final { std::mem::take(out) } else { Vec::new() };
        self.checked(fed)?;
        Ok(match (head.is_final, content) {
            (true, _) => whole,
            (false, Content::Text) if shows_incomplete => INCOMPLETE.as_bytes().to_vec(),
            (false, _) => Vec::new(),
        })
    }
}

/// Appends a frame of a client.
fn put_frame(keys: &mut MaskKeys, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
    let mask = Some(keys.key());
    let head = FrameHead { is_final: true, is_compressed: false, opcode, mask, length: 0 };
    write_frame(head, payload, out);
}
