//! Opens WebSockets: the connection, the request for the upgrade and its answer
//! (`WebSocketClient.connect`).

use std::rc::Rc;

use swell_connect::{ClientKeys, Stream, Target};
use swell_http::{UpgradeScope, UpgradeTrace};
use swell_net::now_ns;
use swell_websocket::{Compression, MaskKeys, handshake};

use super::failure::Failure;
use super::frames::FrameTimes;
use super::handshake::{HEAD_BYTES_MAX, UpgradeAnswer, head_length, read_answer, request};

const MS: i64 = 1_000_000;

/// The end of a wait that begins now; none for 0, which means without limit.
pub(super) fn deadline(ms: i64) -> Option<i64> {
    (ms > 0).then(|| now_ns() + ms * MS)
}

/// Where a connection goes.
pub(super) struct Destination {
    pub(super) secure: bool,
    pub(super) host: String,
    pub(super) port: u16,
    /// Path and query.
    pub(super) file: String,
    /// The server has to show a certificate that this machine trusts.
    pub(super) is_verified: bool,
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

/// How long steps of opening may take.
pub(super) struct OpenLimits {
    pub(super) connect_ms: i64,
    pub(super) read_ms: i64,
}

/// What is asked for besides the destination.
pub(super) struct UpgradeRequest<'a> {
    pub(super) to: &'a Destination,
    /// The `Host` of the request.
    pub(super) host: &'a str,
    pub(super) lines: &'a [(Rc<str>, Rc<str>)],
    pub(super) limits: OpenLimits,
    /// For a server that requests a certificate.
    pub(super) keys: Option<ClientKeys>,
    pub(super) trace: Option<UpgradeTrace>,
}

/// A connection on which the server has agreed to speak WebSocket.
pub(super) struct Upgraded {
    pub(super) stream: Stream,
    pub(super) keys: MaskKeys,
    pub(super) answer: UpgradeAnswer,
    /// What was agreed about compression.
    pub(super) compression: Option<Compression>,
    /// Bytes after the answer, which came with it.
    pub(super) rest: Vec<u8>,
    pub(super) request_bytes: u64,
    pub(super) response_bytes: u64,
    pub(super) times: FrameTimes,
    pub(super) handshake_ns: i64,
}

/// Connects and asks for the upgrade.
pub(super) async fn upgrade(asked: UpgradeRequest<'_>, scope: &UpgradeScope) -> Result<Upgraded, Failure> {
    let UpgradeRequest { to, host, lines, limits, keys: client_keys, trace } = asked;
    let mut keys = MaskKeys::new(rand::random());
    let key = handshake::key(keys.nonce());
    let proxy = scope.proxy(&to.host);
    // The plug-in names the whole URL also where it has a tunnel.
    let path = if proxy.is_some() { to.http_url() } else { to.file.clone() };
    let bytes = request(&path, host, lines, &key)?;
    let name = to.host.to_lowercase().into();
    let target = Rc::new(Target { secure: to.secure, host: name, port: to.port, user: None, proxy });
    let opened = scope.open(&target, Some(limits.connect_ms * MS), to.is_verified, client_keys).await;
    let opened = opened.map_err(|error| Failure::of_connect(&error))?;
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
    let compression = compression(lines, &answer);
    let (request_bytes, response_bytes) = (bytes.len() as u64, head.len() as u64);
    let handshake_ns = opened.handshake_ns;
    Ok(Upgraded {
        stream,
        keys,
        answer,
        compression,
        rest,
        request_bytes,
        response_bytes,
        times,
        handshake_ns,
    })
}

/// What was agreed about compression, where a header line asked for it and the server agreed.
fn compression(lines: &[(Rc<str>, Rc<str>)], answer: &UpgradeAnswer) -> Option<Compression> {
    let offer = lines.iter().find(|(name, _)| name.eq_ignore_ascii_case("Sec-WebSocket-Extensions"))?;
    Compression::of_answer(answer.value("Sec-WebSocket-Extensions")?, &offer.1).ok()?
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
