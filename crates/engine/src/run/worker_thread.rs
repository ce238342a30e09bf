//! The loop of a worker: it compiles the plan for itself, and executes the coordinator's commands.

use std::cell::{Cell, OnceCell, RefCell};
use std::io;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use swell_api::{CompileContext, Listener, Registry};
use swell_budget::Meter;
use swell_expr::{BackgroundRunner, Charset, Compiler, Heavy, Shared};
use swell_net::{LoopHandle, LoopOptions, LoopSchedule, LoopWork, Receiver, Sender, TasksLeft};
use swell_plan::Diagnostic;

use super::commands::{Command, Event};
use super::group_run::GroupRun;
use super::handles::Handles;
use super::live::{Live, StopMode};
use super::locks::Locks;
use super::options::{RunOptions, WorkerThread};
use super::time_accounting::TimeAccounting;
use super::worker::{Remote, Worker};
use super::{before, external, launcher};
use crate::compile_context::CompileOptions;
use crate::control::LAST_SAMPLE_OK;
use crate::prepare::Prepared;
use crate::program::Program;
use crate::schedule::{SHARE, Share};

/// The parameters of every worker.
#[derive(Clone)]
pub(crate) struct WorkerSetup {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) registry: Registry,
    pub(crate) options: RunOptions,
    pub(crate) live: Arc<Live>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) events: Sender<Event>,
}

/// Tells the coordinator that the worker ended, however it ended.
struct ExitNotice(Sender<Event>);

impl Drop for ExitNotice {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Exited);
    }
}

/// Finishes the listeners at the end, however it comes: what was measured is written.
struct ListenersFinish(Rc<[Rc<dyn Listener>]>);

impl Drop for ListenersFinish {
    fn drop(&mut self) {
        self.0.iter().for_each(|listener| listener.finish());
    }
}

/// A worker to start.
struct WorkerLoop {
    index: usize,
    count: usize,
    setup: WorkerSetup,
    commands: Receiver<Command>,
    exit_notice: ExitNotice,
}

/// Starts a worker: on a thread, or as a process of a simulated world.
///
/// # Errors
/// The system has no more threads.
pub(super) fn start(
    index: usize,
    count: usize,
    setup: &WorkerSetup,
    commands: Receiver<Command>,
) -> io::Result<LoopHandle> {
    let keeps_schedule = setup.prepared.keeps_schedule || setup.options.shape.is_some();
    let options = LoopOptions {
        name: format!("swell-worker-{index}"),
        schedule: if keeps_schedule { LoopSchedule::Punctuality } else { LoopSchedule::Throughput },
        context: setup.options.net.clone(),
    };
    let setup = setup.clone();
    let exit_notice = ExitNotice(setup.events.clone());
    swell_net::spawn_loop(options, WorkerLoop { index, count, setup, commands, exit_notice })
}

impl LoopWork for WorkerLoop {
    async fn run(self) -> TasksLeft {
        let Self { index, count, setup, mut commands, exit_notice: _exit_notice } = self;
        (setup.options.on_worker)(WorkerThread { worker: index, thread_id: swell_net::machine::thread_id() });
        let (worker, found) = compile(index, count, &setup);
        let worker = Rc::new(worker);
        let _listeners = ListenersFinish(worker.program.listeners.clone());
        let ticking = swell_net::spawn(tick(worker.clone(), index));
        // The coordinator is gone only if it failed; then no response is needed.
        let _ = worker.events.send(Event::Ready(found));
        run_commands(&worker, &mut commands).await;
        ticking.abort();
        worker.tell_work(index);
        let leaks = worker.left_users.get() > 0 && setup.options.ends_process;
        if leaks { TasksLeft::Leak } else { TasksLeft::Drop }
    }

    fn refused(self, error: io::Error) {
        let message = format!("cannot start an event loop: {error}");
        let _ = self.setup.events.send(Event::Failed(message));
    }
}

fn compile(index: usize, count: usize, setup: &WorkerSetup) -> (Worker, Vec<Diagnostic>) {
    let settings = &setup.prepared.settings;
    let compile = CompileContext {
        expr: Compiler::new(setup.shared.clone()).with_texts(setup.prepared.texts.clone()),
        props: settings.props.clone(),
        host: settings.host.clone(),
        file: setup.prepared.file.clone(),
        diagnostics: RefCell::default(),
        worker: index,
        workers: count,
        traced: settings.trace.is_some(),
    };
    compile.set_functional(setup.prepared.root.element.flag("TestPlan.functional_mode", false));
    let roots = (setup.options.root_listeners)(&compile);
    let compile_options = CompileOptions { compat: setup.options.compat, dry: false };
    let last_sample_ok = compile.expr.names.slot(LAST_SAMPLE_OK);
    let program = Program::compile(&setup.prepared, &setup.registry, &compile, compile_options, roots);
    if index == 0 {
        // The same on all workers.
        let _ = setup.live.external_needs.set(program.external_needs());
    }
    if index == 0 && !before::evaluate_beans(&setup.prepared, &setup.registry, &compile) {
        setup.live.raise(StopMode::Immediate);
    }
    let functions = setup.registry.functions().filter(|_| program.calls_remotely);
    let remote = functions.map(|functions| Remote { functions, pool: compile.foreign_work() });
    let worker = Worker {
        prepared: setup.prepared.clone(),
        program,
        names: compile.expr.names.clone(),
        start: before::start(&setup.shared),
        initial: OnceCell::new(),
        watched: setup.options.watched.clone(),
        live: setup.live.clone(),
        locks: setup.shared.get("critical sections", Locks::default),
        left_users: Cell::new(0),
        handles: Handles::default(),
        compat: setup.options.compat,
        // A name that Java does not know is refused before a run; otherwise bodies are UTF-8.
        fallback_charset: swell_api::fallback_charset(&settings.props)
            .ok()
            .filter(|charset| *charset != Charset::default()),
        seed: setup.options.seed,
        random: RefCell::new(SmallRng::from_os_rng()),
        last_sample_ok,
        yes: "true".into(),
        no: "false".into(),
        samples: Cell::new(0),
        external_samples: Cell::new(0),
        cut: Cell::new(0),
        time_accounting: TimeAccounting::default(),
        heavy: Rc::new(heavy(setup)),
        events: setup.events.clone(),
        share: setup.shared.get(SHARE, || Share::whole(count as u32)),
        remote,
        recent: setup.options.recent.clone(),
    };
    (worker, compile.diagnostics.take())
}

fn heavy(setup: &WorkerSetup) -> Heavy {
    let meter = Meter { clock_ns: swell_net::machine::thread_cpu_ns, stop: setup.live.stop_checks.clone() };
    let account = setup.live.bodies.account().clone();
    let aside = setup.options.aside.clone().unwrap_or_else(|| checks_of(setup.live.clone()));
    Heavy::of(&setup.prepared.settings.props, meter, aside, account)
}

/// On the threads that the run has for checks.
fn checks_of(live: Arc<Live>) -> BackgroundRunner {
    Arc::new(move |job| {
        let work = live.checks.run(|_| job());
        // The receiver notices by itself that there is no response.
        Box::pin(async { drop(work.await) })
    })
}

async fn run_commands(worker: &Rc<Worker>, commands: &mut Receiver<Command>) {
    let mut groups = Groups::default();
    while let Some(command) = commands.recv().await {
        match command {
            Command::Start(start) => groups.running.push(launcher::start(worker, start)),
            Command::Wake => groups.stop(worker),
            Command::Deliver(delivery) => external::deliver(worker, delivery).await,
            Command::Look => worker.handles.wake_all(),
            Command::GroupOver(place) => groups.nudge_launcher(place),
            Command::End => return,
        }
    }
}

/// Thread groups that were started.
#[derive(Default)]
struct Groups {
    running: Vec<Weak<GroupRun>>,
}

impl Groups {
    /// The stop mode was raised: users who only wait are left, the others are to look.
    fn stop(&mut self, worker: &Worker) {
        self.running.retain(|group| group.strong_count() > 0);
        let left: u32 = self.running.iter().filter_map(Weak::upgrade).map(|group| group.leave_idle()).sum();
        worker.left_users.set(worker.left_users.get() + left);
        swell_net::wake_sleepers();
        worker.handles.wake_busy();
    }

    /// The launcher of a group is to look.
    fn nudge_launcher(&self, place: usize) {
        let groups = self.running.iter().filter_map(Weak::upgrade);
        groups.filter(|group| group.place == place).for_each(|group| group.nudge());
    }
}

/// Tells listeners, and all who look at the run, of each second of the clock, and listeners of each
/// half of one.
async fn tick(worker: Rc<Worker>, index: usize) {
    const HALF: i64 = 500_000_000;
    loop {
        let next = swell_net::now_ns() / HALF + 1;
        let next_ns = next * HALF;
        while swell_net::now_ns() < next_ns {
            swell_net::sleep_until(next_ns).await;
        }
        let is_whole = next % 2 == 0;
        if is_whole {
            worker.tell_work(index);
        }
        for listener in worker.program.listeners.iter() {
            if is_whole { listener.tick(next_ns) } else { listener.half_tick(next_ns) }
        }
    }
}
