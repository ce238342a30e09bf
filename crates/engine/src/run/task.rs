//! A virtual user while it runs, below its walk through the controllers: what it evaluates, and
//! how it stops. Where a function is called that a provider answers, the user waits, and what was
//! evaluated is done once more with the answer ([`swell_expr::Replay`]).

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use swell_api::{RequestTexts, SampleResult, SamplerSnapshot, SamplerTexts, SamplerView, Text, User};
use swell_expr::{Level, RunningUsers, StopRequest, Thrown};

use super::branch_context::BranchContext;
use super::group_run::GroupRun;
use super::handles::Handle;
use super::interrupt::unless;
use super::live::StopMode;
use super::worker::Worker;
use crate::control::ControlId;
use crate::number;
use crate::program::{GroupProgram, OnError, Package};
use crate::timer::MS;

/// A virtual user while it runs.
pub(super) struct UserTask {
    pub(super) group: Rc<GroupRun>,
    pub(super) user: User,
    pub(super) running: bool,
    /// Control wants fewer users, and this one leaves.
    pub(super) was_released: bool,
    pub(super) handle: Rc<Handle>,
    /// Place of its handle.
    pub(super) place: usize,
    pub(super) started_ns: i64,
    /// Samples since the user last waited.
    pub(super) samples_since_yield: u32,
    /// What a branch has for its user.
    pub(super) branch: Option<Box<BranchContext>>,
    /// Transactions around the current sampler, outermost first.
    pub(super) chain: Vec<ControlId>,
    /// Times that timers keep.
    pub(super) times: Box<[i64]>,
    /// The coming sample is the first of an arrival: the schedule says when it is due.
    pub(super) arrives: bool,
}

impl UserTask {
    /// The name of its thread in samples.
    pub(super) fn thread_name(&self) -> &Rc<str> {
        self.branch.as_ref().map_or(&self.user.cx.user.thread_name, |branch| &branch.thread_name)
    }

    pub(super) fn worker(&self) -> &Worker {
        &self.group.worker
    }

    /// Whether the next sample may start.
    pub(super) fn is_running(&self) -> bool {
        self.running && self.group.live().stop_mode() == StopMode::Run
    }

    /// What an element or an error asked for.
    pub(super) fn stop(&mut self, stop: StopRequest) {
        self.running = false;
        match stop {
            StopRequest::User => {
                if let Some(branch) = &mut self.branch {
                    branch.stops = true;
                }
            }
            StopRequest::Test => self.worker().raise(StopMode::Graceful),
            StopRequest::TestNow => self.worker().raise(StopMode::Immediate),
        }
    }

    /// What a failed sample does; in a branch of a Parallel Controller nothing: its user acts on the
    /// whole.
    pub(super) fn on_error(&self, program: &GroupProgram) -> OnError {
        let is_left_to_user = self.branch.as_ref().is_some_and(|branch| !branch.acts_on_errors);
        if is_left_to_user { OnError::Continue } else { program.on_error }
    }

    pub(super) fn last_sample_ok(&self) -> bool {
        let value = self.user.cx.vars.get_slot(self.worker().last_sample_ok);
        value.is_some_and(|value| **value == *"true")
    }

    pub(super) fn set_last_sample_ok(&mut self, ok: bool) {
        let worker = &self.group.worker;
        let value = if ok { &worker.yes } else { &worker.no };
        let vars = &mut self.user.cx.vars;
        if !vars.get_slot(worker.last_sample_ok).is_some_and(|now| Rc::ptr_eq(now, value)) {
            vars.put_slot(worker.last_sample_ok, value.clone());
        }
    }

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

    /// Whether what was just evaluated was given up, since a call has no answer yet
    /// ([`Self::answered`]).
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

    pub(super) async fn call(&mut self, sample: Option<&mut SampleResult>) -> bool {
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

    pub(super) fn name_sampler(&mut self, package: &Package) {
        self.user.cx.sampler_name = package.name.eval_value(&mut self.user.cx);
    }

    pub(super) fn kept(&mut self, package: &Package, number: u64) -> SamplerSnapshot {
        let cx = &mut self.user.cx;
        let name = package.constant_name.clone().unwrap_or_else(|| cx.sampler_name.clone());
        let texts = package.properties.as_ref().map(|all| all.now(cx)).unwrap_or_default();
        SamplerSnapshot { package: number, name, texts }
    }

    /// Shows the sampler to a step before it.
    pub(super) fn show_coming_sampler(&mut self, package: &Package) {
        if package.constant_name.is_none() && !self.user.request.is_renamed(self.user.package) {
            self.name_sampler(package);
        }
        self.show_sampler(package);
    }

    /// Shows the sampler to a step of its package.
    pub(super) fn show_sampler(&mut self, package: &Package) {
        let followed = package.sampler.followed();
        let properties = |user: &mut User| {
            let all = package.properties.as_ref()?.now(&mut user.cx);
            Some(SamplerTexts { followed, ..all })
        };
        let shown = match package.sampler.request(&mut self.user) {
            Some(request) => {
                let cx = &mut self.user.cx;
                let others = package.properties.as_ref().map(|all| all.shared(cx)).unwrap_or_default();
                SamplerView::Request(Box::new(RequestTexts { others, ..request }))
            }
            None => properties(&mut self.user).map_or(SamplerView::No, SamplerView::Properties),
        };
        self.user.show_sampler(shown);
    }

    /// Has the sampler make the changes of managers that a step of its package wants.
    pub(super) fn change_managers(&mut self, package: &Package) {
        if let Some(changes) = self.user.request.take_manager_changes() {
            package.sampler.change_managers(&mut self.user, changes);
        }
    }

    /// When the coming sample is interrupted: the first of the Sample Timeouts that are set.
    pub(super) fn interrupt_at(&mut self, program: &GroupProgram) -> i64 {
        let cx = &mut self.user.cx;
        let times_ms = program.timeouts.iter().map(|timeout| number::long(&timeout.eval(cx)));
        let first_ms = times_ms.filter(|ms| *ms > 0).min();
        first_ms.map_or(i64::MAX, |ms| swell_net::now_ns().saturating_add(ms.saturating_mul(MS)))
    }

    /// Whether a function has thrown. In JMeter the exception ends the sample package
    /// (`JMeterThread.processSampler`): the sample is not reported, and the user continues.
    #[inline]
    pub(super) fn has_thrown(&mut self, package: &Package) -> bool {
        let has_thrown = self.user.cx.thrown.is_some();
        if has_thrown {
            self.tell_thrown(package);
        }
        has_thrown
    }

    /// JMeter logs it with the sampler's name. A name that throws, too, ends the thread.
    #[cold]
    pub(super) fn tell_thrown(&mut self, package: &Package) {
        let cx = &mut self.user.cx;
        let Some(thrown) = cx.thrown.take() else { return };
        if thrown.class == Thrown::ENDS_USER {
            return self.stop(StopRequest::User);
        }
        if thrown.class == Thrown::STOP_THREAD {
            cx.host.log(Level::Info, &format!("Stopping Thread: {thrown}"));
            self.running = false;
            return;
        }
        let name = package.name.eval(cx);
        if cx.is_suspended() {
            // The exception is reported to the user, which waits for nothing more.
            cx.abandon();
        }
        let message = format!("{}: Error while processing sampler: '{name}'. {thrown}", cx.user.thread_name);
        cx.host.log(Level::Error, &message);
        if cx.thrown.take().is_some() {
            cx.run.faults.note(&thrown.to_string());
            self.running = false;
        }
    }

    /// Thread name and numbers of active users (`fillThreadInformation`): in the sample of a
    /// sampler, and the first level below it.
    pub(super) fn fill_threads(&self, result: &mut SampleResult) {
        self.fill_thread(result);
        let users = RunningUsers { group: result.group_threads, all: result.all_threads };
        for sub in &mut result.sub_results {
            fill(sub, self.thread_name(), users);
        }
    }

    /// The same in one sample.
    pub(super) fn fill_thread(&self, result: &mut SampleResult) {
        fill(result, self.thread_name(), self.group.worker.live.running_users(self.group.place));
    }
}

fn fill(result: &mut SampleResult, name: &Rc<str>, users: RunningUsers) {
    result.thread_name = Text::Shared(name.clone());
    result.group_threads = users.group;
    result.all_threads = users.all;
}
