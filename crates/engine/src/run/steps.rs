//! Steps of a sample package, each done once more where a function in it was answered.

use std::rc::Rc;

use swell_api::{SampleResult, StepProgress};

use super::group_run::GroupRun;
use super::interrupt::{WaitResult, unless};
use super::live::StopMode;
use super::task::UserTask;
use crate::program::{After, Before, Check, Package, WaitingListener};

/// A pre-processor. One that asks to stop ends the package, as its exception does in JMeter.
pub(super) async fn before(task: &mut UserTask, package: &Package, step: &Rc<Before>) -> bool {
    task.user.cx.begin_evaluation();
    loop {
        match &**step {
            Before::Native(step) => step.process(&mut task.user.cx),
            Before::Foreign(step) => {
                if step.reads_request() {
                    task.show_coming_sampler(package);
                }
                let (done, waited) = until_stopped(&task.group, step.run(&mut task.user, None)).await;
                task.waited_if(waited);
                if !done {
                    return false;
                }
                task.change_managers(package);
            }
        }
        if !(task.is_suspended() && task.answered(None).await) {
            break;
        }
    }
    match task.user.cx.stop.take() {
        Some(stop) => {
            task.stop(stop);
            false
        }
        None => !task.has_thrown(package),
    }
}

/// A post-processor. False if the test stopped at once before it was done.
pub(super) async fn after(
    task: &mut UserTask,
    step: &Rc<After>,
    package: &Package,
    result: &mut SampleResult,
) -> bool {
    task.user.cx.begin_evaluation();
    loop {
        let run = match &**step {
            After::Native(step) => step.process(&mut task.user.cx, result),
            After::Foreign(step) => {
                if step.reads_request() {
                    task.show_sampler(package);
                }
                step.run(&mut task.user, Some(result))
            }
        };
        let (done, waited) = until_stopped(&task.group, run).await;
        task.waited_if(waited);
        task.change_managers(package);
        if !(done && task.is_suspended() && task.answered(Some(result)).await) {
            return done;
        }
    }
}

/// An assertion; of a transaction without package. False if the test stopped at once before it
/// was done.
pub(super) async fn check(
    task: &mut UserTask,
    check: &Rc<Check>,
    package: Option<&Package>,
    result: &mut SampleResult,
) -> bool {
    task.user.cx.begin_evaluation();
    // Samples below it may be judged before an answer is missing.
    let may_begin_anew = task.user.cx.may_be_suspended() && !result.sub_results.is_empty();
    let before = may_begin_anew.then(|| Box::new(result.clone()));
    loop {
        if let Some(package) = package.filter(|_| check.reads_request()) {
            task.show_sampler(package);
        }
        let run = match &**check {
            Check::Native(check) => swell_api::run_assertion(&**check, &mut task.user.cx, result),
            Check::Foreign(step) => step.run(&mut task.user, Some(result)),
        };
        let (done, waited) = until_stopped(&task.group, run).await;
        task.waited_if(waited);
        if let Some(package) = package {
            task.change_managers(package);
        }
        if !(done && task.is_suspended() && task.answered(Some(result)).await) {
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
    task: &mut UserTask,
    waiting_listeners: &[WaitingListener],
    package: Option<&Package>,
    result: &mut SampleResult,
) -> bool {
    for step in waiting_listeners {
        task.user.cx.begin_evaluation();
        loop {
            if let Some(package) = package.filter(|_| step.reads_request()) {
                task.show_sampler(package);
            }
            let run = step.run(&mut task.user, Some(result));
            let (done, waited) = until_stopped(&task.group, run).await;
            task.waited_if(waited);
            if !done {
                return false;
            }
            if let Some(package) = package {
                task.change_managers(package);
            }
            if !(task.is_suspended() && task.answered(Some(result)).await) {
                break;
            }
        }
    }
    true
}

/// Runs a step. Returns whether it was done before the test stopped at once, and whether it had to
/// be awaited. Dropping its future cancels work on other threads ([`swell_api::Cancel`]).
pub(super) async fn until_stopped(group: &GroupRun, step: StepProgress<'_>) -> (bool, bool) {
    match step {
        StepProgress::Done(()) => (true, false),
        StepProgress::Pending(work) => {
            let WaitResult { value: done, waited, .. } = unless(group, StopMode::Immediate, work).await;
            (done.is_some(), waited)
        }
    }
}
