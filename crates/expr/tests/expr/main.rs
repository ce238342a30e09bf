//! Texts with `${…}`, functions and conditions, as in JMeter 5.6.3.

mod condition;
mod functions;
mod native_scripts;
mod remote;
mod templates;
mod times;

use std::sync::Arc;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use swell_expr::{Compiler, Shared};

fn compiler() -> Compiler {
    Compiler::new(Arc::new(Shared::default()))
}

/// Evaluates the texts of a table; the expected result follows a tab.
fn check(table: &str, eval: impl Fn(&str) -> String) {
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let (text, wanted) = row.split_once('\t').expect("a text and what it gives");
        assert_eq!(eval(text), wanted, "{text}");
    }
}

/// The same cases on every run.
fn fixed_seed() -> ProptestConfig {
    ProptestConfig {
        cases: 512,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
