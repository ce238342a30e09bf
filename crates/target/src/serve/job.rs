//! A request in what the connection needs of it, without a byte of the input.

use crate::delay::{Full, Wait};
use crate::site::{Reply, Site, Work, route};
use crate::wire::{Framing, Head, Refusal, parse, value};

/// A request whose head has arrived.
pub(crate) struct Job {
    /// Place of its route in the site's table; `None` for what is no request.
    pub(crate) route: Option<usize>,
    pub(crate) work: Work,
    pub(crate) framing: Framing,
    pub(crate) is_head: bool,
    pub(crate) keep_alive: bool,
    pub(crate) expects_continue: bool,
    /// The last byte so far arrived at the kernel.
    pub(crate) arrival_ns: i64,
    /// Value of `id` in the query, where a log is kept.
    pub(crate) id: Option<Box<str>>,
}

impl Job {
    /// Reads the request that the bytes begin with and finds out what to do about it. `None`: its head is not complete.
    /// Otherwise how many bytes the head has, and the request; what is no request takes all bytes.
    pub(crate) fn read(bytes: &[u8], arrival_ns: i64, site: &Site) -> Option<(usize, Self)> {
        let job = |head: &Head<'_>| Ok(Self::of(head, arrival_ns, site));
        match parse(bytes, site.options.head_bytes_max, job) {
            Ok(job) => job,
            Err(refusal) => Some((bytes.len(), Self::refused(&refusal))),
        }
    }

    fn of(head: &Head<'_>, arrival_ns: i64, site: &Site) -> Self {
        let (place, outcome) = route(head, site);
        let keeps_log = site.options.log_entries > 0;
        Self {
            route: Some(place),
            work: outcome.unwrap_or_else(|refusal| Work::now(refusal.response())),
            framing: head.framing,
            is_head: head.method == "HEAD",
            keep_alive: head.keep_alive,
            expects_continue: head.expects_continue,
            arrival_ns,
            id: if keeps_log { value(head.query, "id").map(Box::from) } else { None },
        }
    }

    /// The answer to what is no request, after which the connection closes.
    pub(crate) fn refused(refusal: &Refusal) -> Self {
        Self {
            route: None,
            work: Work::now(refusal.response()),
            framing: Framing::None,
            is_head: false,
            keep_alive: false,
            expects_continue: false,
            arrival_ns: 0,
            id: None,
        }
    }

    /// Whether the answer needs the request's body.
    pub(crate) fn looks_at_body(&self) -> bool {
        matches!(self.work.reply, Reply::FromBody(_))
    }

    /// The delay that is asked for. A pool that is full gives another answer.
    pub(crate) fn delay_ns(&mut self, site: &Site) -> i64 {
        let pool = match &self.work.wait {
            Wait::None => return 0,
            Wait::For(delay_ns) => return *delay_ns,
            Wait::Pool(pool) => pool,
        };
        let message = match site.pools.admit(pool, self.arrival_ns) {
            Ok(finish_ns) => return finish_ns - self.arrival_ns,
            Err(Full::Queue) => "the queue is full",
            Err(Full::Pools) => "there are too many pools",
        };
        self.work = Work::now(Refusal::new(503, message).response());
        0
    }
}
