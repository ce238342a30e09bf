//! The life of a virtual user: the loop of `JMeterThread.run`.

use std::future::Future;
use std::rc::Rc;

use swell_api::{LoopAction, User};
use swell_expr::{StopRequest, UserIdentity};

use super::branch_context::BranchContext;
use super::controller_context::UserControllerContext;
use super::group_run::{GroupRun, UserEnd};
use super::handles::Handle;
use super::lateness::Lateness;
use super::live::StopMode;
use super::locks::UserKey;
use super::worker::Worker;
use crate::control::{ControlId, Late, Next, State, Walk};
use crate::prepare::context;
use crate::program::{GroupProgram, OnError, ROOT};
use crate::schedule::Start;

/// Variables that a user forgets in one go at its end: half a millisecond's worth.
const VARIABLES: usize = 2_000;
/// A user yields after this many samples without waiting.
const GREEDY_SAMPLES: u32 = 16;
/// This number of iterations of the thread group without a sample ends the user.
const EMPTY_ITERATIONS: u32 = 1_000;

/// A virtual user while it runs.
pub(super) struct Runner {
    pub(super) group: Rc<GroupRun>,
    pub(super) user: User,
    pub(super) states: Vec<State>,
    /// Times that timers keep.
    pub(super) times: Box<[i64]>,
    pub(super) running: bool,
    /// Control wants fewer users, and this one leaves.
    pub(super) was_released: bool,
    pub(super) last_package: Option<u32>,
    pub(super) key: UserKey,
    pub(super) handle: Rc<Handle>,
    /// Place of its handle.
    pub(super) place: usize,
    pub(super) started_ns: i64,
    /// How much of its being busy is the tool's delay.
    pub(super) lateness: Lateness,
    /// Samples since the user last waited.
    pub(super) samples_since_yield: u32,
    /// The coming sample is the first of an arrival: the schedule says when it is due.
    pub(super) arrives: bool,
    /// Where its walk starts: the thread group, or a branch of a Parallel Controller.
    pub(super) root: ControlId,
    /// What a branch has for its user.
    pub(super) branch: Option<Box<BranchContext>>,
    /// Transactions around the current sampler, outermost first.
    pub(super) chain: Vec<ControlId>,
    /// Texts that controllers have left to be evaluated.
    pub(super) late: Vec<Late>,
}

/// The user is at its end.
pub(super) struct EndOfUser;

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
        runner.evaluate(|runner| runner.walk(|walk| walk.initialize(ROOT))).await;
        // How it ended is logged where it happens.
        let _ = runner.run(&program).await;
        runner.walk(|walk: &mut Walk<'_>| walk.release_all());
        // Before the group is let go of: the next one of a serialised plan starts with no users
        // around.
        worker.live.users_ended(place_in_plan, 1);
        worker.time_accounting.lived(swell_net::now_ns() - runner.started_ns);
        runner.group.user_ended(&runner.how_it_ends());
        while runner.user.cx.vars.forget_some(VARIABLES) {
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
        let mut user = User::new(cx, start.start_ns);
        user.end_ns = start.end_ns;
        let key = (group.place, index);
        let states = group.program.controls.iter().map(State::new).collect();
        let times = vec![0; group.program.timers].into();
        let arrives = group.has_arrivals();
        let running = true;
        let last_package = None;
        let samples_since_yield = 0;
        let chain = Vec::new();
        Self {
            group,
            user,
            states,
            times,
            running,
            was_released: false,
            last_package,
            key,
            handle,
            place,
            started_ns: swell_net::now_ns(),
            lateness: Lateness::default(),
            samples_since_yield,
            arrives,
            root: ROOT,
            branch: None,
            chain,
            late: Vec::new(),
        }
    }

    fn how_it_ends(&self) -> UserEnd {
        let in_time = swell_net::now_ns() < self.user.end_ns;
        let was_released = self.was_released;
        UserEnd {
            did_something: self.last_package.is_some(),
            was_released,
            by_itself: in_time && !was_released,
        }
    }

    /// The name of its thread in samples.
    pub(super) fn thread_name(&self) -> &Rc<str> {
        self.branch.as_ref().map_or(&self.user.cx.user.thread_name, |branch| &branch.thread_name)
    }

    pub(super) fn worker(&self) -> &Worker {
        &self.group.worker
    }

    /// Whether the next sample may start.
    pub(super) fn is_running(&self) -> bool {
        self.running && self.group.live().stop_mode() == StopMode::Run
    }

    /// Something on the user's walk through the controllers.
    pub(super) fn walk<T>(&mut self, what: impl FnOnce(&mut Walk<'_>) -> T) -> T {
        let program = &*self.group.program;
        let mut out = UserControllerContext {
            worker: &self.group.worker,
            run: &self.group,
            group: program,
            states: &mut self.user.states,
            last_package: self.last_package,
            key: self.key,
            branch: self.branch.as_deref(),
            late: &mut self.late,
        };
        let states = &mut self.states[..];
        let cx = &mut self.user.cx;
        what(&mut Walk { controls: &program.controls, states, cx, out: &mut out })
    }

    pub(super) async fn run(&mut self, program: &GroupProgram) -> Result<(), EndOfUser> {
        let mut empty_iterations = 0;
        let root = self.root;
        while self.is_running() {
            let mut next = match self.next_at_once() {
                Ok(next) => next,
                Err(found) => self.next(found).await?,
            };
            empty_iterations = if next.is_some() { 0 } else { empty_iterations + 1 };
            while let Some(current) = next
                && self.is_running()
            {
                // `JMeterThread.processSampler`, its recursion over transactions unrolled.
                let leaf = self.descend(current);
                if let Some(sampler) = leaf {
                    self.sample(program, sampler, self.chain.last().copied()).await;
                }
                if self.user.end_ns != i64::MAX && swell_net::now_ns() >= self.user.end_ns {
                    self.running = false;
                }
                if !self.chain.is_empty() {
                    Box::pin(self.end_transactions(program, leaf.is_none())).await;
                }
                if self.samples_since_yield >= GREEDY_SAMPLES {
                    self.samples_since_yield = 0;
                    swell_net::yield_now().await;
                }
                next = match self.action_after_sample(program) {
                    LoopAction::Continue => match self.next_at_once() {
                        Ok(next) => next,
                        Err(found) => self.next(found).await?,
                    },
                    // What happens seldom is boxed, so that users are small.
                    action => Box::pin(self.leave_loop(program, current, action)).await?,
                };
            }
            if self.evaluate(|runner| runner.walk(|walk| walk.is_done(root))).await {
                self.running = false;
            } else if self.group.iterates_per_arrival() && self.branch.is_none() {
                self.running = Box::pin(self.rest()).await;
            } else if empty_iterations > 0 {
                if empty_iterations == EMPTY_ITERATIONS {
                    return Err(self.empty_iterations(root));
                }
                swell_net::yield_now().await;
            }
        }
        Ok(())
    }

    /// Waits for the next arrival; false if there is none. Meanwhile it does not count as a user
    /// that runs.
    async fn rest(&mut self) -> bool {
        self.samples_since_yield = 0;
        self.worker().live.user_rests(self.group.place);
        let due_ns = self.group.rest(&self.handle).await;
        self.worker().live.user_returns(self.group.place);
        let until_ns = due_ns.unwrap_or_else(swell_net::now_ns);
        self.worker().time_accounting.waits(until_ns - self.user.free_ns);
        self.user.free_ns = until_ns;
        self.arrives = due_ns.is_some();
        self.arrives
    }

    /// What comes after a sample.
    fn action_after_sample(&mut self, program: &GroupProgram) -> LoopAction {
        let action = std::mem::take(&mut self.user.action);
        match self.on_error(program) {
            OnError::Loop(on_error) if !self.last_sample_ok() => on_error,
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
        if let Some(branch) = &mut self.branch {
            branch.leaves |= action == LoopAction::NextThreadLoop;
        }
        self.leave(program, current, action).await?;
        self.set_last_sample_ok(true);
        Ok(None)
    }

    /// What a failed sample does; in a branch nothing: its user acts on the whole.
    pub(super) fn on_error(&self, program: &GroupProgram) -> OnError {
        if self.branch.is_some() { OnError::Continue } else { program.on_error }
    }

    pub(super) fn last_sample_ok(&self) -> bool {
        let value = self.user.cx.vars.get_slot(self.worker().last_sample_ok);
        value.is_some_and(|value| **value == *"true")
    }

    pub(super) fn set_last_sample_ok(&mut self, ok: bool) {
        let worker = &self.group.worker;
        let value = if ok { &worker.yes } else { &worker.no };
        let vars = &mut self.user.cx.vars;
        if !vars.get_slot(worker.last_sample_ok).is_some_and(|now| Rc::ptr_eq(now, value)) {
            vars.put_slot(worker.last_sample_ok, value.clone());
        }
    }

    /// What an element or an error asked for.
    pub(super) fn stop(&mut self, stop: StopRequest) {
        self.running = false;
        match stop {
            StopRequest::User => {
                if let Some(branch) = &mut self.branch {
                    branch.stops = true;
                }
            }
            StopRequest::Test => self.worker().raise(StopMode::Graceful),
            StopRequest::TestNow => self.worker().raise(StopMode::Immediate),
        }
    }
}
