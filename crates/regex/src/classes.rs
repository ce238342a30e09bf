//! Character classes defined by Java's `Character` methods, as ORO uses them, in the syntax of the
//! `regex` crate.

use std::fmt::Write;

/// Body of a bracketed class for `\w`, `\d` or `\s`; none for other letters.
pub(super) fn perl_class(letter: char) -> Option<&'static str> {
    Some(match letter.to_ascii_lowercase() {
        'w' => r"\p{L}\p{Nd}_",
        'd' => r"\p{Nd}",
        // Character.isWhitespace: separators that break lines, and the controls; no no-break
        // spaces.
        's' => {
            r"\x{9}-\x{D}\x{1C}-\x{20}\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{2028}\x{2029}\x{205F}\x{3000}"
        }
        _ => return None,
    })
}

/// Body of a bracketed class for a POSIX name (`[:alpha:]`); none for unknown names.
pub(super) fn posix_class(name: &str) -> Option<&'static str> {
    Some(match name {
        "alpha" => r"\p{L}",
        "digit" => r"\p{Nd}",
        "alnum" => r"\p{L}\p{Nd}",
        "word" => r"\p{L}\p{Nd}_",
        "upper" => r"\p{Lu}",
        "lower" => r"\p{Ll}",
        "space" => return perl_class('s'),
        "blank" => r"\x{9}\p{Zs}",
        "cntrl" => r"\p{Cc}",
        "punct" => r"\p{P}",
        "graph" => r"\p{L}\p{N}\p{P}\p{S}\p{M}",
        "print" => r"\p{L}\p{N}\p{P}\p{S}\p{M}\p{Zs}",
        "xdigit" => "0-9a-fA-F",
        "ascii" => r"\x{0}-\x{7F}",
        _ => return None,
    })
}

/// Appends a character that means itself, inside or outside of brackets.
pub(super) fn push_literal(out: &mut String, c: char) {
    if c.is_alphanumeric() || c == '_' || (!c.is_ascii() && !c.is_whitespace() && !c.is_control()) {
        out.push(c);
    } else {
        write!(out, r"\x{{{:X}}}", c as u32).expect("writing to a String cannot fail");
    }
}
