//! Names and values in header fields (`TokenParser`).

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

pub(super) fn take(rest: &mut &str, c: char) -> bool {
    let Some(after) = rest.strip_prefix(c) else { return false };
    *rest = after;
    true
}

/// Text up to a delimiter; runs of blanks are one blank, none at the ends.
pub(super) fn token(rest: &mut &str, delimiters: &[char]) -> String {
    let end = rest.find(delimiters).unwrap_or(rest.len());
    let text = &rest[..end];
    *rest = &rest[end..];
    join_words(text)
}

fn join_words(text: &str) -> String {
    let words: Vec<&str> = text.split(is_space).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

/// Text up to `;` as it is, without blanks at its ends.
pub(super) fn raw(rest: &mut &str) -> String {
    let end = rest.find(';').unwrap_or(rest.len());
    let text = rest[..end].trim_matches(is_space).to_owned();
    *rest = &rest[end..];
    text
}

/// As [`token`], but text in double quotes loses them, and may hold anything.
pub(super) fn value(rest: &mut &str, delimiters: &[char]) -> String {
    let mut out = String::new();
    let mut blank = false;
    while let Some(c) = rest.chars().next() {
        match c {
            c if delimiters.contains(&c) => break,
            c if is_space(c) => {
                *rest = rest.trim_start_matches(is_space);
                blank = true;
                continue;
            }
            _ => {}
        }
        if blank && !out.is_empty() {
            out.push(' ');
        }
        blank = false;
        if c == '"' {
            quoted(rest, &mut out);
        } else {
            let end = rest.find(|c| delimiters.contains(&c) || c == '"' || is_space(c)).unwrap_or(rest.len());
            out.push_str(&rest[..end]);
            *rest = &rest[end..];
        }
    }
    out
}

fn quoted(rest: &mut &str, out: &mut String) {
    let mut escaped = false;
    let mut chars = rest[1..].char_indices();
    for (at, c) in chars.by_ref() {
        match c {
            _ if escaped => {
                if c != '"' && c != '\\' {
                    out.push('\\');
                }
                out.push(c);
                escaped = false;
            }
            '"' => {
                *rest = &rest[at + 2..];
                return;
            }
            '\\' => escaped = true,
            '\r' | '\n' => {}
            c => out.push(c),
        }
    }
    *rest = "";
}
