//! The threads of a pool.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::pending::pending;
use crate::queue::{Job, Queue, cancel_all};
use crate::{Cancel, Pending, PoolFigures, WorkError};

/// Options of a pool.
#[derive(Clone)]
pub struct PoolOptions {
    /// The name of its threads; the system shows the first 15 bytes.
    pub name: &'static str,
    /// Up to this number a thread is started whenever work comes and all are busy.
    pub least: usize,
    /// The most threads.
    pub most: usize,
    /// Beyond `least` a further thread is started once work has waited this long; at once where
    /// work runs longer than this anyway.
    pub patience: Duration,
    /// How much work may wait.
    pub queue: usize,
    /// Stack of a thread in bytes; pages are taken when they are used.
    pub stack_bytes: usize,
    /// What a thread does first.
    pub prepare: fn(),
    /// If there is no thread and none can be started, work runs on the submitting thread; otherwise
    /// that is an error.
    pub or_here: bool,
}

impl PoolOptions {
    /// A thread a processor and no more, as for what calculates; any amount of work may wait.
    pub fn calculating(name: &'static str) -> Self {
        let threads = processors();
        Self {
            name,
            least: threads,
            most: threads,
            patience: Duration::ZERO,
            queue: usize::MAX,
            stack_bytes: 2 << 20,
            prepare: || {},
            or_here: true,
        }
    }

    /// A thread a processor, and up to `most` where they block. Where no thread can be started,
    /// work fails.
    pub fn blocking(name: &'static str, most: usize) -> Self {
        let most = most.max(1);
        let least = processors().min(most);
        Self { least, most, patience: Duration::from_millis(2), or_here: false, ..Self::calculating(name) }
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(5);

/// Threads, and the work that waits for them. Dropping it closes it.
pub struct Pool(Arc<Shared>);

struct Shared {
    options: PoolOptions,
    queue: Mutex<Queue>,
    /// There is work, or the pool was closed.
    work: Condvar,
    /// The pool was closed: what a standby has to know before its time.
    closed: Condvar,
}

impl Pool {
    /// A pool without threads; the first comes with the first work.
    pub fn new(options: PoolOptions) -> Self {
        Self(Arc::new(Shared {
            options,
            queue: Mutex::default(),
            work: Condvar::new(),
            closed: Condvar::new(),
        }))
    }

    /// Runs `work` on one of the threads.
    pub fn run<T: Send + 'static>(&self, work: impl FnOnce(&Cancel) -> T + Send + 'static) -> Pending<T> {
        let cancel = Cancel::default();
        let (answer, pending) = pending(cancel.clone());
        let token = cancel.clone();
        let run = move |allowed: Result<(), WorkError>| {
            let result = allowed.and_then(|()| {
                catch_unwind(AssertUnwindSafe(|| work(&token)))
                    .map_err(|panic| WorkError::Panicked(message(&*panic)))
            });
            token.unhook();
            answer.give(result);
        };
        self.0.submit(Job { since: Instant::now(), cancel, run: Box::new(run) });
        pending
    }

    /// Runs `work` on one of the threads without a result. If it cannot run, it is dropped.
    pub fn detach(&self, work: impl FnOnce() + Send + 'static) {
        let run = move |allowed: Result<(), WorkError>| {
            if allowed.is_ok() {
                // The panic message has the reason; the thread continues.
                let _ = catch_unwind(AssertUnwindSafe(work));
            }
        };
        self.0.submit(Job { since: Instant::now(), cancel: Cancel::default(), run: Box::new(run) });
    }

    /// What it has measured so far.
    pub fn figures(&self) -> PoolFigures {
        self.0.queue.lock().figures(self.0.options.most)
    }

    /// Takes no work any more, cancels all that waits and runs, and lets idle threads end. Work
    /// that does not heed its token keeps its thread until it ends.
    pub fn close(&self) {
        let (jobs, running) = self.0.queue.lock().close();
        cancel_all(jobs, running);
        self.0.work.notify_all();
        self.0.closed.notify_all();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(self.0.options.name).field(&self.figures()).finish()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn submit(self: &Arc<Self>, job: Job) {
        let mut queue = self.queue.lock();
        if queue.is_closed {
            drop(queue);
            return (job.run)(Err(WorkError::Closed));
        }
        if queue.jobs.len() >= self.options.queue {
            queue.refused();
            drop(queue);
            return (job.run)(Err(WorkError::Full(self.options.queue)));
        }
        queue.jobs.push_back(job);
        if queue.idle >= queue.jobs.len() {
            self.work.notify_one();
            return;
        }
        self.grow(queue);
    }

    /// Starts a thread if there may be more. One beyond the least waits until work has waited long
    /// enough, unless what runs blocks.
    fn grow(self: &Arc<Self>, mut queue: MutexGuard<'_, Queue>) {
        // Blocking work rarely frees a thread soon, and waiting for one would only delay the queue.
        let is_standby = queue.threads >= self.options.least && !queue.is_slow(self.options.patience);
        if queue.threads >= self.options.most || (is_standby && queue.has_standby) {
            return;
        }
        queue.thread_started();
        queue.has_standby |= is_standby;
        drop(queue);
        let shared = self.clone();
        let thread = std::thread::Builder::new()
            .name(self.options.name.to_owned())
            .stack_size(self.options.stack_bytes);
        if let Err(problem) = thread.spawn(move || shared.live(is_standby)) {
            self.failed_to_grow(is_standby, &problem);
        }
    }

    /// No thread is to be had. Where there is none at all, what waits would wait for ever.
    fn failed_to_grow(&self, was_standby: bool, problem: &std::io::Error) {
        let mut queue = self.queue.lock();
        queue.threads -= 1;
        queue.has_standby &= !was_standby;
        let jobs = if queue.threads == 0 { std::mem::take(&mut queue.jobs) } else { VecDeque::new() };
        drop(queue);
        for job in jobs {
            let allowed =
                if self.options.or_here { Ok(()) } else { Err(WorkError::NoThread(problem.to_string())) };
            (job.run)(allowed);
        }
    }

    /// The life of a thread.
    fn live(self: Arc<Self>, is_standby: bool) {
        (self.options.prepare)();
        let mut queue = self.queue.lock();
        if is_standby {
            queue = self.stand_by(queue);
        }
        loop {
            if let Some((number, job)) = queue.pop() {
                // The jobs waiting after it need a thread too.
                if queue.idle == 0 && !queue.jobs.is_empty() {
                    self.grow(queue);
                } else {
                    drop(queue);
                }
                let since = Instant::now();
                (job.run)(Ok(()));
                queue = self.queue.lock();
                queue.ended(number, since);
                continue;
            }
            if queue.is_closed {
                break;
            }
            queue.idle += 1;
            let wait = self.work.wait_for(&mut queue, IDLE);
            queue.idle -= 1;
            if wait.timed_out() && queue.jobs.is_empty() {
                break;
            }
        }
        queue.threads -= 1;
    }

    /// Waits until the oldest work has waited long enough, or none is left.
    fn stand_by<'a>(&'a self, mut queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        while let Some(oldest) = queue.jobs.front() {
            let left = self.options.patience.saturating_sub(oldest.since.elapsed());
            if left.is_zero() || queue.is_closed {
                break;
            }
            self.closed.wait_for(&mut queue, left);
        }
        queue.has_standby = false;
        queue
    }
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}

#[cfg(test)]
mod tests;
