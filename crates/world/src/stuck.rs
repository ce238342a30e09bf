//! Reports of a world that cannot end: who waits for what.

use std::fmt::{self, Write as _};

use swell_net::Runtime;
use swell_net::simulated::WaitKind;

use crate::kernel::SimulatedKernel;

/// Waiting tasks of a process that a report lists.
const LISTED: usize = 20;

/// Why a world was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Processes wait, and nothing can happen any more.
    Hang,
    /// The limit of the world's time has passed.
    Late,
    /// A loop has turned a million times without anything that happened.
    NeverWaits,
}

/// A world that was given up.
#[derive(Clone, Debug)]
pub struct Stuck {
    /// Why.
    pub why: Why,
    /// World time.
    pub at_ns: i64,
    /// A line for each task that waits.
    pub report: String,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Why::Hang => "processes wait, and nothing can happen any more",
            Why::Late => "processes have not ended within the limit of the world",
            Why::NeverWaits => "a loop never waits",
        };
        write!(f, "at {:.9} s: {why}\n{}", self.at_ns as f64 / 1e9, self.report)
    }
}

/// Each process that has not ended: what its tasks wait for.
pub(crate) fn report<'p>(
    kernel: &SimulatedKernel,
    processes: impl Iterator<Item = (&'p str, bool, usize, &'p Runtime)>,
) -> String {
    let mut out = String::new();
    for (name, serves, loop_number, runtime) in processes {
        let (waiting, tasks) = runtime.waiting();
        let kind = if serves { "service" } else { "process" };
        let mut line = |text: fmt::Arguments<'_>| writeln!(out, "{text}").expect("memory takes it");
        line(format_args!("{kind} {name}: {tasks} tasks, {} wait for the kernel", waiting.len()));
        for one in waiting.iter().take(LISTED) {
            let task = one.task.map_or("the root future".to_owned(), |task| format!("task {task}"));
            match one.kind {
                WaitKind::Read(key) => {
                    line(format_args!("  {task} waits to read: {}", kernel.describe(loop_number, key)));
                }
                WaitKind::Write(key) => {
                    line(format_args!("  {task} waits to write: {}", kernel.describe(loop_number, key)));
                }
                WaitKind::Until(at_ns) => {
                    let at_s = kernel.world_ns(loop_number, at_ns) as f64 / 1e9;
                    line(format_args!("  {task} sleeps until {at_s:.9} s"));
                }
            }
        }
        if waiting.len() > LISTED {
            line(format_args!("  and {} more", waiting.len() - LISTED));
        }
    }
    out
}
