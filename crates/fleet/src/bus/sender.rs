//! What an agent counts on its way to the stream, each once: a message stays here until the broker has taken it.

use std::collections::VecDeque;
use std::future::{Future, IntoFuture as _};
use std::pin::Pin;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::Context;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

/// Messages whose taking is waited for at a time.
const IN_FLIGHT: usize = 64;

/// Bytes that are kept at most while the broker is away. More are dropped, and the account shows it.
const MOST_BYTES: usize = 256 << 20;

/// Between tries while the broker is away.
const AGAIN: Duration = Duration::from_millis(300);

struct Message {
    id: String,
    payload: Bytes,
}

type Sending = Pin<Box<dyn Future<Output = (Message, bool)>>>;

/// Messages to one subject.
pub(super) struct Sender {
    jet: Context,
    subject: String,
    /// What makes their numbers those of this run and agent.
    prefix: String,
    waiting: VecDeque<Message>,
    bytes: usize,
    sending: FuturesUnordered<Sending>,
    paused_until: Option<tokio::time::Instant>,
    dropped: u64,
}

impl Sender {
    pub(super) fn new(jet: Context, subject: String, prefix: String) -> Self {
        Self {
            jet,
            subject,
            prefix,
            waiting: VecDeque::new(),
            bytes: 0,
            sending: FuturesUnordered::new(),
            paused_until: None,
            dropped: 0,
        }
    }

    /// Takes a message with its number.
    pub(super) fn push(&mut self, seq: u64, payload: Vec<u8>) {
        if self.bytes + payload.len() > MOST_BYTES {
            self.dropped += 1;
            return;
        }
        self.bytes += payload.len();
        self.waiting.push_back(Message { id: format!("{}/{seq}", self.prefix), payload: payload.into() });
        self.fill();
    }

    /// Messages that the broker has not taken.
    pub(super) fn unsent(&self) -> u64 {
        (self.waiting.len() + self.sending.len()) as u64 + self.dropped
    }

    /// Nothing is on its way any more.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.sending.is_empty()
    }

    fn fill(&mut self) {
        while self.paused_until.is_none() && self.sending.len() < IN_FLIGHT {
            let Some(message) = self.waiting.pop_front() else { return };
            let (jet, subject) = (self.jet.clone(), self.subject.clone());
            self.sending.push(Box::pin(async move {
                let mut headers = HeaderMap::new();
                headers.insert("Nats-Msg-Id", message.id.as_str());
                let taken = match jet.publish_with_headers(subject, headers, message.payload.clone()).await {
                    Ok(ack) => ack.into_future().await.is_ok(),
                    Err(_) => false,
                };
                (message, taken)
            }));
        }
    }

    /// Goes on; for ever where there is nothing to send. To be polled together with others, and dropped at will.
    pub(super) async fn go_on(&mut self) {
        self.fill();
        if let Some(until) = self.paused_until {
            tokio::time::sleep_until(until).await;
            self.paused_until = None;
            return self.fill();
        }
        match self.sending.next().await {
            Some((message, true)) => self.bytes -= message.payload.len(),
            Some((message, false)) => {
                // Its number tells the broker if it had taken it all the same.
                self.waiting.push_front(message);
                self.paused_until = Some(tokio::time::Instant::now() + AGAIN);
            }
            None => std::future::pending().await,
        }
        self.fill();
    }
}
