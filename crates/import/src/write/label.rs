//! Labels: the same for requests that differ only in an id.

use crate::model::{Text, TextPart};

/// The path of a request without its query, with `*` instead of ids and variables.
pub(crate) fn path_label(path: &Text) -> String {
    let mut whole = String::new();
    for part in path.parts() {
        match part {
            TextPart::Literal(text) => whole.push_str(text),
            // No path has this character, so it marks a variable.
            TextPart::Variable(_) | TextPart::Function(_) => whole.push(MARK),
        }
    }
    let whole = whole.split(['?', ';']).next().unwrap_or_default();
    let segments = whole.split('/').map(|segment| if is_id(segment) { "*" } else { segment });
    segments.collect::<Vec<_>>().join("/").replace(MARK, "*")
}

const MARK: char = '\0';

/// Whether a segment of a path looks like an id: a number, a UUID, a long hexadecimal or random
/// text.
pub(crate) fn is_id(segment: &str) -> bool {
    if segment.contains(MARK) {
        return segment.chars().all(|c| c == MARK);
    }
    let letters = segment.chars().filter(char::is_ascii_alphabetic).count();
    let digits = segment.chars().filter(char::is_ascii_digit).count();
    let is_hex = segment.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let is_word = segment.chars().all(|c| c.is_ascii_alphanumeric() || "-_=~".contains(c));
    match segment.len() {
        0 => false,
        _ if digits == segment.len() => true,
        8.. if is_hex && digits > 0 && digits + letters >= 8 => true,
        16.. if is_word && digits >= 3 && changes(segment) >= 4 => true,
        _ => false,
    }
}

/// How often letters and digits, or small and large letters, follow each other.
fn changes(text: &str) -> usize {
    let kind = |c: &char| (c.is_ascii_digit(), c.is_ascii_uppercase());
    let letters: Vec<char> = text.chars().collect();
    let is_change =
        |pair: &&[char]| pair.iter().all(char::is_ascii_alphanumeric) && kind(&pair[0]) != kind(&pair[1]);
    letters.windows(2).filter(is_change).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_paths_become_stars() {
        for (path, wanted) in [
            ("/", "/"),
            ("/orders/17/items?x=2", "/orders/*/items"),
            ("/o/3c569b23ce9b;jsessionid=1", "/o/*"),
            ("/o/0b8a2f6e-2f6c-4c69-8d3c-1b2f8e5d9a10", "/o/*"),
            ("/v1/decade/facade-2/report-2024-final", "/v1/decade/facade-2/report-2024-final"),
            ("/k/aG93ZHk5MzJ4TnA0Zz", "/k/*"),
            ("/a/{{id}}/b{{x}}", "/a/*/b*"),
        ] {
            let path = Text::with_braces(path, &mut |name| Some(Text::variable(name)));
            assert_eq!(path_label(&path), wanted, "{path:?}");
        }
    }
}
