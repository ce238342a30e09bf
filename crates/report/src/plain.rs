//! Text of servers, plans and files, made safe for a terminal.
//!
//! A terminal obeys what it is sent: a response could clear the screen, rename the window, or show
//! one word for another.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// Characters without a width that may follow one another: more than the marks of any writing
/// system on one letter.
const MOST_MARKS: usize = 8;

/// The replacement of a character that is not shown.
const REPLACEMENT: char = '\u{fffd}';

/// The text as one line that a terminal only shows: letters of all languages, signs and symbols
/// stay. Line ends and tabs become spaces, other control characters their pictures (`␛` for
/// escape); what reorders text or hides in it becomes `�`.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    rewrite(text, false)
}

/// As [`plain`], but line ends (`\n`) and tabs stay: for a text of several lines.
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    rewrite(text, true)
}

fn rewrite(text: &str, lines: bool) -> Cow<'_, str> {
    let mut marks = 0;
    let mut before = None;
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        marks = if c.width() == Some(0) { marks + 1 } else { 0 };
        let shown = match c {
            '\n' | '\t' if lines => c,
            '\u{200c}' | '\u{200d}' if joins(before, chars.peek().copied()) => c,
            _ if marks > MOST_MARKS => REPLACEMENT,
            _ => visible(c),
        };
        // A long row of what is not shown is shown once.
        if !(marks > MOST_MARKS && out.ends_with(REPLACEMENT)) {
            out.push(shown);
        }
        before = Some(c);
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// The character, or its replacement.
fn visible(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        // The pictures of control characters are in the same order.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(REPLACEMENT),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => REPLACEMENT,
        _ if is_direction(c) || is_invisible(c) => REPLACEMENT,
        _ => c,
    }
}

/// Marks, embeddings, overrides and isolates of writing direction.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters that show nothing and are no marks on a letter: two texts that differ in one look
/// alike.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Whether a joiner is used as in scripts and emoji: between two visible characters beyond ASCII.
fn joins(before: Option<char>, after: Option<char>) -> bool {
    let shown = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && visible(c) == c);
    shown(before) && shown(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_all_languages_stay() {
        let table = [
            "GET /a?b=c",
            "Größe, naïve, Ελληνικά, Русский",
            "שלום עולם, مرحبا",
            "可以使用中文 한국어 日本語",
            "ภาษาไทย हिन्दी தமிழ் བོད་སྐད",
            "می\u{200c}خواهم",
            "👩\u{200d}🚀 ❤\u{fe0f} 🇩🇪 e\u{301}",
        ];
        for text in table {
            assert!(matches!(plain(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_only_shown() {
        let table = [
            ("a\u{1b}[31mred", "a␛[31mred"),
            ("\u{1b}]0;title\u{7}", "␛]0;title␇"),
            ("a\r\n\tb", "a   b"),
            ("back\u{8}\u{7f}", "back␈␡"),
            ("\u{9b}2J\u{85}x", "�2J x"),
            ("\0", "␀"),
            ("one\u{2028}two", "one two"),
        ];
        for (text, shown) in table {
            assert_eq!(plain(text), shown);
        }
    }

    #[test]
    fn what_reorders_or_hides_is_shown() {
        let table = [
            ("user\u{202e}txt.exe", "user�txt.exe"),
            ("\u{2067}a\u{2069}", "�a�"),
            ("pay\u{200b}pal", "pay�pal"),
            ("a\u{200d}b", "a�b"),
            ("\u{feff}x", "�x"),
            ("tag\u{e0041}", "tag�"),
        ];
        for (text, shown) in table {
            assert_eq!(plain(text), shown);
        }
    }

    #[test]
    fn a_tower_of_marks_is_cut() {
        let tower = format!("a{}b", "\u{301}".repeat(1000));
        assert_eq!(plain(&tower), format!("a{}�b", "\u{301}".repeat(MOST_MARKS)));
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(plain_lines("a\n\tb\u{1b}c\rd"), "a\n\tb␛c d");
        assert!(matches!(plain_lines("error: x\n  hint: y"), Cow::Borrowed(_)));
    }

    #[test]
    fn no_character_alone_controls_a_terminal() {
        for c in '\0'..=char::MAX {
            let shown = plain(c.encode_utf8(&mut [0; 4])).into_owned();
            assert!(!shown.chars().any(char::is_control), "{c:?}");
            assert_eq!(plain(&shown), shown, "{c:?} is plain after one pass");
        }
    }
}
