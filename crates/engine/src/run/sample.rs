//! One sample package: `JMeterThread.executeSamplePackage`.

use std::rc::Rc;

use swell_api::{
    RequestTexts, SampleResult, SamplerSnapshot, SamplerTexts, SamplerView, StepProgress, StoredSamplers,
    Text, User,
};
use swell_expr::{Level as LogLevel, StopRequest, Thrown};

use super::group_run::GroupRun;
use super::interrupt::{WaitResult, unless};
use super::live::StopMode;
use super::user::Runner;
use crate::control::{ControlId, SamplerId};
use crate::number;
use crate::program::{Before, GroupProgram, Package};
use crate::timer::MS;

impl Runner {
    /// Runs a package: pre-processors, timers, the sampler, post-processors, assertions, listeners.
    /// `inside` is the innermost transaction with parent sample around it. Functions that never
    /// wait are not async: async functions cost time even where there is nothing to do in them.
    pub(super) async fn sample(&mut self, program: &GroupProgram, id: SamplerId, inside: Option<ControlId>) {
        let package = &program.packages[id.0 as usize];
        if package.is_kept {
            self.keep_samplers(program, package);
        }
        self.user.package += 1;
        self.user.cx.thrown = None;
        if let Some(name) = &package.constant_name
            && !Rc::ptr_eq(name, &self.user.cx.sampler_name)
        {
            self.user.cx.sampler_name = name.clone();
        }
        for step in &package.before {
            if !self.before(package, step).await {
                return;
            }
        }
        self.last_package = Some(id.0);
        if let Some(internals) = &self.group.worker.program.internals {
            internals.take(&mut self.user.cx.vars, self.key, id);
        }
        let goes_on = match self.delay_at_once(package) {
            Some(goes_on) => goes_on,
            None => self.delay(package).await,
        };
        if !goes_on || self.has_thrown(package) {
            return;
        }
        let has_own_name = !self.user.request.is_renamed(self.user.package);
        if has_own_name && package.constant_name.is_none() {
            self.evaluate(|runner| runner.name_sampler(package)).await;
        }
        if !program.timeouts.is_empty() {
            self.user.interrupt_at_ns = self.evaluate(|runner| runner.interrupt_at(program)).await;
        }
        let mut result = match &package.parallel {
            None => self.take_sample(package).await,
            Some(parallel) => Box::pin(self.take_parallel(program, parallel)).await,
        };
        if package.named_twice
            && has_own_name
            && let Some(sample) = &mut result
        {
            Box::pin(self.rename(package, sample)).await;
        }
        let asked = self.user.cx.stop.take();
        // One that threw may have given no sample.
        let has_thrown = self.has_thrown(package);
        if let Some(mut result) = result.filter(|_| !has_thrown) {
            let is_heard = if package.is_examined() {
                self.examine(program, package, &mut result, inside.is_some()).await
            } else {
                Some(self.pass_unexamined(program, &mut result))
            };
            if let Some(is_heard) = is_heard {
                if let Some(pause_ns) = self.tell(program, package, &mut result, inside.is_some(), is_heard) {
                    // What happens seldom is boxed, so that users are small.
                    Box::pin(self.pause(pause_ns)).await;
                }
                if let Some(stop) = self.user.cx.stop.take() {
                    self.stop(stop);
                }
                self.hand_over(program, result, inside);
            }
        }
        if let Some(stop) = asked {
            self.stop(stop);
        }
    }

    /// JMeter asks an HTTP sampler for its name for each exchange, and again when the sample is
    /// there (`HTTPSamplerBase.sample`).
    async fn rename(&mut self, package: &Package, sample: &mut SampleResult) {
        if sample.label.is_empty() {
            return;
        }
        for _ in 0..sample.sub_results.len().max(1) {
            self.evaluate(|runner| runner.name_sampler(package)).await;
        }
        sample.label = Text::Shared(self.user.cx.sampler_name.clone());
    }

    fn name_sampler(&mut self, package: &Package) {
        self.user.cx.sampler_name = package.name.eval_value(&mut self.user.cx);
    }

    /// Stores the sampler of the finished package, and that of the next one.
    fn keep_samplers(&mut self, program: &GroupProgram, next: &Package) {
        let number = self.user.package;
        let before = self.last_package.map(|id| Box::new(self.kept(&program.packages[id as usize], number)));
        let now = Some(Box::new(self.kept(next, number + 1)));
        *self.user.kept_samplers() = StoredSamplers { now, before };
    }

    fn kept(&mut self, package: &Package, number: u64) -> SamplerSnapshot {
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

    /// A pre-processor. One that asks to stop ends the package, as its exception does in JMeter.
    async fn before(&mut self, package: &Package, step: &Rc<Before>) -> bool {
        self.user.cx.begin_evaluation();
        loop {
            match &**step {
                Before::Native(step) => step.process(&mut self.user.cx),
                Before::Foreign(step) => {
                    if step.reads_request() {
                        self.show_coming_sampler(package);
                    }
                    let (done, waited) = until_stopped(&self.group, step.run(&mut self.user, None)).await;
                    self.waited_if(waited);
                    if !done {
                        return false;
                    }
                    self.change_managers(package);
                }
            }
            if !(self.is_suspended() && self.answered(None).await) {
                break;
            }
        }
        match self.user.cx.stop.take() {
            Some(stop) => {
                self.stop(stop);
                false
            }
            None => !self.has_thrown(package),
        }
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
    fn tell_thrown(&mut self, package: &Package) {
        let cx = &mut self.user.cx;
        let Some(thrown) = cx.thrown.take() else { return };
        if thrown.class == Thrown::ENDS_USER {
            return self.stop(StopRequest::User);
        }
        if thrown.class == Thrown::STOP_THREAD {
            cx.host.log(LogLevel::Info, &format!("Stopping Thread: {thrown}"));
            self.running = false;
            return;
        }
        let name = package.name.eval(cx);
        if cx.is_suspended() {
            // The exception is reported to the user, which waits for nothing more.
            cx.abandon();
        }
        let message = format!("{}: Error while processing sampler: '{name}'. {thrown}", cx.user.thread_name);
        cx.host.log(LogLevel::Error, &message);
        if cx.thrown.take().is_some() {
            cx.run.faults.note(&thrown.to_string());
            self.running = false;
        }
    }

    /// When the coming sample is interrupted: the first of the Sample Timeouts that are set.
    fn interrupt_at(&mut self, program: &GroupProgram) -> i64 {
        let cx = &mut self.user.cx;
        let times_ms = program.timeouts.iter().map(|timeout| number::long(&timeout.eval(cx)));
        let first_ms = times_ms.filter(|ms| *ms > 0).min();
        first_ms.map_or(i64::MAX, |ms| swell_net::now_ns().saturating_add(ms.saturating_mul(MS)))
    }

    /// The sampler itself, cut if the test stops at once.
    async fn take_sample(&mut self, package: &Package) -> Option<Box<SampleResult>> {
        self.samples_since_yield += 1;
        self.user.cx.begin_evaluation();
        let result = loop {
            let future = package.sampler.sample(&mut self.user);
            let WaitResult { value: result, waited, .. } =
                unless(&self.group, StopMode::Immediate, future).await;
            if waited {
                self.samples_since_yield = 0;
            }
            if !(self.is_suspended() && self.answered(None).await) {
                break result;
            }
        };
        let ready_ns = self.user.ready_ns;
        let worker = &*self.group.worker;
        let Some(result) = result else {
            worker.cut.set(worker.cut.get() + 1);
            // This time was not lost to the user: it was spent in the sample, as far as that got.
            worker.time_accounting.samples(swell_net::now_ns() - ready_ns);
            return None;
        };
        let Some(sample) = result else {
            // A pause of the plan, which continues until the user is free.
            worker.time_accounting.waits(self.user.free_ns - ready_ns);
            if self.user.free_ns > swell_net::now_ns() {
                self.idle_until(self.user.free_ns).await;
            }
            return None;
        };
        Some(self.taken(sample))
    }

    /// Notes that a sample was taken, and when it was wanted.
    #[inline]
    pub(super) fn taken(&mut self, mut sample: Box<SampleResult>) -> Box<SampleResult> {
        let worker = &*self.group.worker;
        worker.samples.set(worker.samples.get() + 1);
        let User { intended_ns, ready_ns, scheduled, .. } = self.user;
        let timing = &mut sample.timing;
        let could_ns = self.lateness.started(intended_ns, ready_ns, scheduled, timing.start_ns);
        (timing.intended_ns, timing.ready_ns, timing.scheduled) = (intended_ns, could_ns, scheduled);
        worker.time_accounting.samples(timing.end_ns - timing.start_ns);
        self.user.free_ns = sample.timing.end_ns.max(self.user.free_ns);
        if let Some(charset) = worker.fallback_charset {
            sample.set_fallback_charset(charset);
        }
        // An HTTP sample that never had a URL has no name in JMeter either.
        if sample.label.is_empty() && sample.http.is_none() {
            sample.label = Text::Shared(self.user.cx.sampler_name.clone());
        }
        sample
    }

    /// The sample goes to its transaction, and stays as `prev` where that is read.
    fn hand_over(&mut self, program: &GroupProgram, result: Box<SampleResult>, inside: Option<ControlId>) {
        match inside.filter(|_| !result.ignore) {
            Some(id) => {
                if program.keeps_previous {
                    self.user.previous = Some(result.clone());
                }
                self.walk(|walk| {
                    if let Some(running) = walk.transaction(id) {
                        running.add(*result);
                    }
                });
            }
            None if program.keeps_previous => self.user.previous = Some(result),
            None => result.give_back(),
        }
    }

    pub(super) fn waited_if(&mut self, waited: bool) {
        if waited {
            self.waited();
        }
    }
}

/// Runs a step; whether it was done before the test stopped at once, and whether it had to be
/// waited for. What works for it elsewhere learns that its result is no longer awaited when its
/// future is dropped ([`swell_api::Cancel`]).
pub(super) async fn until_stopped(group: &GroupRun, step: StepProgress<'_>) -> (bool, bool) {
    match step {
        StepProgress::Done(()) => (true, false),
        StepProgress::Pending(work) => {
            let WaitResult { value: done, waited, .. } = unless(group, StopMode::Immediate, work).await;
            (done.is_some(), waited)
        }
    }
}
