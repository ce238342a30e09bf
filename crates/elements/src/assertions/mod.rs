//! Assertions, one file each.

pub(crate) mod duration;
pub(crate) mod response;
mod response_diff;
pub(crate) mod size;

#[cfg(test)]
mod tests;
