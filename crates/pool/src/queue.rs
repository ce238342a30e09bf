//! The waiting and running jobs of a pool, protected by its lock.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use crate::{Cancel, CancelReason, PoolFigures, WorkError};

/// Work, with the place for its result.
pub(crate) struct Job {
    pub(crate) since: Instant,
    pub(crate) cancel: Cancel,
    /// Runs it, or says why it does not run.
    pub(crate) run: Box<dyn FnOnce(Result<(), WorkError>) + Send>,
}

/// The state of a pool.
#[derive(Default)]
pub(crate) struct Queue {
    pub(crate) jobs: VecDeque<Job>,
    /// Tokens of what runs.
    running: HashMap<u64, Cancel>,
    next: u64,
    pub(crate) threads: usize,
    pub(crate) idle: usize,
    /// A new thread waits until the oldest job has waited long enough.
    pub(crate) has_standby: bool,
    pub(crate) is_closed: bool,
    /// When the last job was begun.
    begun: Option<Instant>,
    /// How long jobs run, in nanoseconds: a mean in which the last weighs an eighth.
    mean_run_ns: u64,
    figures: PoolFigures,
}

impl Queue {
    /// The next awaited job; jobs that are no longer awaited are dropped.
    pub(crate) fn pop(&mut self) -> Option<(u64, Job)> {
        loop {
            let job = self.jobs.pop_front()?;
            if let Some(reason) = job.cancel.reason() {
                self.figures.cancelled += 1;
                (job.run)(Err(WorkError::Cancelled(reason)));
                continue;
            }
            let waited_ns = nanoseconds(job.since);
            self.figures.waited_ns += waited_ns;
            self.figures.longest_wait_ns = self.figures.longest_wait_ns.max(waited_ns);
            self.next += 1;
            self.begun = Some(Instant::now());
            self.running.insert(self.next, job.cancel.clone());
            return Some((self.next, job));
        }
    }

    /// A job has run since then.
    pub(crate) fn ended(&mut self, job: u64, since: Instant) {
        self.running.remove(&job);
        self.figures.done += 1;
        let ran_ns = nanoseconds(since);
        self.figures.ran_ns += ran_ns;
        self.mean_run_ns =
            if self.figures.done == 1 { ran_ns } else { self.mean_run_ns / 8 * 7 + ran_ns / 8 };
    }

    /// Whether nothing will soon be done: most jobs run longer than `patience`, or all that run now
    /// have done so.
    pub(crate) fn is_slow(&self, patience: Duration) -> bool {
        let limit_ns = u64::try_from(patience.as_nanos()).unwrap_or(u64::MAX);
        self.mean_run_ns > limit_ns || self.begun.is_some_and(|begun| nanoseconds(begun) > limit_ns)
    }

    pub(crate) fn refused(&mut self) {
        self.figures.refused += 1;
    }

    pub(crate) fn thread_started(&mut self) {
        self.threads += 1;
        self.figures.most_threads = self.figures.most_threads.max(self.threads as u32);
    }

    /// No job is taken any more; what waits is cancelled, and the tokens of what runs are given
    /// out.
    pub(crate) fn close(&mut self) -> (VecDeque<Job>, Vec<Cancel>) {
        self.is_closed = true;
        let jobs = std::mem::take(&mut self.jobs);
        self.figures.cancelled += jobs.len() as u64;
        (jobs, self.running.values().cloned().collect())
    }

    pub(crate) fn figures(&self, limit: usize) -> PoolFigures {
        PoolFigures {
            threads: self.threads as u32,
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            running: self.running.len() as u32,
            waiting: self.jobs.len() as u32,
            ..self.figures
        }
    }
}

/// Cancels what was running or waiting when the pool was closed.
pub(crate) fn cancel_all(jobs: VecDeque<Job>, running: Vec<Cancel>) {
    for cancel in running {
        cancel.cancel(CancelReason::RunEnded);
    }
    for job in jobs {
        job.cancel.cancel(CancelReason::RunEnded);
        (job.run)(Err(WorkError::Closed));
    }
}

fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_run_longer_than_the_patience_make_a_queue_slow() {
        let now = Instant::now();
        let patience = Duration::from_hours(1);
        let ago = |seconds| now.checked_sub(Duration::from_secs(seconds)).expect("the machine runs longer");
        let mut queue = Queue::default();
        assert!(!queue.is_slow(patience), "nothing ran");
        queue.begun = Some(now);
        assert!(!queue.is_slow(patience), "it has just begun");
        queue.begun = Some(ago(1));
        assert!(queue.is_slow(Duration::from_millis(1)) && !queue.is_slow(patience));
        queue.begun = Some(now);
        queue.ended(0, ago(2));
        assert!(queue.is_slow(Duration::from_secs(1)) && !queue.is_slow(patience), "one ran two seconds");
        for _ in 0..64 {
            queue.ended(0, Instant::now());
        }
        assert!(!queue.is_slow(Duration::from_secs(1)), "the last were short");
    }
}
