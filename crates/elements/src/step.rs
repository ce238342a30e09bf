//! Where an element does its work, and how it lets other users go first.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use swell_api::StepRun;

/// Where work may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the loop: it is known to be small, and never waits.
    Here,
    /// Wherever its size says.
    Anywhere,
}

impl Place {
    /// Here for what is small.
    pub(crate) fn of(is_small: bool) -> Self {
        if is_small { Self::Here } else { Self::Anywhere }
    }

    /// Does what is small; the rest is left to the caller, who waits for it.
    pub(crate) fn run<'a, T>(self, work: impl Future<Output = T> + 'a) -> StepRun<'a, T> {
        if self == Self::Anywhere {
            return StepRun::Pending(Box::pin(work));
        }
        match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => StepRun::Done(value),
            Poll::Pending => unreachable!("small work waits for nothing"),
        }
    }
}

/// Variables that are set or removed in one go: about a tenth of a millisecond's worth where there are a million of them, and each is in
/// memory that was not looked at lately.
const IN_ONE_GO: u32 = 100;

/// Lets other users of the worker go first now and then, while one sets very many variables.
pub(crate) struct Pace {
    place: Place,
    since: u32,
}

impl Pace {
    pub(crate) fn new(place: Place) -> Self {
        Self { place, since: 0 }
    }

    /// After so many variables.
    pub(crate) async fn steps(&mut self, variables: usize) {
        self.since += variables as u32;
        if self.since >= IN_ONE_GO && self.place == Place::Anywhere {
            self.since = 0;
            others_first().await;
        }
    }
}

/// Lets other users of the worker go first.
pub(crate) async fn others_first() {
    let mut others_went = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut others_went, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
