//! Slices for an agent: it asks the broker for them, and the controller whether it may make them.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::{AckKind, Message};
use bytes::Bytes;
use futures_util::StreamExt as _;

use super::{AgentSession, AssignedSlice, Event, TICK};
use crate::wire::{Body, Claim, Grant};

/// How long a controller that does not answer is asked for a slice.
const ASK: Duration = Duration::from_mins(1);

/// How long a slice that is another's rests before it is offered again.
const GIVEN_BACK: Duration = Duration::from_millis(200);

pub(super) async fn next_of(pulled: &mut Option<pull::Batch>) -> Option<Message> {
    match pulled {
        // A message that cannot be had comes again.
        Some(batch) => batch.next().await.and_then(Result::ok),
        None => std::future::pending().await,
    }
}

/// A slice for which the controller was asked.
pub(super) struct PendingClaim {
    share: String,
    slice: u32,
    epoch: u64,
    message: Message,
    signed_ns: i64,
    grant: Grant,
}

pub(super) type SliceClaims = Pin<Box<dyn Future<Output = Option<PendingClaim>>>>;

impl AgentSession {
    /// Asks the broker for slices, as many as will be made.
    pub(super) async fn pull(&mut self) {
        let wanted = match self.initial {
            _ if self.rests => return,
            Some(left) if left > 0 => left as usize,
            _ if self.goes && self.redistribute => 1,
            _ => return,
        };
        if self.pulled.is_some() || !self.claims.is_empty() {
            return;
        }
        let batch = self.work.batch().max_messages(wanted).expires(Duration::from_secs(2));
        // Where the broker is away, the next look asks again.
        self.pulled = batch.messages().await.ok();
    }

    pub(super) async fn pulled(&mut self, message: Option<Message>) {
        let Some(message) = message else {
            self.pulled = None;
            return;
        };
        if self.rests {
            // If the broker does not receive this, the slice goes to others when its time has
            // passed.
            return drop(message.ack_with(AckKind::Nak(None)).await);
        }
        if self.apart || self.initial.unwrap_or(0) == 0 {
            self.shares += 1;
        }
        let share = format!("{}.{}", self.attend.agent, self.shares);
        let client = self.client.clone();
        let subject = self.names.claim(&self.speaker);
        let agent = self.attend.agent.clone();
        self.claims.push(Box::pin(claim(client, subject, agent, share, message)));
    }

    pub(super) async fn claimed(&mut self, claimed: Option<PendingClaim>) {
        let Some(PendingClaim { share, slice, epoch, message, signed_ns, grant }) = claimed else { return };
        match grant {
            // If the broker does not receive this, the slice comes again when its time has passed.
            Grant::Kept => drop(message.ack_with(AckKind::Nak(Some(GIVEN_BACK))).await),
            Grant::Done => {
                self.tell(Event::Say(format!("slice {slice} is finished")));
                // If the broker misses this, it offers the slice again, and the answer is the same.
                let _ = message.ack().await;
            }
            Grant::No { why } => self.tell(Event::Say(format!("slice {slice}: {why}"))),
            Grant::Yes { from, taken_over } => {
                self.leases.add(share.clone(), slice, message, signed_ns);
                self.count(share.clone(), Body::Granted { slice, epoch });
                self.granted.push(AssignedSlice { slice, from, taken_over });
                if let Some(left) = self.initial.as_mut().filter(|left| **left > 0) {
                    *left -= 1;
                }
                if self.apart || self.initial.unwrap_or(0) == 0 {
                    let slices = std::mem::take(&mut self.granted);
                    self.look();
                    self.tell(Event::Slices(share, slices));
                }
            }
        }
    }
}

/// Tells the broker that the slice has come, and asks the controller whether it may be made.
async fn claim(
    client: Client,
    subject: String,
    agent: String,
    share: String,
    message: Message,
) -> Option<PendingClaim> {
    let epoch = u64::try_from(message.info().ok()?.delivered).ok()?;
    let slice: u32 = std::str::from_utf8(&message.payload).ok()?.parse().ok()?;
    let request = Claim { agent, share: share.clone(), slice, epoch };
    let request = Bytes::from(serde_json::to_vec(&request).ok()?);
    let began = tokio::time::Instant::now();
    while began.elapsed() < ASK {
        let signed_ns = swell_net::boot_ns();
        if message.double_ack_with(AckKind::Progress).await.is_err() {
            continue;
        }
        let answer =
            tokio::time::timeout(Duration::from_secs(2), client.request(subject.clone(), request.clone()));
        let Ok(Ok(answer)) = answer.await else {
            tokio::time::sleep(TICK).await;
            continue;
        };
        let grant = serde_json::from_slice(&answer.payload).ok()?;
        return Some(PendingClaim { share, slice, epoch, message, signed_ns, grant });
    }
    None
}
