//! Extractors, one file each.

pub(crate) mod boundary;
pub(crate) mod css;
#[cfg(test)]
mod css_tests;
pub(crate) mod json;
pub(crate) mod json_plugin;
#[cfg(test)]
mod json_plugin_tests;
mod pages;
mod part;
pub(crate) mod regex;

pub(crate) use json_plugin::{lacks_yaml, note_yaml};
pub(crate) use part::lacks_document;

/// The fate of a sample whose extractor throws.
const LOST: &str = "each sample it should read is lost, and its user continues";
#[cfg(test)]
mod regex_tests;
#[cfg(test)]
mod tests;
pub(crate) mod xpath;
#[cfg(test)]
mod xpath_tests;
