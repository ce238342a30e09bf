//! Work that blocks, on helper threads: name resolution, files.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::channel::channel;

type Job = Box<dyn FnOnce() + Send>;

/// Threads at most; more work waits.
const THREADS: usize = 16;
/// A helper without work ends after this time.
const IDLE: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Pool {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { jobs: VecDeque::new(), threads: 0, idle: 0 });
static WORK: Condvar = Condvar::new();

/// Runs `f` on a helper thread and gives its result to this task.
///
/// # Panics
/// If `f` does.
pub async fn blocking<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, mut receiver) = channel();
    submit(Box::new(move || drop(sender.send(f()))));
    receiver.recv().await.expect("the helper thread answers unless the work panicked")
}

fn submit(job: Job) {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    pool.jobs.push_back(job);
    if pool.idle >= pool.jobs.len() || pool.threads == THREADS {
        WORK.notify_one();
        return;
    }
    pool.threads += 1;
    let started = std::thread::Builder::new().name("swell-blocking".to_owned()).spawn(work);
    if started.is_err() {
        pool.threads -= 1;
        // No thread to be had: run it here rather than never.
        let job = if pool.threads == 0 { pool.jobs.pop_back() } else { None };
        drop(pool);
        if let Some(job) = job {
            job();
        }
    }
}

fn work() {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(job) = pool.jobs.pop_front() {
            drop(pool);
            // A panic of the work is told to its task by the dropped sender; the helper goes on.
            let _told_by_the_sender = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
            pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        pool.idle += 1;
        let (again, wait) = WORK.wait_timeout(pool, IDLE).unwrap_or_else(PoisonError::into_inner);
        pool = again;
        pool.idle -= 1;
        if wait.timed_out() && pool.jobs.is_empty() {
            pool.threads -= 1;
            return;
        }
    }
}
