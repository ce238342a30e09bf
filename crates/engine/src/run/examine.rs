//! Processes a finished sample: post-processors, assertions, listeners.

use std::rc::Rc;

use swell_api::{SampleEvent, SampleResult};
use swell_expr::{StopRequest, Thrown};

use super::steps;
use super::walker::Walker;
use crate::program::{GroupProgram, OnError, Package, SampleListener};

impl Walker {
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
                if !steps::after(&mut self.task, step, package, result).await {
                    return self.cut();
                }
                if self.task.has_thrown(package) {
                    return None;
                }
            }
            for check in &package.checks {
                if !steps::check(&mut self.task, check, Some(package), result).await {
                    return self.cut();
                }
                let ends =
                    self.task.user.cx.thrown.as_ref().is_some_and(|thrown| thrown.class == Thrown::ENDS_USER);
                if ends && self.task.has_thrown(package) {
                    return None;
                }
            }
        }
        self.task.set_last_sample_ok(result.success);
        if result.ignore {
            return Some(false);
        }
        let told = steps::notify_waiting(
            &mut self.task,
            package.waiting_listeners_of(inside),
            Some(package),
            result,
        )
        .await;
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
        self.task.set_last_sample_ok(result.success);
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
        self.act_on(self.task.on_error(program));
        self.act_on(on_failure);
        if let OnError::Loop(action) = on_failure {
            self.task.user.action = action;
        }
        let asked_ns = self.task.worker().program.listeners.iter().map(|listener| listener.pause_ns());
        asked_ns.max().filter(|pause_ns| *pause_ns > 0)
    }

    /// Completes the sample, and shows it to what reads `prev`.
    fn show_finished(&mut self, program: &GroupProgram, result: &mut SampleResult) {
        self.task.fill_threads(result);
        if program.reads_previous {
            self.task.user.cx.previous = Some(Rc::new(result.body_text().into_owned()));
        }
    }

    /// The test stopped at once while a sample was being checked: it is in no results.
    fn cut(&mut self) -> Option<bool> {
        let worker = &*self.task.group.worker;
        worker.samples.set(worker.samples.get() - 1);
        worker.cut.set(worker.cut.get() + 1);
        None
    }

    fn act_on(&mut self, on_error: OnError) {
        match on_error {
            OnError::StopUser => self.task.stop(StopRequest::User),
            OnError::StopTest => self.task.stop(StopRequest::Test),
            OnError::StopTestNow => self.task.stop(StopRequest::TestNow),
            OnError::Continue | OnError::Loop(_) => {}
        }
    }

    /// Tells all listeners of a sample; gives what a Result Status Action Handler wants to be done.
    pub(super) fn notify(
        &mut self,
        sample_listeners: &[SampleListener],
        result: &mut SampleResult,
    ) -> OnError {
        let mut wanted = OnError::Continue;
        if let Some(branch) = self.task.branch.as_deref().filter(|branch| branch.collects) {
            branch.heard.borrow_mut().push(result.clone());
            self.notify_of_part(sample_listeners, result);
            return wanted;
        }
        for sample_listener in sample_listeners {
            match *sample_listener {
                SampleListener::Reading(place) => {
                    let event = SampleEvent { sample: result, cx: &self.task.user.cx };
                    self.task.group.worker.program.listeners[place as usize].sample(&event);
                }
                SampleListener::Inner(place) => {
                    let event = SampleEvent { sample: result, cx: &self.task.user.cx };
                    self.task.group.worker.program.listeners[place as usize].inner_sample(&event);
                }
                SampleListener::Mutating(place) => {
                    let listener = self.task.group.worker.program.listeners[place as usize].clone();
                    listener.change(&mut self.task.user.cx, result);
                }
                SampleListener::Transaction(id) => match &self.task.branch {
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
        let event = SampleEvent { sample: result, cx: &self.task.user.cx };
        for sample_listener in sample_listeners {
            if let SampleListener::Reading(place) | SampleListener::Inner(place) = *sample_listener {
                self.task.group.worker.program.listeners[place as usize].inner_sample(&event);
            }
        }
    }
}
