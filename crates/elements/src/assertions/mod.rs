//! Assertions, one file each.

pub(crate) mod compare;
pub(crate) mod duration;
mod figures;
pub(crate) mod json_path;
#[cfg(test)]
mod json_path_tests;
pub(crate) mod md5_hex;
pub(crate) mod response;
mod response_diff;
pub(crate) mod size;
pub(crate) mod xml;
#[cfg(test)]
mod xml_tests;
pub(crate) mod xpath;

pub(crate) use json_path::shown as java_text;

#[cfg(test)]
mod tests;
