//! What a user does next: controllers are asked, and what they wait for is waited for.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use swell_expr::{Level as LogLevel, Thrown};

use super::sample::until_stopped;
use super::user::{EndOfUser, Runner};
use crate::control::{ControlId, Halt, Next};

/// What controllers answer.
type NextResult = Result<Option<Next>, Halt>;

impl Runner {
    /// The next sampler or transaction, where there is nothing to wait for or to do before it. Else
    /// what was found so far, for [`Self::next`] to continue with.
    pub(super) fn next_at_once(&mut self) -> Result<Option<Next>, Option<NextResult>> {
        self.user.cx.begin_evaluation();
        self.user.cx.files_read.release();
        if self.user.cx.backlog.get().is_some() {
            return Err(None);
        }
        let root = self.root;
        let found = self.walk(|walk| walk.next(root));
        let cx = &self.user.cx;
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
            if found.is_none() && self.user.cx.backlog.get().is_some() {
                // What happens seldom is boxed, so that users are small.
                Box::pin(self.wait_for_writers()).await;
            }
            let root = self.root;
            let found = found.take().unwrap_or_else(|| self.walk(|walk| walk.next(root)));
            if self.is_suspended() && self.answered(None).await {
                continue;
            }
            if found.is_ok() && !self.late.is_empty() {
                self.evaluate_late().await;
            }
            if let Some(stop) = self.user.cx.stop.take() {
                self.stop(stop);
                return Err(EndOfUser);
            }
            if let Some(thrown) = self.user.cx.thrown.take() {
                return Err(self.failed(&thrown));
            }
            match found {
                Ok(next) => return Ok(next),
                Err(Halt::Stop(stop)) => {
                    self.stop(stop);
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
    fn failed(&mut self, thrown: &Thrown) -> EndOfUser {
        self.tell_of_failure(thrown);
        self.running = false;
        EndOfUser
    }

    /// Has the elements that run elsewhere hear of the iterations that begin. What happens seldom
    /// is boxed, so that users are small.
    fn hear(&mut self) -> Pin<Box<dyn Future<Output = Result<(), EndOfUser>> + '_>> {
        Box::pin(async move {
            let program = self.group.program.clone();
            let before_ns = self.user.free_ns.max(self.user.ready_ns);
            let mut done = true;
            for element in &program.elements {
                if self.user.cx.unheard.is_empty() {
                    break;
                }
                done &= until_stopped(&self.group, element.hear(&mut self.user)).await.0;
            }
            self.user.cx.unheard.clear();
            self.waited_since(before_ns);
            if !done {
                return Err(EndOfUser);
            }
            if let Some(stop) = self.user.cx.stop.take() {
                self.stop(stop);
                return Err(EndOfUser);
            }
            match self.user.cx.thrown.take() {
                Some(thrown) => Err(self.failed(&thrown)),
                None => Ok(()),
            }
        })
    }

    async fn wait_for_lock(&mut self, name: &Arc<str>) -> Result<(), EndOfUser> {
        let (sender, mut receiver) = swell_net::channel();
        if self.worker().locks.ask(name, self.key, sender) {
            return Ok(());
        }
        if self.wait(std::pin::pin!(receiver.recv())).await.is_some() {
            self.waited();
            return Ok(());
        }
        self.worker().locks.give_up(name, self.key);
        self.waited();
        Err(EndOfUser)
    }

    pub(super) fn empty_iterations(&mut self, control: ControlId) -> EndOfUser {
        let program = self.group.program.clone();
        let cx = &mut self.user.cx;
        let name = program.controls[control.0 as usize].name.eval(cx).into_owned();
        let user = &cx.user.thread_name;
        let message = format!("{user}: loop `{name}` contains no sampler that can run; the user stops");
        cx.host.log(LogLevel::Error, &message);
        self.running = false;
        EndOfUser
    }
}
