//! Threads whose work may wait, such as work once a second for the live page.

use std::fs::read_to_string;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use crate::machine::give_way;
use crate::sys;

/// A piece of work that waited so long for a processor was starved.
const STARVED_NS: u64 = 20_000_000;

/// One that waited no longer than this had a processor when it wanted one.
const CALM_NS: u64 = 2_000_000;

/// Pieces of work without a wait, one after the other, after which there are idle processors: of a
/// thread that has just begun, and of one that starved, for which they are doubled up to the last
/// each time that this was wrong.
const CALM_AT_FIRST: u32 = 1;
const CALM_AGAIN: [u32; 2] = [10, 640];

/// Lets this thread run only while its processor is otherwise idle (`SCHED_IDLE`). If the processor
/// is never idle, the thread gives way as [`give_way`] does, so that it is late but never starved.
/// It cannot see in the middle of a piece of work that it starves, so those who wait for it do: see
/// [`Lift`].
///
/// Leaving `SCHED_IDLE` takes a right (`CAP_SYS_NICE` or `RLIMIT_NICE`) that entering it does not.
/// A thread without that right would stay there forever, so it only gives way.
///
/// Giving way is not enough for threads that keep a schedule. If a worker has had more than its
/// share while such a thread waited, the worker does not interrupt that thread when it wakes up: it
/// waits for the next scheduler tick, up to 4 ms at 250 Hz (EEVDF, Linux 6.6 and later). A thread
/// under `SCHED_IDLE` is interrupted at once.
///
/// Measured seven times with 10,000 requests a second to a server on the same two cores, with a run
/// folder and two tabs of the live page: the 99th percentile of late starts is 0.129 ms if these
/// threads give way, and 0.099 ms if they are idle; without folder and tabs 0.071 and 0.058 ms.
#[derive(Debug)]
pub struct Background {
    waited_ns: u64,
    patience: Patience,
    lift: Lift,
    /// The policy is a thread's.
    _of_this_thread: PhantomData<*const ()>,
}

impl Background {
    /// This thread, from now on. `lift` is for those who wait for its work.
    pub fn enter(lift: &Lift) -> Self {
        // Where the kernel will not, this thread competes with the others.
        let gives_way = give_way();
        let waited_ns = waited_ns();
        // Under that policy by a wish of the user: it stays.
        let by_wish = sys::runs_when_idle();
        // Where it cannot be seen whether it starves, it must not.
        let may_idle = gives_way && waited_ns.is_some() && !by_wish && may_return();
        if may_idle {
            lift.0.thread.store(sys::thread_id(), Ordering::Relaxed);
        }
        Self {
            waited_ns: waited_ns.unwrap_or(0),
            patience: Patience::new(may_idle),
            lift: lift.clone(),
            _of_this_thread: PhantomData,
        }
    }

    /// To be called after each piece of work: looks whether this thread had to wait for a
    /// processor.
    pub fn rest(&mut self) {
        let was_lifted = self.lift.0.messages.swap(0, Ordering::Relaxed) > 1;
        if !self.patience.may_change {
            return;
        }
        let Some(now_ns) = waited_ns() else { return };
        let waited_ns = now_ns.saturating_sub(std::mem::replace(&mut self.waited_ns, now_ns));
        self.change_after(if was_lifted { waited_ns.max(STARVED_NS) } else { waited_ns });
    }

    fn change_after(&mut self, waited_ns: u64) {
        if self.patience.may_change
            && let Some(is_idle) = self.patience.after(waited_ns)
        {
            self.patience.may_change = sys::run_when_idle(is_idle);
        }
    }
}

impl Drop for Background {
    /// The id may soon be that of another thread, so this one cannot be lifted any more.
    fn drop(&mut self) {
        if self.patience.is_idle {
            sys::run_when_idle(false);
        }
        self.lift.0.thread.store(0, Ordering::Relaxed);
    }
}

/// For those who wait for the work of a [`Background`] thread: gives it a share of the processors
/// again if it starves in the middle of a piece of work.
#[derive(Debug, Clone, Default)]
pub struct Lift(Arc<Lifted>);

#[derive(Debug, Default)]
struct Lifted {
    /// 0 if there is none that runs only when idle.
    thread: AtomicU32,
    /// Sent since the thread last finished a piece of work.
    messages: AtomicU32,
}

impl Lift {
    /// To be called with each message to the thread, such as one a second: lifts it if it has not
    /// finished the work of the last one.
    pub fn message(&self) {
        if self.0.messages.fetch_add(1, Ordering::Relaxed) > 0 {
            self.now();
        }
    }

    /// Lifts the thread, for example before a `join`.
    pub fn now(&self) {
        let thread = self.0.thread.load(Ordering::Relaxed);
        if thread != 0 {
            // A thread that is refused or has ended changes nothing.
            sys::run_thread_when_idle(thread, false);
        }
    }
}

/// Whether a thread of this process may leave `SCHED_IDLE` again: a right of the process, so one
/// thread tries it once, and ends then.
fn may_return() -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    *MAY.get_or_init(|| {
        let both = || give_way() && sys::run_when_idle(true) && sys::run_when_idle(false);
        std::thread::Builder::new().spawn(both).is_ok_and(|tried| tried.join().unwrap_or(false))
    })
}

/// When to change between the two.
#[derive(Debug)]
struct Patience {
    is_idle: bool,
    may_change: bool,
    /// Pieces of work without a wait since the last with one.
    calm: u32,
    /// How many of them it takes until this thread works in idle moments again.
    needed: u32,
}

impl Patience {
    /// The state of a thread that gives way.
    fn new(may_change: bool) -> Self {
        Self { is_idle: false, may_change, calm: 0, needed: CALM_AT_FIRST }
    }

    /// What changes after a piece of work that waited so long for a processor.
    fn after(&mut self, waited_ns: u64) -> Option<bool> {
        if self.is_idle && waited_ns >= STARVED_NS {
            self.needed = (2 * self.needed).clamp(CALM_AGAIN[0], CALM_AGAIN[1]);
            self.calm = 0;
            self.is_idle = false;
            return Some(false);
        }
        self.calm = if waited_ns <= CALM_NS { self.calm + 1 } else { 0 };
        if !self.is_idle && self.calm >= self.needed {
            self.is_idle = true;
            return Some(true);
        }
        None
    }
}

/// How long this thread has waited for a processor so far: the second number of
/// `/proc/thread-self/schedstat`.
fn waited_ns() -> Option<u64> {
    read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_starves_is_idle_again_after_a_calm_that_gets_longer_each_time() {
        let mut patience = Patience::new(true);
        assert_eq!(patience.after(CALM_NS + 1), None, "processors are busy from the start");
        assert_eq!(patience.after(CALM_NS), Some(true));
        let mut calm_before_idle = Vec::new();
        for _ in 0..8 {
            assert_eq!(patience.after(CALM_NS + 1), None, "a short wait changes nothing");
            assert_eq!(patience.after(STARVED_NS), Some(false));
            assert_eq!(patience.after(STARVED_NS), None, "told once");
            let calm = (1..=1000).find(|_| patience.after(0) == Some(true));
            calm_before_idle.extend(calm);
        }
        assert_eq!(calm_before_idle, [10, 20, 40, 80, 160, 320, 640, 640]);
    }

    #[test]
    fn a_thread_works_when_its_processor_is_idle_and_gives_way_once_it_starves() {
        let thread = std::thread::spawn(|| {
            let mut background = Background::enter(&Lift::default());
            let at_first = sys::runs_when_idle();
            background.change_after(0);
            let when_calm = sys::runs_when_idle();
            background.change_after(STARVED_NS);
            (background.patience.may_change, [at_first, when_calm, sys::runs_when_idle()])
        });
        let (may_change, was_idle) = thread.join().expect("no panic");
        // Where the kernel does not report how long a thread waited, or would not let it return, it
        // never works in idle moments only.
        let may_idle = waited_ns().is_some() && may_return();
        assert_eq!((may_change, was_idle), (may_idle, [false, may_idle, false]));
    }

    #[test]
    fn who_waits_for_a_thread_that_starves_lifts_it() {
        let lift = Lift::default();
        let (began, begins) = std::sync::mpsc::channel();
        let (ask, asked) = std::sync::mpsc::channel();
        let lifted = lift.clone();
        let thread = std::thread::spawn(move || {
            let mut background = Background::enter(&lifted);
            background.rest();
            background.change_after(0);
            began.send(sys::runs_when_idle()).expect("the test waits");
            asked.recv().map(|()| sys::runs_when_idle())
        });
        assert_eq!(begins.recv(), Ok(waited_ns().is_some() && may_return()));
        lift.message();
        lift.message();
        ask.send(()).expect("the thread waits");
        assert_eq!(thread.join().expect("no panic"), Ok(false), "the second message found the first undone");
    }

    #[test]
    fn a_policy_of_the_user_stays() {
        let thread = std::thread::spawn(|| {
            assert!(sys::run_when_idle(true));
            let mut background = Background::enter(&Lift::default());
            background.rest();
            (background.patience.may_change, sys::runs_when_idle())
        });
        assert_eq!(thread.join().expect("no panic"), (false, true));
    }
}
