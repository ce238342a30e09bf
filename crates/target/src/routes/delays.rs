//! `/delay`, `/pool` and `/admit`: answers that take a known time, and servers whose limit is
//! known.

use std::borrow::Cow;

use swell_http1::server::Refusal;

use crate::delay::{AdmissionAsk, Distribution, PoolAsk, Wait, parse_duration};
use crate::wire::{decode, value};

use super::work::{filled, number};
use super::{Outcome, PageId, RouteRequest, Work};

/// Largest made-up body.
pub(crate) const BYTES_MAX: u64 = 100_000_000;

const WORKERS_MAX: u64 = 100_000;
const QUEUE_MAX: u64 = 1_000_000;
const RATE_MAX: u64 = 1_000_000;

/// `/delay/50ms`, `/delay?dist=…&seed=…&n=…`; with `bytes=`, a body of that size.
pub(crate) fn delay(ask: &RouteRequest<'_>) -> Outcome {
    let delay_ns = match (ask.rest, value(ask.head.query, "dist")) {
        ("", Some(distribution)) => drawn(ask, &decode(distribution))?,
        ("", None) => return Err(Refusal::bad("missing delay: use /delay/50ms or /delay?dist=exp:50ms")),
        (duration, _) => parse_duration(&decode(duration)).map_err(Refusal::bad)?,
    };
    Ok(body(ask)?.after(delay_ns))
}

fn body(ask: &RouteRequest<'_>) -> Outcome {
    match value(ask.head.query, "bytes") {
        Some(bytes) => Ok(filled("text/plain", number("bytes", bytes, BYTES_MAX)?)),
        None => Ok(Work::page(PageId::Ok, ask.head)),
    }
}

/// The draw that `n` names, or the next one of the stream.
fn drawn(ask: &RouteRequest<'_>, text: &str) -> Result<i64, Refusal> {
    let distribution = Distribution::parse(text).map_err(Refusal::bad)?;
    let seed = ask.number("seed", ask.state.options.seed, u64::MAX)?;
    let index = if let Some(text) = value(ask.head.query, "n") {
        number("n", text, u64::MAX)?
    } else {
        let next = ask.state.draws.next(seed, text);
        next.ok_or_else(|| Refusal::bad("too many seeds; /stats/reset clears them"))?
    };
    Ok(distribution.draw(seed, index))
}

/// `/pool?workers=4&service=20ms&queue=100&key=name`; the service may be a distribution, as in
/// `service=exp:20ms`.
pub(crate) fn pool(ask: &RouteRequest<'_>) -> Outcome {
    let workers = ask.number("workers", 1, WORKERS_MAX)? as usize;
    if workers == 0 {
        return Err(Refusal::bad("workers: at least 1"));
    }
    let service = value(ask.head.query, "service").map_or(Cow::Borrowed("10ms"), decode);
    let service_ns = if service.contains(':') {
        drawn(ask, &service)?
    } else {
        parse_duration(&service).map_err(Refusal::bad)?
    };
    let queue_max = ask.number("queue", QUEUE_MAX, QUEUE_MAX)? as usize;
    let key = value(ask.head.query, "key").map_or(String::new(), |key| decode(key).into_owned());
    let wait = Wait::Pool(Box::new(PoolAsk { key, workers, service_ns, queue_max }));
    Ok(Work { wait, ..body(ask)? })
}

/// `/admit?rate=500&key=name`: 503 for what comes faster than that.
pub(crate) fn admit(ask: &RouteRequest<'_>) -> Outcome {
    let per_s = ask.number("rate", 100, RATE_MAX)? as i64;
    if per_s == 0 {
        return Err(Refusal::bad("rate: at least 1"));
    }
    let key = value(ask.head.query, "key").map_or(String::new(), |key| decode(key).into_owned());
    let wait = Wait::Admission(Box::new(AdmissionAsk { key, interval_ns: 1_000_000_000 / per_s }));
    Ok(Work { wait, ..body(ask)? })
}
