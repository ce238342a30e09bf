//! Fuzz targets: one for each parser that sees foreign bytes, and what runs them.
//!
//! A [`Target`] takes any bytes and panics where the parser breaks a promise: it panics itself, reads its own output otherwise than
//! before, takes another result from the same bytes in other pieces, or allocates more than its [`Cost`]. What only a process outside
//! can see (a hang, an overflow of the stack, memory without end) the [`watch`]er sees.
//!
//! Two ways lead to inputs. The runner here ([`Mutator`]) changes seeds of `corpus/` by structure, the same way for the same numbers: it
//! runs in the tests, on any machine. `guided/` hands the same targets and the same changes to libFuzzer, which keeps what reaches new
//! code; it needs instrumented code and a C++ compiler, but no nightly toolchain.

mod corpus;
mod mutate;
mod targets;
pub mod watch;
pub mod work;

pub use corpus::Corpus;
pub use mutate::Mutator;
pub use targets::{BROKEN, TARGETS};

/// A parser and what must hold for it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, and that of its folder of seeds.
    pub name: &'static str,
    /// Panics where the parser is at fault with these bytes.
    pub check: fn(&[u8]),
    /// What one run may allocate.
    pub cost: Cost,
    /// Runs in the tests: about a second of a development build.
    pub short_runs: u64,
}

/// Bytes that a run may hold at one time.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// For each byte of input.
    pub per_byte: u64,
    /// Whatever the input.
    pub base: u64,
}

/// No input is longer, in bytes.
pub const MAX_INPUT: usize = 8 << 10;

impl Target {
    /// The target, or the broken one, of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().chain(BROKEN).find(|target| target.name == name)
    }

    /// Runs the check and looks at what it allocates.
    ///
    /// # Panics
    /// The parser is at fault.
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
