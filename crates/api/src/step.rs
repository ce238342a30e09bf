//! Steps of a sample package other than the sampler.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::{Needs, SampleResult, User};

/// The progress of a step, and its result.
#[must_use = "a waiting step must be awaited"]
pub enum StepProgress<'a, T = ()> {
    /// It is done.
    Done(T),
    /// It takes its time (work on a helper thread, a script elsewhere); its user waits for it as
    /// for a socket.
    Pending(Pin<Box<dyn Future<Output = T> + 'a>>),
}

impl<T> StepProgress<'_, T> {
    /// Waits until it is done.
    pub async fn wait(self) -> T {
        match self {
            Self::Done(value) => value,
            Self::Pending(work) => work.await,
        }
    }

    /// Runs it to completion, for callers without an event loop: helpers must answer at once.
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

/// A step of a sample package other than the sampler: a pre-processor, post-processor or assertion
/// from any source.
pub trait Step {
    /// What it reads of the response; a pre-processor: of the response before.
    fn needs(&self) -> Needs {
        Needs::default()
    }
    /// Whether it reads the sample before ([`User::previous`]), which is kept for it then.
    fn reads_previous(&self) -> bool {
        true
    }
    /// Whether it reads the coming request ([`User::request`]): the sampler's texts are evaluated
    /// for it then, once more than else.
    fn reads_request(&self) -> bool {
        false
    }
    /// Runs it. `sample` is there after the sampler ran.
    fn run<'a>(&'a self, user: &'a mut User, sample: Option<&'a mut SampleResult>) -> StepProgress<'a>;
}
