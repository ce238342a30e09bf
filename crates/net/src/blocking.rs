//! Runs blocking work (name resolution, files) on helper threads of the run.

use swell_pool::{Pool, PoolOptions};

use crate::{runtime, sys};

/// Threads at most; more work waits.
const THREADS: usize = 16;

/// The helper threads of a run.
pub(crate) fn helpers() -> Pool {
    // Work blocks for moments, so there is nothing to wait for before the next thread starts.
    Pool::new(PoolOptions {
        least: THREADS,
        or_here: true,
        ..PoolOptions::blocking("swell-blocking", THREADS)
    })
}

/// Runs `f` on a helper thread of the run whose loop this is, and gives its result to this task.
///
/// # Panics
/// If `f` does, or outside of [`crate::Runtime::block_on`].
pub async fn blocking<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    if sys::is_simulated() {
        // A world has one thread.
        return f();
    }
    let result = runtime::with_core(|core| core.context.helpers().run(|_| f())).await;
    result.expect("a helper thread answers unless the work panicked")
}

/// Runs `f` on a helper thread of the loop's run, or here if there is no loop, without waiting.
pub(crate) fn aside(f: impl FnOnce() + Send + 'static) {
    if sys::is_simulated() {
        return f();
    }
    let helpers = runtime::try_core(|core| core.context.clone());
    match helpers {
        Some(context) => context.helpers().detach(f),
        None => f(),
    }
}
