//! A call for a user: its message, and the wait for its response.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use swell_api::{Cancel, CancelReason, Pending, Pool, SampleResult, SamplerSnapshot, SamplerView, User};
use swell_expr::{Context, Level, Value};

use super::session::Session;
use super::user::{JvmUser, interrupt, parts};
use super::{requests, samples};
use crate::java_side::JavaSide;
use crate::request::{CallState, Previous};
use crate::{JvmFault, Transport, ValueChange};

/// The response of the Java side, and the times of the call and of the response, in nanoseconds of
/// [`swell_net::now_ns`].
pub(super) struct Reply {
    /// Answers to what came before the call: the user entered its thread group, an iteration began.
    pub(super) before: Vec<Vec<u8>>,
    pub(super) bytes: Vec<u8>,
    pub(super) asked_ns: i64,
    pub(super) answered_ns: i64,
}

/// Why a call has no response.
#[derive(Clone, Debug)]
pub(super) enum CallFailure {
    /// The process of the JVM has ended meanwhile; the next call has another.
    Lost(String),
    /// It took longer than it may.
    TimedOut(String),
    /// What comes before a call has thrown: the start of the user's thread, or of an iteration. In
    /// JMeter the thread ends there.
    EndsUser(String),
    /// Anything else.
    Failed(String),
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(how) => {
                write!(f, "{how}; the next call restarts it without the state that elements kept in it")
            }
            Self::TimedOut(why) | Self::EndsUser(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}

impl From<JvmFault> for CallFailure {
    fn from(fault: JvmFault) -> Self {
        let text = fault.to_string();
        if matches!(fault, JvmFault::Died(_)) { Self::Lost(text) } else { Self::Failed(text) }
    }
}

/// Messages for one call.
pub(super) struct Messages {
    introduction: Option<Vec<u8>>,
    /// Messages to the hosted plan before the call; each is answered like a call.
    before: Vec<Vec<u8>>,
    call: Vec<u8>,
    user: u64,
    /// The Java side that they are for.
    side: u32,
}

/// The parts of a user's state that are sent to the JVM.
#[derive(Clone, Copy, Default)]
pub(super) struct CallView<'a> {
    /// Whether `prev` is shown, which may be none.
    pub(super) shows_previous: bool,
    /// `prev`.
    pub(super) previous: Option<&'a SampleResult>,
    /// What the element is about, where that is not `prev`.
    pub(super) subject: Option<&'a SampleResult>,
    /// `sampler`.
    pub(super) sampler: Option<&'a SamplerView>,
    /// The package that it is of.
    pub(super) package: u64,
    /// The sampler before it.
    pub(super) sampler_before: Option<&'a SamplerSnapshot>,
}

/// The message to a user whose Java side has ended since its last call.
const STARTED_AGAIN: &str = "state that this user's elements kept in it (objects in variables, counters, connections) is lost; its variables \
                             are not";

/// Writes a call for a user. `write` writes its request for the user of that number.
pub(super) fn messages(
    cx: &mut Context,
    user: &mut JvmUser,
    session: &Session,
    shown: CallView<'_>,
    write: &dyn Fn(&mut Vec<u8>, u64, &CallState<'_>),
) -> Messages {
    if user.follow_restart() {
        let thread = &cx.user.thread_name;
        let how = session.last_end();
        let message = format!("{thread}: the JVM process ended ({how}) and is restarted: {STARTED_AGAIN}");
        cx.host.log(Level::Warn, &message);
    }
    let told = user.take_before(cx);
    let changed = cx.vars.changed_since(user.seen);
    let variables: Vec<_> =
        changed.iter().map(|(name, value)| (&**name, change(name, value.as_ref(), cx))).collect();
    let properties = session.property_changes();
    let properties: Vec<_> =
        properties.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
    let sample = shown.previous.map(samples::shown);
    let subject = shown.subject.map(samples::shown);
    let sampler = shown.sampler.and_then(|sampler| requests::shown(&cx.sampler_name, sampler));
    let running = cx.running_users();
    let of_phase = cx.phase_users();
    let mut state = CallState {
        iteration: u32::try_from(cx.iteration).unwrap_or(u32::MAX),
        running: (running.group, running.all),
        of_phase: (of_phase.planned, of_phase.started),
        variables: &variables,
        properties: &properties,
        ..CallState::default()
    };
    let mut before = Vec::new();
    for told in told {
        let mut message = Vec::new();
        told.write(&mut message, user.number, &state);
        before.push(message);
        // What the first of them brings is known to all that follow.
        let CallState { iteration, running, of_phase, .. } = state;
        state = CallState { iteration, running, of_phase, ..CallState::default() };
    }
    state.previous = match &sample {
        _ if !shown.shows_previous => Previous::Same,
        None => Previous::None,
        Some(sample) => Previous::Is(sample),
    };
    state.begins_package = user.begins_package(shown.package);
    state.subject = subject.as_ref();
    let sampler_before =
        shown.sampler_before.map(|before| requests::of_properties(&before.name, &before.texts));
    state.sampler_before = sampler_before.as_ref();
    state.sampler = sampler.as_ref().map(|sampler| (shown.package, sampler));
    let mut call = Vec::new();
    write(&mut call, user.number, &state);
    user.seen = cx.vars.generation();
    cx.vars.forget_changes(user.seen);
    let introduction = user.introduction(cx);
    Messages { introduction, before, call, user: user.number, side: user.side }
}

/// Takes the sampler before that of the package for a call, if that may look at it and the JVM does
/// not know it; it is to be put back. `sees_sampler`: with the call the JVM knows the sampler of
/// the package.
pub(super) fn take_sampler_before(
    user: &mut User,
    session: &Arc<Session>,
    pool: &Arc<Pool>,
    may_look: bool,
    sees_sampler: bool,
) -> Option<Box<SamplerSnapshot>> {
    let package = user.package;
    let before = if may_look { user.kept_samplers().before.take() } else { None };
    let known = parts(user, session, pool).1;
    let is_told = before.as_ref().is_some_and(|before| {
        let class = &before.texts.class;
        !class.is_empty() && !known.has_seen_sampler(before.package) && !session.lacks(class)
    });
    if sees_sampler {
        known.sees_sampler(package);
    }
    if is_told {
        return before;
    }
    if before.is_some() {
        user.kept_samplers().before = before;
    }
    None
}

/// Writes a call before the test, with all variables, for the user of that number.
pub(super) fn message_before_test(
    cx: &Context,
    session: &Session,
    write: &dyn Fn(&mut Vec<u8>, &CallState<'_>),
) -> Vec<u8> {
    let all = cx.vars.entries();
    let variables: Vec<_> = all.iter().map(|(name, value)| (&**name, ValueChange::Text(value))).collect();
    let properties = session.property_changes();
    let properties: Vec<_> =
        properties.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
    let mut call = Vec::new();
    write(&mut call, &CallState { variables: &variables, properties: &properties, ..CallState::default() });
    call
}

fn change<'a>(name: &Rc<str>, value: Option<&'a Value>, cx: &Context) -> ValueChange<'a> {
    match value {
        Some(value) => ValueChange::Text(value),
        None if cx.vars.nulls().any(|null| null == name) => ValueChange::Null,
        None => ValueChange::Removed,
    }
}

/// A call in progress.
pub(super) struct PendingCall {
    pending: Pending<Result<Reply, CallFailure>>,
    /// When the JVM was asked; 0: not yet.
    asked_ns: Arc<AtomicI64>,
    /// The line of its script at the interruption, 0 if unknown.
    interrupted_at: Arc<AtomicI64>,
}

/// Nothing was interrupted yet.
const NOT_YET: i64 = -1;
/// How long the line is waited for, and how long until it is looked for again.
const LINE_LIMIT_NS: i64 = 2_000_000_000;
const LOOK_AGAIN_NS: i64 = 5_000_000;

/// Sends them on a thread of the pool. `place` names what is called, `define` makes known to the
/// JVM what the call is about.
pub(super) fn send(
    pool: &Pool,
    session: &Arc<Session>,
    messages: Messages,
    place: Arc<str>,
    define: impl FnOnce(&JavaSide) -> Result<(), JvmFault> + Send + 'static,
) -> PendingCall {
    let session = session.clone();
    let asked_ns = Arc::new(AtomicI64::new(0));
    let asked = asked_ns.clone();
    let interrupted_at = Arc::new(AtomicI64::new(NOT_YET));
    let at = interrupted_at.clone();
    let pending = pool.run(move |cancel| {
        let jvm = session.jvm().map_err(CallFailure::Failed)?;
        if jvm.number != messages.side {
            return Err(CallFailure::Lost("the JVM process ended before the call".to_owned()));
        }
        session.define_plan(&jvm)?;
        define(&jvm)?;
        if let Some(introduction) = &messages.introduction {
            jvm.tell(introduction)?;
        }
        let user = messages.user;
        let interrupted = jvm.clone();
        let tell = move |line: Option<u32>| at.store(line.map_or(0, i64::from), Ordering::Relaxed);
        cancel.on_cancel(move |_| interrupt(interrupted, user, tell));
        let _running = session.runs(place);
        let asked_ns = swell_net::now_ns();
        asked.store(asked_ns, Ordering::Relaxed);
        let mut before = vec![Vec::new(); messages.before.len()];
        for (message, answer) in messages.before.iter().zip(&mut before) {
            jvm.call(message, answer)?;
        }
        let mut bytes = Vec::new();
        let asked_ns = if messages.before.is_empty() { asked_ns } else { swell_net::now_ns() };
        jvm.call(&messages.call, &mut bytes)?;
        Ok(Reply { before, bytes, asked_ns, answered_ns: swell_net::now_ns() })
    });
    PendingCall { pending, asked_ns, interrupted_at }
}

/// Waits for the answer, but no longer than `limit` from when the JVM was asked; beyond it the
/// script is interrupted.
///
/// # Errors
/// No answer.
pub(super) async fn answer(sent: PendingCall, limit: Option<Duration>) -> Result<Reply, CallFailure> {
    let PendingCall { pending, asked_ns, interrupted_at } = sent;
    let token: Cancel = pending.token().clone();
    let Some(limit) = limit else { return flat(pending.await) };
    let limit_ns = i64::try_from(limit.as_nanos()).unwrap_or(i64::MAX);
    let mut pending = std::pin::pin!(pending);
    loop {
        // Where a thread or the start of the JVM is waited for, the limit has not begun.
        let begun_ns = match asked_ns.load(Ordering::Relaxed) {
            0 => swell_net::now_ns(),
            asked_ns => asked_ns,
        };
        let until_ns = begun_ns.saturating_add(limit_ns);
        let mut sleep = std::pin::pin!(swell_net::sleep_until(until_ns));
        let answered = std::future::poll_fn(|cx| {
            if let std::task::Poll::Ready(result) = pending.as_mut().poll(cx) {
                return std::task::Poll::Ready(Some(flat(result)));
            }
            sleep.as_mut().poll(cx).map(|()| None)
        })
        .await;
        if let Some(answered) = answered {
            return answered;
        }
        let asked_ns = asked_ns.load(Ordering::Relaxed);
        if asked_ns == 0 || swell_net::now_ns() < asked_ns.saturating_add(limit_ns) {
            continue;
        }
        token.cancel(CancelReason::TimedOut);
        let line =
            line_of(&interrupted_at).await.map(|line| format!(" and was at line {line} of its script"));
        let why = format!(
            "it took longer than {} ms (swell.script.timeout){}",
            limit.as_millis(),
            line.unwrap_or_default()
        );
        return Err(CallFailure::TimedOut(why));
    }
}

/// The line that a script had reached, once it is known; `None` if it is not known in time.
async fn line_of(interrupted_at: &AtomicI64) -> Option<u32> {
    let until_ns = swell_net::now_ns() + LINE_LIMIT_NS;
    loop {
        match interrupted_at.load(Ordering::Relaxed) {
            NOT_YET if swell_net::now_ns() < until_ns => {
                swell_net::sleep_until(swell_net::now_ns() + LOOK_AGAIN_NS).await;
            }
            line => return u32::try_from(line).ok().filter(|line| *line > 0),
        }
    }
}

fn flat(result: Result<Result<Reply, CallFailure>, swell_api::WorkError>) -> Result<Reply, CallFailure> {
    result.map_err(|error| CallFailure::Failed(error.to_string())).and_then(|reply| reply)
}
