//! The life of a virtual user: the loop of `JMeterThread.run`.

use std::future::Future;
use std::rc::Rc;

use swell_api::{LoopAction, User};
use swell_expr::UserIdentity;

use super::group_run::{GroupRun, UserEnd};
use super::handles::Handle;
use super::lateness::Lateness;
use super::task::UserTask;
use super::walker::{EndOfUser, Walker};
use crate::control::{Next, State, Walk};
use crate::prepare::context;
use crate::program::{GroupProgram, OnError, ROOT};
use crate::schedule::Start;
use crate::trace::follow_output;

/// Variables that a user forgets in one go at its end: half a millisecond's worth.
const VARIABLES: usize = 2_000;
/// A user yields after this many samples without waiting.
const GREEDY_SAMPLES: u32 = 16;
/// This number of iterations of the thread group without a sample ends the user.
const EMPTY_ITERATIONS: u32 = 1_000;

/// A virtual user that takes samples.
pub(super) struct Runner {
    pub(super) walker: Walker,
    /// How much of its being busy is the tool's delay.
    pub(super) lateness: Lateness,
}

/// A user from its start to its end.
#[expect(clippy::manual_async_fn, reason = "an async fn stores its arguments twice, and a user lives long")]
pub(super) fn live(group: Rc<GroupRun>, start: Start) -> impl Future<Output = ()> {
    async move {
        let worker = group.worker.clone();
        let (place, handle) = worker.handles.add();
        handle.is_me().await;
        worker.live.user_started(group.place);
        let phase = worker.prepared.groups[group.place].phase;
        worker.live.first_starts[phase as usize].get_or_init(|| (start.start_ns, swell_net::now_ns()));
        let program = group.program.clone();
        let place_in_plan = group.place;
        let mut runner = Runner::new(group, start, (place, handle));
        runner.walker.evaluate(|walker| walker.walk(|walk| walk.initialize(ROOT))).await;
        // How it ended is logged where it happens.
        let _ = runner.run(&program).await;
        runner.walker.walk(|walk: &mut Walk<'_>| walk.release_all());
        // Before the group is let go of: the next one of a serialised plan starts with no users
        // around.
        worker.live.users_ended(place_in_plan, 1);
        worker.time_accounting.lived(swell_net::now_ns() - runner.walker.task.started_ns);
        runner.walker.task.group.user_ended(&runner.how_it_ends());
        while runner.walker.task.user.cx.vars.forget_some(VARIABLES) {
            swell_net::yield_now().await;
        }
        drop(runner);
        worker.handles.remove(place);
    }
}

impl Runner {
    fn new(group: Rc<GroupRun>, start: Start, (place, handle): (usize, Rc<Handle>)) -> Self {
        let index = start.user;
        let worker = &group.worker;
        let thread_name: Rc<str> = format!("{}{}", group.prefix, index + 1).into();
        let mut vars = worker.initial().clone();
        vars.put_slot(worker.last_sample_ok, worker.yes.clone());
        if let Some(internals) = &worker.program.internals {
            internals.begin(&mut vars, group.program.same_user);
        }
        vars.count_in(worker.live.bodies.account().clone());
        let random = worker.random_of(group.place, index);
        let heavy = worker.heavy.clone();
        let mut cx = context(&worker.prepared.settings, vars, random, heavy);
        cx.remote = worker.remote_mode();
        cx.users = Some(group.user_counts.clone());
        let group_name = group.name.clone();
        let group_number = worker.prepared.groups[group.place].node.id.0;
        let group_users = group.schedule.users();
        cx.user = UserIdentity { thread_name, group_name, thread_index: index, group_number, group_users };
        cx.trace = worker.trace_of(&cx);
        follow_output(&mut cx);
        cx.recent = worker.recent.as_ref().and_then(|recent| recent.take(group.place));
        let mut user = User::new(cx, start.start_ns);
        user.end_ns = start.end_ns;
        let key = (group.place, index);
        let states = group.program.controls.iter().map(State::new).collect();
        let times = vec![0; group.program.timers].into();
        let arrives = group.has_arrivals();
        let task = UserTask {
            group,
            user,
            running: true,
            was_released: false,
            handle,
            place,
            started_ns: swell_net::now_ns(),
            samples_since_yield: 0,
            branch: None,
            chain: Vec::new(),
            times,
            arrives,
        };
        let walker = Walker { task, states, last_package: None, key, root: ROOT, late: Vec::new() };
        Self { walker, lateness: Lateness::default() }
    }

    fn how_it_ends(&self) -> UserEnd {
        let in_time = swell_net::now_ns() < self.walker.task.user.end_ns;
        let was_released = self.walker.task.was_released;
        UserEnd {
            did_something: self.walker.last_package.is_some(),
            was_released,
            by_itself: in_time && !was_released,
        }
    }

    pub(super) async fn run(&mut self, program: &GroupProgram) -> Result<(), EndOfUser> {
        let mut empty_iterations = 0;
        let root = self.walker.root;
        while self.walker.task.is_running() {
            let mut next = match self.walker.next_at_once() {
                Ok(next) => next,
                Err(found) => self.walker.next(found).await?,
            };
            empty_iterations = if next.is_some() { 0 } else { empty_iterations + 1 };
            while let Some(current) = next
                && self.walker.task.is_running()
            {
                // `JMeterThread.processSampler`, its recursion over transactions unrolled.
                let leaf = self.walker.descend(current);
                if let Some(sampler) = leaf {
                    self.sample(program, sampler, self.walker.task.chain.last().copied()).await;
                }
                if self.walker.task.user.end_ns != i64::MAX
                    && swell_net::now_ns() >= self.walker.task.user.end_ns
                {
                    self.walker.task.running = false;
                }
                if !self.walker.task.chain.is_empty() {
                    Box::pin(self.walker.end_transactions(program, leaf.is_none())).await;
                }
                if self.walker.task.samples_since_yield >= GREEDY_SAMPLES {
                    self.walker.task.samples_since_yield = 0;
                    swell_net::yield_now().await;
                }
                next = match self.action_after_sample(program) {
                    LoopAction::Continue => match self.walker.next_at_once() {
                        Ok(next) => next,
                        Err(found) => self.walker.next(found).await?,
                    },
                    // What happens seldom is boxed, so that users are small.
                    action => Box::pin(self.leave_loop(program, current, action)).await?,
                };
            }
            if self.walker.evaluate(|walker| walker.walk(|walk| walk.is_done(root))).await {
                self.walker.task.running = false;
            } else if self.walker.task.group.iterates_per_arrival() && self.walker.task.branch.is_none() {
                self.walker.task.running = Box::pin(self.rest()).await;
            } else if empty_iterations > 0 {
                if empty_iterations == EMPTY_ITERATIONS {
                    return Err(self.walker.empty_iterations(root));
                }
                swell_net::yield_now().await;
            }
        }
        Ok(())
    }

    /// Waits for the next arrival; false if there is none. Meanwhile it does not count as a user
    /// that runs.
    async fn rest(&mut self) -> bool {
        let task = &mut self.walker.task;
        task.samples_since_yield = 0;
        task.worker().live.user_rests(task.group.place);
        let due_ns = task.group.rest(&task.handle).await;
        task.worker().live.user_returns(task.group.place);
        let until_ns = due_ns.unwrap_or_else(swell_net::now_ns);
        task.worker().time_accounting.waits(until_ns - task.user.free_ns);
        task.user.free_ns = until_ns;
        task.arrives = due_ns.is_some();
        task.arrives
    }

    /// What comes after a sample.
    fn action_after_sample(&mut self, program: &GroupProgram) -> LoopAction {
        let action = std::mem::take(&mut self.walker.task.user.action);
        match self.walker.task.on_error(program) {
            OnError::Loop(on_error) if !self.walker.task.last_sample_ok() => on_error,
            _ => action,
        }
    }

    /// Leaves the loop after a sample: nothing is next in it.
    async fn leave_loop(
        &mut self,
        program: &GroupProgram,
        current: Next,
        action: LoopAction,
    ) -> Result<Option<Next>, EndOfUser> {
        if let Some(branch) = &mut self.walker.task.branch {
            branch.leaves |= action == LoopAction::NextThreadLoop;
        }
        self.walker.leave(program, current, action).await?;
        self.walker.task.set_last_sample_ok(true);
        Ok(None)
    }
}
