//! Where an element works, and when it yields to other users of its worker.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::StepProgress;

/// Where work may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// On the loop: it is known to be small, and never waits.
    OnLoop,
    /// Wherever its size says.
    Anywhere,
}

impl Placement {
    /// On the loop for what is small.
    pub fn of(is_small: bool) -> Self {
        if is_small { Self::OnLoop } else { Self::Anywhere }
    }

    /// Does what is small; the rest is left to the caller, who waits for it.
    pub fn run<'a, T>(self, work: impl Future<Output = T> + 'a) -> StepProgress<'a, T> {
        if self == Self::Anywhere {
            return StepProgress::Pending(Box::pin(work));
        }
        match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => StepProgress::Done(value),
            Poll::Pending => unreachable!("small work never waits"),
        }
    }
}

/// Variables that are set or removed before other users of the worker run: about a tenth of a
/// millisecond's worth where there are a million users, and the variables of each are in memory
/// that was not read lately.
const BETWEEN_YIELDS: u32 = 100;

/// Counts the variables that an element sets, and yields to other users of the worker after every
/// hundred.
#[derive(Debug)]
pub struct YieldBudget {
    placement: Placement,
    since: u32,
}

impl YieldBudget {
    /// For work that is placed so; work on the loop never yields.
    pub fn new(placement: Placement) -> Self {
        Self { placement, since: 0 }
    }

    /// After `variables` more were set or removed.
    pub async fn steps(&mut self, variables: usize) {
        self.since += variables as u32;
        if self.since >= BETWEEN_YIELDS && self.placement == Placement::Anywhere {
            self.since = 0;
            yield_now().await;
        }
    }
}

/// Lets the other users of the worker run once.
pub async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
