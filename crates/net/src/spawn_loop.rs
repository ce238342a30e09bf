//! An event loop on a separate thread, with one future that it runs to its end.
//!
//! In a simulated world there are no threads: the loop becomes a process of the world, on the
//! machine of the process that starts it.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::{NetContext, Runtime, machine};

/// How the thread of a loop shares its processor with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopSchedule {
    /// As [`machine::prefer_throughput`].
    Throughput,
    /// As [`machine::prefer_punctuality`].
    Punctuality,
}

/// A loop to start.
#[derive(Clone, Debug)]
pub struct LoopOptions {
    /// Name of the thread.
    pub name: String,
    /// How it is scheduled.
    pub schedule: LoopSchedule,
    /// What it shares with other loops.
    pub context: Arc<NetContext>,
}

/// Tasks that are left when the future of a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TasksLeft {
    /// They are dropped.
    Drop,
    /// They are leaked: the kernel takes back the memory of a process faster than a program can
    /// give it back task by task. For a process that is about to end.
    Leak,
}

/// What a loop runs.
pub trait LoopWork: Send + 'static {
    /// The future of the loop; it is made and runs on the thread of the loop.
    fn run(self) -> impl Future<Output = TasksLeft> + 'static;

    /// The loop cannot be opened: nothing runs.
    fn refused(self, error: io::Error);
}

/// A loop that was started.
pub struct LoopHandle(Kind);

enum Kind {
    Thread(JoinHandle<()>),
    #[cfg(feature = "simulated")]
    Process(crate::Receiver<()>),
}

/// A loop ended by a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopPanicked;

/// Starts a loop.
///
/// # Errors
/// The system has no more threads.
pub fn spawn_loop(options: LoopOptions, work: impl LoopWork) -> io::Result<LoopHandle> {
    #[cfg(feature = "simulated")]
    if crate::sys::is_simulated() {
        let (done, ended) = crate::channel();
        crate::simulated::spawn(&options, Box::pin(run_in_world(work, done)));
        return Ok(LoopHandle(Kind::Process(ended)));
    }
    let LoopOptions { name, schedule, context } = options;
    let thread = std::thread::Builder::new().name(name);
    let thread = thread.spawn(move || run_on_thread(schedule, context, work))?;
    Ok(LoopHandle(Kind::Thread(thread)))
}

fn run_on_thread(schedule: LoopSchedule, context: Arc<NetContext>, work: impl LoopWork) {
    let mut runtime = match Runtime::with_context(context) {
        Ok(runtime) => runtime,
        Err(error) => return work.refused(error),
    };
    // Where the kernel will not, the run only costs more, or its starts are later.
    let _ = match schedule {
        LoopSchedule::Throughput => machine::prefer_throughput(),
        LoopSchedule::Punctuality => machine::prefer_punctuality(),
    };
    if runtime.block_on(async { work.run().await }) == TasksLeft::Leak {
        std::mem::forget(runtime);
    }
}

/// `done` is dropped when it has ended, however it ended.
#[cfg(feature = "simulated")]
async fn run_in_world(work: impl LoopWork, done: crate::Sender<()>) {
    // Worlds end their processes: nothing leaks.
    let _ = work.run().await;
    drop(done);
}

impl LoopHandle {
    /// Waits for the end of the loop: its thread has ended then. Blocks the calling thread, except
    /// in a simulated world.
    ///
    /// # Errors
    /// It panicked.
    #[cfg_attr(
        not(feature = "simulated"),
        expect(clippy::unused_async, reason = "only in a simulated world is there something to await")
    )]
    pub async fn ended(self) -> Result<(), LoopPanicked> {
        match self.0 {
            Kind::Thread(thread) => thread.join().map_err(|_| LoopPanicked),
            #[cfg(feature = "simulated")]
            Kind::Process(mut ended) => {
                ended.recv().await;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Work(crate::Sender<&'static str>, bool);

    impl LoopWork for Work {
        async fn run(self) -> TasksLeft {
            crate::yield_now().await;
            assert!(self.1, "it was to panic");
            self.0.send("ran").expect("the test waits");
            TasksLeft::Drop
        }

        fn refused(self, error: io::Error) {
            panic!("a loop: {error}");
        }
    }

    fn start(is_good: bool) -> (Result<(), LoopPanicked>, Option<&'static str>) {
        let (sender, mut receiver) = crate::channel();
        let options = LoopOptions {
            name: "test".to_owned(),
            schedule: LoopSchedule::Throughput,
            context: Arc::default(),
        };
        let handle = spawn_loop(options, Work(sender, is_good)).expect("a thread");
        crate::wait_for(async { (handle.ended().await, receiver.recv().await) })
    }

    #[test]
    fn a_loop_runs_its_future_and_ends() {
        assert_eq!(start(true), (Ok(()), Some("ran")));
    }

    #[test]
    fn a_panic_of_a_loop_is_reported_to_who_waits_for_it() {
        assert_eq!(start(false), (Err(LoopPanicked), None));
    }
}
