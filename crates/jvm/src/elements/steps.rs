//! Script elements as the engine runs them.

use swell_api::{
    AssertionResult, Delay, Moment, Needs, RequestTexts, Role, SampleResult, Sampler, SamplerFuture, Step,
    StepRun, Timer, User,
};
use swell_expr::{StopRequest, Thrown};

use super::answers::{apply, give_up, text, throw};
use super::call::{NoAnswer, Reply};
use super::element::ScriptElement;
use super::samples;
use crate::{Answer, Status};

/// What runs for a timer, or for anything else where it fails: a millisecond in nanoseconds.
const MS: i64 = 1_000_000;

/// A difference between Java's whole milliseconds and our clock that is no more than rounding.
const ROUNDING_NS: i64 = 2 * MS;

impl Step for ScriptElement {
    fn needs(&self) -> Needs {
        if self.sights.previous { Needs::ALL } else { Needs::default() }
    }

    fn reads_previous(&self) -> bool {
        self.sights.previous
    }

    fn reads_request(&self) -> bool {
        self.sights.request
    }

    fn run<'a>(&'a self, user: &'a mut User, mut sample: Option<&'a mut SampleResult>) -> StepRun<'a> {
        StepRun::Pending(Box::pin(async move {
            let reply = self.run(user, sample.as_deref()).await;
            if self.role == Role::Assertion {
                let result = self.judged(&reply, user, sample.as_deref_mut());
                if let (Some(result), Some(sample)) = (result, sample) {
                    sample.success &= !(result.failure || result.error);
                    sample.assertions.push(result);
                }
                return;
            }
            // A failure of this kind must not pass for a script that ran.
            if self.settled(&reply, user, sample).is_none() {
                user.cx.stop = user.cx.stop.max(Some(StopRequest::Test));
            }
        }))
    }
}

impl ScriptElement {
    /// Makes the changes of an answer; none if there was no answer.
    fn settled(
        &self,
        reply: &Result<Option<Reply>, NoAnswer>,
        user: &mut User,
        sample: Option<&mut SampleResult>,
    ) -> Option<i64> {
        match answered(reply) {
            Ok(None) => Some(0),
            Ok(Some(answer)) => {
                apply(self, &answer, user, sample);
                throw(&answer, user);
                Some(answer.delay_ms)
            }
            Err(reason) => {
                give_up(self, &reason.to_string(), user);
                // What the script did is not known, but its user can go on with what comes after this sample.
                let NoAnswer::Lost(message) = reason else { return None };
                let thrown = Thrown { class: "swell.JvmProcessEnded", message };
                user.cx.thrown.get_or_insert_with(|| Box::new(thrown));
                Some(0)
            }
        }
    }

    /// The result of an assertion; none if a function of one of its fields has thrown.
    fn judged(
        &self,
        reply: &Result<Option<Reply>, NoAnswer>,
        user: &mut User,
        sample: Option<&mut SampleResult>,
    ) -> Option<AssertionResult> {
        match answered(reply) {
            Ok(None) => None,
            Ok(Some(answer)) => {
                apply(self, &answer, user, sample);
                let thrown = answer.fault.filter(|_| answer.status == Status::Threw);
                Some(match (thrown, &answer.assertion) {
                    (None, Some(result)) => samples::assertion(result).into(),
                    (Some(fault), _) => AssertionResult::thrown(text(&fault).into()),
                    (None, None) => AssertionResult::passed(self.name(&mut user.cx).into()),
                })
            }
            Err(reason) => {
                let reason = reason.to_string();
                give_up(self, &reason, user);
                Some(AssertionResult {
                    error: true,
                    ..AssertionResult::failed(self.name(&mut user.cx).into(), reason.into())
                })
            }
        }
    }

    /// The sample of a sampler; none if the script gave none.
    fn sampled(&self, reply: &Result<Option<Reply>, NoAnswer>, user: &mut User) -> Option<Box<SampleResult>> {
        let mut sample = match answered(reply) {
            Ok(None) => return None,
            Ok(Some(answer)) => {
                apply(self, &answer, user, None);
                throw(&answer, user);
                let mut sample = SampleResult::boxed();
                *sample = samples::owned(answer.sample.as_ref()?).into();
                sample
            }
            Err(reason) => {
                let reason = reason.to_string();
                give_up(self, &reason, user);
                let mut sample = SampleResult::boxed();
                (sample.label, sample.code) = (self.name(&mut user.cx).into(), "500".into());
                sample.message = reason.into();
                sample
            }
        };
        let now_ns = swell_net::now_ns();
        let (asked_ns, answered_ns) = match reply {
            Ok(Some(reply)) => (reply.asked_ns, reply.answered_ns),
            _ => (now_ns, now_ns),
        };
        // Java's times are whole milliseconds; ours hold unless the script said others.
        let timing = &mut sample.timing;
        let is_near = |java_ns: i64, ours_ns: i64| (java_ns - ours_ns).abs() <= ROUNDING_NS;
        if timing.start_ns == 0 || is_near(timing.start_ns, asked_ns) && is_near(timing.end_ns, answered_ns) {
            (timing.start_ns, timing.end_ns) = (asked_ns, answered_ns);
        }
        Some(sample)
    }
}

/// The answer in a reply.
fn answered(reply: &Result<Option<Reply>, NoAnswer>) -> Result<Option<Answer<'_>>, NoAnswer> {
    match reply {
        Ok(None) => Ok(None),
        Ok(Some(reply)) => Answer::read(&reply.bytes).map(Some).map_err(NoAnswer::from),
        Err(reason) => Err(reason.clone()),
    }
}

impl Sampler for ScriptElement {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        Box::pin(async move {
            let reply = self.run(user, None).await;
            self.sampled(&reply, user)
        })
    }

    fn request(&self, _user: &mut User) -> Option<RequestTexts> {
        None
    }
}

impl Timer for ScriptElement {
    fn delay<'a>(&'a self, user: &'a mut User, _moment: Moment) -> StepRun<'a, Delay> {
        StepRun::Pending(Box::pin(async move {
            let reply = self.run(user, None).await;
            let Some(delay_ms) = self.settled(&reply, user, None) else {
                user.cx.stop = user.cx.stop.max(Some(StopRequest::Test));
                return Delay::Stop;
            };
            Delay::For(delay_ms.saturating_mul(MS))
        }))
    }
}
