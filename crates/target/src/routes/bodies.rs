//! Bodies of every size and form.

use swell_http1::server::{Length, Refusal};

use crate::metrics::WorkerMetrics;
use crate::wire::{Coding, Response, decode, encode, value};

use super::delays::BYTES_MAX;
use super::work::{filled, filler, number};
use super::{Outcome, PageId, Pieces, RouteRequest, Work};

/// Largest body that is coded at request time.
const CODED_MAX: u64 = 10_000_000;

/// `/bytes/1000?type=image/png`.
pub(crate) fn bytes(ask: &RouteRequest<'_>) -> Outcome {
    let bytes = number("bytes", ask.rest, BYTES_MAX)?;
    let content_type = value(ask.head.query, "type").map(decode);
    let content_type = content_type.as_deref().unwrap_or("application/octet-stream");
    if content_type.bytes().any(|byte| byte.is_ascii_control()) {
        return Err(Refusal::bad("type: control characters are not allowed"));
    }
    Ok(filled(content_type, bytes))
}

/// `/chunked/1000?parts=10`; an HTTP/1.0 client, which knows no chunks, gets the end of the
/// connection instead.
pub(crate) fn chunked(ask: &RouteRequest<'_>) -> Outcome {
    let bytes = number("bytes", ask.rest, BYTES_MAX)?;
    let parts = ask.number("parts", 10, BYTES_MAX)?.max(1);
    let length = if ask.head.http10 { Length::UntilClose } else { Length::Chunked };
    let pieces = if ask.head.http10 { Pieces::Plain { bytes } } else { Pieces::Chunks { bytes, parts } };
    Ok(Work::stream(Response { length, ..Response::new(200, "text/plain", &[][..]) }, pieces))
}

pub(crate) fn gzip(ask: &RouteRequest<'_>) -> Outcome {
    coded(ask, Coding::Gzip)
}

pub(crate) fn deflate(ask: &RouteRequest<'_>) -> Outcome {
    coded(ask, Coding::Deflate)
}

pub(crate) fn brotli(ask: &RouteRequest<'_>) -> Outcome {
    coded(ask, Coding::Brotli)
}

/// A body in that coding, whatever the client takes.
fn coded(ask: &RouteRequest<'_>, coding: Coding) -> Outcome {
    let bytes = ask.number("bytes", 10_000, CODED_MAX)?;
    let plain: Vec<u8> = Pieces::Plain { bytes }.sizes().flat_map(filler).copied().collect();
    let response = Response::new(200, "text/plain", encode(coding, &plain));
    Ok(Work::now(response.header("Content-Encoding", coding.token())))
}

/// `/status/503`, or `/status` as nginx's stub status shows it.
pub(crate) fn status(ask: &RouteRequest<'_>) -> Outcome {
    if ask.rest.is_empty() {
        return Ok(Work::now(Response::new(200, "text/plain", stub_status(ask).into_bytes())));
    }
    let status = number("status", ask.rest, 599)? as u16;
    if status < 200 {
        return Err(Refusal::bad("status: a number from 200 to 599"));
    }
    let response = Response::text(format!("{status}\n")).status(status);
    Ok(Work::now(match status {
        204 | 304 => Response { length: Length::None, body: (&[][..]).into(), ..response },
        300..=399 => response.header("Location", "/"),
        401 => response.header("WWW-Authenticate", "Basic realm=\"site under test\""),
        429 | 503 => response.header("Retry-After", "1"),
        _ => response,
    }))
}

fn stub_status(ask: &RouteRequest<'_>) -> String {
    let stats = ask.state.snapshot();
    let open = stats.open_connections;
    let accepted = stats.accepted;
    let requests: u64 = ask.state.workers.iter().map(WorkerMetrics::requests).sum();
    format!(
        "Active connections: {open} \nserver accepts handled requests\n {accepted} {accepted} {requests} \n\
         Reading: 0 Writing: 1 Waiting: {} \n",
        open.saturating_sub(1)
    )
}

/// `/page` and what is embedded in it.
pub(crate) fn page(ask: &RouteRequest<'_>) -> Outcome {
    let page = match ask.rest {
        "" => PageId::Page,
        "style.css" => PageId::Style,
        "app.js" => PageId::Script,
        "logo.png" => PageId::Logo,
        "dot.gif" => PageId::Dot,
        other => return Err(Refusal::new(404, format!("/page has no {other}"))),
    };
    Ok(Work::page(page, ask.head))
}
