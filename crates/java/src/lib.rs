//! What classes of the Java library compute, where it shows in variables, messages or files:
//! numbers and dates as texts, the order of hash maps, random numbers. Pure.

pub mod format;
pub mod map;
mod random;
pub mod time;

pub use random::JavaRandom;
