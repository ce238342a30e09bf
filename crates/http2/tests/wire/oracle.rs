//! Against the library `h2`, in both directions, over a pipe that cuts the bytes at random places.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::future::{Future, poll_fn};

use bytes::Bytes;
use h2::{RecvStream, SendStream};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use swell_http2::client::{self, Request, Scheme};
use swell_http2::{
    Data, Events, Fields, RequestHead, ResponseHead, Scratch, Settings, StreamId, StreamReset, server,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

const REQUESTS: usize = 60;

/// A request and what its response has to repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Message {
    path: String,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Message {
    fn random(random: &mut SmallRng) -> Self {
        let text = |random: &mut SmallRng, most: usize| -> String {
            let length = random.random_range(0..most);
            (0..length).map(|_| char::from(random.random_range(b'!'..=b'~'))).collect()
        };
        let names =
            ["x-a", "x-b", "x-long-name-of-a-field", "accept", "user-agent", "cookie", "authorization"];
        let mut fields: Vec<(String, String)> = Vec::new();
        for name in names {
            if random.random_bool(0.5) {
                let repeats = random.random_bool(0.5);
                let value = if repeats { "the same each time".to_owned() } else { text(random, 200) };
                fields.push((name.to_owned(), value));
            }
        }
        let path: String = text(random, 30).chars().filter(char::is_ascii_alphanumeric).collect();
        let size = [0, 1, 100, 20_000, 200_000][random.random_range(0..5)];
        let body = (0..size).map(|at| (at % 251) as u8).collect();
        Self { path: format!("/{path}"), fields, body }
    }

    fn lines(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.fields {
            write!(text, "{name}: {value}\r\n").expect("memory takes it");
        }
        text
    }
}

/// Fields as they are in text, without what the other side adds.
fn parse(lines: &[u8]) -> Vec<(String, String)> {
    let text = std::str::from_utf8(lines).expect("fields of this test are ASCII");
    let pair = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    text.split_terminator("\r\n").map(|line| pair(line).expect("name and value")).collect()
}

fn block_on(future: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future);
}

async fn send_all(stream: &mut SendStream<Bytes>, mut body: Bytes) {
    while !body.is_empty() {
        stream.reserve_capacity(body.len());
        let capacity = poll_fn(|cx| stream.poll_capacity(cx)).await.expect("the stream is open").unwrap();
        let piece = body.split_to(capacity.min(body.len()));
        stream.send_data(piece, body.is_empty()).unwrap();
    }
}

async fn receive_all(stream: &mut RecvStream) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(piece) = stream.data().await {
        let piece = piece.unwrap();
        stream.flow_control().release_capacity(piece.len()).unwrap();
        body.extend_from_slice(&piece);
    }
    body
}

/// A server of the library that gives back what it gets.
async fn library_server(io: DuplexStream) {
    let mut connection = h2::server::handshake(io).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        tokio::spawn(async move {
            let (head, mut body) = request.into_parts();
            let body = receive_all(&mut body).await;
            let mut response = http::Response::builder().header("x-path", head.uri.path());
            for (name, value) in &head.headers {
                response = response.header(name, value);
            }
            let head = response.body(()).unwrap();
            let mut stream = respond.send_response(head, body.is_empty()).unwrap();
            send_all(&mut stream, body.into()).await;
        });
    }
}

/// A request of the own client that runs.
struct Exchange {
    sent: Message,
    bytes_sent: usize,
    received: Message,
    status: u16,
    has_ended: bool,
}

#[derive(Default)]
struct Exchanges(BTreeMap<StreamId, Exchange>);

impl Events for Exchanges {
    fn response(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        let exchange = self.0.get_mut(&stream).expect("a stream of ours");
        exchange.status = head.status;
        exchange.received.fields = parse(head.fields);
        exchange.has_ended |= head.end;
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        let exchange = self.0.get_mut(&stream).expect("a stream of ours");
        exchange.received.body.extend_from_slice(data.bytes);
        exchange.has_ended |= data.end;
    }

    fn reset(&mut self, stream: StreamId, reason: StreamReset, _: u64) {
        panic!("stream {stream}: {reason}");
    }
}

/// Sends what waits or receives a piece, whichever is possible first. Returns the piece's size.
async fn exchange(io: &mut DuplexStream, out: &mut Vec<u8>, piece: &mut [u8]) -> usize {
    let (mut reader, mut writer) = tokio::io::split(io);
    tokio::select! {
        count = writer.write(out), if !out.is_empty() => {
            out.drain(..count.expect("the other side reads"));
            0
        }
        count = reader.read(piece) => count.expect("the other side writes"),
    }
}

#[test]
fn the_own_client_with_the_servers_of_the_library() {
    for seed in 0..8 {
        block_on(async {
            let (near, far) = tokio::io::duplex(4_096);
            tokio::spawn(library_server(far));
            own_client(near, seed).await;
        });
    }
}

async fn own_client(mut io: DuplexStream, seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut session = client::Session::new(&Settings::default());
    let mut scratch = Scratch::default();
    let mut out = Vec::new();
    session.start(&mut out);
    let mut exchanges = Exchanges::default();
    let mut opened = 0;
    let mut ended = 0;
    while ended < REQUESTS {
        while opened < REQUESTS && session.can_open() && session.open_streams() < 10 {
            let sent = Message::random(&mut random);
            let stream = open(&mut session, &sent, random.random(), &mut out);
            let received = Message::default();
            let exchange = Exchange { sent, bytes_sent: 0, received, status: 0, has_ended: false };
            exchanges.0.insert(stream, exchange);
            opened += 1;
        }
        for (stream, exchange) in &mut exchanges.0 {
            let rest = &exchange.sent.body[exchange.bytes_sent..];
            let piece = &rest[..rest.len().min(random.random_range(1..30_000))];
            if !piece.is_empty() {
                let is_end = piece.len() == rest.len();
                exchange.bytes_sent += session.send_data(*stream, piece, is_end, &mut out);
            }
        }
        let mut piece = vec![0; random.random_range(1..3_000)];
        let count = exchange(&mut io, &mut out, &mut piece).await;
        session.feed(&piece[..count], &mut scratch, &mut out, &mut exchanges).unwrap();
        exchanges.0.retain(|stream, exchange| {
            if exchange.has_ended {
                ended += 1;
                check(*stream, exchange);
            }
            !exchange.has_ended
        });
    }
}

fn open(session: &mut client::Session, sent: &Message, shared: bool, out: &mut Vec<u8>) -> StreamId {
    let lines = sent.lines();
    let (constant, own) = if shared { (lines.as_str(), "") } else { ("", lines.as_str()) };
    let constant = Fields::from_lines(constant.as_bytes()).unwrap();
    let request = Request {
        method: b"PUT",
        scheme: Scheme::Https,
        authority: b"example.org:8443",
        path: sent.path.as_bytes(),
        path_repeats: shared,
        constant: &constant,
        own: own.as_bytes(),
    };
    session.request(&request, sent.body.is_empty(), out).unwrap()
}

fn check(stream: StreamId, exchange: &Exchange) {
    assert_eq!(exchange.status, 200);
    let mut wanted = exchange.sent.fields.clone();
    wanted.push(("x-path".to_owned(), exchange.sent.path.clone()));
    let mut seen = exchange.received.fields.clone();
    wanted.sort();
    seen.sort();
    assert_eq!(seen, wanted, "stream {stream}");
    assert!(exchange.received.body == exchange.sent.body, "body of stream {stream}");
}

/// Requests that the own server has got.
#[derive(Default)]
struct Requests {
    open: BTreeMap<StreamId, Message>,
    complete: Vec<StreamId>,
}

impl Events for Requests {
    fn request(&mut self, stream: StreamId, head: RequestHead<'_>) {
        let path = String::from_utf8(head.path.to_vec()).expect("an ASCII path");
        self.open.insert(stream, Message { path, fields: parse(head.fields), body: Vec::new() });
        if head.end {
            self.complete.push(stream);
        }
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        self.open.get_mut(&stream).expect("an open stream").body.extend_from_slice(data.bytes);
        if data.end {
            self.complete.push(stream);
        }
    }
}

/// Gives requests back until the client ends.
async fn own_server(mut io: DuplexStream, seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut session = server::Session::new(&Settings::server());
    let mut scratch = Scratch::default();
    let mut out = Vec::new();
    session.start(&mut out);
    let mut requests = Requests::default();
    let mut bodies: BTreeMap<StreamId, Vec<u8>> = BTreeMap::new();
    let constant = Fields::from_lines(b"Server: own\r\n").unwrap();
    loop {
        for stream in std::mem::take(&mut requests.complete) {
            let request = requests.open.remove(&stream).expect("it was open");
            let own = format!("{}x-path: {}\r\n", request.lines(), request.path);
            let is_end = request.body.is_empty();
            session.respond(stream, 200, &constant, own.as_bytes(), is_end, &mut out).unwrap();
            bodies.insert(stream, request.body);
        }
        bodies.retain(|stream, body| {
            let size = body.len().min(random.random_range(1..30_000));
            let sent = session.send_data(*stream, &body[..size], size == body.len(), &mut out);
            body.drain(..sent);
            !body.is_empty()
        });
        let mut piece = vec![0; random.random_range(1..3_000)];
        let had_output = !out.is_empty();
        let count = exchange(&mut io, &mut out, &mut piece).await;
        if count == 0 && !had_output {
            return;
        }
        session.feed(&piece[..count], &mut scratch, &mut out, &mut requests).unwrap();
    }
}

#[test]
fn the_clients_of_the_library_with_the_own_server() {
    for seed in 0..8 {
        block_on(async {
            let (near, far) = tokio::io::duplex(4_096);
            tokio::spawn(own_server(far, seed));
            library_client(near, seed).await;
        });
    }
}

async fn library_client(io: DuplexStream, seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut sender, connection) = h2::client::handshake(io).await.unwrap();
    tokio::spawn(connection);
    let mut tasks = Vec::new();
    for _ in 0..REQUESTS {
        let sent = Message::random(&mut random);
        let mut request =
            http::Request::builder().method("PUT").uri(format!("http://example.org{}", sent.path));
        for (name, value) in &sent.fields {
            request = request.header(name, value);
        }
        sender = sender.ready().await.unwrap();
        let request = request.body(()).unwrap();
        let (response, mut stream) = sender.send_request(request, sent.body.is_empty()).unwrap();
        tasks.push(tokio::spawn(async move {
            send_all(&mut stream, sent.body.clone().into()).await;
            let (head, mut body) = response.await.unwrap().into_parts();
            let body = receive_all(&mut body).await;
            let field = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
                (name.to_string(), value.to_str().unwrap().to_owned())
            };
            let fields = head.headers.iter().map(field).filter(|(name, _)| name != "server").collect();
            let received = Message { path: String::new(), fields, body };
            let status = head.status.as_u16();
            check(StreamId::default(), &Exchange { sent, bytes_sent: 0, received, status, has_ended: true });
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}
