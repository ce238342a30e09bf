//! Patterns: regular expressions of XML Schema (part 2, appendix F), in the syntax of Rust's.

use std::fmt::Write;

/// The expression that matches a whole text just where the pattern does.
///
/// # Errors
/// Why it is no pattern.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let mut out = String::from(r"\A(?:");
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => escape(&mut chars, &mut out, false)?,
            '[' => class(&mut chars, &mut out)?,
            '.' => out.push_str(r"[^\n\r]"),
            '(' => out.push_str("(?:"),
            '^' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push_str(r")\z");
    Ok(out)
}

type Chars<'p> = std::iter::Peekable<std::str::Chars<'p>>;

/// From behind `[`.
fn class(chars: &mut Chars<'_>, out: &mut String) -> Result<(), String> {
    out.push('[');
    if chars.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    loop {
        let c = chars.next().ok_or("']' is missing")?;
        match c {
            ']' if !first => {
                out.push(']');
                return Ok(());
            }
            '\\' => escape(chars, out, true)?,
            '-' if chars.peek() == Some(&'[') => {
                chars.next();
                out.push_str("--");
                class(chars, out)?;
            }
            '-' => {
                // A range, or the character itself at an end.
                let ends = first || chars.peek() == Some(&']');
                out.push_str(if ends { r"\-" } else { "-" });
            }
            '[' | '&' | '~' | '^' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        first = false;
    }
}

/// Characters that names may begin with, and may have, as parts of a class.
const NAME_START: &str = r"_:\p{L}";
const NAME: &str = r"_:\-.\u{B7}\p{L}\p{M}\p{Nd}";

/// From behind `\`.
fn escape(chars: &mut Chars<'_>, out: &mut String, in_class: bool) -> Result<(), String> {
    let c = chars.next().ok_or("it ends with a backslash")?;
    let set = match c {
        's' => r"[ \t\n\r]".to_owned(),
        'S' => r"[^ \t\n\r]".to_owned(),
        'd' => r"\p{Nd}".to_owned(),
        'D' => r"\P{Nd}".to_owned(),
        'w' => r"[^\p{P}\p{Z}\p{C}]".to_owned(),
        'W' => r"[\p{P}\p{Z}\p{C}]".to_owned(),
        'i' => format!("[{NAME_START}]"),
        'I' => format!("[^{NAME_START}]"),
        'c' => format!("[{NAME}]"),
        'C' => format!("[^{NAME}]"),
        'p' | 'P' => property(chars, c)?,
        'n' | 'r' | 't' | '\\' | '|' | '.' | '?' | '*' | '+' | '(' | ')' | '{' | '}' | '-' | '[' | ']'
        | '^' | '$' => {
            out.push('\\');
            out.push(c);
            return Ok(());
        }
        other if in_class || !other.is_alphanumeric() => {
            write!(out, r"\x{{{:x}}}", u32::from(other)).expect("a string takes all");
            return Ok(());
        }
        other => return Err(format!("`\\{other}` is not known")),
    };
    out.push_str(&set);
    Ok(())
}

/// A category, or a block of Unicode.
fn property(chars: &mut Chars<'_>, sign: char) -> Result<String, String> {
    let name: String = match chars.next() {
        Some('{') => chars.by_ref().take_while(|c| *c != '}').collect(),
        _ => return Err("`{` is missing behind `\\p`".to_owned()),
    };
    let Some(block) = name.strip_prefix("Is") else { return Ok(format!(r"\{sign}{{{name}}}")) };
    let (_, first, last) = BLOCKS
        .iter()
        .find(|(known, ..)| *known == block)
        .ok_or_else(|| format!("the block `{block}` is not known"))?;
    let negation = if sign == 'P' { "^" } else { "" };
    Ok(format!(r"[{negation}\x{{{first:x}}}-\x{{{last:x}}}]"))
}

/// Blocks that schemas name.
const BLOCKS: &[(&str, u32, u32)] = &[
    ("BasicLatin", 0, 0x7F),
    ("Latin-1Supplement", 0x80, 0xFF),
    ("LatinExtended-A", 0x100, 0x17F),
    ("LatinExtended-B", 0x180, 0x24F),
    ("IPAExtensions", 0x250, 0x2AF),
    ("SpacingModifierLetters", 0x2B0, 0x2FF),
    ("CombiningDiacriticalMarks", 0x300, 0x36F),
    ("Greek", 0x370, 0x3FF),
    ("Cyrillic", 0x400, 0x4FF),
    ("Armenian", 0x530, 0x58F),
    ("Hebrew", 0x590, 0x5FF),
    ("Arabic", 0x600, 0x6FF),
    ("Devanagari", 0x900, 0x97F),
    ("Thai", 0xE00, 0xE7F),
    ("HangulJamo", 0x1100, 0x11FF),
    ("LatinExtendedAdditional", 0x1E00, 0x1EFF),
    ("GreekExtended", 0x1F00, 0x1FFF),
    ("GeneralPunctuation", 0x2000, 0x206F),
    ("SuperscriptsandSubscripts", 0x2070, 0x209F),
    ("CurrencySymbols", 0x20A0, 0x20CF),
    ("LetterlikeSymbols", 0x2100, 0x214F),
    ("NumberForms", 0x2150, 0x218F),
    ("Arrows", 0x2190, 0x21FF),
    ("MathematicalOperators", 0x2200, 0x22FF),
    ("BoxDrawing", 0x2500, 0x257F),
    ("CJKSymbolsandPunctuation", 0x3000, 0x303F),
    ("Hiragana", 0x3040, 0x309F),
    ("Katakana", 0x30A0, 0x30FF),
    ("CJKUnifiedIdeographs", 0x4E00, 0x9FFF),
    ("HangulSyllables", 0xAC00, 0xD7A3),
    ("HalfwidthandFullwidthForms", 0xFF00, 0xFFEF),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_texts() {
        let matches = |pattern: &str, text: &str| {
            let expression = translate(pattern).expect(pattern);
            fancy_regex::Regex::new(&expression).expect(&expression).is_match(text).expect("no limit is met")
        };
        let table: &[(&str, &[&str], &[&str])] = &[
            ("a|ab", &["a", "ab"], &["abc", "xa"]),
            (r"\d{3}-[A-Z]+", &["123-AB", "٣٣٣-X"], &["123-ab", "1234-A"]),
            ("^a$", &["^a$"], &["a"]),
            ("[a-z-[aeiou]]+", &["xyz"], &["xaz"]),
            (r"\i\c*", &["a-1", "_x", "é"], &["1a", ""]),
            (r"[\w.-]+@\S+", &["a.b-c@d"], &["a b@d"]),
            (r"\p{Lu}\p{IsBasicLatin}*", &["Abc"], &["abc", "Aé"]),
            ("[-a&&b]+", &["-a&b"], &["c"]),
            (".", &["x"], &["\n"]),
            ("[^0-9]*", &["", "ab"], &["a1"]),
        ];
        for (pattern, good, bad) in table {
            assert!(good.iter().all(|text| matches(pattern, text)), "{pattern}");
            assert!(!bad.iter().any(|text| matches(pattern, text)), "{pattern}");
        }
        assert!(
            translate("[a").is_err() && translate(r"\y").is_err() && translate(r"\p{IsNowhere}").is_err()
        );
    }
}
