//! Extractors, one file each.

pub(crate) mod boundary;
pub(crate) mod json;
mod part;
pub(crate) mod regex;
mod regex_template;
#[cfg(test)]
mod regex_tests;
#[cfg(test)]
mod tests;
