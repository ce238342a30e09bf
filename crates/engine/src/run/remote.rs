//! Waiting for functions that a provider answers. What was evaluated when one was called is done
//! once more with its answer ([`swell_expr::Replay`]).

use std::future::Future;
use std::pin::Pin;

use swell_api::SampleResult;
use swell_expr::{Level, Thrown};

use super::interrupt::unless;
use super::live::StopMode;
use super::user::Runner;
use crate::control::{Kind, Late};

impl Runner {
    /// Evaluates something until all that it calls is answered. It has no effect before that but on
    /// what it can do once more.
    pub(super) async fn evaluate<T>(&mut self, mut what: impl FnMut(&mut Self) -> T) -> T {
        self.user.cx.begin_evaluation();
        loop {
            let value = what(self);
            if !(self.is_suspended() && self.answered(None).await) {
                return value;
            }
        }
    }

    /// Does what controllers could not wait for. What happens seldom is boxed, so that users are
    /// small.
    pub(super) fn evaluate_late(&mut self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(async move {
            let program = self.group.program.clone();
            for late in std::mem::take(&mut self.late) {
                match late {
                    Late::Condition(id) => {
                        if let Kind::While { condition } = &program.controls[id.0 as usize].kind {
                            self.evaluate(|user| drop(condition.text(&mut user.user.cx))).await;
                        }
                    }
                    Late::Name(id, index) => {
                        let control = &program.controls[id.0 as usize];
                        self.evaluate(|user| control.put_index(&mut user.user.cx, &index.to_string())).await;
                    }
                    Late::Done(package, mut result) => {
                        let listeners = &program.packages[package as usize].waiting_listeners;
                        self.notify_waiting(listeners, None, &mut result).await;
                    }
                }
            }
        })
    }

    /// Whether what was just evaluated was given up, since a call has no answer yet
    /// ([`Runner::answered`]).
    #[inline]
    pub(super) fn is_suspended(&self) -> bool {
        self.user.cx.is_suspended()
    }

    /// Waits for the answer that was lacking. True: what was given up is to be evaluated once more.
    /// `sample` is there after the sampler ran. What happens seldom is boxed, so that users are
    /// small.
    pub(super) fn answered<'a>(
        &'a mut self,
        sample: Option<&'a mut SampleResult>,
    ) -> Pin<Box<dyn Future<Output = bool> + 'a>> {
        Box::pin(self.call(sample))
    }

    async fn call(&mut self, sample: Option<&mut SampleResult>) -> bool {
        let worker = self.group.worker.clone();
        let (Some(call), Some(remote)) = (self.user.cx.asked(), &worker.remote) else { return false };
        self.user.cx.resume();
        let before_ns = self.user.free_ns.max(self.user.ready_ns);
        let group = self.group.clone();
        let answer = remote.functions.call(call, &remote.pool, &mut self.user, sample);
        let answer = unless(&group, StopMode::Immediate, answer).await.value;
        self.waited_since(before_ns);
        if let Some(answer) = answer {
            self.user.cx.answer(answer);
            return true;
        }
        self.user.cx.abandon();
        let message = "the test stopped while a function was called".to_owned();
        self.user.cx.thrown = Some(Box::new(Thrown { class: Thrown::STOP_THREAD, message }));
        false
    }

    /// The user waited for something other than a sample; one that was due meanwhile can only start
    /// now.
    pub(super) fn waited_since(&mut self, before_ns: i64) {
        self.samples_since_yield = 0;
        let now_ns = swell_net::now_ns();
        self.worker().time_accounting.waits((now_ns - before_ns).max(0));
        let user = &mut self.user;
        (user.free_ns, user.ready_ns) = (now_ns, now_ns);
        if !user.scheduled {
            user.intended_ns = now_ns;
        }
    }

    /// Tells why the user ends, where that is not known already.
    pub(super) fn tell_of_failure(&self, thrown: &Thrown) {
        let cx = &self.user.cx;
        let name = &cx.user.thread_name;
        if thrown.class == Thrown::ENDS_USER {
            return;
        }
        if thrown.class == Thrown::STOP_THREAD {
            cx.host.log(Level::Info, &format!("{name}: {}", thrown.message));
        } else {
            cx.run.faults.note(&thrown.to_string());
            cx.host.log(Level::Error, &format!("{name}: Test failed! {thrown}"));
        }
    }
}
