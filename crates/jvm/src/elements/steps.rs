//! Script elements as steps of the engine.

use swell_api::{
    Delay, Moment, Needs, RequestTexts, Role, SampleResult, Sampler, SamplerFuture, Step, StepProgress,
    Timer, User,
};
use swell_expr::StopRequest;

use super::element::ScriptElement;

/// A millisecond in nanoseconds.
const MS: i64 = 1_000_000;

impl Step for ScriptElement {
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
        StepProgress::Pending(Box::pin(async move {
            let reply = self.run(user, sample.as_deref()).await;
            if self.link.role == Role::Assertion {
                let result = self.link.judged(&reply, user, sample.as_deref_mut());
                if let (Some(result), Some(sample)) = (result, sample) {
                    sample.success &= !(result.failure || result.error);
                    sample.assertions.push(result);
                }
                return;
            }
            // A failure of this kind must not pass for a script that ran.
            if self.link.settled(&reply, user, sample).is_none() {
                user.cx.stop = user.cx.stop.max(Some(StopRequest::Test));
            }
        }))
    }
}

impl Sampler for ScriptElement {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move {
            let reply = self.run(user, None).await;
            self.link.sampled(&reply, user)
        })
    }

    fn request(&self, _user: &mut User) -> Option<RequestTexts> {
        None
    }
}

impl Timer for ScriptElement {
    fn reads_request(&self) -> bool {
        self.link.sights.request
    }

    fn delay<'a>(&'a self, user: &'a mut User, _moment: Moment) -> StepProgress<'a, Delay> {
        StepProgress::Pending(Box::pin(async move {
            let reply = self.run(user, None).await;
            let Some(delay_ms) = self.link.settled(&reply, user, None) else {
                user.cx.stop = user.cx.stop.max(Some(StopRequest::Test));
                return Delay::Stop;
            };
            Delay::For(delay_ms.saturating_mul(MS))
        }))
    }
}
