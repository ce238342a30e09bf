//! Parallel Controllers: a user that runs several branches at once. Each branch is a task with a
//! copy of the user's variables; its changes are copied back at its end.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use swell_api::{LoopAction, SampleResult, Text, User};
use swell_expr::{UserIdentity, Vars};

use super::branch_context::BranchContext;
use super::handles::Handle;
use super::lateness::Lateness;
use super::task::UserTask;
use super::user::Runner;
use super::walker::Walker;
use crate::control::{State, Walk};
use crate::number;
use crate::prepare::context;
use crate::program::{Branch, GroupProgram, Parallel};
use crate::trace::follow_output;

/// A finished branch.
struct Over {
    vars: Vars,
    context: Box<BranchContext>,
}

/// `ParallelSampler.sample`: all branches, and a sample of the whole if it has one.
pub(super) async fn take_parallel(
    runner: &mut Runner,
    program: &GroupProgram,
    parallel: &Parallel,
) -> Option<Box<SampleResult>> {
    let task = &mut runner.walker.task;
    task.samples_since_yield = 0;
    let ready_ns = task.user.ready_ns;
    for package in &program.packages {
        package.sampler.prepare(&mut task.user);
    }
    let at_once = match &parallel.at_once {
        Some(limit) => task.evaluate(|task| number::int_of(limit, &mut task.user.cx)).await.max(1) as usize,
        None => usize::MAX,
    };
    let heard = Rc::new(RefCell::new(Vec::new()));
    let mut sampler_data = "Parallel items:\n".to_owned();
    let mut branches = VecDeque::new();
    for branch in &parallel.branches {
        let name = runner.walker.task.evaluate(|task| branch.name.eval(&mut task.user.cx).into_owned()).await;
        sampler_data = sampler_data + &name + "\n";
        branches.push_back(branch_of(runner, program, parallel, branch, &name, &heard));
    }
    let at_once = at_once.min(branches.len());
    let start_ns = swell_net::now_ns();
    let before = runner.walker.task.user.cx.vars.clone();
    let queue = Rc::new(RefCell::new(branches));
    let lanes: Vec<_> = (0..at_once).map(|_| swell_net::spawn(lane(queue.clone()))).collect();
    for lane in lanes {
        for over in lane.await {
            take_in(runner, &before, over);
        }
    }
    let task = &mut runner.walker.task;
    task.user.free_ns = swell_net::now_ns();
    let worker = task.group.worker.clone();
    if !parallel.has_sample {
        worker.time_accounting.waits(task.user.free_ns - ready_ns);
        return None;
    }
    let subs = heard.take();
    let sample = whole(task.user.cx.sampler_name.clone().into(), sampler_data, start_ns, subs);
    let sample = if parallel.is_batch { of_batch(sample) } else { sample };
    let sample = runner.taken(Box::new(sample));
    // Its parts were counted one by one.
    worker.samples.set(worker.samples.get() - 1);
    Some(sample)
}

/// A user parallel to this one, which runs a branch once.
fn branch_of(
    runner: &Runner,
    program: &GroupProgram,
    parallel: &Parallel,
    branch: &Branch,
    name: &str,
    heard: &Rc<RefCell<Vec<SampleResult>>>,
) -> Runner {
    let user_of = &runner.walker.task;
    let worker = &user_of.group.worker;
    let (place, index) = runner.walker.key;
    let thread_name: Rc<str> = if parallel.is_batch {
        user_of.user.cx.user.thread_name.clone()
    } else {
        format!("{} - {} - {name}", user_of.thread_name(), user_of.user.cx.sampler_name).into()
    };
    let random = worker.random_of(place, index);
    let heavy = worker.heavy.clone();
    let mut cx = context(&worker.prepared.settings, user_of.user.cx.vars.clone(), random, heavy);
    let group_name = user_of.user.cx.user.group_name.clone();
    // Its own samples have the name of a thread of its pool (`ParallelThreadFactory`).
    let shown_name = if parallel.has_sample || parallel.is_batch {
        user_of.thread_name().clone()
    } else {
        format!("parallel {}", user_of.user.cx.sampler_name).into()
    };
    let UserIdentity { group_number, group_users, thread_index, .. } = user_of.user.cx.user;
    let thread_index = if parallel.is_batch { thread_index } else { 0 };
    cx.user = UserIdentity { thread_name, group_name, thread_index, group_number, group_users };
    cx.iteration = user_of.user.cx.iteration;
    cx.remote = worker.remote_mode();
    cx.users = Some(user_of.group.user_counts.clone());
    cx.trace = user_of.user.cx.trace.as_ref().map(|trace| Box::new(trace.branch()));
    follow_output(&mut cx);
    cx.recent.clone_from(&user_of.user.cx.recent);
    let mut user = User::new(cx, swell_net::now_ns());
    user.states = user_of.user.states.iter().filter_map(|state| state.fork()).collect();
    let context = BranchContext {
        thread_name: shown_name,
        collects: parallel.has_sample,
        heard: heard.clone(),
        told: RefCell::default(),
        acts_on_errors: parallel.is_batch && !parallel.has_sample,
        own: branch.root.0..branch.end.0,
        stops: false,
        leaves: false,
    };
    let task = UserTask {
        group: user_of.group.clone(),
        user,
        running: true,
        was_released: false,
        handle: Rc::new(Handle::default()),
        place: 0,
        started_ns: 0,
        samples_since_yield: 0,
        branch: Some(Box::new(context)),
        chain: Vec::new(),
        times: user_of.times.clone(),
        arrives: false,
    };
    let walker = Walker {
        task,
        states: program.controls.iter().map(State::new).collect(),
        last_package: None,
        // A separate user for locks: branches exclude each other, too.
        key: (place + ((branch.root.0 as usize + 1) << 32), index),
        root: branch.root,
        late: Vec::new(),
    };
    Runner { walker, lateness: Lateness::default() }
}

async fn run_branch(mut runner: Runner) -> Over {
    let worker = runner.walker.task.group.worker.clone();
    let (place, handle) = worker.handles.add();
    handle.is_me().await;
    runner.walker.task.handle = handle;
    runner.walker.task.place = place;
    let started_ns = swell_net::now_ns();
    let program = runner.walker.task.group.program.clone();
    let root = runner.walker.root;
    runner.walker.evaluate(|walker| walker.walk(|walk| walk.initialize(root))).await;
    // How it ended is in the state of its user.
    let _ = runner.run(&program).await;
    runner.walker.walk(|walk: &mut Walk<'_>| walk.release_all());
    worker.time_accounting.lived(swell_net::now_ns() - started_ns);
    worker.handles.remove(place);
    Over {
        vars: runner.walker.task.user.cx.vars,
        context: runner.walker.task.branch.take().expect("it is a branch"),
    }
}

/// What a branch changed is now the user's.
fn take_in(runner: &mut Runner, before: &Vars, over: Over) {
    let now = over.vars.entries();
    let vars = &mut runner.walker.task.user.cx.vars;
    for (name, value) in &now {
        if before.get(name) != Some(value) {
            vars.put(name, value.clone());
        }
    }
    for (name, _) in before.entries() {
        if over.vars.get(&name).is_none() {
            vars.remove(&name);
        }
    }
    let BranchContext { told, stops, leaves, .. } = *over.context;
    for (transaction, result) in told.take() {
        runner.walker.walk(|walk| walk.sample_occurred(transaction, &result));
    }
    if stops {
        runner.walker.task.running = false;
    }
    if leaves {
        runner.walker.task.user.action = LoopAction::NextThreadLoop;
    }
}

/// One branch after the other, as long as there are some.
async fn lane(queue: Rc<RefCell<VecDeque<Runner>>>) -> Vec<Over> {
    let mut over = Vec::new();
    loop {
        let Some(branch) = queue.borrow_mut().pop_front() else { return over };
        over.push(run_branch(branch).await);
    }
}

/// The sample of an Async Controller (`HTTP2Controller.buildParentSampleResult`): it starts with the
/// first of its samples.
fn of_batch(whole: SampleResult) -> SampleResult {
    let mut whole = SampleResult { sampler_data: Some(String::new()), is_parallel: false, ..whole };
    let subs = &whole.sub_results;
    let failed = subs.iter().filter(|sub| !sub.success).count();
    whole.message =
        format!("Number of samples in transaction : {}, number of failing samples : {failed}", subs.len())
            .into();
    if let Some(first) = subs.first().filter(|_| failed > 0) {
        whole.code = first.code.clone();
    }
    if let Some(start_ns) = subs.iter().map(|sub| sub.timing.start_ns).min() {
        whole.timing.start_ns = start_ns;
    }
    whole
}

/// The sample of a Parallel Controller: it ends with the last of the branches and fails with any of
/// them.
fn whole(label: Text, sampler_data: String, start_ns: i64, subs: Vec<SampleResult>) -> SampleResult {
    let mut whole = SampleResult {
        label,
        success: true,
        sampler_data: Some(sampler_data),
        is_parallel: true,
        ..SampleResult::default()
    };
    (whole.code, whole.message) = (Text::Static("200"), Text::Static("OK"));
    whole.timing.start_ns = start_ns;
    for sub in &subs {
        whole.timing.extend_to(&sub.timing);
        whole.success &= sub.success;
        whole.add_received(sub);
        whole.sent_bytes += sub.sent_bytes;
        whole.header_size += sub.header_size;
        whole.body_size += sub.body_size;
    }
    if subs.is_empty() {
        whole.timing.end_ns = swell_net::now_ns();
    }
    whole.sub_results = subs;
    whole
}
