//! A user's walk through the controllers: they are asked what is next, and what they wait for is
//! waited for.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use swell_expr::{Level as LogLevel, Thrown};

use super::controller_context::UserControllerContext;
use super::locks::UserKey;
use super::steps::{self, until_stopped};
use super::task::UserTask;
use crate::control::{ControlId, Halt, Kind, Late, Next, State, Walk};

/// What controllers answer.
type NextResult = Result<Option<Next>, Halt>;

/// The user is at its end.
pub(super) struct EndOfUser;

/// A user with what its controllers keep.
pub(super) struct Walker {
    pub(super) task: UserTask,
    pub(super) states: Vec<State>,
    pub(super) last_package: Option<u32>,
    pub(super) key: UserKey,
    /// Where its walk starts: the thread group, or a branch of a Parallel Controller.
    pub(super) root: ControlId,
    /// Texts that controllers have left to be evaluated.
    pub(super) late: Vec<Late>,
}

impl Walker {
    /// Something on the user's walk through the controllers.
    pub(super) fn walk<T>(&mut self, what: impl FnOnce(&mut Walk<'_>) -> T) -> T {
        let task = &mut self.task;
        let program = &*task.group.program;
        let mut out = UserControllerContext {
            worker: &task.group.worker,
            run: &task.group,
            group: program,
            states: &mut task.user.states,
            last_package: self.last_package,
            key: self.key,
            branch: task.branch.as_deref(),
            late: &mut self.late,
        };
        let states = &mut self.states[..];
        let cx = &mut task.user.cx;
        what(&mut Walk { controls: &program.controls, states, cx, out: &mut out })
    }

    /// Evaluates something until all that it calls is answered. It has no effect before that but on
    /// what it can do once more.
    pub(super) async fn evaluate<T>(&mut self, mut what: impl FnMut(&mut Self) -> T) -> T {
        self.task.user.cx.begin_evaluation();
        loop {
            let value = what(self);
            if !(self.task.is_suspended() && self.task.answered(None).await) {
                return value;
            }
        }
    }

    /// The next sampler or transaction, where there is nothing to wait for or to do before it. Else
    /// what was found so far, for [`Self::next`] to continue with.
    pub(super) fn next_at_once(&mut self) -> Result<Option<Next>, Option<NextResult>> {
        self.task.user.cx.begin_evaluation();
        self.task.user.cx.files_read.release();
        if self.task.user.cx.backlog.get().is_some() {
            return Err(None);
        }
        let root = self.root;
        let found = self.walk(|walk| walk.next(root));
        let cx = &self.task.user.cx;
        let is_settled =
            !cx.is_suspended() && self.late.is_empty() && cx.stop.is_none() && cx.thrown.is_none();
        match found {
            Ok(next) if is_settled => Ok(next),
            found => Err(Some(found)),
        }
    }

    /// The next sampler or transaction; waits for locks. `found`: what was found already.
    pub(super) async fn next(&mut self, mut found: Option<NextResult>) -> Result<Option<Next>, EndOfUser> {
        loop {
            if found.is_none() && self.task.user.cx.backlog.get().is_some() {
                // What happens seldom is boxed, so that users are small.
                Box::pin(self.task.wait_for_writers()).await;
            }
            let root = self.root;
            let found = found.take().unwrap_or_else(|| self.walk(|walk| walk.next(root)));
            if self.task.is_suspended() && self.task.answered(None).await {
                continue;
            }
            if found.is_ok() && !self.late.is_empty() {
                self.evaluate_late().await;
            }
            if let Some(stop) = self.task.user.cx.stop.take() {
                self.task.stop(stop);
                return Err(EndOfUser);
            }
            if let Some(thrown) = self.task.user.cx.thrown.take() {
                return Err(self.failed(&thrown));
            }
            match found {
                Ok(next) => return Ok(next),
                Err(Halt::Stop(stop)) => {
                    self.task.stop(stop);
                    return Err(EndOfUser);
                }
                Err(Halt::Wait(lock)) => Box::pin(self.wait_for_lock(&lock)).await?,
                // Its answer is there, or the user ends.
                Err(Halt::Suspended) => {}
                Err(Halt::Hear) => self.hear().await?,
                Err(Halt::Barren(control)) => return Err(self.empty_iterations(control)),
            }
        }
    }

    /// A controller, or what its iteration drives, cannot be evaluated: in JMeter the exception
    /// ends the thread.
    pub(super) fn failed(&mut self, thrown: &Thrown) -> EndOfUser {
        self.task.tell_of_failure(thrown);
        self.task.running = false;
        EndOfUser
    }

    /// Has the elements that run elsewhere hear of the iterations that begin. What happens seldom
    /// is boxed, so that users are small.
    pub(super) fn hear(&mut self) -> Pin<Box<dyn Future<Output = Result<(), EndOfUser>> + '_>> {
        Box::pin(async move {
            let program = self.task.group.program.clone();
            let before_ns = self.task.user.free_ns.max(self.task.user.ready_ns);
            let mut done = true;
            for element in &program.elements {
                if self.task.user.cx.unheard.is_empty() {
                    break;
                }
                done &= until_stopped(&self.task.group, element.hear(&mut self.task.user)).await.0;
            }
            self.task.user.cx.unheard = Box::default();
            self.task.waited_since(before_ns);
            if !done {
                return Err(EndOfUser);
            }
            if let Some(stop) = self.task.user.cx.stop.take() {
                self.task.stop(stop);
                return Err(EndOfUser);
            }
            match self.task.user.cx.thrown.take() {
                Some(thrown) => Err(self.failed(&thrown)),
                None => Ok(()),
            }
        })
    }

    pub(super) async fn wait_for_lock(&mut self, name: &Arc<str>) -> Result<(), EndOfUser> {
        let (sender, mut receiver) = swell_net::channel();
        if self.task.worker().locks.ask(name, self.key, sender) {
            return Ok(());
        }
        if self.task.wait(std::pin::pin!(receiver.recv())).await.is_some() {
            self.task.waited();
            return Ok(());
        }
        self.task.worker().locks.give_up(name, self.key);
        self.task.waited();
        Err(EndOfUser)
    }

    pub(super) fn empty_iterations(&mut self, control: ControlId) -> EndOfUser {
        let program = self.task.group.program.clone();
        let cx = &mut self.task.user.cx;
        let name = program.controls[control.0 as usize].name.eval(cx).into_owned();
        let user = &cx.user.thread_name;
        let message = format!("{user}: loop `{name}` contains no sampler that can run; the user stops");
        cx.host.log(LogLevel::Error, &message);
        self.task.running = false;
        EndOfUser
    }

    /// Does what controllers could not wait for. What happens seldom is boxed, so that users are
    /// small.
    pub(super) fn evaluate_late(&mut self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(async move {
            let program = self.task.group.program.clone();
            for late in std::mem::take(&mut self.late) {
                match late {
                    Late::Condition(id) => {
                        if let Kind::While { condition } = &program.controls[id.0 as usize].kind {
                            self.task.evaluate(|task| drop(condition.text(&mut task.user.cx))).await;
                        }
                    }
                    Late::Name(id, index) => {
                        let control = &program.controls[id.0 as usize];
                        self.task
                            .evaluate(|task| control.put_index(&mut task.user.cx, &index.to_string()))
                            .await;
                    }
                    Late::Done(package, mut result) => {
                        let listeners = &program.packages[package as usize].waiting_listeners;
                        steps::notify_waiting(&mut self.task, listeners, None, &mut result).await;
                    }
                }
            }
        })
    }
}
