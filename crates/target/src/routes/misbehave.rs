//! Answers that break HTTP, or stretch it, for testing clients.

use swell_http1::server::{Length, Refusal};

use crate::delay::parse_duration;
use crate::wire::{Response, decode, value};

use super::delays::BYTES_MAX;
use super::work::number;
use super::{End, Outcome, PageId, Pieces, Raw, RouteRequest, Work, filler};

/// Longest header field of `/big-header`.
const BIG_HEADER_MAX: u64 = 10_000_000;

fn if_open(ask: &RouteRequest<'_>, work: Work) -> Outcome {
    if ask.state.options.misbehave {
        return Ok(work);
    }
    Err(Refusal::new(
        403,
        "this route misbehaves on purpose and is disabled; enable it with the \
        option `misbehave`",
    ))
}

fn bytes(ask: &RouteRequest<'_>, bytes: &[u8], end: End) -> Outcome {
    if_open(ask, Work::raw(Raw { then: bytes.to_vec(), end, ..Raw::default() }))
}

pub(crate) fn reset(ask: &RouteRequest<'_>) -> Outcome {
    bytes(ask, b"", End::Reset)
}

pub(crate) fn close(ask: &RouteRequest<'_>) -> Outcome {
    bytes(ask, b"", End::Close)
}

pub(crate) fn hang(ask: &RouteRequest<'_>) -> Outcome {
    bytes(ask, b"", End::Hang)
}

pub(crate) fn garbage(ask: &RouteRequest<'_>) -> Outcome {
    bytes(ask, b"\x00\x01this is not HTTP\r\n\r\n", End::Close)
}

/// `/fail?every=200&how=503`: each request whose number among those of the same query is a multiple
/// of `every` fails, with a status of 400 to 599, or with a `reset` or a `close` of its connection;
/// the others get a short page.
pub(crate) fn fail(ask: &RouteRequest<'_>) -> Outcome {
    let every = ask.number("every", 100, u64::MAX)?;
    if every == 0 {
        return Err(Refusal::bad("every: at least 1"));
    }
    let how = value(ask.head.query, "how").map_or("503".into(), decode);
    let failure = match &*how {
        "reset" => reset(ask),
        "close" => close(ask),
        text => {
            let status = text.parse().ok().filter(|status| (400..=599).contains(status));
            let wrong = || {
                Refusal::bad(format!(
                    "invalid how {text:?}: use reset, close, or a status from \
                    400 to 599"
                ))
            };
            status.ok_or_else(wrong).map(|status| Work::now(Response::text("failed\n").status(status)))
        }
    }?;
    let Some(before) = ask.state.draws.next(every, ask.head.query) else {
        return Err(Refusal::bad("too many streams; /stats/reset clears them"));
    };
    Ok(if (before + 1) % every == 0 { failure } else { Work::page(PageId::Ok, ask.head) })
}

/// `/short-body?bytes=1000`: promises that many, sends half.
pub(crate) fn short_body(ask: &RouteRequest<'_>) -> Outcome {
    let promised = ask.number("bytes", 1_000, filler(u64::MAX).len() as u64)?;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {promised}\r\n\r\n");
    bytes(ask, &[head.as_bytes(), filler(promised / 2)].concat(), End::Close)
}

pub(crate) fn interim(ask: &RouteRequest<'_>) -> Outcome {
    const BYTES: &[u8] = b"HTTP/1.1 102 Processing\r\n\r\n\
        HTTP/1.1 103 Early Hints\r\nLink: </page/style.css>; rel=preload; as=style\r\n\r\n\
        HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n";
    bytes(ask, BYTES, End::KeepAlive)
}

/// A body whose end is the end of the connection. Old, but right.
pub(crate) fn no_length(ask: &RouteRequest<'_>) -> Outcome {
    if_open(ask, Work::now(Response { length: Length::UntilClose, ..Response::text("no length\n") }))
}

/// `/slow-body?bytes=50&chunk=10&interval=100ms`.
pub(crate) fn slow_body(ask: &RouteRequest<'_>) -> Outcome {
    let bytes = ask.number("bytes", 50, BYTES_MAX)?;
    let drop_bytes = ask.number("chunk", 10, filler(u64::MAX).len() as u64)?.max(1);
    let interval = value(ask.head.query, "interval").map(decode);
    let interval_ns = parse_duration(interval.as_deref().unwrap_or("100ms")).map_err(Refusal::bad)?;
    let response = Response { length: Length::Bytes(bytes), ..Response::new(200, "text/plain", &[][..]) };
    if_open(ask, Work::stream(response, Pieces::Drops { bytes, drop_bytes, interval_ns }))
}

/// `/big-header/10000`.
pub(crate) fn big_header(ask: &RouteRequest<'_>) -> Outcome {
    let bytes = number("bytes", ask.rest, BIG_HEADER_MAX)?;
    if_open(ask, Work::now(Response::text("ok\n").header("X-Big", &"x".repeat(bytes as usize))))
}
