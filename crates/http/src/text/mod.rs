//! Charsets and percent encoding as Java has them.

pub(crate) mod charset;
pub(crate) mod date;
pub(crate) mod form;
pub(crate) mod mime;
pub(crate) mod tokens;
