//! A user as the JVM knows it.

use std::any::Any;
use std::sync::Arc;

use swell_api::{Pool, UserState};
use swell_expr::{Context, Generation};

use super::session::Session;
use crate::java_side::JavaSide;
use crate::request;

/// What is kept for a user whose elements run on the JVM.
pub(super) struct JvmUser {
    session: Arc<Session>,
    pool: Arc<Pool>,
    pub(super) number: u64,
    /// The Java side that it is a user of ([`JavaSide::number`]).
    pub(super) side: u32,
    /// The JVM was told of it.
    is_known: bool,
    /// What the JVM knows of its variables.
    pub(super) seen: Generation,
}

impl JvmUser {
    pub(super) fn new(session: Arc<Session>, pool: Arc<Pool>) -> Self {
        let (number, side) = (Session::user_number(), session.side_number());
        Self { session, pool, number, side, is_known: false, seen: Generation::default() }
    }

    /// Begins anew where the Java side that knew it has ended; says whether it had something there.
    pub(super) fn follow_restart(&mut self) -> bool {
        if self.side == self.session.side_number() {
            return false;
        }
        let was_known = self.is_known;
        self.begin_anew();
        was_known
    }

    /// The message that makes it known, if that was not sent.
    pub(super) fn introduction(&mut self, cx: &Context, group_threads: u32) -> Option<Vec<u8>> {
        if std::mem::replace(&mut self.is_known, true) {
            return None;
        }
        let identity = request::UserIdentity {
            thread_name: &cx.user.thread_name,
            thread_number: cx.user.thread_index,
            group: &cx.user.group_name,
            group_threads,
        };
        let mut message = Vec::new();
        request::user_started(&mut message, self.number, &identity);
        Some(message)
    }

    /// Begins anew under another number: a call had no answer, and may still run.
    pub(super) fn begin_anew(&mut self) {
        *self = Self::new(self.session.clone(), self.pool.clone());
    }
}

impl Drop for JvmUser {
    fn drop(&mut self) {
        if !self.is_known {
            return;
        }
        let (session, number) = (self.session.clone(), self.number);
        self.pool.detach(move || {
            // Where it is not done, the end of the test does it for all users.
            let Some(jvm) = session.serving() else { return };
            let mut message = Vec::new();
            request::user_ended(&mut message, number);
            let _ = jvm.tell(&message);
        });
    }
}

/// Interrupts what runs for a user, from any thread and without waiting.
pub(super) fn interrupt(jvm: JavaSide, user: u64) {
    let thread = std::thread::Builder::new().name("jvm-interrupt".to_owned());
    // Where no thread is to be had, the work goes on and its thread is lost until it ends.
    let _ = thread.spawn(move || {
        let mut message = Vec::new();
        request::interrupt(&mut message, user);
        let _ = jvm.tell(&message);
    });
}

impl UserState for JvmUser {
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
