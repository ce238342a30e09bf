//! Extractors, one file each.

pub(crate) mod regex;
mod regex_template;
#[cfg(test)]
mod regex_tests;
