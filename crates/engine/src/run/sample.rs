//! One sample package: `JMeterThread.executeSamplePackage`.

use std::rc::Rc;

use swell_api::{RequestTexts, SampleEvent, SampleResult, SamplerShown, StepRun, Text, User};
use swell_expr::{Level as LogLevel, RunningUsers, StopRequest, Thrown};

use super::group_run::GroupRun;
use super::interrupt::{Awaited, unless};
use super::live::StopMode;
use super::user::Runner;
use crate::control::{ControlId, SamplerId};
use crate::number;
use crate::program::{After, Before, Check, GroupProgram, OnError, Package, SampleListener, WaitingListener};
use crate::timer::MS;

impl Runner {
    /// Runs a package: pre-processors, timers, the sampler, post-processors, assertions, listeners. `inside` is the
    /// innermost transaction with parent sample around it. What need not wait is no asynchronous function: those cost also where there is
    /// nothing to do in them.
    pub(super) async fn sample(&mut self, program: &GroupProgram, id: SamplerId, inside: Option<ControlId>) {
        let package = &program.packages[id.0 as usize];
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
            let goes_on = if package.is_examined() {
                self.examine(program, package, &mut result).await
            } else {
                self.pass_unexamined(program, &mut result);
                true
            };
            if goes_on {
                if let Some(pause_ns) = self.tell(program, package, &mut result, inside.is_some()) {
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

    /// JMeter asks an HTTP sampler for its name for each exchange, and again when the sample is there
    /// (`HTTPSamplerBase.sample`).
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

    /// Shows the sampler to a step before it.
    pub(super) fn show_coming_sampler(&mut self, package: &Package) {
        if package.constant_name.is_none() && !self.user.request.is_renamed(self.user.package) {
            self.name_sampler(package);
        }
        self.show_sampler(package);
    }

    /// Shows the sampler to a step of its package.
    fn show_sampler(&mut self, package: &Package) {
        let properties = |user: &mut User| package.properties.as_ref().map(|all| all.now(&mut user.cx));
        let shown = match package.sampler.request(&mut self.user) {
            Some(request) => {
                let others = package.properties.as_ref().map(|all| all.constant()).unwrap_or_default();
                SamplerShown::Request(Box::new(RequestTexts { others, ..request }))
            }
            None => properties(&mut self.user).map_or(SamplerShown::No, SamplerShown::Properties),
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

    /// Whether a function has thrown. In JMeter the exception ends the sample package (`JMeterThread.processSampler`):
    /// nobody hears of the sample, and the user goes on.
    #[inline]
    fn has_thrown(&mut self, package: &Package) -> bool {
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
        if thrown.class == Thrown::STOP_THREAD {
            cx.host.log(LogLevel::Info, &format!("Stopping Thread: {thrown}"));
            self.running = false;
            return;
        }
        let name = package.name.eval(cx);
        if cx.is_suspended() {
            // The user is told of the exception, and waits for nothing more.
            cx.abandon();
        }
        let message = format!("{}: Error while processing sampler: '{name}'. {thrown}", cx.user.thread_name);
        cx.host.log(LogLevel::Error, &message);
        if cx.thrown.take().is_some() {
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
            let Awaited { value: result, waited, .. } =
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
            // Nobody took this time from the user: it was spent in the sample, as far as that came.
            worker.time_accounting.samples(swell_net::now_ns() - ready_ns);
            return None;
        };
        let Some(sample) = result else {
            // A pause of the plan, which goes on until the user is free.
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

    /// Post-processors, assertions, and listeners that may wait; false if the sample ends there.
    async fn examine(
        &mut self,
        program: &GroupProgram,
        package: &Package,
        result: &mut SampleResult,
    ) -> bool {
        if !result.ignore {
            self.show_finished(program, result);
            for step in &package.after {
                if !self.after(step, package, result).await {
                    return self.cut();
                }
                if self.has_thrown(package) {
                    return false;
                }
            }
            for check in &package.checks {
                if !self.check(check, Some(package), result).await {
                    return self.cut();
                }
            }
        }
        self.set_last_sample_ok(result.success);
        result.ignore
            || self.notify_waiting(&package.waiting_listeners, Some(package), result).await
            || self.cut()
    }

    /// As [`Self::examine`], where there is nothing of that.
    fn pass_unexamined(&mut self, program: &GroupProgram, result: &mut SampleResult) {
        if !result.ignore {
            self.show_finished(program, result);
        }
        self.set_last_sample_ok(result.success);
    }

    /// Tells listeners of a sample that was examined, and does what the plan wants where it failed. Gives how long the user is to pause.
    fn tell(
        &mut self,
        program: &GroupProgram,
        package: &Package,
        result: &mut SampleResult,
        inside: bool,
    ) -> Option<i64> {
        let on_failure =
            if result.ignore { OnError::Continue } else { self.notify(package.listeners_of(inside), result) };
        if result.success { None } else { self.act_on_failure(program, on_failure) }
    }

    fn act_on_failure(&mut self, program: &GroupProgram, on_failure: OnError) -> Option<i64> {
        self.act_on(self.on_error(program));
        self.act_on(on_failure);
        if let OnError::Loop(action) = on_failure {
            self.user.action = action;
        }
        let asked_ns = self.worker().program.listeners.iter().map(|listener| listener.pause_ns());
        asked_ns.max().filter(|pause_ns| *pause_ns > 0)
    }

    /// Completes the sample, and shows it to what reads `prev`.
    fn show_finished(&mut self, program: &GroupProgram, result: &mut SampleResult) {
        self.fill_threads(result);
        if program.reads_previous {
            self.user.cx.previous = Some(result.body_text().into());
        }
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

    /// The test stopped at once while a sample was being checked: it is in no results.
    fn cut(&mut self) -> bool {
        let worker = &*self.group.worker;
        worker.samples.set(worker.samples.get() - 1);
        worker.cut.set(worker.cut.get() + 1);
        false
    }

    /// A post-processor. False if the test stopped at once before it was done.
    async fn after(&mut self, step: &Rc<After>, package: &Package, result: &mut SampleResult) -> bool {
        self.user.cx.begin_evaluation();
        loop {
            let run = match &**step {
                After::Native(step) => step.process(&mut self.user.cx, result),
                After::Foreign(step) => {
                    if step.reads_request() {
                        self.show_sampler(package);
                    }
                    step.run(&mut self.user, Some(result))
                }
            };
            let (done, waited) = until_stopped(&self.group, run).await;
            self.waited_if(waited);
            self.change_managers(package);
            if !(done && self.is_suspended() && self.answered(Some(result)).await) {
                return done;
            }
        }
    }

    /// An assertion; of a transaction without package. False if the test stopped at once before it was done.
    pub(super) async fn check(
        &mut self,
        check: &Rc<Check>,
        package: Option<&Package>,
        result: &mut SampleResult,
    ) -> bool {
        self.user.cx.begin_evaluation();
        // Samples below it may be judged before an answer is missing.
        let may_begin_anew = self.user.cx.may_be_suspended() && !result.sub_results.is_empty();
        let before = may_begin_anew.then(|| Box::new(result.clone()));
        loop {
            if let Some(package) = package.filter(|_| check.reads_request()) {
                self.show_sampler(package);
            }
            let run = match &**check {
                Check::Native(check) => swell_api::run_assertion(&**check, &mut self.user.cx, result),
                Check::Foreign(step) => step.run(&mut self.user, Some(result)),
            };
            let (done, waited) = until_stopped(&self.group, run).await;
            self.waited_if(waited);
            if let Some(package) = package {
                self.change_managers(package);
            }
            if !(done && self.is_suspended() && self.answered(Some(result)).await) {
                return done;
            }
            if let Some(before) = &before {
                result.sub_results.clone_from(&before.sub_results);
                result.assertions.clone_from(&before.assertions);
                result.success = before.success;
            }
        }
    }

    /// Tells listeners that may wait; of a transaction without package. False if the test stopped at once before all were told.
    pub(super) async fn notify_waiting(
        &mut self,
        waiting_listeners: &[WaitingListener],
        package: Option<&Package>,
        result: &mut SampleResult,
    ) -> bool {
        for step in waiting_listeners {
            self.user.cx.begin_evaluation();
            loop {
                if let Some(package) = package.filter(|_| step.reads_request()) {
                    self.show_sampler(package);
                }
                let run = step.run(&mut self.user, Some(result));
                let (done, waited) = until_stopped(&self.group, run).await;
                self.waited_if(waited);
                if !done {
                    return false;
                }
                if let Some(package) = package {
                    self.change_managers(package);
                }
                if !(self.is_suspended() && self.answered(Some(result)).await) {
                    break;
                }
            }
        }
        true
    }

    fn waited_if(&mut self, waited: bool) {
        if waited {
            self.waited();
        }
    }

    fn act_on(&mut self, on_error: OnError) {
        match on_error {
            OnError::StopUser => self.stop(StopRequest::User),
            OnError::StopTest => self.stop(StopRequest::Test),
            OnError::StopTestNow => self.stop(StopRequest::TestNow),
            OnError::Continue | OnError::Loop(_) => {}
        }
    }

    /// Thread name and numbers of active users (`fillThreadInformation`): in the sample of a sampler, and the first level
    /// below it.
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

    /// Tells all listeners of a sample; gives what a Result Status Action Handler wants to be done.
    pub(super) fn notify(
        &mut self,
        sample_listeners: &[SampleListener],
        result: &mut SampleResult,
    ) -> OnError {
        let mut wanted = OnError::Continue;
        if let Some(branch) = self.branch.as_deref().filter(|branch| branch.collects) {
            branch.heard.borrow_mut().push(result.clone());
            return wanted;
        }
        for sample_listener in sample_listeners {
            match *sample_listener {
                SampleListener::Reading(place) => {
                    let event = SampleEvent { sample: result, cx: &self.user.cx };
                    self.group.worker.program.listeners[place as usize].sample(&event);
                }
                SampleListener::Mutating(place) => {
                    let listener = self.group.worker.program.listeners[place as usize].clone();
                    listener.change(&mut self.user.cx, result);
                }
                SampleListener::Transaction(id) => match &self.branch {
                    Some(branch) if !branch.own.contains(&id.0) => branch.tell(id, result),
                    _ => self.walk(|walk| walk.sample_occurred(id, result)),
                },
                SampleListener::OnError(action) if !result.success => wanted = action,
                SampleListener::OnError(_) => {}
            }
        }
        wanted
    }
}

/// Runs a step; whether it was done before the test stopped at once, and whether it had to be waited for. What works for it elsewhere learns
/// that nobody waits any more when its future is dropped ([`swell_api::Cancel`]).
async fn until_stopped(group: &GroupRun, step: StepRun<'_>) -> (bool, bool) {
    match step {
        StepRun::Done(()) => (true, false),
        StepRun::Pending(work) => {
            let Awaited { value: done, waited, .. } = unless(group, StopMode::Immediate, work).await;
            (done.is_some(), waited)
        }
    }
}

fn fill(result: &mut SampleResult, name: &Rc<str>, users: RunningUsers) {
    result.thread_name = Text::Shared(name.clone());
    result.group_threads = users.group;
    result.all_threads = users.all;
}
