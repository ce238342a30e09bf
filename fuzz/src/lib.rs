//! Fuzz targets, one for each parser that reads foreign bytes, and their runner.
//!
//! A [`Target`] accepts any bytes and panics if the parser breaks a promise: it panics, reads its
//! own output differently, gives another result for the same bytes in other pieces, or allocates
//! more than its [`Cost`]. The [`watch`]er detects what only another process can see: a hang, a
//! stack overflow, unbounded memory.
//!
//! Inputs come from two sources. The runner here ([`Mutator`]) changes the seeds of `corpus/` by
//! structure, reproducibly for the same numbers; it runs in the tests, on any machine. `guided/`
//! passes the same targets and changes to libFuzzer, which keeps inputs that reach new code; it
//! needs instrumented code and a C++ compiler, but no nightly toolchain.

mod corpus;
mod mutate;
mod targets;
pub mod watch;
pub mod work;

pub use corpus::Corpus;
pub use mutate::Mutator;
pub use targets::{BROKEN, TARGETS};

/// A parser and the properties that must hold for it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the target and of its folder of seeds.
    pub name: &'static str,
    /// Panics if the parser fails on these bytes.
    pub check: fn(&[u8]),
    /// Limit for the allocations of one run.
    pub cost: Cost,
    /// Number of runs in the tests: about a second of a development build.
    pub short_runs: u64,
}

/// Bytes that a run may hold at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Bytes per byte of input.
    pub per_byte: u64,
    /// Bytes for any input.
    pub base: u64,
}

/// Largest size of an input, in bytes.
pub const MAX_INPUT: usize = 8 << 10;

impl Target {
    /// Returns the target with this name, including the broken ones.
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().chain(BROKEN).find(|target| target.name == name)
    }

    /// Runs the check and compares its allocations with the limit.
    ///
    /// # Panics
    /// If the parser fails on this input.
    pub fn run(&self, input: &[u8]) {
        let used = allocation_counter::measure(|| (self.check)(input));
        let allowed = self.cost.base + self.cost.per_byte * input.len() as u64;
        assert!(
            used.bytes_max <= allowed,
            "{} held {} bytes at one time for an input of {}; {allowed} are allowed",
            self.name,
            used.bytes_max,
            input.len()
        );
    }
}
