//! Results of Java library classes that show in variables, messages or files: numbers and dates as
//! text, the order of hash maps, random numbers. Pure.

pub mod format;
pub mod map;
mod random;
pub mod time;

pub use random::JavaRandom;
