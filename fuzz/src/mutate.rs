//! Changes inputs in ways that break parsers: pieces are repeated, nested, cut or mixed, numbers
//! become extreme, bits are flipped.

use std::sync::LazyLock;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde::Deserialize;

use crate::{Corpus, MAX_INPUT};

/// Separates the parts of an input that has several, such as a path and a document.
pub(crate) const SEPARATOR: u8 = 0x1e;

/// Material for changes.
#[derive(Deserialize)]
struct Words {
    /// Pieces that have a meaning in some format, in addition to those of the seeds.
    pieces: Vec<String>,
    /// Numbers at the limits of common integer and floating-point types.
    numbers: Vec<String>,
    /// Pairs of opening and closing texts, for nesting.
    pairs: Vec<(String, String)>,
}

static WORDS: LazyLock<Words> =
    LazyLock::new(|| serde_json::from_str(include_str!("words.json")).expect("lists of words"));

/// Makes inputs from seeds, reproducibly for the same numbers.
#[derive(Debug)]
pub struct Mutator {
    corpus: Corpus,
    /// Words and signs of the seeds.
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// Creates a mutator of these seeds.
    pub fn new(corpus: Corpus) -> Self {
        let mut words: Vec<Vec<u8>> = corpus.seeds.iter().flat_map(|seed| words(seed)).collect();
        words.sort_unstable();
        words.dedup();
        Self { corpus, words }
    }

    /// Returns the input of a run. The first runs use the seeds unchanged.
    pub fn input(&self, seed: u64, run: u64) -> Vec<u8> {
        if let Some(seed) = usize::try_from(run).ok().and_then(|run| self.corpus.seeds.get(run)) {
            return seed.clone();
        }
        let mut random = SmallRng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ run);
        let mut input = one_of(&self.corpus.seeds, &mut random).clone();
        // Mostly few changes, so that the input still passes the first checks.
        for _ in 0..=random.random_range(0..3) * random.random_range(0..4) {
            self.change(&mut input, &mut random);
        }
        input
    }

    /// Changes an input once.
    pub fn change(&self, input: &mut Vec<u8>, random: &mut SmallRng) {
        match random.random_range(0..12) {
            0 => flip(input, random),
            1 => {
                let byte = random.random();
                replace(input, random, &[byte]);
            }
            2 => replace(input, random, b""),
            3 => self.insert_piece(input, random),
            4 => self.splice(input, random),
            5 => repeat(input, random),
            6 => nest(input, random),
            7 => number(input, random),
            8 => input.truncate(random.random_range(0..=input.len())),
            9 => swap(input, random),
            10 => {
                let word = one_of(&self.words, random).clone();
                replace(input, random, &word);
            }
            _ => {
                let other = one_of(&self.corpus.seeds, random);
                part(input, random, other);
            }
        }
        input.truncate(MAX_INPUT);
    }

    fn insert_piece(&self, input: &mut Vec<u8>, random: &mut SmallRng) {
        let piece = if random.random_bool(0.5) {
            one_of(&self.words, random).clone()
        } else {
            one_of(&WORDS.pieces, random).as_bytes().to_vec()
        };
        let at = random.random_range(0..=input.len());
        let times = if random.random_bool(0.1) { random.random_range(1..400) } else { 1 };
        input.splice(at..at, piece.repeat(times));
    }

    /// Joins the start of one input and the end of another.
    fn splice(&self, input: &mut Vec<u8>, random: &mut SmallRng) {
        let other = one_of(&self.corpus.seeds, random);
        let at = random.random_range(0..=input.len());
        let from = random.random_range(0..=other.len());
        input.truncate(at);
        input.extend_from_slice(&other[from..]);
    }
}

fn one_of<'a, T>(all: &'a [T], random: &mut SmallRng) -> &'a T {
    &all[random.random_range(0..all.len())]
}

/// A range of an input, mostly short.
fn range(input: &[u8], random: &mut SmallRng) -> std::ops::Range<usize> {
    let at = random.random_range(0..=input.len());
    let most = if random.random_bool(0.7) { 8 } else { 256 };
    at..input.len().min(at + random.random_range(0..=most))
}

fn flip(input: &mut [u8], random: &mut SmallRng) {
    let at = random.random_range(0..=input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << random.random_range(0..8);
    }
}

fn replace(input: &mut Vec<u8>, random: &mut SmallRng, with: &[u8]) {
    let range = range(input, random);
    input.splice(range, with.iter().copied());
}

fn repeat(input: &mut Vec<u8>, random: &mut SmallRng) {
    let range = range(input, random);
    let most = if random.random_bool(0.2) { 1000 } else { 4 };
    let copies = input[range.clone()].repeat(random.random_range(1..most));
    input.splice(range.end..range.end, copies);
}

/// Wraps a range in deeply nested pairs, to overflow recursive parsers.
fn nest(input: &mut Vec<u8>, random: &mut SmallRng) {
    let (open, close) = one_of(&WORDS.pairs, random);
    let depth =
        if random.random_bool(0.5) { random.random_range(1..5) } else { random.random_range(1..3000) };
    let range = range(input, random);
    input.splice(range.end..range.end, close.repeat(depth).into_bytes());
    input.splice(range.start..range.start, open.repeat(depth).into_bytes());
}

/// Replaces a number with another one, or inserts one if there is none.
fn number(input: &mut Vec<u8>, random: &mut SmallRng) {
    let from = random.random_range(0..=input.len());
    let start = input[from..].iter().position(u8::is_ascii_digit).map_or(from, |at| from + at);
    let end = start + input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = if random.random_bool(0.5) {
        one_of(&WORDS.numbers, random).clone()
    } else {
        random.random::<i64>().wrapping_shr(random.random_range(0..64)).to_string()
    };
    input.splice(start..end, number.into_bytes());
}

fn swap(input: &mut [u8], random: &mut SmallRng) {
    if let [_, _, ..] = input {
        let a = random.random_range(0..input.len());
        let b = random.random_range(0..input.len());
        input.swap(a, b);
    }
}

/// Replaces a part with a part of another input.
fn part(input: &mut Vec<u8>, random: &mut SmallRng, other: &[u8]) {
    let mut parts: Vec<&[u8]> = input.split(|byte| *byte == SEPARATOR).collect();
    let others: Vec<&[u8]> = other.split(|byte| *byte == SEPARATOR).collect();
    let at = random.random_range(0..parts.len());
    parts[at] = others.get(at).copied().unwrap_or_default();
    *input = parts.join(&SEPARATOR);
}

/// Splits a seed into runs of letters and digits, and single other characters.
fn words(seed: &[u8]) -> Vec<Vec<u8>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || byte >= 0x80;
    let found = seed.chunk_by(|a, b| is_word(*a) && is_word(*b));
    found.filter(|word| word.len() < 64).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutator() -> Mutator {
        Mutator::new(Corpus {
            seeds: vec![b"a[1]\x1e{\"a\": [10, 20]}".to_vec(), b"b\x1e[]".to_vec(), Vec::new()],
        })
    }

    #[test]
    fn the_same_numbers_give_the_same_inputs() {
        let inputs = |seed| (0..500).map(|run| mutator().input(seed, run)).collect::<Vec<_>>();
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
    }

    #[test]
    fn inputs_vary_and_stay_within_the_limit() {
        let inputs: std::collections::HashSet<Vec<u8>> =
            (0..3000).map(|run| mutator().input(1, run)).collect();
        assert!(inputs.len() > 1500, "{}", inputs.len());
        assert!(inputs.iter().all(|input| input.len() <= MAX_INPUT));
        assert!(inputs.iter().any(|input| input.len() > MAX_INPUT / 2), "there are long ones");
    }
}
