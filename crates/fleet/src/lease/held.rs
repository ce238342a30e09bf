//! The slices that an agent holds at the broker: their signs of life, and their expiry.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use super::{Lease, LeaseAction};

/// What the broker answers, later.
pub type Answer<T> = Pin<Box<dyn Future<Output = T>>>;

/// A slice as the broker hands it to an agent, and what the agent can say about it.
pub trait WorkMessage: Clone {
    /// The number of the slice; none if the message has none.
    fn slice(&self) -> Option<u32>;
    /// How often the broker has handed it out.
    fn epoch(&self) -> Option<u64>;
    /// A sign of life: the agent still has it. True where the broker has answered.
    fn progress(&self) -> Answer<bool>;
    /// The slice is done: it is handed to no agent again. True where the broker has answered.
    fn done(&self) -> Answer<bool>;
    /// Another agent is to have it, after this time at the earliest. Nothing is answered.
    fn give_back(&self, after: Option<Duration>) -> Answer<()>;
}

struct HeldLease<M> {
    /// The share that the agent makes of it.
    share: String,
    slice: u32,
    message: M,
    lease: Lease,
}

type Signing = Answer<(u32, i64, bool)>;

/// All slices of an agent.
pub struct Leases<M> {
    held: Vec<HeldLease<M>>,
    signing: FuturesUnordered<Signing>,
}

impl<M> Default for Leases<M> {
    fn default() -> Self {
        Self { held: Vec::new(), signing: FuturesUnordered::new() }
    }
}

impl<M: WorkMessage + 'static> Leases<M> {
    /// A slice of a share whose first sign was sent then, and answered.
    pub fn add(&mut self, share: String, slice: u32, message: M, signed_ns: i64) {
        self.held.retain(|held| held.slice != slice);
        self.held.push(HeldLease { share, slice, message, lease: Lease::begin(signed_ns) });
    }

    /// The slices.
    pub fn slices(&self) -> Vec<u32> {
        self.held.iter().map(|held| held.slice).collect()
    }

    /// Until when load may be made; none without a slice.
    pub fn until_ns(&self) -> Option<i64> {
        self.held.iter().map(|held| held.lease.until_ns()).min()
    }

    /// Sends the signs that are due. Returns the slices whose leases have expired, which are no
    /// longer held.
    pub fn look(&mut self, now_ns: i64) -> Vec<u32> {
        let mut over = Vec::new();
        for held in &mut self.held {
            match held.lease.due(now_ns) {
                LeaseAction::Wait { .. } => {}
                LeaseAction::Over => over.push(held.slice),
                LeaseAction::Sign => {
                    held.lease.sign(now_ns);
                    let slice = held.slice;
                    let answer = held.message.progress();
                    self.signing.push(Box::pin(async move { (slice, now_ns, answer.await) }));
                }
            }
        }
        self.held.retain(|held| !over.contains(&held.slice));
        over
    }

    /// Waits for the answer to a sign; for ever where none is under way.
    pub async fn answered(&mut self) {
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
    pub async fn give_back(&mut self, share: &str, slices: &[u32], done: bool) {
        let is_given = |held: &HeldLease<M>| held.share == share && slices.contains(&held.slice);
        let (given, kept) = std::mem::take(&mut self.held).into_iter().partition(is_given);
        self.held = kept;
        let given: Vec<HeldLease<M>> = given;
        for held in given {
            // If the broker does not receive this, the slice goes to another agent, and the
            // controller refuses it because it is done.
            if done {
                held.message.done().await;
            } else {
                held.message.give_back(None).await;
            }
        }
    }
}
