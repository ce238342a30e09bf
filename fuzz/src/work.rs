//! The process that runs a target. It writes each input to a file before running it, so that the
//! input is known however the process ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::{Corpus, Mutator, Target};

/// Memory limit of a worker in bytes; beyond it an allocation fails and the process ends.
const MEMORY: u64 = 2 << 30;

/// Stack size of a run in bytes, as that of Swell's workers.
const STACK: usize = 2 << 20;

/// The inputs to run.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Seed of the inputs.
    pub seed: u64,
    /// Number of the first input.
    pub first: u64,
    /// Largest number of inputs.
    pub count: u64,
    /// Longest duration.
    pub time: Option<Duration>,
}

/// The current run of a worker: its number and its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// Number of runs before it.
    pub run: u64,
    /// The input.
    pub input: Vec<u8>,
}

impl Current {
    /// Reads the file that a worker wrote.
    ///
    /// # Errors
    /// The worker has written nothing yet, or the file cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
        let number =
            |at: usize| bytes.get(at..at + 8).and_then(|part| part.try_into().ok()).map(u64::from_le_bytes);
        let (Some(run), Some(length)) = (number(0), number(8)) else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let input = bytes[16..].iter().copied().take(length as usize).collect();
        Ok(Self { run, input })
    }

    fn write(&self, file: &File) -> io::Result<()> {
        let numbers = [self.run.to_le_bytes(), (self.input.len() as u64).to_le_bytes()].concat();
        file.write_all_at(&[numbers, self.input.clone()].concat(), 0)
    }
}

/// Runs inputs one after the other; returns their number. The file always contains the current one.
///
/// # Errors
/// Seeds cannot be read, the file cannot be written, or no thread can be started.
///
/// # Panics
/// If the parser fails on an input.
pub fn work(target: &'static Target, runs: Runs, current: &Path) -> io::Result<u64> {
    setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) })?;
    let mutator = Mutator::new(Corpus::of(target.name)?);
    let file = File::create(current)?;
    let body = move || -> io::Result<u64> {
        let end = runs.time.map(|time| Instant::now() + time);
        let over = |_: &u64| end.is_some_and(|end| Instant::now() >= end);
        let mut done = 0;
        for run in (runs.first..runs.first.saturating_add(runs.count)).take_while(|run| !over(run)) {
            let current = Current { run, input: mutator.input(runs.seed, run) };
            current.write(&file)?;
            target.run(&current.input);
            done += 1;
        }
        Ok(done)
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(body)?;
    match thread.join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
