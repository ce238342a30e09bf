//! The open transactions with a parent sample of a user, and how they end.

use swell_api::{LoopAction, SampleResult};
use swell_expr::Level as LogLevel;

use super::steps;
use super::walker::{EndOfUser, Walker};
use crate::control::{ControlId, Next, SamplerId};
use crate::program::GroupProgram;

impl Walker {
    /// Leaves the controllers around a sampler, and reports the transaction that ends with that.
    pub(super) async fn leave(
        &mut self,
        program: &GroupProgram,
        current: Next,
        action: LoopAction,
    ) -> Result<(), EndOfUser> {
        let (sampler, outermost) = self.inside_of(current);
        // A finished transaction asks for it, by its assertions or handlers: JMeter looks for a
        // sampler in it.
        let Some(sampler) = sampler else { return Err(self.without_sampler(outermost)) };
        let path = &program.packages[sampler.0 as usize].path;
        let left = self.walk(|walk| walk.leave(path, action));
        self.evaluate_late().await;
        let Some(outermost) = outermost else { return Ok(()) };
        let result = match left {
            Some(left) if left.id == outermost => {
                (!left.transaction.reported).then_some(left.transaction.result)
            }
            // The loop that was left is within the transaction, which continues. JMeter reports it
            // nevertheless.
            _ => self.walk(|walk| walk.transaction(outermost).as_ref().map(|running| running.partial())),
        };
        if let Some(result) = result {
            self.end_transaction(program, outermost, result, false).await;
        }
        Ok(())
    }

    /// `JMeterThread.findRealSampler` finds none: in JMeter the exception ends the thread.
    fn without_sampler(&mut self, transaction: Option<ControlId>) -> EndOfUser {
        let program = self.task.group.program.clone();
        let cx = &mut self.task.user.cx;
        let name = transaction.map(|id| program.controls[id.0 as usize].name.eval(cx).into_owned());
        let user = &cx.user.thread_name;
        let name = name.unwrap_or_default();
        let message = format!(
            "{user}: Test failed! `{name}` has finished, so no loop inside it can be left; the user ends, as in JMeter"
        );
        cx.run.faults.note("a loop inside it was left after its end");
        cx.host.log(LogLevel::Error, &message);
        self.task.running = false;
        EndOfUser
    }

    /// The sampler that runs, and the outermost transaction with parent sample around it.
    fn inside_of(&mut self, current: Next) -> (Option<SamplerId>, Option<ControlId>) {
        let mut at = current;
        let mut outermost = None;
        loop {
            match at {
                Next::Sampler(sampler) => return (Some(sampler), outermost),
                Next::Transaction(id) => {
                    outermost = outermost.or(Some(id));
                    let running = self.walk(|walk| {
                        let running = walk.transaction(id).as_ref();
                        running.and_then(|running| running.sub)
                    });
                    match running {
                        Some(sub) => at = sub,
                        None => return (None, outermost),
                    }
                }
            }
        }
    }

    /// The sampler to run, and into [`super::task::UserTask::chain`], which is empty before, the
    /// transactions around it.
    pub(super) fn descend(&mut self, current: Next) -> Option<SamplerId> {
        let mut at = Some(current);
        loop {
            match at {
                Some(Next::Sampler(sampler)) => return Some(sampler),
                None => return None,
                Some(Next::Transaction(id)) => {
                    self.task.chain.push(id);
                    at = self.walk(|walk| walk.transaction(id).as_ref().and_then(|running| running.sub));
                }
            }
        }
    }

    /// Ends the innermost transaction if it has finished, and all of them if the user stops.
    pub(super) async fn end_transactions(&mut self, program: &GroupProgram, over: bool) {
        let mut chain = std::mem::take(&mut self.task.chain);
        let mut inner: Option<SampleResult> = None;
        for (depth, &id) in chain.iter().enumerate().rev() {
            let ends = (over && depth + 1 == chain.len()) || !self.task.is_running();
            let result = self.walk(|walk| {
                let running = walk.transaction(id).as_mut()?;
                if let Some(inner) = inner.take() {
                    running.add(inner);
                }
                ends.then(|| std::mem::take(&mut running.result))
            });
            inner = match result {
                Some(result) => Some(self.end_transaction(program, id, result, depth > 0).await),
                None => None,
            };
        }
        chain.clear();
        self.task.chain = chain;
    }

    /// `doEndTransactionSampler`: checks and reports a transaction; one within another is not
    /// reported by itself.
    async fn end_transaction(
        &mut self,
        program: &GroupProgram,
        id: ControlId,
        mut result: SampleResult,
        nested: bool,
    ) -> SampleResult {
        self.task.fill_thread(&mut result);
        let Some(package) = &program.transactions[id.0 as usize] else { return result };
        for check in &package.checks {
            if !steps::check(&mut self.task, check, None, &mut result).await {
                return result;
            }
        }
        self.task.set_last_sample_ok(result.success);
        if nested {
            self.notify_of_part(&package.sample_listeners, &result);
        } else if self.is_first_report(id) {
            if !steps::notify_waiting(&mut self.task, &package.waiting_listeners, None, &mut result).await {
                return result;
            }
            self.notify(&package.sample_listeners, &mut result);
        }
        result
    }

    fn is_first_report(&mut self, id: ControlId) -> bool {
        self.walk(|walk| {
            let running = walk.transaction(id).as_mut();
            running.is_none_or(|running| !std::mem::replace(&mut running.reported, true))
        })
    }
}
