//! Trims texts as Java does.

/// Java's `String.trim`: everything up to the space goes.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}
