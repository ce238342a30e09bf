//! Servers with few workers and a queue: a knee at a known place.
//!
//! A pool of W workers with a service time of D answers W / D requests a second and no more.
//! Requests are served first come, first served. There are no threads: when the response is due
//! follows from the arrival and from the requests before, so the capacity is exact on any machine.
//!
//! ```text
//! start  = max(arrival, the earliest time at which a worker is free)
//! finish = start + D
//! ```

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use parking_lot::Mutex;

/// More pools than this are refused.
const POOLS_MAX: usize = 1_024;

/// What a request asks of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PoolAsk {
    /// The key of a pool, together with its number of workers.
    pub(crate) key: String,
    pub(crate) workers: usize,
    pub(crate) service_ns: i64,
    /// How many may wait for a worker.
    pub(crate) queue_max: usize,
}

/// The pool does not take the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueFull {
    /// As many wait as may.
    Queue,
    /// There are too many pools.
    Pools,
}

/// All pools of a target.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    pools: Mutex<HashMap<String, Vec<Pool>>>,
}

#[derive(Debug)]
struct Pool {
    workers: usize,
    /// When each worker is free next.
    free_ns: BinaryHeap<Reverse<i64>>,
    /// When each request that waits will start, in order.
    starts_ns: VecDeque<i64>,
}

impl Pools {
    /// Takes a request that arrived at that time and returns when its service is finished.
    pub(crate) fn admit(&self, ask: &PoolAsk, arrival_ns: i64) -> Result<i64, QueueFull> {
        let mut pools = self.pools.lock();
        if !pools.contains_key(&ask.key) {
            if pools.len() >= POOLS_MAX {
                return Err(QueueFull::Pools);
            }
            pools.insert(ask.key.clone(), Vec::new());
        }
        let same_key = pools.get_mut(&ask.key).expect("put in above where it was not there");
        let at = match same_key.iter().position(|pool| pool.workers == ask.workers) {
            Some(at) => at,
            None if same_key.len() >= POOLS_MAX => return Err(QueueFull::Pools),
            None => {
                same_key.push(Pool::new(ask.workers));
                same_key.len() - 1
            }
        };
        same_key[at].admit(ask, arrival_ns).ok_or(QueueFull::Queue)
    }
}

impl Pool {
    fn new(workers: usize) -> Self {
        let free_ns = std::iter::repeat_n(Reverse(i64::MIN), workers).collect();
        Self { workers, free_ns, starts_ns: VecDeque::new() }
    }

    fn admit(&mut self, ask: &PoolAsk, arrival_ns: i64) -> Option<i64> {
        while self.starts_ns.front().is_some_and(|start_ns| *start_ns <= arrival_ns) {
            self.starts_ns.pop_front();
        }
        let mut first_free = self.free_ns.peek_mut().expect("a pool has a worker");
        let start_ns = first_free.0.max(arrival_ns);
        if start_ns > arrival_ns {
            if self.starts_ns.len() >= ask.queue_max {
                return None;
            }
            self.starts_ns.push_back(start_ns);
        }
        first_free.0 = start_ns + ask.service_ns;
        Some(start_ns + ask.service_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(key: &str, workers: usize, queue_max: usize) -> PoolAsk {
        PoolAsk { key: key.into(), workers, service_ns: 10, queue_max }
    }

    #[test]
    fn requests_are_served_in_order_by_as_many_workers_as_there_are() {
        let pools = Pools::default();
        let two = ask("a", 2, usize::MAX);
        let finished: Vec<_> = [0, 0, 0, 1, 2, 50].iter().map(|at| pools.admit(&two, *at).unwrap()).collect();
        assert_eq!(finished, [10, 10, 20, 20, 30, 60]);
    }

    #[test]
    fn capacity_is_workers_over_service_time() {
        let pools = Pools::default();
        let three = ask("a", 3, usize::MAX);
        let last = (0..3_000).map(|_| pools.admit(&three, 0).unwrap()).max();
        assert_eq!(last, Some(10_000));
    }

    #[test]
    fn the_queue_has_a_limit_which_frees_itself() {
        let pools = Pools::default();
        let short = ask("a", 1, 2);
        let seen: Vec<_> = [0, 0, 0, 0, 9, 10, 10].iter().map(|at| pools.admit(&short, *at)).collect();
        assert_eq!(
            seen,
            [
                Ok(10),
                Ok(20),
                Ok(30),
                Err(QueueFull::Queue),
                Err(QueueFull::Queue),
                Ok(40),
                Err(QueueFull::Queue)
            ]
        );
    }

    #[test]
    fn keys_and_numbers_of_workers_tell_pools_apart() {
        let pools = Pools::default();
        let seen: Vec<_> = [ask("a", 1, 9), ask("b", 1, 9), ask("a", 2, 9), ask("a", 1, 9)]
            .iter()
            .map(|ask| pools.admit(ask, 0).unwrap())
            .collect();
        assert_eq!(seen, [10, 10, 10, 20]);
    }

    #[test]
    fn pools_have_a_limit() {
        let pools = Pools::default();
        assert!((0..POOLS_MAX).all(|key| pools.admit(&ask(&key.to_string(), 1, 0), 0).is_ok()));
        assert_eq!(pools.admit(&ask("one more", 1, 0), 0), Err(QueueFull::Pools));
        assert_eq!(pools.admit(&ask("0", 1, 0), 10), Ok(20));
    }
}
