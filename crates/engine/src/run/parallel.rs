//! Parallel Controllers: a user that runs several branches at once. Each branch is a task with a
//! copy of the user's variables; what it changed goes to the user at its end.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use swell_api::{LoopAction, SampleResult, Text, User};
use swell_expr::{UserIdentity, Vars};

use super::branch_context::BranchContext;
use super::handles::Handle;
use super::lateness::Lateness;
use super::user::Runner;
use crate::control::{State, Walk};
use crate::number;
use crate::prepare::context;
use crate::program::{Branch, GroupProgram, Parallel};

/// A finished branch.
struct Over {
    vars: Vars,
    context: Box<BranchContext>,
}

impl Runner {
    /// `ParallelSampler.sample`: all branches, and a sample of the whole if it has one.
    pub(super) async fn take_parallel(
        &mut self,
        program: &GroupProgram,
        parallel: &Parallel,
    ) -> Option<Box<SampleResult>> {
        self.samples_since_yield = 0;
        let ready_ns = self.user.ready_ns;
        for package in &program.packages {
            package.sampler.prepare(&mut self.user);
        }
        let at_once = match &parallel.at_once {
            Some(limit) => {
                self.evaluate(|user| number::int_of(limit, &mut user.user.cx)).await.max(1) as usize
            }
            None => usize::MAX,
        };
        let heard = Rc::new(RefCell::new(Vec::new()));
        let mut sampler_data = "Parallel items:\n".to_owned();
        let mut branches = VecDeque::new();
        for branch in &parallel.branches {
            let name = self.evaluate(|user| branch.name.eval(&mut user.user.cx).into_owned()).await;
            sampler_data = sampler_data + &name + "\n";
            branches.push_back(self.branch(program, parallel, branch, &name, &heard));
        }
        let at_once = at_once.min(branches.len());
        let start_ns = swell_net::now_ns();
        let before = self.user.cx.vars.clone();
        let queue = Rc::new(RefCell::new(branches));
        let lanes: Vec<_> = (0..at_once).map(|_| swell_net::spawn(lane(queue.clone()))).collect();
        for lane in lanes {
            for over in lane.await {
                self.take_in(&before, over);
            }
        }
        self.user.free_ns = swell_net::now_ns();
        if !parallel.has_sample {
            self.group.worker.time_accounting.waits(self.user.free_ns - ready_ns);
            return None;
        }
        let subs = heard.take();
        let sample = whole(self.user.cx.sampler_name.clone().into(), sampler_data, start_ns, subs);
        let sample = self.taken(Box::new(sample));
        // Its parts were counted one by one.
        self.group.worker.samples.set(self.group.worker.samples.get() - 1);
        Some(sample)
    }

    /// A user parallel to this one, which runs a branch once.
    fn branch(
        &self,
        program: &GroupProgram,
        parallel: &Parallel,
        branch: &Branch,
        name: &str,
        heard: &Rc<RefCell<Vec<SampleResult>>>,
    ) -> Self {
        let worker = &self.group.worker;
        let (place, index) = self.key;
        let thread_name: Rc<str> =
            format!("{} - {} - {name}", self.thread_name(), self.user.cx.sampler_name).into();
        let random = worker.random_of(place, index);
        let heavy = worker.heavy.clone();
        let mut cx = context(&worker.prepared.settings, self.user.cx.vars.clone(), random, heavy);
        let group_name = self.user.cx.user.group_name.clone();
        // Its own samples have the name of a thread of its pool (`ParallelThreadFactory`).
        let shown_name = if parallel.has_sample {
            self.thread_name().clone()
        } else {
            format!("parallel {}", self.user.cx.sampler_name).into()
        };
        let UserIdentity { group_number, group_users, .. } = self.user.cx.user;
        cx.user = UserIdentity { thread_name, group_name, thread_index: 0, group_number, group_users };
        cx.iteration = self.user.cx.iteration;
        cx.remote = worker.remote_mode();
        cx.users = Some(self.group.user_counts.clone());
        let mut user = User::new(cx, swell_net::now_ns());
        user.states = self.user.states.iter().filter_map(|state| state.fork()).collect();
        let context = BranchContext {
            thread_name: shown_name,
            collects: parallel.has_sample,
            heard: heard.clone(),
            told: RefCell::default(),
            own: branch.root.0..branch.end.0,
            stops: false,
            leaves: false,
        };
        Self {
            group: self.group.clone(),
            user,
            states: program.controls.iter().map(State::new).collect(),
            times: self.times.clone(),
            running: true,
            last_package: None,
            // A separate user for locks: branches exclude each other, too.
            key: (place + ((branch.root.0 as usize + 1) << 32), index),
            handle: Rc::new(Handle::default()),
            place: 0,
            started_ns: 0,
            lateness: Lateness::default(),
            was_released: false,
            samples_since_yield: 0,
            arrives: false,
            root: branch.root,
            branch: Some(Box::new(context)),
            chain: Vec::new(),
            late: Vec::new(),
        }
    }

    async fn run_branch(mut self) -> Over {
        let worker = self.group.worker.clone();
        let (place, handle) = worker.handles.add();
        handle.is_me().await;
        (self.handle, self.place) = (handle, place);
        let started_ns = swell_net::now_ns();
        let program = self.group.program.clone();
        let root = self.root;
        self.evaluate(|branch| branch.walk(|walk| walk.initialize(root))).await;
        // How it ended is in the state of its user.
        let _ = self.run(&program).await;
        self.walk(|walk: &mut Walk<'_>| walk.release_all());
        worker.time_accounting.lived(swell_net::now_ns() - started_ns);
        worker.handles.remove(place);
        Over { vars: self.user.cx.vars, context: self.branch.take().expect("it is a branch") }
    }

    /// What a branch changed is now the user's.
    fn take_in(&mut self, before: &Vars, over: Over) {
        let now = over.vars.entries();
        let vars = &mut self.user.cx.vars;
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
            self.walk(|walk| walk.sample_occurred(transaction, &result));
        }
        if stops {
            self.running = false;
        }
        if leaves {
            self.user.action = LoopAction::NextThreadLoop;
        }
    }
}

/// One branch after the other, as long as there are some.
async fn lane(queue: Rc<RefCell<VecDeque<Runner>>>) -> Vec<Over> {
    let mut over = Vec::new();
    loop {
        let Some(branch) = queue.borrow_mut().pop_front() else { return over };
        over.push(branch.run_branch().await);
    }
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
