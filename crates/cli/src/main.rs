//! The `swell` command.

fn main() {}
