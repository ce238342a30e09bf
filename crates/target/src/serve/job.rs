//! A request in what the connection needs of it, without a byte of the input.

use swell_http1::Framing;
use swell_http1::server::{Refusal, RequestHead, parse};

use crate::delay::{QueueFull, Wait};
use crate::routes::{Reply, RouteState, Work, route};
use crate::wire::{Body, Response, value};

/// A request whose head has arrived.
pub(crate) struct Job {
    pub(crate) facts: Facts,
    pub(crate) work: Work,
    pub(crate) framing: Framing,
    pub(crate) expects_continue: bool,
}

/// What the end of a request wants to know of its beginning.
#[derive(Default)]
pub(crate) struct Facts {
    /// Index of its route in the table; `None` for an invalid request.
    pub(crate) route: Option<usize>,
    /// When the last byte arrived at the kernel.
    pub(crate) arrival_ns: i64,
    pub(crate) asked_ns: i64,
    /// Value of `id` in the query, where a log is kept.
    pub(crate) id: Option<Box<str>>,
    pub(crate) is_head: bool,
    pub(crate) keep_alive: bool,
}

impl Job {
    /// Parses the request at the start of the bytes and decides the action. `None`: its head is not
    /// complete. Otherwise the length of the head, and the request; an invalid request consumes all
    /// bytes.
    pub(crate) fn read(bytes: &[u8], arrival_ns: i64, state: &RouteState) -> Option<(usize, Self)> {
        let job = |head: &RequestHead<'_>| Ok(Self::of(head, arrival_ns, state));
        match parse(bytes, state.options.head_bytes_max, job) {
            Ok(job) => job,
            Err(refusal) => Some((bytes.len(), Self::refused(&refusal))),
        }
    }

    fn of(head: &RequestHead<'_>, arrival_ns: i64, state: &RouteState) -> Self {
        let (place, outcome) = route(head, state);
        let keeps_log = state.options.log_entries > 0;
        let facts = Facts {
            route: Some(place),
            arrival_ns,
            asked_ns: 0,
            id: if keeps_log { value(head.query, "id").map(Box::from) } else { None },
            is_head: head.method == "HEAD",
            keep_alive: head.keep_alive,
        };
        let work = outcome.unwrap_or_else(|refusal| Work::now(Response::from(&refusal)));
        let job = Self { facts, work, framing: head.framing, expects_continue: head.expects_continue };
        if job.framing == Framing::None { job.with_body(&Body::default(), state) } else { job }
    }

    /// The response to an invalid request, after which the connection closes.
    pub(crate) fn refused(refusal: &Refusal) -> Self {
        let work = Work::now(Response::from(refusal));
        Self { facts: Facts::default(), work, framing: Framing::None, expects_continue: false }
    }

    /// Whether the answer needs the request's body.
    pub(crate) fn looks_at_body(&self) -> bool {
        matches!(self.work.reply, Reply::FromBody(_))
    }

    /// Asks a route that looks at the request's body what to do, now that the body is here.
    pub(crate) fn with_body(mut self, body: &Body, state: &RouteState) -> Self {
        if let Reply::FromBody(then) = self.work.reply {
            self.work = then(body, state).unwrap_or_else(|refusal| Work::now(Response::from(&refusal)));
        }
        self
    }

    /// Finds out which delay is asked for. A pool that is full, or an admission control, gives
    /// another answer.
    pub(crate) fn settle_delay(&mut self, state: &RouteState) {
        let message = match &self.work.wait {
            Wait::None => return,
            Wait::For(delay_ns) => return self.facts.asked_ns = *delay_ns,
            Wait::Pool(pool) => match state.pools.admit(pool, self.facts.arrival_ns) {
                Ok(finish_ns) => return self.facts.asked_ns = finish_ns - self.facts.arrival_ns,
                Err(QueueFull::Queue) => "the queue is full",
                Err(QueueFull::Pools) => "too many pools",
            },
            Wait::Admission(limit) => match state.admissions.admit(limit, self.facts.arrival_ns) {
                Some(true) => return,
                Some(false) => "more requests than are admitted",
                None => "too many admission controls",
            },
        };
        self.work = Work::now(Response::from(&Refusal::new(503, message)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delay::random;
    use crate::options::Options;
    use crate::routes::examples;

    /// A request for one of the routes, with some of its bytes changed or missing.
    fn broken(path: &str, seed: u64) -> Vec<u8> {
        let mut bytes = format!(
            "POST {path} HTTP/1.1\r\nX-Sleep: 1\r\nCookie: a=b; session=61-0\r\nAuthorization: Bearer 61-0\r\n\
             Accept-Encoding: gzip;q=0.5\r\nIf-Modified-Since: Tue, 01 Oct 2013 08:00:00 GMT\r\n\r\n"
        )
        .into_bytes();
        for round in 0..seed % 4 {
            let pick = random(seed * 8 + round);
            let at = (pick >> 8) as usize % bytes.len();
            match pick % 3 {
                0 => bytes[at] = (pick >> 40) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes[at] = b"%?&=/:;,0-9"[(pick >> 40) as usize % 11],
            }
        }
        bytes
    }

    #[test]
    fn no_request_makes_a_route_panic() {
        let state = RouteState::new(Options { misbehave: true, log_entries: 1, ..Options::default() });
        for seed in 0..400 {
            for path in examples() {
                if let Some((used, mut job)) = Job::read(&broken(path, seed), 0, &state) {
                    assert!(used > 0);
                    job.settle_delay(&state);
                    assert!(job.facts.asked_ns >= 0);
                }
            }
        }
    }
}
