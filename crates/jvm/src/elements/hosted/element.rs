//! A hosted element, compiled for one worker.

use std::sync::Arc;

use swell_api::{
    AssertionResult, CompileContext, Delay, Moment, Needs, RequestTexts, Role, SampleResult, Sampler,
    SamplerFuture, Step, StepProgress, Timer, User,
};
use swell_expr::StopRequest;
use swell_plan::Node;

use super::super::call::CallFailure;
use super::super::link::Link;
use super::super::link_calls::CallResult;
use super::super::script::ElementAccess;
use super::super::session::Session;
use super::super::user::parts;
use crate::request;

const MS: i64 = 1_000_000;

/// A hosted element, shared by the users of a worker. Each user has a copy of it in the JVM.
pub(in super::super) struct HostedElement {
    link: Link,
    number: u32,
}

impl HostedElement {
    pub(in super::super) fn compile(
        node: &Node,
        role: Role,
        sights: ElementAccess,
        session: &Arc<Session>,
        compile: &CompileContext,
    ) -> Self {
        Self { link: Link::new(&node.element, role, sights, session, compile), number: node.id.0 }
    }

    /// Runs it for a user. `sample` is the sample that it is about.
    async fn run_for(&self, user: &mut User, sample: Option<&SampleResult>) -> CallResult {
        let package = user.package;
        let sampler = parts(user, &self.link.session, &self.link.pool).1.sampler_of(package);
        let write = |out: &mut Vec<u8>, user: u64, state: &request::CallState<'_>| {
            request::run_element(out, user, self.number, sampler.map(|sampler| (sampler, package)), state);
        };
        self.link.call(user, sample, &write, |_| Ok(())).await.map(Some)
    }

    /// Whether there is something new for it to hear of.
    fn hears_now(&self, user: &mut User) -> bool {
        let (cx, known) = parts(user, &self.link.session, &self.link.pool);
        known.has_news(cx)
    }
}

impl Step for HostedElement {
    fn needs(&self) -> Needs {
        if self.link.sights.previous { Needs::ALL } else { Needs::default() }
    }

    fn reads_previous(&self) -> bool {
        self.link.sights.previous
    }

    fn reads_request(&self) -> bool {
        self.link.sights.request
    }

    fn run<'a>(&'a self, user: &'a mut User, mut sample: Option<&'a mut SampleResult>) -> StepProgress<'a> {
        if self.link.role == Role::IterationElement && !self.hears_now(user) {
            return StepProgress::Done(());
        }
        StepProgress::Pending(Box::pin(async move {
            let reply = self.run_for(user, sample.as_deref()).await;
            if let Err(reason) = &reply
                && !matches!(reason, CallFailure::EndsUser(_))
                && let Some(sample) = sample.as_deref_mut().filter(|_| self.link.role == Role::Assertion)
            {
                let name = self.link.name(&mut user.cx).into();
                let failed = AssertionResult::failed(name, reason.to_string().into());
                sample.assertions.push(AssertionResult { error: true, ..failed });
                sample.success = false;
            }
            if self.link.settled(&reply, user, sample).is_none() && self.link.role != Role::Assertion {
                user.cx.stop = user.cx.stop.max(Some(StopRequest::Test));
            }
        }))
    }
}

impl Sampler for HostedElement {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move {
            self.begin(user);
            let reply = self.run_for(user, None).await;
            self.link.sampled(&reply, user)
        })
    }

    /// Pre-processors ask before it runs, and so learn whose package it is.
    fn request(&self, user: &mut User) -> Option<RequestTexts> {
        self.begin(user);
        None
    }

    /// The JVM has the sampler itself.
    fn shows_properties(&self) -> bool {
        false
    }
}

impl HostedElement {
    fn begin(&self, user: &mut User) {
        let package = user.package;
        parts(user, &self.link.session, &self.link.pool).1.begin_package(package, self.number);
    }
}

impl Timer for HostedElement {
    fn delay<'a>(&'a self, user: &'a mut User, _moment: Moment) -> StepProgress<'a, Delay> {
        StepProgress::Pending(Box::pin(async move {
            let reply = self.run_for(user, None).await;
            let Some(delay_ms) = self.link.settled(&reply, user, None) else {
                user.cx.stop = user.cx.stop.max(Some(StopRequest::Test));
                return Delay::Stop;
            };
            Delay::For(delay_ms.saturating_mul(MS))
        }))
    }
}
