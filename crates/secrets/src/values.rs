//! Values that their user named secret.
//!
//! The set is one for the process and only grows: lines are printed, logged and written in places
//! that know no run, and a value that is secret in one run is not shown by another either.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memmem;
use parking_lot::RwLock;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::names::MASK;

/// A secret has at least this many bytes: a shorter one would be found in ordinary texts.
pub const SHORTEST: usize = 4;

/// A line of a secret of several lines is a secret if it has this many bytes.
const SHORTEST_LINE: usize = 12;

static PROTECTED: RwLock<Vec<String>> = RwLock::new(Vec::new());
static IS_ANY: AtomicBool = AtomicBool::new(false);

/// From now on, the value is masked in texts: as it is, and as JSON, XML, CSV and URLs contain it.
/// One with fewer than [`SHORTEST`] bytes is not.
pub fn protect(value: &str) {
    let value = value.trim();
    if value.len() < SHORTEST {
        return;
    }
    let mut forms = forms_of(value);
    if value.contains('\n') {
        let lines = value.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_LINE);
        forms.extend(lines.flat_map(forms_of));
    }
    let mut protected = PROTECTED.write();
    protected.extend(forms);
    // A form that contains another is masked first.
    protected.sort_unstable_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
    protected.dedup();
    IS_ANY.store(true, Ordering::Release);
}

/// Whether values are protected.
pub fn has_protected() -> bool {
    IS_ANY.load(Ordering::Acquire)
}

/// Whether the value itself is protected.
pub fn protects(value: &str) -> bool {
    has_protected() && PROTECTED.read().iter().any(|known| known == value.trim())
}

/// The text with `***` instead of each protected value.
pub fn without_protected(text: &str) -> Cow<'_, str> {
    match without_protected_bytes(text.as_bytes()) {
        None => Cow::Borrowed(text),
        // Whole texts took the place of whole texts, so it is valid.
        Some(masked) => Cow::Owned(String::from_utf8_lossy(&masked).into_owned()),
    }
}

/// The same for bytes in any encoding that has ASCII characters as single bytes; none if there is
/// nothing to mask.
pub fn without_protected_bytes(bytes: &[u8]) -> Option<Vec<u8>> {
    if !has_protected() {
        return None;
    }
    let mut masked: Option<Vec<u8>> = None;
    for value in &*PROTECTED.read() {
        let text = masked.as_deref().unwrap_or(bytes);
        let places: Vec<_> = memmem::find_iter(text, value.as_bytes()).collect();
        if places.is_empty() {
            continue;
        }
        let mut out = Vec::with_capacity(text.len());
        let mut copied = 0;
        for at in places {
            out.extend_from_slice(&text[copied..at]);
            out.extend_from_slice(MASK.as_bytes());
            copied = at + value.len();
        }
        out.extend_from_slice(&text[copied..]);
        masked = Some(out);
    }
    masked
}

/// How a value is written in texts of different kinds: in JSON, XML, HTML and CSV, in URLs, and
/// URLs in those.
fn forms_of(value: &str) -> Vec<String> {
    // Java's `URLEncoder` leaves four signs and writes a blank as a plus; its `URI` encodes little
    // but blanks.
    let url = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    let signs = [("%2E", "."), ("%2D", "-"), ("%2A", "*"), ("%5F", "_")];
    let java = signs.into_iter().fold(url.clone(), |text, (code, sign)| text.replace(code, sign));
    let component = java.replace('*', "%2A").replace("%7E", "~");
    let blanks = value.replace(' ', "%20");
    let plus = java.replace("%20", "+");
    let mut forms = Vec::new();
    for text in [value.to_owned(), url, java, component, plus, blanks] {
        let json = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
        let xml = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let quotes = xml.replace('"', "&quot;");
        forms.extend(["&apos;", "&#39;", "&#x27;"].map(|apostrophe| quotes.replace('\'', apostrophe)));
        forms.extend([text.replace('"', "\"\""), json, xml, quotes, text]);
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{masked_arguments, without_passwords};

    #[test]
    fn a_value_is_masked_in_each_form_and_the_rest_stays() {
        let value = "pa&s \"w'd<\\ü";
        protect(value);
        assert!(protects(value) && has_protected());
        for text in [
            "<pa&s \"w'd<\\ü>",
            r#"{"x":"pa&s \"w'd<\\ü"}"#,
            "<a b='pa&amp;s &quot;w&apos;d&lt;\\ü'/>",
            "<td>pa&amp;s &quot;w&#39;d&lt;\\ü</td>",
            "\"pa&s \"\"w'd<\\ü\",200",
            "/in?x=pa%26s+%22w%27d%3C%5C%C3%BC&y=1",
            "/in?x=pa%26s%20%22w%27d%3C%5C%C3%BC",
            "at index 48: http://h/pa&s%20\"w'd<\\ü",
            "{\"x\":\"http://h/pa&s%20\\\"w'd<\\\\ü\"}",
        ] {
            let masked = without_protected(text);
            assert!(masked.contains("***") && !masked.contains("pa") && !masked.contains("w'd"), "{masked}");
            assert_eq!(without_protected_bytes(text.as_bytes()).as_deref(), Some(masked.as_bytes()));
        }
        assert!(matches!(without_protected("plain"), Cow::Borrowed("plain")));
        assert_eq!(without_protected_bytes(b"plain"), None);
    }

    #[test]
    fn all_that_hides_passwords_hides_values() {
        protect("correct-horse");
        assert_eq!(without_passwords("Bearer correct-horse, http://u:p@h"), "Bearer ***, http://u:***@h");
        assert_eq!(masked_arguments(&["-Jx=correct-horse".to_owned()]), ["-Jx=***"]);
    }

    #[test]
    fn a_value_within_another_does_not_leave_the_rest_of_it() {
        protect("open-sesame");
        protect("open-sesame-and-more");
        assert_eq!(without_protected("(open-sesame-and-more)"), "(***)");
    }

    #[test]
    fn lines_of_a_key_are_masked_alone_and_short_values_are_not() {
        protect("-----BEGIN KEY-----\nMIIEvQIBADANBg\nshort\n-----END KEY-----\n");
        assert_eq!(without_protected("at MIIEvQIBADANBg of it"), "at *** of it");
        protect("abc");
        assert_eq!(without_protected("abc short"), "abc short");
    }
}
