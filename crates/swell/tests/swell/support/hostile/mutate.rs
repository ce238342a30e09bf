//! Bytes changed anywhere, but for where they lead: no request may leave this server.

use std::ops::Range;

use rand::Rng as _;
use rand::rngs::SmallRng;

/// Changes bytes at a few places. Paths, such as `/u1/i2`, stay as they are, and no new slash
/// appears: a path cannot become the name of another host.
pub(super) fn mutate(bytes: &mut Vec<u8>, random: &mut SmallRng) {
    for _ in 0..random.random_range(1..5) {
        let at = random.random_range(0..=bytes.len());
        let range = at..bytes.len().min(at + random.random_range(0..6));
        if touches_path(bytes, &range) {
            continue;
        }
        let new = match random.random_range(0..6) {
            0 => Vec::new(),
            1 => vec![no_slash(random.random())],
            2 => bytes[range.clone()]
                .iter()
                .map(|byte| no_slash(byte ^ (1 << random.random_range(0..8))))
                .collect(),
            3 => bytes[range.clone()].repeat(random.random_range(2..50)),
            4 => b"\r\n".repeat(random.random_range(1..4)),
            _ => b"99999999999999999999".to_vec(),
        };
        bytes.splice(range, new);
    }
}

fn no_slash(byte: u8) -> u8 {
    if matches!(byte, b'/' | b'\\') { b'x' } else { byte }
}

/// Whether a range touches a path or what stands before it.
fn touches_path(bytes: &[u8], range: &Range<usize>) -> bool {
    let around = &bytes[range.start.saturating_sub(PATH)..bytes.len().min(range.end + PATH)];
    around.contains(&b'/')
}

/// Longer than any path.
const PATH: usize = 24;
