//! Work on helper threads: what blocks (name resolution, files), and what calculates for long (checks of large bodies).

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::channel::channel;

type Job = Box<dyn FnOnce() + Send>;

/// Threads at most that block; more work waits.
const BLOCKING_THREADS: usize = 16;
/// A helper without work ends after this time.
const IDLE: Duration = Duration::from_secs(5);

/// Helper threads of one kind, with what waits for them.
struct Pool {
    name: &'static str,
    /// Threads at most; more work waits.
    most: fn() -> usize,
    /// What a helper does first.
    prepare: fn(),
    state: Mutex<State>,
    work: Condvar,
}

struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

/// For what blocks.
static BLOCKING: Pool = Pool::new("swell-blocking", || BLOCKING_THREADS, || {});

/// For what calculates: as many threads as processors, which come after the workers of the run.
static CALCULATING: Pool = Pool::new(
    "swell-checks",
    || std::thread::available_parallelism().map_or(1, usize::from),
    || {
        // Where the kernel will not, they compete with the workers.
        let _ = crate::machine::give_way();
    },
);

/// Runs `f` on a helper thread and gives its result to this task.
///
/// # Panics
/// If `f` does.
pub async fn blocking<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    BLOCKING.run(f).await
}

/// Runs `f` on a helper thread, and waits for nothing.
pub(crate) fn aside(f: impl FnOnce() + Send + 'static) {
    BLOCKING.submit(Box::new(f));
}

/// Runs a calculation on a helper thread that comes after the workers, and gives its result to this task.
///
/// # Panics
/// If `f` does.
pub async fn calculate<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    CALCULATING.run(f).await
}

impl Pool {
    const fn new(name: &'static str, most: fn() -> usize, prepare: fn()) -> Self {
        let state = State { jobs: VecDeque::new(), threads: 0, idle: 0 };
        Self { name, most, prepare, state: Mutex::new(state), work: Condvar::new() }
    }

    async fn run<T: Send + 'static>(&'static self, f: impl FnOnce() -> T + Send + 'static) -> T {
        let (sender, mut receiver) = channel();
        self.submit(Box::new(move || drop(sender.send(f()))));
        receiver.recv().await.expect("the helper thread answers unless the work panicked")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn submit(&'static self, job: Job) {
        let mut state = self.lock();
        state.jobs.push_back(job);
        if state.idle >= state.jobs.len() || state.threads >= (self.most)() {
            self.work.notify_one();
            return;
        }
        state.threads += 1;
        let started = std::thread::Builder::new().name(self.name.to_owned()).spawn(|| {
            (self.prepare)();
            self.serve();
        });
        if started.is_err() {
            state.threads -= 1;
            // No thread to be had: run it here rather than never.
            let job = if state.threads == 0 { state.jobs.pop_back() } else { None };
            drop(state);
            if let Some(job) = job {
                job();
            }
        }
    }

    /// The life of a helper.
    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                // A panic of the work is told to its task by the dropped sender; the helper goes on.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let (again, wait) = self.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = again;
            state.idle -= 1;
            if wait.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}
