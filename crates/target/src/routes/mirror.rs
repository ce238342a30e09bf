//! JMeter's HTTP Mirror Server (`org.apache.jmeter.protocol.http.control.HttpMirrorThread`, 5.6.3).
//!
//! The body of the answer is the request, byte for byte. Header fields of the request control the
//! rest: `X-ResponseStatus`, `X-ResponseLength`, `X-SetCookie`, `X-SetHeaders` (fields parted by
//! `|`), `X-Sleep` (milliseconds, between the answer's head and its body); so do `status` and
//! `redirect` in the query of a GET. The connection closes.
//!
//! Where it departs: JMeter reads a chunked body only as far as it has already arrived, here it is
//! read to its end; `X-ResponseLength` there spares what came in a later read, here it cuts the
//! whole reflection.

use swell_http1::server::{Refusal, RequestHead, header};

use crate::wire::{Body, decode, value};

use super::work::number;
use super::{End, Outcome, Raw, RouteRequest, Work};

/// Longest `X-Sleep`, one hour.
const SLEEP_MAX_MS: u64 = 3_600_000;

pub(crate) fn mirror(ask: &RouteRequest<'_>) -> Outcome {
    let first = answer_head(ask.head);
    let sleep_ms = control(ask.head, "X-Sleep", SLEEP_MAX_MS)?.unwrap_or(0);
    let length_max = control(ask.head, "X-ResponseLength", u64::MAX)?.unwrap_or(u64::MAX);
    let request = ask.head.raw.to_vec();
    Ok(Work::from_body(move |body, _| Ok(reflect(first, request, body, sleep_ms, length_max))))
}

fn reflect(first: Vec<u8>, mut request: Vec<u8>, body: &Body, sleep_ms: u64, length_max: u64) -> Work {
    request.extend_from_slice(&body.raw);
    request.truncate(usize::try_from(length_max).unwrap_or(usize::MAX));
    Work::raw(if sleep_ms == 0 {
        Raw { then: [first, request].concat(), ..Raw::default() }
    } else {
        Raw { first, pause_ns: sleep_ms as i64 * 1_000_000, then: request, end: End::Close }
    })
}

fn answer_head(head: &RequestHead<'_>) -> Vec<u8> {
    let query = if head.method == "GET" { head.query } else { "" };
    // A plus stays a plus (java.net.URI.getQuery).
    let asked = |name| value(query, name).map(|text| decode(&text.replace('+', "%2B")).into_owned());
    let (asked, redirect) = (asked("status"), asked("redirect"));
    let status = match (&asked, &redirect) {
        (Some(status), _) => status.as_bytes(),
        (None, Some(_)) => b"302 Temporary Redirect",
        (None, None) => header(head.headers, "X-ResponseStatus").unwrap_or(b"200 OK"),
    };
    let mut out = Vec::new();
    let mut line = |parts: [&[u8]; 2]| out.extend_from_slice(&[parts[0], parts[1], b"\r\n"].concat());
    line([b"HTTP/1.0 ", status]);
    line([b"Content-Type: ", b"text/plain"]);
    if let Some(location) = &redirect {
        line([b"Location: ", location.as_bytes()]);
    }
    if let Some(fields) = header(head.headers, "X-SetHeaders") {
        fields.split(|byte| *byte == b'|').for_each(|field| line([field, b""]));
    }
    if let Some(cookie) = header(head.headers, "X-SetCookie") {
        line([b"Set-Cookie: ", cookie]);
    }
    line([b"", b""]);
    out
}

/// A number from a header field.
fn control(head: &RequestHead<'_>, name: &str, max: u64) -> Result<Option<u64>, Refusal> {
    let Some(value) = header(head.headers, name) else { return Ok(None) };
    number(name, String::from_utf8_lossy(value).trim(), max).map(Some)
}
