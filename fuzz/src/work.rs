//! The process that runs a target. It tells what it runs before it does, so that another process knows the input however it ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::{Corpus, Mutator, Target};

/// The memory that a worker may ask for, in bytes: beyond it an allocation fails and the process ends.
const MEMORY: u64 = 2 << 30;

/// The stack of a run in bytes: that of a worker of Swell.
const STACK: usize = 2 << 20;

/// Which inputs are run.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Chooses the inputs.
    pub seed: u64,
    /// Number of the first.
    pub first: u64,
    /// How many at most.
    pub count: u64,
    /// For how long at most.
    pub time: Option<Duration>,
}

/// What a worker is at: the number of a run and its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// Runs that began before it.
    pub run: u64,
    /// The bytes.
    pub input: Vec<u8>,
}

impl Current {
    /// Reads what a worker wrote.
    ///
    /// # Errors
    /// It wrote nothing yet, or the file cannot be read.
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

/// Runs inputs one after the other; how many. The file always holds the one that runs.
///
/// # Errors
/// Seeds cannot be read, the file cannot be written, or no thread can be made.
///
/// # Panics
/// The parser is at fault.
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
