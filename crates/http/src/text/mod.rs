//! Forms, MIME types and the tokens of pages.

pub(crate) mod form;
pub(crate) mod mime;
pub(crate) mod tokens;
