//! Calls of elements on the JVM, and the handling of their responses.

use swell_api::{AssertionResult, Role, SampleResult, SamplerSnapshot, SamplerView, User};
use swell_expr::Thrown;

use super::answers::{apply, fail_user, give_up, text, throw, wish_of_sample};
use super::call::{self, CallFailure, CallView, Reply};
use super::link::Link;
use super::samples;
use super::user::parts;
use crate::java_side::JavaSide;
use crate::request::CallState;
use crate::{JvmAnswer, JvmFault, Status};

/// A difference between Java's whole milliseconds and our clock that is no more than rounding: two
/// milliseconds in nanoseconds.
const ROUNDING_NS: i64 = 2_000_000;

/// A response, `None` if a function in a field has thrown, or the reason why there is no response.
pub(super) type CallResult = Result<Option<Reply>, CallFailure>;

impl Link {
    /// Takes the sampler before that of the package, if the element may look at it and the JVM does
    /// not know it.
    fn take_sampler_before(&self, user: &mut User, shown: &SamplerView) -> Option<Box<SamplerSnapshot>> {
        let package = user.package;
        let known = parts(user, &self.session, &self.pool).1;
        let is_hosted = known.sampler_of(package).is_some();
        let sees_sampler = is_hosted || self.role == Role::Sampler || !matches!(shown, SamplerView::No);
        call::take_sampler_before(user, &self.session, &self.pool, self.sights.sampler_before, sees_sampler)
    }

    /// Makes a call for a user. `sample` is the sample that it is about; without one the sample
    /// before is shown. `write` writes the request for the user of that number, `define` makes
    /// known to the JVM what it is about.
    ///
    /// # Errors
    /// No answer.
    pub(super) async fn call(
        &self,
        user: &mut User,
        sample: Option<&SampleResult>,
        write: &dyn Fn(&mut Vec<u8>, u64, &CallState<'_>),
        define: impl FnOnce(&JavaSide) -> Result<(), JvmFault> + Send + 'static,
    ) -> Result<Reply, CallFailure> {
        let sampler = self.sampler_of(user);
        let sampler_before = self.take_sampler_before(user, &sampler);
        let before = user.previous.take();
        // A transaction is not a sample that other elements follow.
        let (own, subject) = match sample {
            Some(sample) if sample.is_transaction => (None, Some(sample)),
            sample => (sample, None),
        };
        let shows_previous = self.sights.previous;
        let previous = own.or(before.as_deref()).filter(|_| shows_previous);
        let package = user.package;
        let sampler = Some(&sampler);
        let shown = CallView {
            shows_previous,
            previous,
            subject,
            sampler,
            package,
            sampler_before: sampler_before.as_deref(),
        };
        let (cx, known) = parts(user, &self.session, &self.pool);
        let messages = call::messages(cx, known, &self.session, shown, write);
        user.previous = before;
        if sampler_before.is_some() {
            user.kept_samplers().before = sampler_before;
        }
        let sent = call::send(&self.pool, &self.session, messages, self.place.clone(), define);
        let answered = call::answer(sent, self.limit).await;
        match &answered {
            Ok(reply) => self.begun(reply, user)?,
            Err(_) => parts(user, &self.session, &self.pool).1.begin_anew(),
        }
        answered
    }

    /// Makes the changes of what came before the call.
    fn begun(&self, reply: &Reply, user: &mut User) -> Result<(), CallFailure> {
        for bytes in &reply.before {
            let answer = JvmAnswer::read(bytes)?;
            apply(self, &answer, user, None);
            if let Some(fault) = answer.fault.filter(|_| answer.status == Status::Threw) {
                // JMeter starts threads and iterations outside of sample packages
                // (`JMeterThread.run`).
                fail_user(self, &fault, user);
                return Err(CallFailure::EndsUser(text(&fault)));
            }
        }
        Ok(())
    }

    /// Applies the changes of an answer, and returns the pause of a timer in milliseconds; `None`
    /// without an answer.
    pub(super) fn settled(
        &self,
        reply: &CallResult,
        user: &mut User,
        sample: Option<&mut SampleResult>,
    ) -> Option<i64> {
        match answered(reply) {
            Ok(None) | Err(CallFailure::EndsUser(_)) => Some(0),
            Ok(Some(answer)) => {
                apply(self, &answer, user, sample);
                throw(self, &answer, user, self.role != Role::Listener);
                Some(answer.delay_ms)
            }
            Err(reason) => {
                give_up(self, &reason.to_string(), user);
                // What the element did is unknown, but its user can continue with what follows this
                // sample.
                if let CallFailure::TimedOut(why) = &reason {
                    self.session.end_run(&format!("{}: {why}; the test stops at once", self.place));
                }
                let CallFailure::Lost(message) = reason else { return None };
                let thrown = Thrown { class: "swell.JvmProcessEnded", message };
                user.cx.thrown.get_or_insert_with(|| Box::new(thrown));
                Some(0)
            }
        }
    }

    /// The result of an assertion; none if a function of one of its fields has thrown.
    pub(super) fn judged(
        &self,
        reply: &CallResult,
        user: &mut User,
        sample: Option<&mut SampleResult>,
    ) -> Option<AssertionResult> {
        let of_transaction = sample.as_ref().is_some_and(|sample| sample.is_transaction);
        match answered(reply) {
            Ok(None) | Err(CallFailure::EndsUser(_)) => None,
            Ok(Some(answer)) => {
                apply(self, &answer, user, sample);
                let thrown = answer.fault.filter(|_| answer.status == Status::Threw);
                throw(self, &answer, user, !of_transaction);
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

    /// The sample of a sampler; none if it gave none.
    pub(super) fn sampled(&self, reply: &CallResult, user: &mut User) -> Option<Box<SampleResult>> {
        let mut sample = match answered(reply) {
            Ok(None) | Err(CallFailure::EndsUser(_)) => return None,
            Ok(Some(answer)) => {
                apply(self, &answer, user, None);
                throw(self, &answer, user, true);
                let mut sample = SampleResult::boxed();
                let made = answer.sample.as_ref()?;
                wish_of_sample(made, user);
                *sample = samples::owned(made).into();
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
        // Java's times are whole milliseconds; ours hold unless the element said others.
        let timing = &mut sample.timing;
        let is_near = |java_ns: i64, ours_ns: i64| (java_ns - ours_ns).abs() <= ROUNDING_NS;
        if timing.start_ns == 0 || is_near(timing.start_ns, asked_ns) && is_near(timing.end_ns, answered_ns) {
            (timing.start_ns, timing.end_ns) = (asked_ns, answered_ns);
        }
        Some(sample)
    }
}

/// The answer in a reply.
fn answered(reply: &CallResult) -> Result<Option<JvmAnswer<'_>>, CallFailure> {
    match reply {
        Ok(None) => Ok(None),
        Ok(Some(reply)) => Ok(Some(JvmAnswer::read(&reply.bytes)?)),
        Err(reason) => Err(reason.clone()),
    }
}
