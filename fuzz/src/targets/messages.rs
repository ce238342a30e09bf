//! Bytes from sockets: response heads, chunks, content codings, DNS messages.

use std::io::{Read as _, Write as _};

use rand::Rng as _;
use swell_http::fuzz::decoded;
use swell_http1::WireError;
use swell_http1::client::{Response, ResponseFacts, ResponseHead, Sink};

use super::{byte_parts, parts, pieces, random_of};

/// The parts of a response.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    head: Option<(ResponseFacts, String)>,
    headers: Vec<(Vec<u8>, Vec<u8>)>,
    body: Vec<u8>,
}

impl Sink for Seen {
    fn head(&mut self, head: &ResponseHead<'_>) {
        let mut text = String::new();
        head.text(&[], &mut text);
        assert!(self.head.replace((head.facts, text)).is_none(), "a response has one head");
        self.headers = head.headers().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    }

    fn body(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "a piece of a body is not empty");
        assert!(self.head.is_some(), "the head comes before the body");
        self.body.extend_from_slice(bytes);
    }
}

/// Reads a response in pieces, until it is complete or the connection ends.
fn response<'b>(
    pieces: impl IntoIterator<Item = &'b [u8]>,
    to_head: bool,
) -> (Seen, u64, Result<(), WireError>) {
    let mut response = Response::new(to_head);
    let mut seen = Seen::default();
    for piece in pieces {
        match response.feed(piece, &mut seen) {
            Ok(false) => {}
            Ok(true) => return (seen, response.body_len(), Ok(())),
            Err(error) => return (seen, response.body_len(), Err(error)),
        }
    }
    let end = response.end(&mut seen);
    (seen, response.body_len(), end)
}

fn same_in_pieces(bytes: &[u8], to_head: bool) -> (Seen, Result<(), WireError>) {
    let whole = response([bytes], to_head);
    assert_eq!(whole.0.body.len() as u64, whole.1, "the length is that of the body");
    assert_eq!(response([bytes], to_head), whole, "a head that is known reads as it did when it was new");
    let mut random = random_of(bytes);
    for _ in 0..3 {
        let cut = response(pieces(bytes, &mut random), to_head);
        assert_eq!(cut, whole, "the pieces make no difference");
    }
    (whole.0, whole.2)
}

/// A response, cut at any places.
pub(super) fn heads(input: &[u8]) {
    let _ = same_in_pieces(input, false);
    let (to_head, _) = same_in_pieces(input, true);
    assert!(to_head.body.is_empty(), "there is no body in the answer to a HEAD");
}

/// A chunked body, cut at any places; also any body encoded in chunks and decoded.
pub(super) fn chunks(input: &[u8]) {
    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let _ = same_in_pieces(&[HEAD, input].concat(), false);
    let mut random = random_of(input);
    let mut message = HEAD.to_vec();
    for piece in pieces(input, &mut random) {
        let zeros = "0".repeat(random.random_range(0..3));
        write!(message, "{zeros}{:X}{}\r\n", piece.len(), ["", " ", ";x=\"y\""][random.random_range(0..3)])
            .expect("writing to a Vec cannot fail");
        message.extend_from_slice(piece);
        message.extend_from_slice(b"\r\n");
    }
    message.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
    let (seen, end) = same_in_pieces(&message, false);
    assert_eq!((end, seen.body.as_slice()), (Ok(()), input), "a body comes out of its chunks");
}

/// A `Content-Encoding` and an encoded body, cut at any places; also any body encoded and decoded.
pub(super) fn encodings(input: &[u8]) {
    const MOST: u64 = 4096;
    let [header, body] = byte_parts::<2>(input);
    let header = String::from_utf8_lossy(header);
    let random = &mut random_of(body);
    let whole = decoded(&header, &[body], MOST);
    assert!(
        whole.as_ref().is_none_or(|(out, _)| out.len() as u64 <= MOST.max(body.len() as u64)),
        "the limit holds"
    );
    let cut = decoded(&header, &pieces(body, random), MOST);
    // If a body both exceeds the limit and is broken, the pieces decide which is detected first.
    let beyond = [&whole, &cut].into_iter().flatten().any(|(_, beyond)| *beyond);
    assert!(beyond || cut == whole, "the pieces make a difference");
    let fast = flate2::Compression::fast();
    let mut out = Vec::new();
    flate2::read::GzEncoder::new(body, fast).read_to_end(&mut out).expect("memory can be read");
    round("gzip", &out, body);
    out.clear();
    flate2::read::ZlibEncoder::new(body, fast).read_to_end(&mut out).expect("memory can be read");
    round("deflate", &out, body);
    out.clear();
    brotli::CompressorReader::new(body, 4096, 1, 16).read_to_end(&mut out).expect("memory can be read");
    round("br", &out, body);
}

/// Checks that a body can be decoded, and that a cut body is refused unless it was complete before.
fn round(coding: &str, packed: &[u8], body: &[u8]) {
    let wanted = Some((body.to_vec(), false));
    assert_eq!(decoded(coding, &[packed], 1 << 20), wanted, "{coding} is undone");
    let cut = &packed[..random_of(body).random_range(0..=packed.len())];
    let found = decoded(coding, &[cut], 1 << 20);
    assert!(found.is_none() || found == wanted, "{coding}: what is cut decodes to something else");
}

/// A DNS response, and a name.
pub(super) fn dns(input: &[u8]) {
    let [message, _] = byte_parts::<2>(input);
    let [_, name] = parts::<2>(input);
    // One seed is a response to a query for `a.example`.
    for name in ["a.example.", &*name] {
        let first = swell_connect::fuzz::dns_answer(message, name);
        assert_eq!(swell_connect::fuzz::dns_answer(message, name), first);
        if let Some(question) = swell_connect::fuzz::dns_question(name) {
            assert!(question.len() < 512, "a question fits into a datagram");
            assert_eq!(swell_connect::fuzz::dns_answer(&question, name), None, "a question is no answer");
        }
    }
}
