//! What an agent counts on its way to the stream, each once: a message stays here until the broker
//! has taken it.

mod unsent;

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use swell_net::boot_ns;

use crate::lease::Answer;
use unsent::{Message, UnsentQueue};

/// Messages whose taking is waited for at a time, where their order does not matter.
pub const IN_FLIGHT: usize = 64;

/// Between tries while the broker is away.
const AGAIN: Duration = Duration::from_millis(300);

/// A stream of the broker, which takes each message once.
pub trait Publish {
    /// Gives a message to a subject; `id`: by which the broker knows one that it has taken before.
    /// An error says why it may not have been taken.
    fn publish(&self, subject: &str, id: &str, payload: Bytes) -> Answer<Result<(), String>>;
    /// Passes this time.
    fn rest(&self, time: Duration) -> Answer<()>;
}

type PendingMessage = Answer<(Message, Result<(), String>)>;

/// Messages to one subject.
pub struct Sender<P> {
    stream: P,
    subject: String,
    /// What makes their numbers those of this run and agent.
    prefix: String,
    /// Messages under way at most; one keeps their order.
    in_flight: usize,
    waiting: UnsentQueue,
    sending: FuturesUnordered<PendingMessage>,
    paused_until_ns: Option<i64>,
    /// When the broker took the last one, or there was none to take.
    taken_ns: i64,
    /// Why it did not take the last one.
    refusal: Option<String>,
}

impl<P: Publish> Sender<P> {
    /// Nothing to send yet. `prefix` makes the numbers of messages those of this run and sender;
    /// `spool` is the file for those that memory cannot hold; `in_flight`: messages under way at
    /// most, where one keeps their order.
    pub fn new(stream: P, subject: String, prefix: String, spool: PathBuf, in_flight: usize) -> Self {
        Self {
            stream,
            subject,
            prefix,
            in_flight,
            waiting: UnsentQueue::new(spool),
            sending: FuturesUnordered::new(),
            paused_until_ns: None,
            taken_ns: boot_ns(),
            refusal: None,
        }
    }

    /// Takes a message with its number.
    pub fn push(&mut self, seq: u64, payload: Vec<u8>) {
        if self.is_empty() {
            self.taken_ns = boot_ns();
        }
        self.waiting.push(Message { seq, payload: payload.into(), since_ns: boot_ns() });
        self.fill();
    }

    /// Messages that the broker has not taken.
    pub fn unsent(&self) -> u64 {
        self.waiting.count() + self.sending.len() as u64
    }

    /// For how long the broker has taken none of those that wait, and why, if that is known.
    pub fn stuck(&self) -> (Duration, Option<String>) {
        let since_ns = boot_ns().saturating_sub(self.taken_ns);
        let since = Duration::from_nanos(u64::try_from(since_ns).unwrap_or(0));
        if self.is_empty() { (Duration::ZERO, None) } else { (since, self.refusal.clone()) }
    }

    /// Nothing is on its way any more.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.sending.is_empty()
    }

    /// Sends all that waits; false if that takes longer.
    pub async fn flush(&mut self, at_most: Duration) -> bool {
        let rest = self.stream.rest(at_most);
        let all = std::pin::pin!(async {
            while !self.is_empty() {
                self.go_on().await;
            }
        });
        matches!(select(all, rest).await, Either::Left(_))
    }

    fn fill(&mut self) {
        while self.paused_until_ns.is_none() && self.sending.len() < self.in_flight {
            let Some(message) = self.waiting.pop() else { return };
            let id = format!("{}/{}", self.prefix, message.seq);
            let taken = self.stream.publish(&self.subject, &id, message.payload.clone());
            self.sending.push(Box::pin(async move { (message, taken.await) }));
        }
    }

    /// Continues; waits forever if there is nothing to send. To be polled together with others, and
    /// dropped at will.
    pub async fn go_on(&mut self) {
        self.fill();
        if let Some(until_ns) = self.paused_until_ns {
            let left_ns = u64::try_from(until_ns - boot_ns()).unwrap_or(0);
            self.stream.rest(Duration::from_nanos(left_ns)).await;
            self.paused_until_ns = None;
            return self.fill();
        }
        match self.sending.next().await {
            Some((_, Ok(()))) => (self.taken_ns, self.refusal) = (boot_ns(), None),
            Some((message, Err(why))) => {
                self.refusal = Some(why);
                // Its number tells the broker if it had taken it all the same.
                self.waiting.put_back(message);
                self.paused_until_ns = Some(boot_ns() + AGAIN.as_nanos() as i64);
            }
            None => std::future::pending().await,
        }
        self.fill();
    }
}
