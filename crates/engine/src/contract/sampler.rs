//! Samplers and the steps around them.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use swell_elements::{Needs, SampleResult};

use crate::User;

/// The future of a sample. Boxed once a sample; it lives only while the sample runs, so idle users do not hold it. The
/// sample is boxed too: it goes through many hands, and is half a kilobyte.
pub type SamplerFuture<'a> = Pin<Box<dyn Future<Output = Option<Box<SampleResult>>> + 'a>>;

/// Makes samples. One for each sampler element and worker, shared by the worker's users; what belongs to one user lives
/// in [`User::state`].
pub trait Sampler {
    /// Takes one sample. `None`: nothing to report (JMeter's null result). Fills label, code, message, success, timing,
    /// sizes and the parts that [`crate::SamplerInput::needs`] asked for; the engine fills thread name and counts.
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a>;
    /// Makes what it keeps for a user ([`User::state`]) before the first sample, so that branches of a Parallel Controller
    /// share it from the start. Nothing for those that share nothing.
    fn prepare(&self, _user: &mut User) {}
}

/// How a step goes.
pub enum StepRun<'a> {
    /// It is done.
    Done,
    /// It takes its time (a script on another thread); the user waits for it as for a socket.
    Pending(Pin<Box<dyn Future<Output = ()> + 'a>>),
}

/// A step of a sample package that is not the sampler: pre-processor, post-processor or assertion of any origin.
pub trait Step {
    /// What it reads of the response; a pre-processor: of the response before.
    fn needs(&self) -> Needs {
        Needs::default()
    }
    /// Whether it reads the sample before ([`User::previous`]), which is kept for it then.
    fn reads_previous(&self) -> bool {
        true
    }
    /// Runs it. `sample` is there after the sampler ran.
    fn run<'a>(&'a self, user: &'a mut User, sample: Option<&'a mut SampleResult>) -> StepRun<'a>;
}

/// What a kind of sampler keeps for a user: connections, cookies, cache.
pub trait UserState: Any {
    /// A thread group iteration starts. `same_user` is the group's "same user on each iteration".
    fn iteration_start(&mut self, same_user: bool);
    /// What a branch of a Parallel Controller starts with, where it shares something with its user; nothing otherwise.
    fn fork(&self) -> Option<Box<dyn UserState>> {
        None
    }
    /// As `Any`, to get the type back.
    fn as_any(&mut self) -> &mut dyn Any;
}
