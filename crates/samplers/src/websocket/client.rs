//! A WebSocket of a user, frame by frame (`WebSocketClient`).

use std::rc::Rc;

use swell_connect::{Stream, Target};
use swell_http::{UpgradeScope, UpgradeTrace};
use swell_net::{Arrival, now_ns};
use swell_websocket::{
    Compression, FrameHead, FrameReader, FrameRules, Inflater, MaskKeys, Opcode, ProtocolError, Role,
    handshake, write_frame,
};

use super::failure::Failure;
use super::frames::{Content, FrameTimes, ReceivedFrame, content_of};
use super::handshake::{HEAD_BYTES_MAX, UpgradeAnswer, head_length, read_answer, request};

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

/// Where a connection goes.
pub(super) struct Destination {
    pub(super) secure: bool,
    pub(super) host: String,
    pub(super) port: u16,
    /// Path and query.
    pub(super) file: String,
}

impl Destination {
    /// The URL in samples.
    pub(super) fn url(&self) -> String {
        let scheme = if self.secure { "wss" } else { "ws" };
        format!("{scheme}://{}:{}{}", self.host, self.port, self.file)
    }

    /// The URL by which cookies are found.
    pub(super) fn http_url(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}:{}{}", self.host, self.port, self.file)
    }
}

/// An open WebSocket.
pub(super) struct Client {
    stream: Stream,
    incoming: Incoming,
    decompression: Option<Decompression>,
    /// What the fragments of the message on its way contain.
    begun: Option<Content>,
    state: State,
    keys: MaskKeys,
    payload_bytes_max: usize,
    pub(super) url: String,
}

/// The figures of an upgrade.
pub(super) struct Upgraded {
    pub(super) client: Client,
    pub(super) answer: UpgradeAnswer,
    pub(super) request_bytes: u64,
    pub(super) response_bytes: u64,
    pub(super) times: FrameTimes,
    pub(super) handshake_ns: i64,
}

/// How long steps of opening may take.
pub(super) struct OpenLimits {
    pub(super) connect_ms: i64,
    pub(super) read_ms: i64,
    pub(super) payload_bytes_max: usize,
}

/// Received bytes on their way to frames.
struct Incoming {
    reader: FrameReader,
    /// Bytes after the last frame that was taken.
    unread: Vec<u8>,
    arrival: FrameTimes,
    /// Arrival of the first byte of the frame on its way.
    begun_ns: i64,
}

/// A frame as it came.
struct RawFrame {
    head: FrameHead,
    head_bytes: usize,
    payload: Vec<u8>,
    times: FrameTimes,
}

struct Decompression {
    inflater: Inflater,
    content: Vec<u8>,
    /// The message on its way is compressed.
    is_begun: bool,
}

const MS: i64 = 1_000_000;

fn deadline(ms: i64) -> Option<i64> {
    (ms > 0).then(|| now_ns() + ms * MS)
}

impl Incoming {
    fn new(payload_bytes_max: usize, allows_compression: bool) -> Self {
        let rules = FrameRules { role: Role::Client, allows_compression, payload_bytes_max };
        let arrival = FrameTimes::default();
        Self { reader: FrameReader::new(rules), unread: Vec::new(), arrival, begun_ns: 0 }
    }

    /// Takes received bytes; the first frame that is complete.
    fn feed(&mut self, bytes: &[u8], arrival: Arrival) -> Result<Option<RawFrame>, ProtocolError> {
        self.arrival = FrameTimes { first_ns: arrival.at_ns, at_ns: arrival.at_ns, read_ns: arrival.read_ns };
        self.frame(bytes)
    }

    /// The next frame of what was received before.
    fn next(&mut self) -> Result<Option<RawFrame>, ProtocolError> {
        if self.unread.is_empty() {
            return Ok(None);
        }
        let unread = std::mem::take(&mut self.unread);
        self.frame(&unread)
    }

    fn frame(&mut self, bytes: &[u8]) -> Result<Option<RawFrame>, ProtocolError> {
        if !self.reader.is_inside_frame() {
            self.begun_ns = self.arrival.at_ns;
        }
        let mut rest = bytes;
        let found = self.reader.next(&mut rest)?.map(|frame| RawFrame {
            head: frame.head,
            head_bytes: frame.head_bytes,
            payload: frame.payload.to_vec(),
            times: FrameTimes { first_ns: self.begun_ns, ..self.arrival },
        });
        self.unread.extend_from_slice(rest);
        Ok(found)
    }
}

impl Client {
    /// Connects and asks for the upgrade. `connected` is called with the time at which there is a
    /// connection.
    pub(super) async fn open(
        to: &Destination,
        lines: &[(Rc<str>, Rc<str>)],
        scope: &UpgradeScope,
        limits: &OpenLimits,
        trace: Option<UpgradeTrace>,
    ) -> Result<Upgraded, Failure> {
        let mut keys = MaskKeys::new(rand::random());
        let key = handshake::key(keys.nonce());
        let proxy = scope.proxy(&to.host);
        let target = if proxy.is_some() { to.http_url() } else { to.file.clone() };
        let bytes = request(&target, &format!("{}:{}", to.host, to.port), lines, &key)?;
        let host = to.host.to_lowercase().into();
        let target = Rc::new(Target { secure: to.secure, host, port: to.port, user: None, proxy });
        let timeout_ns = Some(limits.connect_ms * MS);
        let opened = scope.open(&target, timeout_ns).await.map_err(|error| Failure::of_connect(&error))?;
        let mut stream = opened.stream;
        stream.set_deadline(deadline(limits.read_ms));
        stream.send_all(&bytes).await.map_err(|error| Failure::of_io(&error))?;
        let read = read_head(&mut stream, limits.read_ms).await;
        if let Some(trace) = trace {
            let head = read.as_ref().map_or(&[][..], |(head, ..)| head);
            trace.exchanged(&stream, &target, (&bytes, head));
        }
        let (head, rest, times) = read?;
        let answer = read_answer(&head, &key)?;
        let decompression = decompression(lines, &answer);
        let mut incoming = Incoming::new(limits.payload_bytes_max, decompression.is_some());
        incoming.unread = rest;
        incoming.arrival = FrameTimes { first_ns: times.at_ns, ..times };
        let client = Self {
            stream,
            incoming,
            decompression,
            begun: None,
            state: State::Connected,
            keys,
            payload_bytes_max: limits.payload_bytes_max,
            url: to.url(),
        };
        let request_bytes = bytes.len() as u64;
        let response_bytes = head.len() as u64;
        let handshake_ns = opened.handshake_ns;
        Ok(Upgraded { client, answer, request_bytes, response_bytes, times, handshake_ns })
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
        self.write(opcode, payload).await
    }

    /// Sends a close frame.
    pub(super) async fn send_close(&mut self, payload: &[u8]) -> Result<u64, Failure> {
        self.state = match self.state {
            State::Connected => State::ClosedClient,
            State::ClosedServer => State::Closed,
            state => return Err(Failure::illegal_state("close", state.name())),
        };
        self.write(Opcode::Close, payload).await
    }

    async fn write(&mut self, opcode: Opcode, payload: &[u8]) -> Result<u64, Failure> {
        let mask = Some(self.keys.key());
        let head = FrameHead { is_final: true, is_compressed: false, opcode, mask, length: 0 };
        let mut out = Vec::new();
        write_frame(head, payload, &mut out);
        self.stream.set_deadline(None);
        self.stream.send_all(&out).await.map_err(|error| Failure::of_io(&error))?;
        Ok(out.len() as u64)
    }

    /// Receives the next frame. `timeout_ms`: longest wait for data, 0 for none.
    pub(super) async fn receive(&mut self, timeout_ms: i64) -> Result<ReceivedFrame, Failure> {
        if !matches!(self.state, State::Connected | State::ClosedClient) {
            return Err(Failure::illegal_state("receive data frame", self.state.name()));
        }
        let raw = self.receive_raw(timeout_ms).await?;
        self.accept(raw)
    }

    async fn receive_raw(&mut self, timeout_ms: i64) -> Result<RawFrame, Failure> {
        let found = self.incoming.next();
        if let Some(raw) = self.checked(found)? {
            return Ok(raw);
        }
        loop {
            self.stream.set_deadline(deadline(timeout_ms));
            let incoming = &mut self.incoming;
            let mut has_ended = false;
            let received = self.stream.recv(|bytes, arrival| {
                has_ended = bytes.is_empty();
                incoming.feed(bytes, arrival)
            });
            let found = received.await.map_err(|error| Failure::of_io(&error))?;
            if has_ended {
                return Err(Failure::Io("end of stream".to_owned()));
            }
            if let Some(raw) = self.checked(found)? {
                return Ok(raw);
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
            (false, Content::Text) => INCOMPLETE.as_bytes().to_vec(),
            (false, _) => Vec::new(),
        })
    }
}

/// What decompresses messages, where a header line asked for it and the server agreed.
fn decompression(lines: &[(Rc<str>, Rc<str>)], answer: &UpgradeAnswer) -> Option<Decompression> {
    let offer = lines.iter().find(|(name, _)| name.eq_ignore_ascii_case("Sec-WebSocket-Extensions"))?;
    let agreed = Compression::of_answer(answer.value("Sec-WebSocket-Extensions")?, &offer.1).ok()??;
    let inflater = Inflater::new(!agreed.server_no_context);
    Some(Decompression { inflater, content: Vec::new(), is_begun: false })
}

/// The head of the answer and the bytes after it; what there is of one where the connection ends.
async fn read_head(stream: &mut Stream, read_ms: i64) -> Result<(Vec<u8>, Vec<u8>, FrameTimes), Failure> {
    let mut head = Vec::new();
    let mut times = FrameTimes::default();
    loop {
        stream.set_deadline(deadline(read_ms));
        let received = stream.recv(|bytes, arrival| {
            if !bytes.is_empty() {
                times.first_ns = if times.first_ns == 0 { arrival.at_ns } else { times.first_ns };
                times.at_ns = arrival.at_ns;
                times.read_ns = arrival.read_ns;
            }
            head.extend_from_slice(bytes);
            bytes.len()
        });
        let count = received.await.map_err(|error| Failure::of_io(&error))?;
        if let Some(length) = head_length(&head) {
            let rest = head.split_off(length);
            return Ok((head, rest, times));
        }
        if count == 0 {
            return Ok((head, Vec::new(), times));
        }
        if head.len() > HEAD_BYTES_MAX {
            let why = format!("the head of the response is larger than {HEAD_BYTES_MAX} bytes");
            return Err(Failure::Io(why));
        }
    }
}
