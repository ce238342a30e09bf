//! Long lines broken at spaces for a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text in lines of at most `most` columns, the first of which has `taken` columns already; the
/// others are indented. A word that is longer than a line is broken. Without a limit the text stays
/// one line.
pub(crate) fn wrap(text: &str, taken: usize, indent: usize, most: Option<usize>) -> String {
    let Some(most) = most else { return text.to_owned() };
    // A line has room for something however narrow the terminal is.
    let most = most.max(indent + 20);
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = taken;
    let mut is_first = true;
    for word in words(text) {
        let gap = usize::from(!is_first);
        if !is_first && column + gap + word.width() > most {
            new_line(&mut out, indent);
            column = indent;
        } else if gap > 0 {
            out.push(' ');
            column += gap;
        }
        is_first = false;
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if column + wide > most {
                new_line(&mut out, indent);
                column = indent;
            }
            out.push(c);
            column += wide;
        }
    }
    out
}

/// The parts between which a line may end: not between a number and its unit.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let is_unit =
            matches!(word.trim_end_matches([')', ',', '.', ';', ':']), "%" | "ms" | "s" | "min" | "h");
        match words.last_mut() {
            Some(last) if is_unit && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn new_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_spaces_and_are_indented() {
        let text = "requests were sent late: p99 1.90 ms after they were due";
        let wanted = "requests were sent\n    late: p99 1.90 ms\n    after they were due";
        assert_eq!(wrap(text, 4, 4, Some(24)), wanted);
        let limit = wrap("the limit of this one is 20 %)", 0, 0, Some(28));
        assert_eq!(limit, "the limit of this one is\n20 %)", "a number stays with its unit");
        assert_eq!(wrap(text, 0, 4, None), text);
        assert_eq!(wrap("short", 0, 4, Some(80)), "short");
    }

    #[test]
    fn a_word_longer_than_a_line_is_broken() {
        let text = wrap(&format!("a {} b", "x".repeat(70)), 0, 2, Some(40));
        assert!(text.lines().all(|line| line.width() <= 40), "{text}");
        assert_eq!(text.matches('x').count(), 70);
        assert!(text.ends_with(" b"), "{text}");
    }

    #[test]
    fn wide_characters_count_twice() {
        let text = wrap(&"漢".repeat(30), 0, 0, Some(40));
        assert_eq!(text.lines().map(UnicodeWidthStr::width).collect::<Vec<_>>(), [40, 20]);
    }
}
