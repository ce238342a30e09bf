//! Redirects.

use swell_http1::server::Refusal;

use crate::wire::{Response, decode, value};

use super::work::number;
use super::{Outcome, RouteRequest, Work};

/// `/redirect/3` leads to `/redirect/2`, and `/redirect/1` to the index page.
pub(crate) fn redirect(ask: &RouteRequest<'_>) -> Outcome {
    let next = match number("redirects", ask.rest, 1_000)? {
        0 | 1 => String::from("/"),
        left => format!("/redirect/{}", left - 1),
    };
    Ok(Work::now(to(&next, 302)))
}

/// `/redirect-to?url=/page&status=307`.
pub(crate) fn redirect_to(ask: &RouteRequest<'_>) -> Outcome {
    let url = value(ask.head.query, "url")
        .map(decode)
        .ok_or_else(|| Refusal::bad("missing target: use ?url=/page"))?;
    let status = ask.number("status", 302, 399)? as u16;
    if status < 300 {
        return Err(Refusal::bad("status: a number from 300 to 399"));
    }
    if url.bytes().any(|byte| byte.is_ascii_control()) {
        return Err(Refusal::bad("url: control characters are not allowed"));
    }
    Ok(Work::now(to(&url, status)))
}

/// An answer that sends the client elsewhere.
pub(crate) fn to(url: &str, status: u16) -> Response {
    Response::text(format!("go to {url}\n")).status(status).header("Location", url)
}
