//! A world: machines, their processes, and the order in which these run.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use rand::Rng;
use rand::rngs::SmallRng;
use swell_net::simulated::{NewProcess, Turn, install};
use swell_net::{NetContext, Runtime, TimestampSource};

use crate::kernel::{Clock, Counts, Link, SimulatedKernel, Span, draws, end_of};
use crate::mail::Mail;
use crate::real_time::forbid;
use crate::stuck::{Stuck, Why, report};

/// Turns without anything that happens in the kernel: more are a loop that never waits.
const IDLE_TURNS_MAX: u64 = 1_000_000;

/// A machine of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine(usize);

/// A process of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(usize);

type Root = Pin<Box<dyn Future<Output = ()>>>;

/// A process: one loop on a machine.
struct Running {
    name: String,
    machine: usize,
    /// The world does not wait for it to end.
    serves: bool,
    loop_number: usize,
    context: Arc<NetContext>,
    /// None once it has ended.
    runs: Option<(Runtime, Root)>,
    is_busy: bool,
    /// Its processor has other work until then.
    free_ns: i64,
    /// When it runs after it has waited; none: it has not been woken yet.
    wakes_ns: Option<i64>,
    /// When it gets no processor.
    stalls: Vec<Span>,
    killed_ns: i64,
}

/// Machines, links and processes that run in one thread, in simulated time, from one seed.
pub struct World {
    kernel: Rc<SimulatedKernel>,
    mail: Mail,
    processes: Vec<Running>,
    order: SmallRng,
    turn_ns_max: i64,
    wake_ns_max: i64,
    limit_ns: i64,
}

/// Runs `f` with a world of this seed on a separate thread, so that what libraries keep in each
/// thread begins empty. Whatever asks for real time there ends the process with a backtrace.
///
/// # Panics
/// If `f` does.
pub fn in_world<R: Send>(seed: u64, f: impl FnOnce(&mut World) -> R + Send) -> R {
    let run = || {
        let kernel = Rc::new(SimulatedKernel::new(seed));
        let _forbidden = forbid(seed);
        let _installed = install(kernel.clone());
        let mut world = World {
            mail: Mail::new(kernel.clone()),
            kernel,
            processes: Vec::new(),
            order: draws(seed, "order"),
            turn_ns_max: 0,
            wake_ns_max: 0,
            limit_ns: i64::MAX,
        };
        f(&mut world)
    };
    let joined = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(format!("world-{seed}"));
        thread.spawn_scoped(scope, run).expect("a thread for the world").join()
    });
    joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// What the loop of one process has for itself.
fn context() -> Arc<NetContext> {
    Arc::new(NetContext::new(TimestampSource::Socket))
}

/// Runs `f`; an error is the text of its panic.
pub(crate) fn caught<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        format!("panic: {}", text.unwrap_or_default())
    })
}

impl World {
    /// A machine with an address.
    pub fn machine(&mut self, address: impl Into<IpAddr>, clock: Clock) -> Machine {
        Machine(self.kernel.add_machine(address.into(), clock))
    }

    /// What is between two machines; without this a [`Link::default`]. A machine and itself have a
    /// link as well.
    pub fn link(&mut self, one: Machine, other: Machine, link: Link) {
        self.kernel.set_link(one.0, other.0, link);
    }

    /// A process that the world runs to its end.
    pub fn process(&mut self, on: Machine, name: &str, root: impl Future<Output = ()> + 'static) -> Process {
        self.start(on, name, false, Box::pin(root), context())
    }

    /// A process that serves others, and need not end.
    pub fn service(&mut self, on: Machine, name: &str, root: impl Future<Output = ()> + 'static) -> Process {
        self.start(on, name, true, Box::pin(root), context())
    }

    fn start(
        &mut self,
        on: Machine,
        name: &str,
        serves: bool,
        root: Root,
        context: Arc<NetContext>,
    ) -> Process {
        let process = self.kernel.add_process(on.0);
        self.kernel.switch_to(process);
        let runtime = Runtime::with_context(context.clone()).expect("a simulated loop");
        self.processes.push(Running {
            name: name.to_owned(),
            machine: on.0,
            serves,
            // Each process has one loop.
            loop_number: process,
            context,
            runs: Some((runtime, root)),
            is_busy: true,
            free_ns: 0,
            wakes_ns: None,
            stalls: Vec::new(),
            killed_ns: i64::MAX,
        });
        Process(process)
    }

    /// Starts the processes that others want ([`swell_net::spawn_loop()`]). They stall and end as
    /// those do: they are threads of the same.
    fn start_spawned(&mut self) {
        for (parent, NewProcess { name, context, root }) in self.kernel.take_spawned() {
            let Running { machine, serves, stalls, killed_ns, .. } = &self.processes[parent];
            let (machine, serves, stalls, killed_ns) =
                (Machine(*machine), *serves, stalls.clone(), *killed_ns);
            let process = self.start(machine, &name, serves, root, context);
            let running = &mut self.processes[process.0];
            (running.stalls, running.killed_ns) = (stalls, killed_ns);
        }
    }

    /// The process gets no processor during this time: what arrives is stamped, and waits.
    pub fn stall(&mut self, process: Process, span: Span) {
        self.processes[process.0].stalls.push(span);
    }

    /// The process ends at this instant, in the middle of what it does.
    pub fn kill(&mut self, process: Process, at_ns: i64) {
        self.processes[process.0].killed_ns = at_ns;
    }

    /// The process sends nothing from this instant on, as if it held a lease until then
    /// ([`NetContext::lease`]).
    pub fn lease(&mut self, process: Process, until_ns: i64) {
        let Running { machine, context, .. } = &self.processes[process.0];
        context.lease(self.kernel.boot_ns(*machine, until_ns));
    }

    /// When a process of a machine last gave data to a connection, world time.
    pub fn sent_ns(&self, machine: Machine) -> i64 {
        self.kernel.sent_ns(machine.0)
    }

    /// A turn of a loop takes up to this.
    pub fn set_turn_ns(&mut self, most: i64) {
        self.turn_ns_max = most;
    }

    /// A read of a clock takes this; without it 20 ns. With 0 a clock rests during a turn, so that what
    /// is early by a nanosecond shows.
    pub fn set_read_ns(&mut self, read_ns: i64) {
        self.kernel.set_read_ns(read_ns);
    }

    /// A process that waited runs up to this after it is woken, so that more may have come by then.
    pub fn set_wake_ns(&mut self, most: i64) {
        self.wake_ns_max = most;
    }

    /// The world fails if its processes have not ended at this instant.
    pub fn set_limit_ns(&mut self, at_ns: i64) {
        self.limit_ns = at_ns;
    }

    /// Messages between processes that take no socket.
    pub(crate) fn mail(&self) -> Mail {
        self.mail.clone()
    }

    /// Remembers when each byte arrives, for [`World::arrival_ns`].
    pub fn note_arrivals(&mut self) {
        self.kernel.note_arrivals();
    }

    /// When a byte of a connection (numbered from 1) arrived at the end `local`, world time.
    pub fn arrival_ns(&self, local: SocketAddr, remote: SocketAddr, byte: u64) -> Option<i64> {
        self.kernel.arrival_ns(local, remote, byte)
    }

    /// World time of an instant of [`swell_net::now_ns`] in a process.
    pub fn world_ns(&self, process: Process, at_ns: i64) -> i64 {
        self.kernel.world_ns(process.0, at_ns)
    }

    /// World time.
    pub fn now_ns(&self) -> i64 {
        self.kernel.now_ns()
    }

    /// Counts of what has happened.
    pub fn counts(&self) -> Counts {
        self.kernel.counts()
    }

    /// A hash of everything that has happened, in its order: equal for equal seeds.
    pub fn trace(&self) -> u64 {
        self.kernel.trace()
    }

    /// Runs until all processes but the services have ended.
    ///
    /// # Errors
    /// Nothing can happen any more, the limit has passed, or a loop never waits: who waits for
    /// what.
    pub fn run(&mut self) -> Result<(), Stuck> {
        let mut idle_turns = 0;
        while self.processes.iter().any(|process| !process.serves && process.runs.is_some()) {
            let events = self.kernel.counts().events;
            self.kernel.advance(0);
            self.mail.deliver();
            self.kill_due();
            self.wake_processes();
            let now_ns = self.kernel.now_ns();
            if now_ns > self.limit_ns {
                return Err(self.stuck(Why::Late));
            }
            let ready: Vec<_> =
                (0..self.processes.len()).filter(|place| self.ready_ns(*place) <= now_ns).collect();
            if ready.is_empty() {
                let Some(next_ns) = self.next_ns() else { return Err(self.stuck(Why::Hang)) };
                self.kernel.advance(next_ns);
            } else {
                let place = ready[self.order.random_range(0..ready.len())];
                self.turn(place);
            }
            idle_turns = if self.kernel.counts().events == events { idle_turns + 1 } else { 0 };
            if idle_turns > IDLE_TURNS_MAX {
                return Err(self.stuck(Why::NeverWaits));
            }
        }
        Ok(())
    }

    /// Draws when processes run that were woken.
    fn wake_processes(&mut self) {
        for process in self.processes.iter_mut().filter(|process| process.runs.is_some()) {
            if process.wakes_ns.is_none() && !process.is_busy && self.kernel.has_events(process.loop_number) {
                let after_ns =
                    if self.wake_ns_max > 0 { self.order.random_range(0..=self.wake_ns_max) } else { 0 };
                process.wakes_ns = Some(self.kernel.now_ns() + after_ns);
            }
        }
    }

    /// When a process can run next; `i64::MAX`: not before something happens.
    fn ready_ns(&self, place: usize) -> i64 {
        let process = &self.processes[place];
        let has_work = process.is_busy || self.kernel.has_events(process.loop_number);
        if process.runs.is_none() || !has_work {
            return i64::MAX;
        }
        let free_ns = process.free_ns.max(process.wakes_ns.unwrap_or(0)).max(self.kernel.now_ns());
        let mut spans = self.kernel.suspended(process.machine);
        spans.extend_from_slice(&process.stalls);
        end_of(&spans, free_ns)
    }

    /// When something can happen next.
    fn next_ns(&self) -> Option<i64> {
        let kills = self.processes.iter().filter(|process| process.runs.is_some());
        let kill_ns = kills.map(|process| process.killed_ns).min().unwrap_or(i64::MAX);
        let ready_ns = (0..self.processes.len()).map(|place| self.ready_ns(place)).min();
        let event_ns = self.kernel.next_ns().unwrap_or(i64::MAX);
        let mail_ns = self.mail.next_ns().unwrap_or(i64::MAX);
        let next_ns = ready_ns.unwrap_or(i64::MAX).min(event_ns).min(kill_ns).min(mail_ns);
        (next_ns != i64::MAX).then_some(next_ns)
    }

    fn turn(&mut self, place: usize) {
        self.kernel.switch_to(place);
        self.kernel.count_turn();
        let process = &mut self.processes[place];
        let Some((runtime, root)) = &mut process.runs else { return };
        let turn = runtime.turn(root.as_mut());
        process.is_busy = turn == Turn::Busy;
        process.wakes_ns = None;
        let took_ns = if self.turn_ns_max > 0 { self.order.random_range(0..=self.turn_ns_max) } else { 0 };
        process.free_ns = self.kernel.now_ns() + took_ns;
        if turn == Turn::Ended {
            self.end(place);
        }
        self.start_spawned();
    }

    fn kill_due(&mut self) {
        for place in 0..self.processes.len() {
            if self.processes[place].killed_ns <= self.kernel.now_ns() {
                self.end(place);
            }
        }
    }

    /// Ends a process: its descriptors are closed.
    fn end(&mut self, place: usize) {
        if let Some((mut runtime, root)) = self.processes[place].runs.take() {
            self.kernel.switch_to(place);
            runtime.inside(|| drop(root));
        }
    }

    fn stuck(&self, why: Why) -> Stuck {
        let alive = self.processes.iter().filter_map(|process| {
            let (runtime, _) = process.runs.as_ref()?;
            Some((process.name.as_str(), process.serves, process.loop_number, runtime))
        });
        Stuck { why, at_ns: self.kernel.now_ns(), report: report(&self.kernel, alive) }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.mail.clear();
        for place in 0..self.processes.len() {
            self.end(place);
        }
    }
}
