//! Runs the targets under libFuzzer, which keeps inputs that reach new code. `SWELL_FUZZ_TARGET`
//! names the target.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use swell_fuzz::{Corpus, Mutator, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("SWELL_FUZZ_TARGET").expect("SWELL_FUZZ_TARGET names a target");
    Target::named(&name).expect("`swell-fuzz list` shows the targets")
});

static MUTATOR: LazyLock<Mutator> =
    LazyLock::new(|| Mutator::new(Corpus::of(TARGET.name).expect("the seeds can be read")));

fuzz_target!(|input: &[u8]| TARGET.run(input));

// Combines structural changes with libFuzzer's own, which tries values that the code compared with.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = SmallRng::seed_from_u64(seed.into());
    if random.random_bool(0.5) {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut input = data[..size].to_vec();
    MUTATOR.change(&mut input, &mut random);
    input.truncate(max_size);
    data[..input.len()].copy_from_slice(&input);
    input.len()
});
