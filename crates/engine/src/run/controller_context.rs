//! What the controllers of a user can read and do.

use std::sync::Arc;

use swell_api::{SampleEvent, SampleResult, UserState};
use swell_expr::Context;

use super::branch_context::BranchContext;
use super::group_run::GroupRun;
use super::locks::UserKey;
use super::worker::Worker;
use crate::control::{ControllerContext, Late};
use crate::program::{GroupProgram, SampleListener};

pub(super) struct UserControllerContext<'a> {
    pub(super) worker: &'a Worker,
    pub(super) run: &'a GroupRun,
    pub(super) group: &'a GroupProgram,
    pub(super) states: &'a mut Vec<Box<dyn UserState>>,
    /// The package that ran last; transactions without parent sample report to its
    /// sample_listeners.
    pub(super) last_package: Option<u32>,
    pub(super) key: UserKey,
    pub(super) branch: Option<&'a BranchContext>,
    pub(super) late: &'a mut Vec<Late>,
}

impl ControllerContext for UserControllerContext<'_> {
    fn now_ns(&self) -> i64 {
        swell_net::now_ns()
    }

    fn user_iteration(&mut self, cx: &mut Context) {
        cx.iteration += 1;
        for state in &mut *self.states {
            state.iteration_start(self.group.same_user);
        }
    }

    fn element_iteration(&mut self, element: u32, cx: &mut Context) {
        self.group.elements[element as usize].iteration_start(cx);
    }

    fn transaction_done(&mut self, mut result: SampleResult, cx: &mut Context) {
        // Before the first sample there is no receiver.
        let Some(package) = self.last_package else { return };
        // It tells the listeners of the package itself, and those of a branch with a sample of the
        // whole are none.
        if self.branch.is_some_and(|branch| branch.collects) {
            return;
        }
        let listeners = &self.worker.program.listeners;
        for sample_listener in &self.group.packages[package as usize].sample_listeners {
            match sample_listener {
                SampleListener::Reading(place) => {
                    listeners[*place as usize].sample(&SampleEvent { sample: &result, cx });
                }
                SampleListener::Mutating(place) => listeners[*place as usize].change(cx, &mut result),
                SampleListener::Inner(_) | SampleListener::Transaction(_) | SampleListener::OnError(_) => {}
            }
        }
        if !self.group.packages[package as usize].waiting_listeners.is_empty() {
            self.later(Late::Done(package, Box::new(result)));
        }
    }

    fn part_done(&mut self, result: &SampleResult, cx: &mut Context) {
        let Some(package) = self.last_package else { return };
        let listeners = &self.worker.program.listeners;
        for sample_listener in &self.group.packages[package as usize].sample_listeners {
            if let SampleListener::Reading(place) = sample_listener {
                listeners[*place as usize].inner_sample(&SampleEvent { sample: result, cx });
            }
        }
    }

    fn is_over(&self) -> bool {
        self.run.is_over()
    }

    fn is_one_too_many(&self) -> bool {
        self.run.is_one_too_many()
    }

    fn try_lock(&mut self, name: &Arc<str>) -> bool {
        self.worker.locks.try_lock(name, self.key)
    }

    fn unlock(&mut self, name: &Arc<str>) {
        self.worker.locks.unlock(name, self.key);
    }

    fn later(&mut self, what: Late) {
        self.late.push(what);
    }
}
