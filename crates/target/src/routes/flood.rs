//! The site of the flood.io benchmark of 2013 (JMeter and Gatling at 10,000 to 40,000 users).
//!
//! Its server sent the slow pages without a length, so each of them closes its connection; 60 % of
//! the scenario's requests open a new one. With the scenario's mix the true mean is 0.2·3.5 + 0.3·2
//! + 0.1·4 = 1.7 s.

use swell_http1::server::{Length, Refusal};

use crate::wire::{Response, decode};

use super::{Outcome, PageId, RouteRequest, Work};

const SLOW_NS: i64 = 3_500_000_000;
const NON_CACHEABLE_NS: i64 = 2_000_000_000;
const SLOW_POST_NS: i64 = 4_000_000_000;
const REQUEST_NS: i64 = 3_000_000_000;
const REPEAT_NS: i64 = 2_123_000_000;
/// How often `/request` repeats the request's head.
const REQUEST_COPIES: usize = 1_024;

pub(crate) fn slow(ask: &RouteRequest<'_>) -> Outcome {
    Ok(Work::page(PageId::Slow, ask.head).after(SLOW_NS))
}

pub(crate) fn non_cacheable(ask: &RouteRequest<'_>) -> Outcome {
    Ok(Work::page(PageId::NonCacheable, ask.head).after(NON_CACHEABLE_NS))
}

pub(crate) fn slow_post(ask: &RouteRequest<'_>) -> Outcome {
    Ok(Work::page(PageId::SlowPost, ask.head).after(SLOW_POST_NS))
}

pub(crate) fn plain_text(ask: &RouteRequest<'_>) -> Outcome {
    Ok(Work::page(PageId::PlainText, ask.head))
}

pub(crate) fn overloaded(_: &RouteRequest<'_>) -> Outcome {
    Err(Refusal::new(503, "overloaded"))
}

pub(crate) fn request(ask: &RouteRequest<'_>) -> Outcome {
    Ok(Work::now(until_close(ask.head.raw.repeat(REQUEST_COPIES))).after(REQUEST_NS))
}

pub(crate) fn repeat(ask: &RouteRequest<'_>) -> Outcome {
    let parts = ask.head.query.split('&').filter(|part| !part.is_empty());
    let lines: Vec<String> = parts.map(|part| format!("{}\n", decode(part))).collect();
    Ok(Work::now(until_close(lines.concat().into_bytes())).after(REPEAT_NS))
}

fn until_close(body: Vec<u8>) -> Response {
    Response { length: Length::UntilClose, ..Response::new(200, "text/plain", body) }
}
