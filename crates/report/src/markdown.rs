//! Text of others inside Markdown: nothing in it is markup.

use crate::plain::plain;

/// Text of a line or of a table's cell.
pub(crate) fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '*' | '_' | '[' | ']' | '#' | '~' | '|' | '!' | '`' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// Text between backticks, where every character except a backtick is literal.
pub(crate) fn code(text: &str) -> String {
    format!("`{}`", plain(text).replace('`', "'"))
}

/// The same in a table, where a bar would end the cell.
pub(crate) fn code_cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(cell("a|b <i>x</i> `c`\n*d*"), "a\\|b &lt;i&gt;x&lt;/i&gt; \\`c\\` \\*d\\*");
        assert_eq!(code("p(99)<1s `x`"), "`p(99)<1s 'x'`");
        assert_eq!(code_cell("a|b"), "`a\\|b`");
    }
}
