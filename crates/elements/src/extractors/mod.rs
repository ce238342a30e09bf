//! Extractors, one file each.

pub(crate) mod boundary;
pub(crate) mod json;
mod numbered;
mod part;
pub(crate) mod regex;
#[cfg(test)]
mod regex_tests;
#[cfg(test)]
mod tests;
pub(crate) mod xpath;
#[cfg(test)]
mod xpath_tests;
