//! Targets with a deliberate defect each, to test the runner.

use std::hint::black_box;

use super::target;
use crate::{Cost, Target};

const COST: Cost = Cost { per_byte: 0, base: 1 << 20 };

/// Defects that the runner must find. The seed passes; some inputs made from it do not.
pub const BROKEN: &[Target] = &[
    target("broken-panic", |input| assert!(is_fine(input), "this input is wrong"), COST, 1000),
    target("broken-hang", hang, COST, 1000),
    target("broken-stack", |input| assert!(is_fine(input) || fall(1) > 0), COST, 1000),
    target("broken-memory", |input| hold(if is_fine(input) { 10 } else { 2 << 20 }), COST, 1000),
    target("broken-abort", |input| hold(if is_fine(input) { 10 } else { 3 << 30 }), COST, 1000),
];

fn is_fine(input: &[u8]) -> bool {
    input.starts_with(b"seed")
}

fn hang(input: &[u8]) {
    while black_box(!is_fine(input)) {}
}

fn fall(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    if frame[0] == 0 { 0 } else { fall(depth + 1) + frame[1] }
}

fn hold(bytes: usize) {
    black_box(vec![1_u8; bytes]);
}
