//! Java's idea of spaces around a text.

/// Java's `String.trim`: everything up to the space goes.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}
