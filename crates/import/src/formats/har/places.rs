//! Where entries begin.

/// The offsets of the members of `log.entries`. The text is valid JSON.
pub(super) fn entry_offsets(text: &str) -> Vec<usize> {
    let mut offsets = Vec::new();
    let bytes = text.as_bytes();
    // Names of the objects around, of which only the two outermost matter.
    let mut depth = 0_usize;
    let mut entries_at: Option<usize> = None;
    let mut last_text: &[u8] = b"";
    let mut in_log = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                last_text = &bytes[start..at.min(bytes.len())];
            }
            b'{' | b'[' => {
                depth += 1;
                if bytes[at] == b'{' && depth == 2 {
                    in_log = last_text == b"log";
                }
                if bytes[at] == b'[' && depth == 3 && in_log && last_text == b"entries" {
                    entries_at = Some(depth);
                }
                if bytes[at] == b'{' && entries_at.is_some_and(|entries| depth == entries + 1) {
                    offsets.push(at);
                }
            }
            b'}' | b']' => {
                if entries_at == Some(depth) {
                    entries_at = None;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        at += 1;
    }
    offsets
}
