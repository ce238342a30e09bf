//! Lines of a text in memory.

/// Adds a line, which cannot fail: the target is in memory.
macro_rules! line {
    ($out:expr $(, $($arguments:tt)*)?) => { writeln!($out $(, $($arguments)*)?).expect("memory takes it") };
}
pub(crate) use line;
