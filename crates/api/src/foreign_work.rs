//! The threads of a run for foreign code: scripts, elements on a JVM.

use std::sync::Arc;

use swell_expr::{Properties, Shared};
use swell_pool::{Pool, PoolOptions};

/// The property with the most threads for foreign work at a time.
pub const FOREIGN_THREADS: &str = "swell.foreign.threads";
/// The property with the number of calls of foreign work that may wait for a thread.
pub const FOREIGN_QUEUE: &str = "swell.foreign.queue";

/// Threads at most, where [`FOREIGN_THREADS`] says nothing.
const THREADS: usize = 1_000;
/// Calls that may wait, where [`FOREIGN_QUEUE`] says nothing.
const QUEUE: usize = 100_000;

/// The pool of a run for foreign work, made on first use; it has no threads before its first work.
/// They have stacks of 2 MB, which a Java machine needs, and each of them starts with `prepare`.
pub fn foreign_work(shared: &Shared, props: &Properties, prepare: fn()) -> Arc<Pool> {
    let number = |name: &str, default: usize| {
        props.get(name).and_then(|text| text.trim().parse().ok()).unwrap_or(default)
    };
    shared.get("foreign work", || {
        let options = PoolOptions::blocking("swell-foreign", number(FOREIGN_THREADS, THREADS));
        Pool::new(PoolOptions { queue: number(FOREIGN_QUEUE, QUEUE), prepare, ..options })
    })
}
