//! Samplers.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use crate::{ManagerChanges, RequestTexts, SampleResult, User};

/// The future of a sample. It is boxed once per sample and lives only while the sample runs, so
/// idle users do not hold it. The sample is boxed too, because it is half a kilobyte and is passed
/// on often.
pub type SamplerFuture<'a> = Pin<Box<dyn Future<Output = Option<Box<SampleResult>>> + 'a>>;

/// Makes samples. There is one per sampler element and worker, shared by the worker's users; state
/// of a user is in [`User::state`].
pub trait Sampler {
    /// Takes one sample. `None`: nothing to report (JMeter's null result). Fills label, code,
    /// message, success, timing, sizes and the parts that [`crate::SamplerInput::needs`] asked for;
    /// the engine fills thread name and counts.
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a>;
    /// Makes what it keeps for a user ([`User::state`]) before the first sample, so that branches
    /// of a Parallel Controller share it from the start. Nothing for those that share nothing.
    fn prepare(&self, _user: &mut User) {}
    /// The request as it would be sent now, for steps that read it
    /// ([`crate::Step::reads_request`]); none of samplers that send no such requests. Changes that
    /// wait are not in it.
    fn request(&self, _user: &mut User) -> Option<RequestTexts> {
        None
    }
    /// Changes what the managers in its scope keep for the user.
    fn change_managers(&self, _user: &mut User, _changes: ManagerChanges) {}
    /// Whether such steps see the properties of the element if there is no request.
    fn shows_properties(&self) -> bool {
        true
    }
    /// The properties of the element that it asks its user for where steps before it may have set
    /// them ([`User::sampler_property`]).
    fn followed(&self) -> &'static [&'static str] {
        &[]
    }
    /// Whether its samples end at the kernel's stamp whenever they are read, and it reports each
    /// response to its event loop (`swell_net::note_exchange`): so responses may be read with the
    /// next start where nothing else depends on them.
    fn reads_may_wait(&self) -> bool {
        false
    }
    /// Whether the name of the element is evaluated once more after each sample, as JMeter's HTTP
    /// Request does.
    fn names_sample_again(&self) -> bool {
        false
    }
}

/// State that a kind of sampler keeps for a user: connections, cookies, cache.
pub trait UserState: Any {
    /// A thread group iteration starts. `same_user` is the group's "same user on each iteration".
    fn iteration_start(&mut self, same_user: bool);
    /// What a branch of a Parallel Controller starts with, where it shares something with its user;
    /// nothing otherwise.
    fn fork(&self) -> Option<Box<dyn UserState>> {
        None
    }
    /// As `Any`, to get the type back.
    fn as_any(&mut self) -> &mut dyn Any;
}
