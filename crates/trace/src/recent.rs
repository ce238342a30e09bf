//! What a user of a load run did since its iteration began.
//!
//! A load run keeps its first failures with the steps before them ([`Event`](crate::Event)s as
//! those of `swell debug`), and cannot know beforehand which iteration will fail. So users append
//! heads and figures of their samples to separate buffers, which the next iteration reuses.
//! Nothing is formatted, searched or allocated for a sample that succeeds: events are made of the
//! buffers only where a sample fails.

mod events;
mod pool;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::text::Text;

pub use pool::{RecentLimits, RecentPool, SharedRecent};

/// Bytes of a request that are copied where bodies are not kept: more than nearly all heads.
const HEAD_BYTES: usize = 8 << 10;
/// Steps of one iteration that are kept, the last ones.
const STEPS: usize = 500;
/// The exchange is that of the first step that ended after it.
const NEXT_STEP: u32 = u32::MAX;

/// A part of the buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    from: u32,
    to: u32,
}

#[derive(Debug)]
struct RecentExchange {
    start_ns: i64,
    sent: Span,
    head: Span,
    sent_size: u32,
    /// The step that it belongs to, or [`NEXT_STEP`].
    step: u32,
    is_secure: bool,
}

/// When things of a sample happened, nanoseconds on the clock of the run; 0: they did not.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecentTimes {
    /// Its start was due.
    pub due_ns: i64,
    /// Its start.
    pub start_ns: i64,
    /// The connection was open.
    pub connected_ns: i64,
    /// How long the TLS handshake took.
    pub handshake_ns: i64,
    /// The first byte of the response.
    pub first_byte_ns: i64,
    /// Its end, without pauses of the plan.
    pub elapsed_ns: i64,
}

/// A sample that has ended.
#[derive(Clone, Copy, Debug)]
pub struct RecentSample<'s> {
    /// Label.
    pub label: &'s Text,
    /// Response code.
    pub code: &'s Text,
    /// Response message.
    pub message: &'s Text,
    /// When things happened.
    pub times: RecentTimes,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// The body, where bodies are kept.
    pub body: &'s [u8],
    /// Bytes of the body.
    pub body_size: u64,
    /// Good or not.
    pub success: bool,
}

#[derive(Debug, Default)]
struct RecentStep {
    label: Text,
    code: Text,
    message: Text,
    times: RecentTimes,
    received_bytes: u64,
    sent_bytes: u64,
    body: Span,
    body_size: u64,
    success: bool,
    /// How many exchanges there were when it ended.
    exchanges: u32,
    /// Its exchanges are those that name it, as other samples ran at the same time.
    is_shared: bool,
}

/// What a user did since its iteration began.
#[derive(Debug)]
pub struct RecentSteps {
    iteration: u64,
    bytes: Vec<u8>,
    exchanges: Vec<RecentExchange>,
    /// Those after the first [`Self::used`] are of earlier iterations. A user mostly does the same
    /// again, so its texts are there already, and nothing is counted or freed for them.
    steps: Vec<RecentStep>,
    used: usize,
    /// Bytes of one user that are kept.
    user_bytes: usize,
    /// Bytes of one request that are kept.
    request_bytes: usize,
    /// Bytes of one response body that are kept.
    body_bytes: usize,
    /// Steps of the iteration that were forgotten.
    left_out: usize,
    pool: Arc<RecentPool>,
    group: usize,
}

impl RecentSteps {
    fn new(pool: Arc<RecentPool>, group: usize) -> Self {
        let limits = pool.limits();
        let body_bytes = limits.body_bytes.unwrap_or(0);
        Self {
            iteration: 0,
            bytes: Vec::new(),
            exchanges: Vec::new(),
            steps: Vec::new(),
            used: 0,
            user_bytes: limits.user_bytes,
            request_bytes: HEAD_BYTES + body_bytes,
            body_bytes,
            left_out: 0,
            pool,
            group,
        }
    }

    /// The iteration that runs: what was before it is forgotten. False: nothing needs to be
    /// recorded.
    #[inline]
    pub fn is_open(&mut self, iteration: u64) -> bool {
        if self.iteration != iteration {
            self.begin(iteration);
        }
        self.bytes.len() <= self.user_bytes || self.make_room()
    }

    #[inline]
    fn begin(&mut self, iteration: u64) {
        self.iteration = iteration;
        self.bytes.clear();
        self.exchanges.clear();
        self.used = 0;
        self.left_out = 0;
    }

    /// Forgets the first half of the steps; false if there is nothing to forget, so that an
    /// exchange that is too large is the last thing recorded.
    #[cold]
    fn make_room(&mut self) -> bool {
        let forgotten = self.used.div_ceil(2);
        if forgotten == 0 {
            return false;
        }
        self.steps.truncate(self.used);
        self.name_steps();
        let is_kept =
            |exchange: &RecentExchange| exchange.step == NEXT_STEP || exchange.step as usize >= forgotten;
        let end = self.bytes.len() as u32;
        // Samples that run at the same time may end in another order than they began.
        let of_exchanges = self.exchanges.iter().filter(|exchange| is_kept(exchange));
        let of_exchanges = of_exchanges.map(|exchange| exchange.sent.from);
        let bodies = self.steps[forgotten..].iter().map(|step| step.body);
        let of_steps = bodies.filter(|body| body.from < body.to).map(|body| body.from);
        let from = of_exchanges.chain(of_steps).min().unwrap_or(end);
        self.steps.drain(..forgotten);
        self.exchanges.retain(is_kept);
        self.bytes.drain(..from as usize);
        let moved = |span: &mut Span| {
            span.from = span.from.saturating_sub(from);
            span.to = span.to.saturating_sub(from);
        };
        for step in &mut self.steps {
            moved(&mut step.body);
        }
        for exchange in &mut self.exchanges {
            if exchange.step != NEXT_STEP {
                exchange.step -= forgotten as u32;
            }
            [&mut exchange.sent, &mut exchange.head].into_iter().for_each(moved);
        }
        self.used -= forgotten;
        self.left_out += forgotten;
        true
    }

    /// Writes into each exchange the number of its step.
    #[cold]
    fn name_steps(&mut self) {
        for number in 0..self.exchanges.len() {
            self.exchanges[number].step = self.step_of(number);
        }
        for step in &mut self.steps {
            step.is_shared = true;
        }
    }

    /// The number of the step of an exchange; [`NEXT_STEP`] if it has not ended.
    fn step_of(&self, exchange: usize) -> u32 {
        let named = self.exchanges[exchange].step;
        if named != NEXT_STEP {
            return named;
        }
        let is_after = |step: &RecentStep| !step.is_shared && step.exchanges as usize > exchange;
        self.steps[..self.used].iter().position(is_after).map_or(NEXT_STEP, |number| number as u32)
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Span {
        let from = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        Span { from, to: self.bytes.len() as u32 }
    }

    /// A request is handed to the socket. `start_ns`: the start of its sample.
    #[inline]
    pub fn request(&mut self, start_ns: i64, bytes: &[u8], is_secure: bool) {
        let sent = self.put(&bytes[..bytes.len().min(self.request_bytes)]);
        let sent_size = bytes.len() as u32;
        let head = Span::default();
        self.exchanges.push(RecentExchange { start_ns, sent, head, sent_size, step: NEXT_STEP, is_secure });
    }

    /// The head of the response to the last request of the sample that started then. The response
    /// to a request that was not recorded is not, either.
    #[inline]
    pub fn response(&mut self, start_ns: i64, head: &[u8]) {
        let head = &head[..head.len().min(HEAD_BYTES)];
        let from = self.bytes.len() as u32;
        let span = Span { from, to: from + head.len() as u32 };
        if let Some(last) = self.exchanges.last_mut().filter(|last| last.start_ns == start_ns) {
            last.head = span;
        } else if !self.response_beside_others(start_ns, span) {
            return;
        }
        self.bytes.extend_from_slice(head);
    }

    /// The same if other samples have sent requests since; false if there is no such request.
    #[cold]
    fn response_beside_others(&mut self, start_ns: i64, head: Span) -> bool {
        let mut last_first = self.exchanges.iter_mut().rev();
        let found = last_first.find(|exchange| exchange.start_ns == start_ns);
        found.map(|exchange| exchange.head = head).is_some()
    }

    /// A sample has ended. `parts`: starts of its sub-samples; `is_shared`: other samples of this
    /// user run at the same time, so that requests are distinguished by the start of their sample.
    #[inline]
    pub fn step(&mut self, sample: &RecentSample<'_>, is_shared: bool, parts: impl Fn(i64) -> bool) {
        if is_shared {
            self.claim(sample.times.start_ns, parts);
        }
        let body = if self.body_bytes == 0 {
            Span::default()
        } else {
            self.put(&sample.body[..sample.body.len().min(self.body_bytes)])
        };
        let exchanges = self.exchanges.len() as u32;
        if self.used == self.steps.len() {
            self.steps.push(RecentStep::default());
        }
        let step = &mut self.steps[self.used];
        self.used += 1;
        set(&mut step.label, sample.label);
        set(&mut step.code, sample.code);
        set(&mut step.message, sample.message);
        step.times = sample.times;
        step.received_bytes = sample.received_bytes;
        step.sent_bytes = sample.sent_bytes;
        step.body = body;
        step.body_size = sample.body_size;
        step.success = sample.success;
        step.exchanges = exchanges;
        step.is_shared = is_shared;
        if self.used > STEPS {
            self.make_room();
        }
    }

    /// Requests of a sample that ran at the same time as others.
    #[cold]
    fn claim(&mut self, start_ns: i64, parts: impl Fn(i64) -> bool) {
        let number = self.used as u32;
        for place in 0..self.exchanges.len() {
            let started_ns = self.exchanges[place].start_ns;
            let is_own = started_ns == start_ns || parts(started_ns);
            if is_own && self.step_of(place) == NEXT_STEP {
                self.exchanges[place].step = number;
            }
        }
    }
}

#[inline]
fn set(text: &mut Text, to: &Text) {
    if !text.is_same(to) {
        *text = to.clone();
    }
}

impl Drop for RecentSteps {
    fn drop(&mut self) {
        self.pool.give_back(self.group);
    }
}
