//! What an agent counts on its way to the stream, each once: a message stays here until the broker
//! has taken it.

use std::future::{Future, IntoFuture as _};
use std::path::PathBuf;
use std::pin::Pin;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::Context;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use super::unsent::{Message, UnsentQueue};

/// Messages whose taking is waited for at a time, where their order does not matter.
pub(super) const IN_FLIGHT: usize = 64;

/// Between tries while the broker is away.
const AGAIN: Duration = Duration::from_millis(300);

type PendingMessage = Pin<Box<dyn Future<Output = (Message, Result<(), String>)>>>;

/// Messages to one subject.
pub(super) struct Sender {
    jet: Context,
    subject: String,
    /// What makes their numbers those of this run and agent.
    prefix: String,
    /// Messages under way at most; one keeps their order.
    in_flight: usize,
    waiting: UnsentQueue,
    sending: FuturesUnordered<PendingMessage>,
    paused_until: Option<tokio::time::Instant>,
    /// When the broker took the last one, or there was none to take.
    taken: Instant,
    /// Why it did not take the last one.
    refusal: Option<String>,
}

impl Sender {
    pub(super) fn new(
        jet: Context,
        subject: String,
        prefix: String,
        spool: PathBuf,
        in_flight: usize,
    ) -> Self {
        Self {
            jet,
            subject,
            prefix,
            in_flight,
            waiting: UnsentQueue::new(spool),
            sending: FuturesUnordered::new(),
            paused_until: None,
            taken: Instant::now(),
            refusal: None,
        }
    }

    /// Takes a message with its number.
    pub(super) fn push(&mut self, seq: u64, payload: Vec<u8>) {
        if self.is_empty() {
            self.taken = Instant::now();
        }
        self.waiting.push(Message { seq, payload: payload.into(), since: Instant::now() });
        self.fill();
    }

    /// Messages that the broker has not taken.
    pub(super) fn unsent(&self) -> u64 {
        self.waiting.count() + self.sending.len() as u64
    }

    /// For how long the broker has taken none of those that wait, and why, if that is known.
    pub(super) fn stuck(&self) -> (Duration, Option<String>) {
        if self.is_empty() { (Duration::ZERO, None) } else { (self.taken.elapsed(), self.refusal.clone()) }
    }

    /// Nothing is on its way any more.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.sending.is_empty()
    }

    /// Sends all that waits; false if that takes longer.
    pub(super) async fn flush(&mut self, at_most: Duration) -> bool {
        let all = async {
            while !self.is_empty() {
                self.go_on().await;
            }
        };
        tokio::time::timeout(at_most, all).await.is_ok()
    }

    fn fill(&mut self) {
        while self.paused_until.is_none() && self.sending.len() < self.in_flight {
            let Some(message) = self.waiting.pop() else { return };
            let jet = self.jet.clone();
            let subject = self.subject.clone();
            let id = format!("{}/{}", self.prefix, message.seq);
            self.sending.push(Box::pin(async move {
                let mut headers = HeaderMap::new();
                headers.insert("Nats-Msg-Id", id.as_str());
                let taken = match jet.publish_with_headers(subject, headers, message.payload.clone()).await {
                    Ok(ack) => ack.into_future().await.map(drop).map_err(|error| error.to_string()),
                    Err(error) => Err(error.to_string()),
                };
                (message, taken)
            }));
        }
    }

    /// Continues; waits forever if there is nothing to send. To be polled together with others, and
    /// dropped at will.
    pub(super) async fn go_on(&mut self) {
        self.fill();
        if let Some(until) = self.paused_until {
            tokio::time::sleep_until(until).await;
            self.paused_until = None;
            return self.fill();
        }
        match self.sending.next().await {
            Some((_, Ok(()))) => (self.taken, self.refusal) = (Instant::now(), None),
            Some((message, Err(why))) => {
                self.refusal = Some(why);
                // Its number tells the broker if it had taken it all the same.
                self.waiting.put_back(message);
                self.paused_until = Some(tokio::time::Instant::now() + AGAIN);
            }
            None => std::future::pending().await,
        }
        self.fill();
    }
}
