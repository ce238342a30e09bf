//! A user's state for the JVM.

use std::any::Any;
use std::sync::Arc;

use swell_api::{Pool, User, UserState};
use swell_expr::{Context, Generation};

use super::session::Session;
use crate::java_side::JavaSide;
use crate::request::{self, CallState, Iterations};
use crate::{Transport as _, interrupted};

/// The number of no sample package: those of a user count from 1, and before its first it is at 0.
const NO_PACKAGE: u64 = u64::MAX;

/// The state of a user whose elements run on the JVM.
pub(super) struct JvmUser {
    session: Arc<Session>,
    pool: Arc<Pool>,
    pub(super) number: u64,
    /// The Java side that it is a user of ([`JavaSide::number`]).
    pub(super) side: u32,
    /// The JVM knows it.
    is_known: bool,
    /// What the JVM knows of its variables.
    pub(super) seen: Generation,
    /// It has its copies of the hosted plan.
    has_entered: bool,
    /// The iteration that hosted elements have heard of.
    iteration: u64,
    /// The last package with a hosted sampler, and the number of that.
    hosted_package: (u64, u32),
    /// The package of the last call.
    called_package: u64,
    /// The last two packages whose samplers were sent to the JVM, or ran there.
    seen_packages: [u64; 2],
}

/// Messages about a user that are sent to the hosted plan before a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// It enters the thread group of that number.
    EnterGroup(u32),
    /// Iterations begin: of the thread group, and of the controllers above elements, each told this
    /// number of times.
    StartIteration { of_group: bool, of_elements: Vec<(u32, u32)> },
}

impl Before {
    /// Writes that for the user of that number.
    pub(super) fn write(&self, out: &mut Vec<u8>, user: u64, state: &CallState<'_>) {
        match self {
            Self::EnterGroup(group) => request::enter_group(out, user, *group, state),
            Self::StartIteration { of_group, of_elements } => {
                request::start_iteration(out, user, &Iterations { of_group: *of_group, of_elements }, state);
            }
        }
    }
}

impl JvmUser {
    pub(super) fn new(session: Arc<Session>, pool: Arc<Pool>) -> Self {
        let number = Session::user_number();
        let side = session.side_number();
        Self {
            session,
            pool,
            number,
            side,
            is_known: false,
            seen: Generation::default(),
            has_entered: false,
            iteration: 0,
            hosted_package: (NO_PACKAGE, 0),
            called_package: 0,
            seen_packages: [0; 2],
        }
    }

    /// Starts again if the Java side that knew it has ended; returns whether it had state there.
    pub(super) fn follow_restart(&mut self) -> bool {
        if self.side == self.session.side_number() {
            return false;
        }
        let was_known = self.is_known;
        self.begin_anew();
        was_known
    }

    /// Whether there is something of the user that the hosted plan does not know yet.
    pub(super) fn has_news(&self, cx: &Context) -> bool {
        let is_new = !self.has_entered || self.iteration != cx.iteration || !cx.unheard.is_empty();
        is_new && self.session.hosts_group(cx.user.group_number)
    }

    /// The part to send now.
    pub(super) fn take_before(&mut self, cx: &mut Context) -> Vec<Before> {
        let of_elements = std::mem::take(&mut cx.unheard).into_vec();
        let group = cx.user.group_number;
        if !self.session.hosts_group(group) {
            return Vec::new();
        }
        let enters = (!self.has_entered).then_some(Before::EnterGroup(group));
        let of_group = self.iteration != cx.iteration;
        let begins =
            (of_group || !of_elements.is_empty()).then_some(Before::StartIteration { of_group, of_elements });
        (self.has_entered, self.iteration) = (true, cx.iteration);
        enters.into_iter().chain(begins).collect()
    }

    /// A package begins whose sampler is the hosted one of that number.
    pub(super) fn begin_package(&mut self, package: u64, sampler: u32) {
        self.hosted_package = (package, sampler);
    }

    /// The hosted sampler of a package; none if its sampler is not hosted.
    pub(super) fn sampler_of(&self, package: u64) -> Option<u32> {
        let (hosted, sampler) = self.hosted_package;
        (hosted == package).then_some(sampler)
    }

    /// Whether a call for a package is the first for it.
    pub(super) fn begins_package(&mut self, package: u64) -> bool {
        std::mem::replace(&mut self.called_package, package) != package
    }

    /// Records that the sampler of a package is sent to the JVM, or runs there.
    pub(super) fn sees_sampler(&mut self, package: u64) {
        let [last, _] = self.seen_packages;
        if last != package {
            self.seen_packages = [package, last];
        }
    }

    /// Whether the JVM knows the sampler of a package as the last or the one before.
    pub(super) fn has_seen_sampler(&self, package: u64) -> bool {
        self.seen_packages.contains(&package)
    }

    /// The message that makes it known, if that was not sent.
    pub(super) fn introduction(&mut self, cx: &Context) -> Option<Vec<u8>> {
        if std::mem::replace(&mut self.is_known, true) {
            return None;
        }
        Some(introduction(self.number, cx))
    }

    /// Starts again with another number: a call had no answer, and may still run.
    pub(super) fn begin_anew(&mut self) {
        *self = Self::new(self.session.clone(), self.pool.clone());
    }
}

impl Drop for JvmUser {
    fn drop(&mut self) {
        if !self.is_known {
            return;
        }
        let session = self.session.clone();
        let number = self.number;
        self.pool.detach(move || {
            // Where it is not done, the end of the test does it for all users.
            let Some(jvm) = session.serving() else { return };
            let mut message = Vec::new();
            request::user_ended(&mut message, number);
            let _ = jvm.tell(&message);
        });
    }
}

/// Interrupts what runs for a user, from any thread and without waiting. `tell` receives the line
/// of its script that it was at, if that is known.
pub(super) fn interrupt(jvm: JavaSide, user: u64, tell: impl FnOnce(Option<u32>) + Send + 'static) {
    let thread = std::thread::Builder::new().name("jvm-interrupt".to_owned());
    // If no thread can be started, the work continues and its thread is lost until it ends.
    let _ = thread.spawn(move || {
        let mut message = Vec::new();
        request::interrupt(&mut message, user);
        let mut answer = Vec::new();
        let line = jvm.call(&message, &mut answer).and_then(|()| interrupted(&answer));
        tell(line.ok().flatten());
    });
}

impl UserState for JvmUser {
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// The message that makes a user of a context known.
pub(super) fn introduction(user: u64, cx: &Context) -> Vec<u8> {
    let identity = request::UserIdentity {
        thread_name: &cx.user.thread_name,
        thread_number: cx.user.thread_index,
        group: &cx.user.group_name,
        group_threads: cx.user.group_users,
    };
    let mut message = Vec::new();
    request::user_started(&mut message, user, &identity);
    message
}

/// The user's part that the JVM knows.
pub(super) fn parts<'u>(
    user: &'u mut User,
    session: &Arc<Session>,
    pool: &Arc<Pool>,
) -> (&'u mut Context, &'u mut JvmUser) {
    user.parts(|| JvmUser::new(session.clone(), pool.clone()))
}
