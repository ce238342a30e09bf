//! One event loop on one thread: tasks, timers, readiness.
//!
//! Each turn of the loop runs the tasks that are ready, fires the timers that are due, and asks the
//! kernel for events, waiting for them if nothing else is ready. Nothing here is atomic or locked
//! except the queue through which other threads wake tasks.

mod cross_thread_wake;
mod deadline;
mod driver;
mod gathering;
mod sampling;
#[cfg(feature = "simulated")]
pub(crate) mod simulated;
mod sleep;
mod sources;
mod task;
mod tasks;
mod timers;
mod turn_end;
mod uring;
mod waker;

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::clock::{self, Correction};
use crate::{NetContext, TimestampSource, sys};
pub use deadline::Deadline;
use driver::Driver;
pub use gathering::{PromptReads, note_exchange, reads_may_wait_until, start_with_others_ns};
pub use sleep::{Sleep, sleep_uncut_until, sleep_until, wake_sleepers, yield_now};
pub(crate) use sources::{Direction, SourceId, Sources};
pub use task::{Task, spawn, spawn_detached};
pub(crate) use timers::TimerId;
pub use turn_end::{AtTurnEnd, at_turn_end, wake_in_turn};
pub(crate) use uring::{MOST_QUEUED, ReceiveResult, Uring};

/// Keys of the descriptors that belong to the loop itself.
const WAKE_KEY: u64 = (1 << 60) - 1;
const TIMER_KEY: u64 = WAKE_KEY - 1;
const FIRST_OWN_KEY: u64 = TIMER_KEY;
/// Tasks that run before events and the root's wakers are looked at again: where a million are
/// ready at once, a command need not wait for all of them.
const TURN: usize = 1024;
/// Room for one read. To read a large body takes half as long again with 64 KiB at a time.
pub(crate) const SCRATCH: usize = 256 * 1024;

/// The loop of one thread.
pub struct Runtime {
    core: Rc<Core>,
}

/// State shared by the parts of a loop.
pub(crate) struct Core {
    tasks: RefCell<tasks::Tasks>,
    timers: RefCell<timers::Timers>,
    sources: RefCell<Sources>,
    scratch: RefCell<Box<[u8]>>,
    correction: RefCell<Correction>,
    driver: Driver,
    timer_fd: sys::TimerFd,
    wakes: Arc<cross_thread_wake::WakeQueue>,
    id: u16,
    root_woken: Cell<bool>,
    rest_of_turn: turn_end::RestOfTurn,
    armed_ns: Cell<i64>,
    sampling: sampling::Sampling,
    gathering: gathering::Gathering,
    pub(crate) context: Arc<NetContext>,
    /// That of the context, where each read finds it at once.
    pub(crate) source: TimestampSource,
    /// Peers that the context knows from this loop.
    told_peers: RefCell<Vec<SocketAddr>>,
    /// Connections that this loop asked for and that have ended.
    ended: Cell<u64>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Core>>> = const { RefCell::new(None) };
}

/// Runs `f` on the loop of this thread.
///
/// # Panics
/// Outside of [`Runtime::block_on`].
pub(crate) fn with_core<R>(f: impl FnOnce(&Rc<Core>) -> R) -> R {
    CURRENT.with_borrow(|core| f(core.as_ref().expect("inside Runtime::block_on")))
}

/// Like [`with_core`], but does nothing without a loop: for drops, which may come late.
pub(crate) fn try_core<R>(f: impl FnOnce(&Rc<Core>) -> R) -> Option<R> {
    CURRENT.try_with(|core| core.try_borrow().ok().and_then(|core| core.as_ref().map(f))).ok().flatten()
}

impl Runtime {
    /// A loop for this thread, with a separate [`NetContext`].
    ///
    /// # Errors
    /// No descriptors left (it needs three).
    pub fn new() -> io::Result<Self> {
        Self::with_context(Arc::default())
    }

    /// A loop for this thread that shares a context with others.
    ///
    /// # Errors
    /// No descriptors left (it needs three).
    pub fn with_context(context: Arc<NetContext>) -> io::Result<Self> {
        let (driver, refused) = Driver::open(context.io())?;
        context.note_io(driver.uring().is_some(), refused);
        let timer_fd = sys::TimerFd::new()?;
        let (id, wakes) = cross_thread_wake::register()?;
        driver.watch(wakes.event_fd().as_raw_fd(), WAKE_KEY)?;
        driver.watch(timer_fd.as_raw_fd(), TIMER_KEY)?;
        sys::tighten_timer_slack();
        let core = Core {
            tasks: RefCell::default(),
            timers: RefCell::default(),
            sources: RefCell::default(),
            scratch: RefCell::new(vec![0; SCRATCH].into_boxed_slice()),
            correction: RefCell::new(Correction::new()),
            driver,
            timer_fd,
            wakes,
            id,
            root_woken: Cell::new(true),
            rest_of_turn: turn_end::RestOfTurn::default(),
            armed_ns: Cell::new(i64::MAX),
            sampling: sampling::Sampling::new(),
            gathering: gathering::Gathering::default(),
            source: context.source(),
            context,
            told_peers: RefCell::default(),
            ended: Cell::new(0),
        };
        Ok(Self { core: Rc::new(core) })
    }

    /// Runs a future to its end, and with it all tasks that it spawns. Tasks that are left then are
    /// dropped with the runtime.
    ///
    /// # Panics
    /// Inside another `block_on` of this thread.
    pub fn block_on<F: Future>(&mut self, future: F) -> F::Output {
        let _guard = Inside::enter(&self.core);
        let waker = waker::root(self.core.id);
        let mut cx = Context::from_waker(&waker);
        let mut future = pin!(future);
        self.core.root_woken.set(true);
        let mut events = Vec::new();
        loop {
            if self.core.root_woken.replace(false)
                && let Poll::Ready(value) = future.as_mut().poll(&mut cx)
            {
                return value;
            }
            self.core.run_ready();
            self.core.turn(&mut events);
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        let _guard = Inside::enter(&self.core);
        // Tasks hold sockets and sleeps, whose drops look for the loop: so they go first, and while
        // it is there.
        let left = self.core.tasks.borrow_mut().take_all();
        drop(left);
        self.core.rest_of_turn.clear();
        cross_thread_wake::unregister(self.core.id);
    }
}

/// Marks the loop as this thread's while it runs.
struct Inside;

impl Inside {
    fn enter(core: &Rc<Core>) -> Self {
        CURRENT.with_borrow_mut(|current| {
            assert!(current.is_none(), "one event loop per thread at a time");
            *current = Some(core.clone());
        });
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(Option::take);
    }
}

impl Core {
    pub(crate) fn timers(&self) -> std::cell::RefMut<'_, timers::Timers> {
        self.timers.borrow_mut()
    }

    /// Takes a descriptor into the loop.
    pub(crate) fn register(&self, fd: &impl AsRawFd) -> io::Result<SourceId> {
        let id = self.sources.borrow_mut().add();
        let added = self.driver.watch(fd.as_raw_fd(), id.key());
        if added.is_err() {
            self.sources.borrow_mut().remove(id);
        }
        added.map(|()| id)
    }

    /// Takes a connection into the loop whose data a ring moves; none where the loop has no ring.
    pub(crate) fn adopt(&self, fd: &impl AsRawFd, slot: Option<&'static sys::PortSlot>) -> Option<SourceId> {
        let uring = self.driver.uring()?;
        let id = self.sources.borrow_mut().add();
        uring.adopt(id, fd.as_raw_fd(), slot);
        Some(id)
    }

    /// The descriptor of this source is about to be closed.
    pub(crate) fn unregister(&self, id: SourceId) {
        self.driver.forget(id);
        self.sources.borrow_mut().remove(id);
    }

    /// The ring of a loop that has one; that of adopted connections is there.
    pub(crate) fn uring(&self) -> &Uring {
        self.driver.uring().expect("only loops with a ring adopt connections")
    }

    pub(crate) fn sources(&self) -> std::cell::RefMut<'_, Sources> {
        self.sources.borrow_mut()
    }

    /// The read buffer that all connections of this loop share, and the correction of receive
    /// stamps.
    pub(crate) fn scratch(&self) -> (std::cell::RefMut<'_, Box<[u8]>>, std::cell::Ref<'_, Correction>) {
        (self.scratch.borrow_mut(), self.correction.borrow())
    }

    /// Whether this send is one of those that are stamped.
    pub(crate) fn is_sampled(&self) -> bool {
        self.sampling.is_next(sys::monotonic_ns)
    }

    /// A connection to that address begins; which clock ends what is measured on it.
    pub(crate) fn note_peer(&self, to: SocketAddr) -> TimestampSource {
        self.context.peer_table().note(&mut self.told_peers.borrow_mut(), to);
        self.source
    }

    /// A connection that this loop asked for ends: whether it is looked at.
    pub(crate) fn looks_at_end(&self) -> bool {
        self.ended.set(self.ended.get() + 1);
        crate::tcp_totals::is_looked_at(self.ended.get())
    }

    /// Polls the tasks that are ready now, up to a limit; those that become ready meanwhile wait
    /// for the next turn, unless [`wake_in_turn`] woke them. Then comes what was left to the end.
    fn run_ready(&self) {
        let mut left = self.tasks.borrow().ready_count().min(TURN);
        let mut more = TURN;
        while left > 0 {
            left -= 1;
            let Some((key, mut future)) = self.tasks.borrow_mut().take_ready() else { break };
            let waker = waker::task(self.id, key);
            let done = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
            let finished = self.tasks.borrow_mut().put_back(key, future, done);
            // Dropped outside of the borrow: its drop may wake or end other tasks.
            drop(finished);
            self.driver.after_poll();
            let woken = self.rest_of_turn.take_woken().min(more);
            more -= woken;
            left += woken;
        }
        self.rest_of_turn.end();
    }

    /// Fires timers and takes events, waiting if there is nothing to do.
    fn turn(&self, events: &mut Vec<sys::Event>) {
        let waits = self.before_events();
        self.take_events(events, waits);
    }

    /// Fires timers; whether there is nothing to do before the next event. Where nothing that comes
    /// is needed sooner, it sleeps to the next timer first.
    fn before_events(&self) -> bool {
        let now_ns = clock::now_ns();
        self.timers.borrow_mut().fire_due(now_ns);
        let busy = self.root_woken.get() || self.tasks.borrow().ready_count() > 0;
        let waits = !busy && !self.slept_to_timer(now_ns);
        if waits {
            self.prepare_wait();
        }
        waits
    }

    /// Takes events, waiting for one if `waits`, and fires timers.
    fn take_events(&self, events: &mut Vec<sys::Event>, waits: bool) {
        let events = self.driver.wait(events, waits);
        let after_ns = clock::now_ns();
        if self.correction.borrow_mut().refresh(after_ns) {
            self.context.note_clock_step();
        }
        for event in events {
            match event.key() {
                WAKE_KEY => self.take_wakes(),
                TIMER_KEY => self.armed_ns.set(i64::MAX),
                _ => self.sources.borrow_mut().mark(*event),
            }
        }
        self.timers.borrow_mut().fire_due(after_ns);
    }

    /// Sleeps to the earliest deadline where nothing that arrives until then is needed sooner.
    /// Whether it did.
    fn slept_to_timer(&self, now_ns: i64) -> bool {
        let next_ns = self.timers.borrow_mut().next_ns();
        let sleeps = !sys::is_simulated() && self.gathering.may_sleep(now_ns, next_ns);
        if sleeps {
            self.driver.before_sleep();
            sys::sleep_until(next_ns - clock::anchor_ns());
        }
        sleeps
    }

    /// Arms the timer for the earliest deadline: nothing else ends a wait that nothing happens in.
    fn prepare_wait(&self) {
        let next_ns = self.timers.borrow_mut().next_ns();
        if next_ns != i64::MAX && next_ns != self.armed_ns.get() {
            let armed = self.timer_fd.arm(next_ns - clock::anchor_ns());
            armed.expect("the loop's timer accepts any instant");
            self.armed_ns.set(next_ns);
        }
    }

    fn take_wakes(&self) {
        for key in self.wakes.take() {
            self.wake(key);
        }
    }

    /// Makes a task of this loop ready.
    fn wake(&self, key: waker::TaskKey) {
        if key == waker::TaskKey::ROOT {
            self.root_woken.set(true);
        } else {
            self.tasks.borrow_mut().make_ready(key);
        }
    }
}

type LocalFuture = Pin<Box<dyn Future<Output = ()>>>;

/// A waker is a number: the loop, the task, and its generation. See [`waker`].
fn wake_key(loop_id: u16, key: waker::TaskKey) {
    let here = try_core(|core| {
        let mine = core.id == loop_id;
        if mine {
            core.wake(key);
        }
        mine
    });
    if here != Some(true) {
        cross_thread_wake::wake(loop_id, key);
    }
}

/// Keeps a waker that would wake the same task, replaces any other.
pub(crate) fn keep_waker(place: &mut Option<Waker>, cx: &Context<'_>) {
    match place {
        Some(old) if old.will_wake(cx.waker()) => {}
        _ => *place = Some(cx.waker().clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_asked_to_wake_the_loop_at_the_nanosecond() {
        let runtime = Runtime::new().expect("three descriptors");
        let core = &runtime.core;
        for odd_ns in [1, 999, 20_001, 123_456, 987_654] {
            let timer = core.timers().add(true);
            let at_ns = clock::now_ns() + 3_600_000_000_000 + odd_ns;
            core.timers().arm(timer, at_ns);
            core.prepare_wait();
            let before_ns = clock::now_ns();
            let left_ns = core.timer_fd.left_ns();
            let after_ns = clock::now_ns();
            let ends_ns = before_ns + left_ns..=after_ns + left_ns;
            assert!(ends_ns.contains(&at_ns), "{at_ns} is not within {ends_ns:?}");
            core.timers().release(timer);
        }
    }
}
