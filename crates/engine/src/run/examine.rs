//! What is made of a sample that was taken: post-processors, assertions, listeners.

use std::rc::Rc;

use swell_api::{SampleEvent, SampleResult, Text};
use swell_expr::{RunningUsers, StopRequest, Thrown};

use super::sample::until_stopped;
use super::user::Runner;
use crate::program::{After, Check, GroupProgram, OnError, Package, SampleListener, WaitingListener};

impl Runner {
    /// Post-processors, assertions, and listeners that may wait; whether all listeners hear of the
    /// sample, none if it ends there.
    pub(super) async fn examine(
        &mut self,
        program: &GroupProgram,
        package: &Package,
        result: &mut SampleResult,
        inside: bool,
    ) -> Option<bool> {
        if !result.ignore {
            self.show_finished(program, result);
            for step in &package.after {
                if !self.after(step, package, result).await {
                    return self.cut();
                }
                if self.has_thrown(package) {
                    return None;
                }
            }
            for check in &package.checks {
                if !self.check(check, Some(package), result).await {
                    return self.cut();
                }
                let ends =
                    self.user.cx.thrown.as_ref().is_some_and(|thrown| thrown.class == Thrown::ENDS_USER);
                if ends && self.has_thrown(package) {
                    return None;
                }
            }
        }
        self.set_last_sample_ok(result.success);
        if result.ignore {
            return Some(false);
        }
        let told = self.notify_waiting(package.waiting_listeners_of(inside), Some(package), result).await;
        if !told {
            return self.cut();
        }
        // What a listener hides is hidden from the transaction around it only.
        Some(true)
    }

    /// As [`Self::examine`], where there is nothing of that.
    pub(super) fn pass_unexamined(&mut self, program: &GroupProgram, result: &mut SampleResult) -> bool {
        if !result.ignore {
            self.show_finished(program, result);
        }
        self.set_last_sample_ok(result.success);
        !result.ignore
    }

    /// Tells listeners of a sample that was examined, and does what the plan wants where it failed.
    /// Gives how long the user is to pause.
    pub(super) fn tell(
        &mut self,
        program: &GroupProgram,
        package: &Package,
        result: &mut SampleResult,
        inside: bool,
        is_heard: bool,
    ) -> Option<i64> {
        let on_failure =
            if is_heard { self.notify(package.listeners_of(inside), result) } else { OnError::Continue };
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

    /// The test stopped at once while a sample was being checked: it is in no results.
    fn cut(&mut self) -> Option<bool> {
        let worker = &*self.group.worker;
        worker.samples.set(worker.samples.get() - 1);
        worker.cut.set(worker.cut.get() + 1);
        None
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

    /// An assertion; of a transaction without package. False if the test stopped at once before it
    /// was done.
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

    /// Calls listeners that may wait, for a transaction without package. False if the test stopped
    /// at once before all were called.
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

    fn act_on(&mut self, on_error: OnError) {
        match on_error {
            OnError::StopUser => self.stop(StopRequest::User),
            OnError::StopTest => self.stop(StopRequest::Test),
            OnError::StopTestNow => self.stop(StopRequest::TestNow),
            OnError::Continue | OnError::Loop(_) => {}
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

    /// Tells all listeners of a sample; gives what a Result Status Action Handler wants to be done.
    pub(super) fn notify(
        &mut self,
        sample_listeners: &[SampleListener],
        result: &mut SampleResult,
    ) -> OnError {
        let mut wanted = OnError::Continue;
        if let Some(branch) = self.branch.as_deref().filter(|branch| branch.collects) {
            branch.heard.borrow_mut().push(result.clone());
            self.notify_of_part(sample_listeners, result);
            return wanted;
        }
        for sample_listener in sample_listeners {
            match *sample_listener {
                SampleListener::Reading(place) => {
                    let event = SampleEvent { sample: result, cx: &self.user.cx };
                    self.group.worker.program.listeners[place as usize].sample(&event);
                }
                SampleListener::Inner(place) => {
                    let event = SampleEvent { sample: result, cx: &self.user.cx };
                    self.group.worker.program.listeners[place as usize].inner_sample(&event);
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

    /// Tells those who count parts of a sample that is reported only within a larger one.
    pub(super) fn notify_of_part(&self, sample_listeners: &[SampleListener], result: &SampleResult) {
        let event = SampleEvent { sample: result, cx: &self.user.cx };
        for sample_listener in sample_listeners {
            if let SampleListener::Reading(place) | SampleListener::Inner(place) = *sample_listener {
                self.group.worker.program.listeners[place as usize].inner_sample(&event);
            }
        }
    }
}

fn fill(result: &mut SampleResult, name: &Rc<str>, users: RunningUsers) {
    result.thread_name = Text::Shared(name.clone());
    result.group_threads = users.group;
    result.all_threads = users.all;
}
