//! Properties in messages.

/// Changes of properties, borrowed.
pub(super) fn borrowed(changes: &[(String, Option<String>)]) -> Vec<(&str, Option<&str>)> {
    changes.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect()
}
