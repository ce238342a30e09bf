//! The slices that an agent holds at the broker: their signs of life, and their expiry.

use std::future::Future;
use std::pin::Pin;

use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use crate::lease::{Lease, LeaseAction};

struct HeldLease {
    /// The share that the agent makes of it.
    share: String,
    slice: u32,
    message: Message,
    lease: Lease,
}

type Signing = Pin<Box<dyn Future<Output = (u32, i64, bool)>>>;

/// All slices of an agent.
#[derive(Default)]
pub(super) struct Leases {
    held: Vec<HeldLease>,
    signing: FuturesUnordered<Signing>,
}

impl Leases {
    /// A slice of a share whose first sign was sent then, and answered.
    pub(super) fn add(&mut self, share: String, slice: u32, message: Message, signed_ns: i64) {
        self.held.retain(|held| held.slice != slice);
        self.held.push(HeldLease { share, slice, message, lease: Lease::begin(signed_ns) });
    }

    /// The slices.
    pub(super) fn slices(&self) -> Vec<u32> {
        self.held.iter().map(|held| held.slice).collect()
    }

    /// Until when load may be made; none without a slice.
    pub(super) fn until_ns(&self) -> Option<i64> {
        self.held.iter().map(|held| held.lease.until_ns()).min()
    }

    /// Sends the signs that are due. Returns the slices whose leases have expired, which are no
    /// longer held.
    pub(super) fn look(&mut self, now_ns: i64) -> Vec<u32> {
        let mut over = Vec::new();
        for held in &mut self.held {
            match held.lease.due(now_ns) {
                LeaseAction::Wait { .. } => {}
                LeaseAction::Over => over.push(held.slice),
                LeaseAction::Sign => {
                    held.lease.sign(now_ns);
                    let slice = held.slice;
                    let message = held.message.clone();
                    self.signing.push(Box::pin(async move {
                        (slice, now_ns, message.double_ack_with(AckKind::Progress).await.is_ok())
                    }));
                }
            }
        }
        self.held.retain(|held| !over.contains(&held.slice));
        over
    }

    /// Waits for the answer to a sign; for ever where none is under way.
    pub(super) async fn answered(&mut self) {
        match self.signing.next().await {
            Some((slice, sent_ns, true)) => {
                let now_ns = swell_net::boot_ns();
                for held in self.held.iter_mut().filter(|held| held.slice == slice) {
                    held.lease.answered(sent_ns, now_ns);
                }
            }
            Some(_) => {}
            None => std::future::pending().await,
        }
    }

    /// Returns slices of a share to the broker: they are done, or others are to make them. A slice
    /// that the agent has again by now, for another share, stays: otherwise it would be offered
    /// again forever.
    pub(super) async fn give_back(&mut self, share: &str, slices: &[u32], done: bool) {
        let is_given = |held: &HeldLease| held.share == share && slices.contains(&held.slice);
        let (given, kept) = std::mem::take(&mut self.held).into_iter().partition(is_given);
        self.held = kept;
        let given: Vec<HeldLease> = given;
        for held in given {
            // If the broker does not receive this, the slice goes to another agent, and the
            // controller refuses it because it is done.
            let _ = if done {
                held.message.double_ack().await
            } else {
                held.message.ack_with(AckKind::Nak(None)).await
            };
        }
    }
}
