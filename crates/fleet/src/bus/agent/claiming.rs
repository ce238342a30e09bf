//! Slices for an agent: it asks the broker for them, and the controller whether it may make them.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt as _;

use super::{AgentSession, AssignedSlice, Event};
use crate::bus::nats::ToController;
use crate::claims::{AnsweredClaim, claim};
use crate::lease::{Answer, WorkMessage as _};
use crate::wire::{Body, Grant};

/// How long a slice that is another's rests before it is offered again.
const GIVEN_BACK: Duration = Duration::from_millis(200);

pub(super) async fn next_of(pulled: &mut Option<pull::Batch>) -> Option<Message> {
    match pulled {
        // A message that cannot be had comes again.
        Some(batch) => batch.next().await.and_then(Result::ok),
        None => std::future::pending().await,
    }
}

pub(super) type SliceClaims = Answer<Option<AnsweredClaim<Message>>>;

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
        self.asked_ns = swell_net::boot_ns();
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
            return message.give_back(None).await;
        }
        if self.apart || self.initial.unwrap_or(0) == 0 {
            self.shares += 1;
        }
        let share = format!("{}.{}", self.attend.agent, self.shares);
        let controller =
            ToController { client: self.client.clone(), subject: self.names.claim(&self.speaker) };
        let agent = self.attend.agent.clone();
        self.claims.push(Box::pin(claim(controller, (agent, share), message, self.asked_ns)));
    }

    pub(super) async fn claimed(&mut self, claimed: Option<AnsweredClaim<Message>>) {
        let Some(AnsweredClaim { share, slice, epoch, message, signed_ns, grant }) = claimed else { return };
        match grant {
            // If the broker does not receive this, the slice comes again when its time has passed.
            Grant::Kept => message.give_back(Some(GIVEN_BACK)).await,
            Grant::Done => {
                self.tell(Event::Say(format!("slice {slice} is finished")));
                // If the broker misses this, it offers the slice again, and the answer is the same.
                message.done().await;
            }
            Grant::No { why } => self.tell(Event::Say(format!("slice {slice}: {why}"))),
            Grant::Yes { from, taken_over } => {
                self.leases.add(share.clone(), slice, message, signed_ns);
                self.count(share.clone(), Body::Granted { slice, epoch });
                self.granted.push(AssignedSlice { slice, from, taken_over });
                if let Some(left) = self.initial.as_mut().filter(|left| **left > 0) {
                    *left -= 1;
                }
                // Leases may have expired while other slices were claimed.
                self.look();
                if (self.apart || self.initial.unwrap_or(0) == 0) && !self.granted.is_empty() {
                    let slices = std::mem::take(&mut self.granted);
                    self.tell(Event::Slices(share, slices));
                }
            }
        }
    }

    /// Asks again for slices whose leases have expired: for those that no share has begun, and before
    /// the test has begun for all, since no other agent takes them then.
    pub(super) fn ask_again(&mut self, over: &[u32]) {
        let granted = self.granted.len();
        self.granted.retain(|granted| !over.contains(&granted.slice));
        let again = if self.goes { granted - self.granted.len() } else { over.len() };
        let Some(left) = self.initial.as_mut().filter(|_| again > 0) else { return };
        // The share of the first slices begins without them, or has ended.
        self.apart |= *left == 0;
        *left += again as u32;
    }
}
