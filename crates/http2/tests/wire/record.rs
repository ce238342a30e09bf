//! A session of each side with its events as text.

use swell_http2::client::{self, Request, Scheme};
use swell_http2::{
    ConnectionError, Data, ErrorCode, Events, Fields, PeerSettings, RequestHead, ResponseHead, Scratch,
    Settings, StreamId, StreamReset, Trailers, server,
};

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const PRIORITY: u8 = 2;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PUSH_PROMISE: u8 = 5;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const ACK: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const PADDED: u8 = 8;
pub(crate) const PRIORITIZED: u8 = 32;

/// A frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, a, b, c] = (payload.len() as u32).to_be_bytes();
    [&[a, b, c, kind, flags][..], &stream.to_be_bytes(), payload].concat()
}

/// SETTINGS with these values.
pub(crate) fn settings(pairs: &[(u16, u32)]) -> Vec<u8> {
    let one = |(name, value): &(u16, u32)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat();
    frame(SETTINGS, 0, 0, &pairs.iter().flat_map(one).collect::<Vec<u8>>())
}

/// A literal field that is not inserted.
pub(crate) fn field(name: &str, value: &str) -> Vec<u8> {
    let mut out = vec![0];
    for text in [name, value] {
        let length = text.len();
        if length < 127 {
            out.push(length as u8);
        } else {
            out.extend([127, ((length - 127) % 128) as u8 | 0x80, ((length - 127) / 128) as u8]);
        }
        out.extend_from_slice(text.as_bytes());
    }
    out
}

/// A block of literal fields.
pub(crate) fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    fields.iter().flat_map(|(name, value)| field(name, value)).collect()
}

/// What a session reported, one event a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Log(pub(crate) Vec<String>);

impl Log {
    /// The events since the last call.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0)
    }
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().replace("\\r\\n", ";")
}

impl Events for Log {
    fn response(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        let ResponseHead { status, fields, end, first, at, wire, .. } = head;
        let end = if end { " end" } else { "" };
        self.0.push(format!("{stream} response {status} {}{end} {first}-{at} {wire}", text(fields)));
    }

    fn informational(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        self.0.push(format!("{stream} informational {} {}", head.status, text(head.fields)));
    }

    fn request(&mut self, stream: StreamId, head: RequestHead<'_>) {
        let RequestHead { method, scheme, authority, path, fields, end, .. } = head;
        let [method, scheme, authority, path] = [method, scheme, authority, path].map(text);
        let end = if end { " end" } else { "" };
        self.0.push(format!("{stream} request {method} {scheme}://{authority}{path} {}{end}", text(fields)));
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        let Data { bytes, end, at, wire } = data;
        let shown = if bytes.len() > 20 { format!("{} bytes", bytes.len()) } else { text(bytes) };
        let end = if end { " end" } else { "" };
        self.0.push(format!("{stream} data {shown}{end} {at} {wire}"));
    }

    fn trailers(&mut self, stream: StreamId, trailers: Trailers<'_>) {
        self.0.push(format!("{stream} trailers {}", text(trailers.fields)));
    }

    fn reset(&mut self, stream: StreamId, reason: StreamReset, _: u64) {
        self.0.push(format!("{stream} {reason}"));
    }

    fn window(&mut self, stream: StreamId) {
        self.0.push(format!("{stream} window"));
    }

    fn go_away(&mut self, last: StreamId, code: ErrorCode, debug: &[u8]) {
        self.0.push(format!("go away after {last}: {code} {}", text(debug)));
    }

    fn settings(&mut self, peer: &PeerSettings) {
        self.0.push(format!("settings {} {}", peer.streams_max, peer.stream_window));
    }

    fn pong(&mut self, payload: u64, at: u64) {
        self.0.push(format!("pong {payload} {at}"));
    }
}

/// A client whose start is done.
pub(crate) struct Client {
    pub(crate) session: client::Session,
    pub(crate) scratch: Scratch,
    pub(crate) out: Vec<u8>,
    pub(crate) log: Log,
}

impl Client {
    /// A client whose server has sent its SETTINGS.
    pub(crate) fn new() -> Self {
        let mut client = Self::with(&Settings::default());
        client.feed(&settings(&[])).expect("empty settings are allowed");
        client.forget();
        client
    }

    pub(crate) fn with(settings: &Settings) -> Self {
        let session = client::Session::new(settings);
        let mut client = Self { session, scratch: Scratch::default(), out: Vec::new(), log: Log::default() };
        client.session.start(&mut client.out);
        client
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), ConnectionError> {
        self.session.feed(bytes, &mut self.scratch, &mut self.out, &mut self.log)
    }

    /// Forgets output and events.
    pub(crate) fn forget(&mut self) {
        self.out.clear();
        self.log.take();
    }

    /// Sends a request of that method; `end`: without a body.
    pub(crate) fn request(&mut self, method: &str, end: bool) -> StreamId {
        let constant = Fields::default();
        self.session.request(&plain(method, &constant), end, &mut self.out).expect("a stream is free")
    }

    /// GET on the next stream.
    pub(crate) fn get(&mut self) -> StreamId {
        self.request("GET", true)
    }
}

/// A request with no more than it needs.
pub(crate) fn plain<'a>(method: &'a str, constant: &'a Fields) -> Request<'a> {
    Request {
        method: method.as_bytes(),
        scheme: Scheme::Http,
        authority: b"x",
        path: b"/",
        path_repeats: true,
        constant,
        own: b"",
    }
}

/// A server whose client has sent its preface and SETTINGS.
pub(crate) struct Server {
    pub(crate) session: server::Session,
    pub(crate) scratch: Scratch,
    pub(crate) out: Vec<u8>,
    pub(crate) log: Log,
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::with(&Settings::server(), &[])
    }

    pub(crate) fn with(ours: &Settings, theirs: &[(u16, u32)]) -> Self {
        let session = server::Session::new(ours);
        let mut server = Self { session, scratch: Scratch::default(), out: Vec::new(), log: Log::default() };
        server.session.start(&mut server.out);
        server.feed(swell_http2::PREFACE).expect("the preface is right");
        server.feed(&settings(theirs)).expect("the settings are right");
        server.forget();
        server
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), ConnectionError> {
        self.session.feed(bytes, &mut self.scratch, &mut self.out, &mut self.log)
    }

    /// Forgets output and events.
    pub(crate) fn forget(&mut self) {
        self.out.clear();
        self.log.take();
    }
}

/// The block of `GET http://x/`.
pub(crate) const GET: &[u8] = b"\x82\x86\x84\x41\x01x";
