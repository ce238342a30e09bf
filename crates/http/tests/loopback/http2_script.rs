//! A server of HTTP/2 that answers requests, and one of them with the frames of a script. Tests of
//! the program use it, too.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use swell_net::{TcpListener, TcpStream, spawn_detached};

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
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const PADDED: u8 = 8;
pub(crate) const END: u8 = END_HEADERS | END_STREAM;

/// A block with `:status: 200`.
pub(crate) const OK: &[u8] = &[0x88];

/// A frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, a, b, c] = (payload.len() as u32).to_be_bytes();
    [&[a, b, c, kind, flags][..], &stream.to_be_bytes(), payload].concat()
}

pub(crate) fn settings(pairs: &[(u16, u32)]) -> Vec<u8> {
    let one = |(name, value): &(u16, u32)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat();
    frame(SETTINGS, 0, 0, &pairs.iter().flat_map(one).collect::<Vec<u8>>())
}

/// A block with a literal field after `:status: 200`.
pub(crate) fn with(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    [OK, &[0], &text(name), &text(value)].concat()
}

/// What a server says once a request has come, in pieces that are sent one after the other.
#[derive(Clone, Default)]
pub(crate) struct Script {
    /// Requests that are answered before.
    pub(crate) after: u32,
    /// Before anything else, instead of empty SETTINGS.
    pub(crate) greeting: Option<Vec<u8>>,
    pub(crate) first: Vec<u8>,
    /// Sent that many times after it.
    pub(crate) again: (Vec<u8>, usize),
    /// Sent when the body of a request has come.
    pub(crate) after_body: Vec<u8>,
    /// Sent once after that.
    pub(crate) last: Vec<u8>,
}

impl Script {
    pub(crate) fn of(first: Vec<u8>) -> Self {
        Self { first, ..Self::default() }
    }

    pub(crate) fn flood(first: Vec<u8>, again: Vec<u8>) -> Self {
        Self { first, again: (again, FLOOD), ..Self::default() }
    }

    pub(crate) fn greeting(greeting: Vec<u8>) -> Self {
        Self { greeting: Some(greeting), ..Self::default() }
    }
}

/// More than any limit on frames that carry nothing.
const FLOOD: usize = 2_000_000;

/// What the buffers of both sockets hold, and what is read before a limit is reached.
pub(crate) const BUFFERED: usize = 12 << 20;

/// The frames with their streams moved on by that many requests.
fn moved(frames: &[u8], requests: u32) -> Vec<u8> {
    let mut all = frames.to_vec();
    let mut at = 0;
    while let Some(head) = all.get_mut(at..at + 9) {
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let moved = if stream % 2 == 1 { stream + 2 * requests } else { stream };
        head[5..].copy_from_slice(&moved.to_be_bytes());
        at += 9 + u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
    }
    all
}

/// What a server has done.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) connections: Cell<usize>,
    /// Numbers of the streams of requests, with the connection.
    pub(crate) requests: RefCell<Vec<(usize, u32)>>,
    /// Bytes of the flood that were taken off it.
    pub(crate) flooded: Cell<usize>,
    /// Nothing had come after the head of the last request.
    pub(crate) has_waited: Cell<bool>,
    /// The bodies that came, one after the other.
    pub(crate) body: RefCell<Vec<u8>>,
    /// The codes of RST_STREAM and GOAWAY that came.
    pub(crate) codes: RefCell<Vec<u32>>,
}

impl Record {
    /// Notes the error code at the start of these bytes.
    fn note_code(&self, bytes: &[u8]) {
        self.codes.borrow_mut().extend(bytes.first_chunk().map(|code| u32::from_be_bytes(*code)));
    }
}

/// Reads frames of a client.
struct Frames {
    tcp: TcpStream,
    bytes: Vec<u8>,
    at: usize,
}

impl Frames {
    /// The next frame: kind, flags, stream, payload; none at the end.
    async fn next(&mut self) -> Option<(u8, u8, u32, Vec<u8>)> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if let Some(head) = rest.first_chunk::<9>() {
                let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
                if let Some(payload) = rest.get(9..9 + length) {
                    let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
                    let frame = (head[3], head[4], stream, payload.to_vec());
                    self.at += 9 + length;
                    return Some(frame);
                }
            }
            let Self { tcp, bytes, .. } = self;
            let count = tcp.recv(|new, _| {
                bytes.extend_from_slice(new);
                new.len()
            });
            if count.await.unwrap_or(0) == 0 {
                return None;
            }
        }
    }
}

/// Plays the script to a request of the first connection, and answers all others.
async fn serve(tcp: TcpStream, connection: usize, script: Script, record: Rc<Record>) {
    let mut frames = Frames { tcp, bytes: Vec::new(), at: 24 };
    let is_first = connection == 1;
    let usual = settings(&[]);
    let greeting = script.greeting.clone().filter(|_| is_first).unwrap_or(usual);
    if frames.tcp.send_all(&greeting).await.is_err() {
        return;
    }
    let mut left = script.after;
    let mut plays = is_first;
    while let Some((kind, flags, stream, payload)) = frames.next().await {
        match kind {
            DATA if script.after_body.is_empty() => {}
            DATA => {
                record.body.borrow_mut().extend_from_slice(&payload);
                if flags & END_STREAM != 0 && frames.tcp.send_all(&script.after_body).await.is_err() {
                    return;
                }
            }
            HEADERS => {
                record.has_waited.set(frames.bytes.len() == frames.at);
                record.requests.borrow_mut().push((connection, stream));
                let sent = if plays && left == 0 {
                    plays = false;
                    play(&mut frames.tcp, &script, &record).await
                } else {
                    left = left.saturating_sub(1);
                    frames.tcp.send_all(&frame(HEADERS, END, stream, OK)).await.is_ok()
                };
                if !sent {
                    return;
                }
            }
            RST_STREAM => record.note_code(&payload),
            GOAWAY => record.note_code(&payload[4..]),
            _ => {}
        }
    }
}

/// False: the connection ends.
async fn play(tcp: &mut TcpStream, script: &Script, record: &Record) -> bool {
    if tcp.send_all(&moved(&script.first, script.after)).await.is_err() {
        return false;
    }
    let (again, times) = &script.again;
    let again = moved(again, script.after);
    // Some hundred frames at once: the client is to be slower than the server.
    let piece = again.repeat((16_384 / again.len().max(1)).max(1));
    let mut left = again.len() * times;
    while left > 0 {
        let piece = &piece[..piece.len().min(left)];
        if tcp.send_all(piece).await.is_err() {
            return false;
        }
        left -= piece.len();
        record.flooded.set(record.flooded.get() + piece.len());
    }
    tcp.send_all(&moved(&script.last, script.after)).await.is_ok()
}

/// Listens on the loop of this thread; its port and what it does.
pub(crate) fn listen(script: Script) -> (u16, Rc<Record>) {
    let listener = TcpListener::bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let record = Rc::<Record>::default();
    let shared = record.clone();
    spawn_detached(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let connection = shared.connections.get() + 1;
            shared.connections.set(connection);
            spawn_detached(serve(tcp, connection, script.clone(), shared.clone()));
        }
    });
    (port, record)
}
