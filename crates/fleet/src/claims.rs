//! How an agent claims a slice that the broker handed to it: a sign of life to the broker, then a
//! question to the controller.

use std::time::Duration;

use bytes::Bytes;
use swell_net::boot_ns;

use crate::lease::{Answer, Lease, LeaseAction, WorkMessage};
use crate::wire::{Claim, Grant};

/// How long a controller that does not answer is asked for a slice.
const ASK_NS: i64 = 60 * 1_000_000_000;
/// Between two questions.
const AGAIN: Duration = Duration::from_millis(100);

/// The way to the controller.
pub trait Ask {
    /// The controller's answer to a [`Claim`]; none if it does not come in time.
    fn ask(&self, claim: Bytes) -> Answer<Option<Bytes>>;
    /// Passes this time.
    fn rest(&self, time: Duration) -> Answer<()>;
}

/// A slice for which the controller was asked.
pub struct AnsweredClaim<M> {
    /// The share that is to make it.
    pub share: String,
    /// The slice.
    pub slice: u32,
    /// How often the broker has handed it out.
    pub epoch: u64,
    /// As the broker handed it out.
    pub message: M,
    /// When the last sign of life was sent that the broker answered ([`boot_ns`]).
    pub signed_ns: i64,
    /// The controller's answer.
    pub grant: Grant,
}

/// Tells the broker that the slice has come, and asks the controller whether it may be made. None
/// without an answer, or where the message is not a slice.
///
/// `asked_ns`: when the broker was asked for the slice ([`boot_ns`]). From then on the claim is a
/// lease, which each answered sign extends. After it has expired, the claim is given up: the broker
/// may have given the slice to another agent, and it answers signs of former holders, too.
pub async fn claim<M: WorkMessage>(
    controller: impl Ask,
    (agent, share): (String, String),
    message: M,
    asked_ns: i64,
) -> Option<AnsweredClaim<M>> {
    let (slice, epoch) = (message.slice()?, message.epoch()?);
    let request = Claim { agent, share: share.clone(), slice, epoch };
    let request = Bytes::from(serde_json::to_vec(&request).ok()?);
    let mut lease = Lease::begin(asked_ns);
    let began_ns = boot_ns();
    while boot_ns() - began_ns < ASK_NS && holds(&lease) {
        let signed_ns = boot_ns();
        if !message.progress().await {
            continue;
        }
        lease.answered(signed_ns, boot_ns());
        if !holds(&lease) {
            return None;
        }
        let Some(answer) = controller.ask(request.clone()).await else {
            controller.rest(AGAIN).await;
            continue;
        };
        let grant = serde_json::from_slice(&answer).ok()?;
        return holds(&lease).then_some(AnsweredClaim { share, slice, epoch, message, signed_ns, grant });
    }
    None
}

fn holds(lease: &Lease) -> bool {
    lease.due(boot_ns()) != LeaseAction::Over
}
