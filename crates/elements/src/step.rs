//! What an element has to do with a sample: done at once, or a future that waits for a helper thread.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// What was asked of an element.
#[must_use = "a step that waits does nothing by itself"]
pub enum Step<'a, T = ()> {
    /// It is done.
    Done(T),
    /// It waits for a helper thread, or lets other users go first.
    Pending(Pin<Box<dyn Future<Output = T> + 'a>>),
}

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
}

impl<'a, T> Step<'a, T> {
    /// Does what is small; the rest is left to who waits for it.
    pub(crate) fn of(place: Place, work: impl Future<Output = T> + 'a) -> Self {
        if place == Place::Anywhere {
            return Self::Pending(Box::pin(work));
        }
        match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Self::Done(value),
            Poll::Pending => unreachable!("small work waits for nothing"),
        }
    }

    /// Waits until it is done.
    pub(crate) async fn wait(self) -> T {
        match self {
            Self::Done(value) => value,
            Self::Pending(work) => work.await,
        }
    }

    /// Goes on until it is done, for who has no loop: helpers must answer at once.
    pub fn finish(self) -> T {
        let mut work = match self {
            Self::Done(value) => return value,
            Self::Pending(work) => work,
        };
        loop {
            if let Poll::Ready(value) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return value;
            }
        }
    }
}

/// Variables that are set or removed in one go: about a fifth of a millisecond's worth.
const IN_ONE_GO: u32 = 500;

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
    }
}
