//! What an XPath gives, by its text.

/// What the value of an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Flag,
    Nodes,
}

const TEXTS: [&str; 8] = [
    "string",
    "normalize-space",
    "concat",
    "substring",
    "substring-before",
    "substring-after",
    "translate",
    "name",
];
const NUMBERS: [&str; 7] = ["count", "sum", "number", "string-length", "floor", "ceiling", "round"];
const FLAGS: [&str; 6] = ["boolean", "not", "contains", "starts-with", "true", "false"];

/// The kind of a value: a function around all of it decides, everything else is nodes.
pub(super) fn kind(path: &str) -> Kind {
    let path = path.trim();
    let Some((name, rest)) = path.split_once('(') else { return Kind::Nodes };
    if !closes_at_end(rest) {
        return Kind::Nodes;
    }
    match name.trim() {
        name if TEXTS.contains(&name) => Kind::Text,
        name if NUMBERS.contains(&name) => Kind::Number,
        name if FLAGS.contains(&name) => Kind::Flag,
        _ => Kind::Nodes,
    }
}

/// Whether a bracket that is open at the beginning closes at the end.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 1_usize;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

/// Whether it names elements that only pages have. JMeter reads XML and HTML in different ways, and
/// the type of a response is known only in the run.
pub(super) fn is_html(path: &str) -> bool {
    const NAMES: [&str; 20] = [
        "html", "head", "body", "meta", "script", "div", "span", "p", "a", "ul", "ol", "li", "tr", "td",
        "input", "button", "h1", "h2", "img", "nav",
    ];
    path.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).any(|name| NAMES.contains(&name))
}

/// A text as a literal of XPath; none if it has both kinds of quotes.
pub(super) fn quoted(text: &str) -> Option<String> {
    ["'", "\""].into_iter().find(|quote| !text.contains(quote)).map(|quote| format!("{quote}{text}{quote}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_function_tells_what_a_value_is() {
        for (path, wanted) in [
            ("string(//head/title)", Kind::Text),
            ("count(//a) ", Kind::Number),
            ("boolean(//a[text()=')'])", Kind::Flag),
            ("//a", Kind::Nodes),
            ("string(//a) | //b", Kind::Nodes),
            ("/a[count(b)=1]", Kind::Nodes),
        ] {
            assert_eq!(kind(path), wanted, "{path}");
        }
        assert!(is_html("string(//head/title)") && !is_html("//book/@id"));
        assert_eq!(quoted("a'b").as_deref(), Some("\"a'b\""));
    }
}
